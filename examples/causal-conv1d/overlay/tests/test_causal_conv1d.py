import kernels
import pytest
import torch
import torch.nn.functional as F

causal_conv1d = kernels.get_kernel("example/causal-conv1d", version=1)


@pytest.mark.kernels_ci
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
def test_matches_a_padded_convolution():
    x = torch.randn(2, 64, 128, device="cuda")
    weight = torch.randn(64, 4, device="cuda")
    expected = F.conv1d(x, weight.unsqueeze(1), padding=3, groups=64)[..., :128]
    torch.testing.assert_close(causal_conv1d.causal_conv1d_fn(x, weight), expected, rtol=1e-3, atol=1e-3)
