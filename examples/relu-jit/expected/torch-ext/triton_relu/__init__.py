from .ops.autograd import ReLU, relu

__all__ = ["ReLU", "relu"]
