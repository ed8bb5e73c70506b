import torch


def contiguous(x: torch.Tensor) -> None:
    if not x.is_contiguous():
        from .errors import LayoutError

        raise LayoutError("relu_fast wants a contiguous tensor")
