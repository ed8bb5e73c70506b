import kernels
import pytest
import torch

liger_kernel = kernels.get_kernel("example/liger-kernel", version=1)


@pytest.mark.kernels_ci
def test_rms_norm():
    x = torch.randn(4, 64, device="cuda")
    weight = torch.ones(64, device="cuda")
    expected = torch.nn.functional.rms_norm(x, (64,), weight, 1e-6)
    ours = liger_kernel.ops.rms_norm.LigerRMSNormFunction.apply(x, weight, 1e-6)
    torch.testing.assert_close(ours, expected)
