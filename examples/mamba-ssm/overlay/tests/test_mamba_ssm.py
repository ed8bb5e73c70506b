import kernels
import pytest
import torch

mamba_ssm = kernels.get_kernel("example/mamba-ssm", version=1)


@pytest.mark.kernels_ci
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
def test_selective_scan_matches_the_reference():
    interface = mamba_ssm.ops.selective_scan_interface
    u, delta = torch.randn(2, 8, 64, device="cuda"), torch.rand(2, 8, 64, device="cuda")
    a = -torch.rand(8, 4, device="cuda")
    b, c = torch.randn(2, 4, 64, device="cuda"), torch.randn(2, 4, 64, device="cuda")
    expected = interface.selective_scan_ref(u, delta, a, b, c)
    ours = interface.selective_scan_fn(u, delta, a, b, c)
    torch.testing.assert_close(ours, expected, rtol=1e-3, atol=1e-3)
