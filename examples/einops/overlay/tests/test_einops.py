import kernels
import numpy as np
import pytest

einops = kernels.get_kernel("example/einops", version=1)


@pytest.mark.kernels_ci
def test_rearrange():
    x = np.arange(6).reshape(2, 3)
    np.testing.assert_array_equal(einops.rearrange(x, "a b -> b a"), x.T)


@pytest.mark.kernels_ci
def test_reduce():
    x = np.arange(6.0).reshape(2, 3)
    np.testing.assert_array_equal(einops.reduce(x, "a b -> a", "sum"), x.sum(axis=1))
