"""What the normalisations divide by."""


def mean(row):
    return sum(row) / len(row)


def rms(x, eps):
    return [(mean([value * value for value in row]) + eps) ** 0.5 for row in x]
