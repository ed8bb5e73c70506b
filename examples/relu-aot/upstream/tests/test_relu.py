import pytest
import torch

from relu_fast import relu, relu_


@pytest.mark.parametrize("shape", [(1,), (3, 5), (1024,)])
def test_relu(shape):
    x = torch.randn(shape)
    torch.testing.assert_close(relu(x), torch.relu(x))


def test_relu_in_place():
    x = torch.randn(16)
    expected = torch.relu(x)
    assert relu_(x) is x
    torch.testing.assert_close(x, expected)
