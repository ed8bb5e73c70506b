"""The public functions; the work is done by a backend."""

import tinynorm.stats as stats
from tinynorm.backends.reference import scale


def rms_norm(x, weight=None, eps=1e-6):
    """Divides each row by its root mean square."""
    return scale(x, stats.rms(x, eps), weight)


def layer_norm(x, weight=None, eps=1e-6):
    """Centers each row, then divides it by its standard deviation."""
    x = [[value - stats.mean(row) for value in row] for row in x]
    return scale(x, stats.rms(x, eps), weight)
