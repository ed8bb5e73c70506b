from triton_relu.ops.autograd import ReLU, relu

__all__ = ["ReLU", "relu"]
