import torch
import triton
import triton.language as tl


@triton.jit
def _relu(out, x, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    value = tl.load(x + at, mask=mask)
    tl.store(out + at, tl.maximum(value, 0.0), mask=mask)


def relu_forward(x: torch.Tensor) -> torch.Tensor:
    out = torch.empty_like(x)
    _relu[(triton.cdiv(x.numel(), 1024),)](out, x, x.numel(), BLOCK=1024)
    return out
