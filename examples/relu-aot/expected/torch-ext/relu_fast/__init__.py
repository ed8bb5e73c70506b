"""A fast ReLU.

>>> from relu_fast.ops import relu
"""

from .ops import relu, relu_
from .version import __version__

__all__ = ["relu", "relu_", "__version__"]
