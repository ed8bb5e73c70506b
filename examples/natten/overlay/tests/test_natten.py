import kernels
import pytest
import torch

natten = kernels.get_kernel("example/natten", version=1)


@pytest.mark.kernels_ci
def test_a_window_of_everything_is_attention():
    q, k, v = (torch.randn(1, 16, 2, 32) for _ in range(3))
    ours = natten.na1d(q, k, v, kernel_size=16, backend="flex-fna")
    expected = torch.nn.functional.scaled_dot_product_attention(*(x.transpose(1, 2) for x in (q, k, v)))
    torch.testing.assert_close(ours, expected.transpose(1, 2), rtol=1e-3, atol=1e-3)
