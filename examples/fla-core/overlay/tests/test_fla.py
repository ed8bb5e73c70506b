import kernels
import pytest
import torch

fla = kernels.get_kernel("example/fla", version=1)


@pytest.mark.kernels_ci
def test_l2norm():
    x = torch.randn(4, 64, device="cuda")
    torch.testing.assert_close(fla.modules.l2norm.l2norm(x), torch.nn.functional.normalize(x), rtol=1e-3, atol=1e-3)
