import torch


def contiguous(x: torch.Tensor) -> None:
    if not x.is_contiguous():
        from relu_fast.utils.errors import LayoutError

        raise LayoutError("relu_fast wants a contiguous tensor")
