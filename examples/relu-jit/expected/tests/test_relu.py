import pytest
import torch

import kernels
triton_relu = kernels.get_kernel("example/triton-relu", version=1)
relu = triton_relu.relu
autograd = triton_relu.ops.autograd


@pytest.mark.kernels_ci
@pytest.mark.parametrize("n", [1, 1000, 4096])
def test_forward(n):
    x = torch.randn(n, device="cuda")
    torch.testing.assert_close(relu(x), torch.relu(x))


@pytest.mark.kernels_ci
class TestBackward:
    def test_gradient(self):
        x = torch.randn(64, device="cuda", requires_grad=True)
        autograd.ReLU.apply(x).sum().backward()
        torch.testing.assert_close(x.grad, (x > 0).float())
