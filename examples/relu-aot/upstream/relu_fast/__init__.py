"""A fast ReLU.

>>> from relu_fast.ops import relu
"""

from relu_fast.ops import relu, relu_
from relu_fast.version import __version__

__all__ = ["relu", "relu_", "__version__"]
