"""Normalisations: `from tinynorm import rms_norm`."""

from tinynorm.functional import layer_norm, rms_norm

__all__ = ["layer_norm", "rms_norm"]
