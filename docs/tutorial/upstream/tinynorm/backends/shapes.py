"""Shapes that do not fit are errors, not surprises."""


def check(x, weight):
    width = len(x[0])
    if any(len(row) != width for row in x) or weight is not None and len(weight) != width:
        raise ValueError("rows and weight must be of one length")
