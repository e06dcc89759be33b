"""Discrete Fourier transforms under the names of `scipy.fft`: those of NumPy, with settings that change no number."""

from __future__ import annotations

import numpy as np
from scipy import fft

from pullback.functions.declare import composes


@composes(fft.fft, of_complex=True)
def transformed(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *, plan=None):
    return np.fft.fft(x, n, axis, norm)


@composes(fft.ifft, of_complex=True)
def inverse(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *, plan=None):
    return np.fft.ifft(x, n, axis, norm)


@composes(fft.rfft, of_complex=True)
def of_real(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *, plan=None):
    return np.fft.rfft(x, n, axis, norm)


@composes(fft.irfft, of_complex=True)
def to_real(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *, plan=None):
    return np.fft.irfft(x, n, axis, norm)


@composes(fft.hfft, of_complex=True)
def of_hermitian(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *, plan=None):
    return np.fft.hfft(x, n, axis, norm)


@composes(fft.ihfft, of_complex=True)
def to_hermitian(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *, plan=None):
    return np.fft.ihfft(x, n, axis, norm)


@composes(fft.fftn, of_complex=True)
def transformed_along(x, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *, plan=None):
    return np.fft.fftn(x, s, axes, norm)


@composes(fft.ifftn, of_complex=True)
def inverse_along(x, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *, plan=None):
    return np.fft.ifftn(x, s, axes, norm)


@composes(fft.rfftn, of_complex=True)
def of_real_along(x, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *, plan=None):
    return np.fft.rfftn(x, s, axes, norm)


@composes(fft.irfftn, of_complex=True)
def to_real_along(x, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *, plan=None):
    return np.fft.irfftn(x, s, axes, norm)


@composes(fft.fft2, of_complex=True)
def transformed_tables(x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, workers=None, *, plan=None):
    return np.fft.fft2(x, s, axes, norm)


@composes(fft.ifft2, of_complex=True)
def inverse_tables(x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, workers=None, *, plan=None):
    return np.fft.ifft2(x, s, axes, norm)


@composes(fft.rfft2, of_complex=True)
def of_real_tables(x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, workers=None, *, plan=None):
    return np.fft.rfft2(x, s, axes, norm)


@composes(fft.irfft2, of_complex=True)
def to_real_tables(x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, workers=None, *, plan=None):
    return np.fft.irfft2(x, s, axes, norm)


@composes(fft.fftshift, of_complex=True)
def shift_by_half(x, axes=None):
    return np.fft.fftshift(x, axes)


@composes(fft.ifftshift, of_complex=True)
def inverse_shift(x, axes=None):
    return np.fft.ifftshift(x, axes)


@composes(fft.fftfreq)
def frequencies(n, d=1.0, *, xp=None, device=None):
    return np.fft.fftfreq(n, d)


@composes(fft.rfftfreq)
def frequencies_of_real(n, d=1.0, *, xp=None, device=None):
    return np.fft.rfftfreq(n, d)
