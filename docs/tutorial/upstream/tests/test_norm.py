import pytest

from tinynorm import layer_norm, rms_norm


def test_rms_norm():
    assert rms_norm([[3.0, 3.0]], eps=0.0) == [[1.0, 1.0]]


def test_layer_norm():
    assert layer_norm([[1.0, 3.0]], eps=0.0) == [[-1.0, 1.0]]


def test_shapes():
    with pytest.raises(ValueError):
        rms_norm([[1.0, 2.0]], weight=[1.0])
