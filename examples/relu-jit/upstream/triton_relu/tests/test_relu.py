import pytest
import torch

from triton_relu import relu
from triton_relu.ops import autograd


@pytest.mark.parametrize("n", [1, 1000, 4096])
def test_forward(n):
    x = torch.randn(n, device="cuda")
    torch.testing.assert_close(relu(x), torch.relu(x))


class TestBackward:
    def test_gradient(self):
        x = torch.randn(64, device="cuda", requires_grad=True)
        autograd.ReLU.apply(x).sum().backward()
        torch.testing.assert_close(x.grad, (x > 0).float())
