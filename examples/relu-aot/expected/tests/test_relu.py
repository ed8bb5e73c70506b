import pytest
import torch

import kernels
relu_fast = kernels.get_kernel("example/relu-fast", version=1)
relu = relu_fast.relu
relu_ = relu_fast.relu_


@pytest.mark.kernels_ci
@pytest.mark.parametrize("shape", [(1,), (3, 5), (1024,)])
def test_relu(shape):
    x = torch.randn(shape)
    torch.testing.assert_close(relu(x), torch.relu(x))


@pytest.mark.kernels_ci
def test_relu_in_place():
    x = torch.randn(16)
    expected = torch.relu(x)
    assert relu_(x) is x
    torch.testing.assert_close(x, expected)
