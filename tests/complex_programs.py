"""Programs over complex numbers, each with arguments: a float number comes out."""

from collections.abc import Callable
from typing import Any

import numpy as np

PROGRAMS: dict[str, tuple[Callable[..., Any], Callable[[Any], tuple[Any, ...]]]] = {}


def numbers(rng: Any, *shape: int) -> Any:
    """Complex numbers around the unit circle, away from 0."""
    made = rng.uniform(0.5, 1.5, shape) * np.exp(1j * rng.uniform(-2.5, 2.5, shape))
    return made if shape else complex(made)


def given(make: Callable[[Any], tuple[Any, ...]]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Mark a program, with what makes its arguments of a generator."""

    def note(function: Callable[..., Any]) -> Callable[..., Any]:
        PROGRAMS[function.__name__] = (function, make)
        return function

    return note


def one(rng: Any) -> tuple[Any, ...]:
    return (numbers(rng),)


def row(rng: Any) -> tuple[Any, ...]:
    return (numbers(rng, 4),)


def matrix(rng: Any) -> tuple[Any, ...]:
    return (numbers(rng, 3, 3),)


# Numbers


@given(one)
def square_of_absolute(z):
    return abs(z) ** 2


@given(one)
def absolute_of_polynomial(z):
    return np.abs(z * z * z - (1 + 2j) * z + 3j)


@given(one)
def parts_of_product(z):
    w = z * (2 - 1j) / (z + 3)
    return w.real * w.imag + w.real**2


@given(one)
def conjugates(z):
    return (z.conjugate() * np.conj(z) * z).imag + (z * z.conjugate()).real


@given(one)
def phase(z):
    return np.angle(z) + np.angle(z * 2j, deg=True)


@given(lambda rng: (rng.normal(), rng.normal()))
def made_of_parts(x, y):
    z = complex(x, y)
    w = complex(z)
    return (z * w + x * 1j).imag + complex(y).real


@given(one)
def branch_by_real_part(z):
    if z.real > 0.1:
        w = z * z
    else:
        w = 1j * z
    if w == 0:
        return 1.0
    return abs(w)


@given(one)
def escapes(z):
    w = 0j
    n = 0
    while abs(w) < 2.0 and n < 5:
        w = w * w + z
        n += 1
    return abs(w) / (1 + n)


@given(lambda rng: (rng.normal(), numbers(rng)))
def real_meets_complex(x, z):
    return ((x * z + x) ** 2 - z / x).real + (x + z).imag * x


@given(one)
def integer_becomes_complex(z):
    s = 0
    for k in range(4):
        s = s * z + k
    return s.real + s.imag**2


@given(one)
def powers(z):
    return (z**3 + z**-2 + z**0.5 + z ** (1 + 1j) + 2**z + z**2.0).imag


@given(lambda rng: (rng.uniform(0.5, 1.5), numbers(rng)))
def real_base_of_power(x, z):
    return abs(x**z) + (z**x).real


# Arrays


@given(row)
def elementary_functions(z):
    s = 0.1 * z
    w = np.exp(s) + np.sin(s) * np.cos(s) + np.tan(s) + np.sinh(s) / np.cosh(s) + np.tanh(s)
    w = w + np.arcsin(s) + np.arccos(s) * np.arctan(s) + np.arcsinh(s) + np.arccosh(s + 2) + np.arctanh(s)
    return np.sum(np.abs(w))


@given(row)
def logarithms(z):
    w = np.log(z) + np.log2(z + 4) - np.log10(z + 3) + np.log1p(z + 2) + np.expm1(z) + np.exp2(z)
    return np.sum((w * np.sqrt(z + 2) - np.square(z) + np.reciprocal(z)).real)


@given(row)
def energy(z):
    return np.vdot(z, z).real + np.sum(z * z.conj()).real + np.linalg.norm(z)


@given(row)
def means_and_products(z):
    return np.abs(np.mean(z) * np.prod(z)) + np.sum(np.cumsum(z).imag) + np.abs(np.cumprod(z)[-1])


@given(row)
def spread(z):
    return np.var(z) + np.std(z) + np.var(z, ddof=1)


@given(row)
def chosen(z):
    w = np.where(z.imag > 0, z * z, np.conj(z))
    return np.sum(np.where(np.abs(z) > 1, w, 2.0).real) + np.sum(w[z.real > 0].imag)


@given(row)
def written(z):
    y = np.zeros(z.shape[0] + 2, dtype=complex)
    y[1:-1] = z
    y[0] = 1.0
    y[-1] = z[0] * 1j
    y[1:] += 2.0 * y[:-1]
    y *= z[1]
    return np.sum(np.abs(y) ** 2)


@given(row)
def recurrence(z):
    y = z.copy()
    for k in range(1, y.shape[0]):
        y[k] = y[k] * y[k - 1] + np.conj(y[k - 1])
    return (y[-1] * y[0]).real


@given(lambda rng: (rng.normal(size=4),))
def phases_of_real(x):
    z = np.exp(1j * x) + x
    return np.sum((z * z).imag) + np.sum(np.angle(z))


@given(lambda rng: (rng.normal(size=4), numbers(rng, 4)))
def mixed_arrays(x, z):
    w = x * z + x
    w[1] = x[2]
    return np.sum(w.real * x) + np.sum(np.abs(w)) + np.sum(x / z).imag


@given(row)
def signs(z):
    return np.sum((np.sign(z) * (1 + 2j)).real)


@given(row)
def moved(z):
    w = np.reshape(z, (2, 2)).T
    w = np.concatenate([w, np.flip(w, 0)]) * np.array([1j, 2.0])
    return np.sum(np.roll(w, 1, 0)[1:].ravel().imag) + np.stack([z, z * 2j]).real[1, 2]


@given(row)
def cast(z):
    x = np.abs(z)
    w = x.astype(complex) * z
    return np.sum(w.astype(np.complex128).imag)


@given(lambda rng: (numbers(rng, 2, 3), rng.normal(size=3)))
def broadcast(z, x):
    w = z * x + x[0] - z[:, :1] * 1j
    return np.sum(np.abs(w - np.mean(w, axis=0)))


@given(lambda rng: (numbers(rng, 5),))
def list_of_numbers(z):
    found = []
    for w in z:
        if w.imag > 0:
            found.append(w * w)
    total = 0j
    for w in found:
        total = total + w.conjugate()
    return total.real + total.imag


@given(row)
def polynomial(z):
    return abs(np.polyval(z, 0.5 + 1j))


@given(row)
def default_at_zero(z):
    w = z * 0
    return np.sum(np.abs(w)) + np.sum(np.angle(z))


# Matrices


@given(lambda rng: (numbers(rng, 3, 3), rng.normal(size=3), numbers(rng, 3)))
def products(a, x, z):
    return np.sum((a @ x).imag) + abs(z @ a @ z) + np.dot(a, z).real[0] + np.sum(np.inner(a, a).imag)


@given(lambda rng: (numbers(rng, 2, 3, 2), numbers(rng, 2, 2)))
def batched_products(a, b):
    return np.sum(np.abs(a @ b)) + np.sum(np.einsum("ijk,lk->il", a, b).real) + np.sum(np.tensordot(a, b, 1).imag)


@given(lambda rng: (numbers(rng, 3), numbers(rng, 2)))
def outer_products(a, b):
    return np.sum(np.outer(a, b.conj()).imag) + np.abs(np.vdot(a[:2], b)) + np.trace(np.outer(a, a)).real


@given(matrix)
def systems(a):
    b = a + 4 * np.eye(3)
    return np.sum(np.abs(np.linalg.solve(b, a[0]))) + np.abs(np.linalg.det(b)) + np.linalg.inv(b)[0, 1].imag


@given(matrix)
def hermitian(a):
    h = a @ a.conj().T + np.eye(3)
    low = np.linalg.cholesky(h)
    values = np.linalg.eigh(h).eigenvalues
    return np.sum(np.abs(low)) + np.sum(values**2) + np.linalg.eigvalsh(h)[0] * np.linalg.slogdet(h)[1]


@given(matrix)
def singular_values(a):
    s = np.linalg.svd(a).S
    sign, logarithm = np.linalg.slogdet(a)
    return np.sum(s**2) + s[0] + logarithm + sign.imag


@given(matrix)
def frobenius(a):
    return np.linalg.norm(a) + np.sum(np.abs(np.linalg.matrix_power(a, 3)))


# Programs of some length


@given(lambda rng: (numbers(rng, 6), rng.normal(size=3)))
def contour_integral(z, x):
    total = np.zeros((3, 3), dtype=complex)
    moment = np.zeros((3, 3), dtype=complex)
    for k in range(z.shape[0]):
        t = np.diag(x + 0j) * z[k] + np.ones((3, 3)) + 3.0 * np.eye(3)
        y = np.linalg.inv(t)
        total += y
        moment += z[k] * y
    return np.sum(np.abs(total @ moment))


@given(lambda rng: (numbers(rng, 2, 2, 2, 2), numbers(rng, 2, 2, 2)))
def self_energies(g, d):
    sigma = np.zeros(g.shape, dtype=np.complex128)
    for k in range(2):
        for e in range(2):
            for q in range(2):
                if e - q >= 0:
                    sigma[k, e] += g[k, e - q] @ d[q] @ g[k, e].conj().T
    return np.sum(np.abs(sigma) ** 2)


@given(lambda rng: (numbers(rng, 8),))
def stockham(x):
    y = x.copy()
    n, half = x.shape[0], x.shape[0] // 2
    stride = 1
    while n > 1:
        m = n // 2
        out = np.zeros(x.shape[0], dtype=complex)
        for p in range(m):
            w = np.exp(-2j * np.pi * p / n)
            for q in range(stride):
                a = y[q + stride * p]
                b = y[q + stride * (p + m)]
                out[q + stride * 2 * p] = a + b
                out[q + stride * (2 * p + 1)] = (a - b) * w
        y = out
        n = m
        stride *= 2
    return np.sum(np.abs(y[:half]) ** 4)


@given(lambda rng: (numbers(rng, 3, 3), numbers(rng, 3), rng.normal(size=(5, 3))))
def recurrent_network(w, b, xs):
    h = np.zeros(3, dtype=complex)
    for t in range(xs.shape[0]):
        z = w @ h + xs[t] * b
        size = np.abs(z)
        h = np.maximum(size - 0.1, 0.0) / (size + 1e-3) * z
    return np.sum(np.abs(h) ** 2) + h[0].real


@given(lambda rng: (np.linspace(-1.1, 0.9, 4), np.linspace(-1.05, 0.95, 3)))
def mandelbrot(x, y):
    total = 0.0
    for i in range(x.shape[0]):
        for j in range(y.shape[0]):
            c = complex(x[i], y[j])
            z = 0j
            for _ in range(6):
                if abs(z) > 2:
                    break
                z = z * z + c
            total += abs(z) ** 2
    return total


# Fourier transforms


@given(row)
def transforms(z):
    w = np.fft.fft(z) * np.fft.ifft(z, norm="ortho") + np.fft.fft(z, 6)[:4] - np.fft.ifft(z, 3, norm="forward")[0]
    return np.sum(np.abs(w) ** 2)


@given(lambda rng: (rng.normal(size=(3, 5)), rng.normal(size=(4, 2))))
def transforms_of_real(x, y):
    a = np.fft.rfft(x) * 1j + np.fft.rfft(x, 4, norm="ortho") + np.fft.rfft(x, 4, 1, "forward")
    b = np.fft.rfft(y, axis=0) + np.fft.rfft(y, 5, 0)
    return np.sum(np.abs(a) ** 2) + np.sum(b.imag * b.real)


@given(lambda rng: (numbers(rng, 3, 4),))
def transforms_to_real(z):
    a = np.fft.irfft(z) ** 2 + np.fft.irfft(z, 6, norm="ortho")
    b = np.fft.irfft(z, 5, axis=0) * np.fft.irfft(z, 5, 0, "forward") + np.fft.irfft(z, 9, 1)[0, 0]
    return np.sum(a) + np.sum(b) + np.sum(np.fft.hfft(z, 7) ** 3)


@given(lambda rng: (rng.normal(size=(4, 3)), numbers(rng, 4, 3)))
def transforms_of_planes(x, z):
    a = np.fft.fft2(z) * np.fft.ifftn(z) + np.fft.fftn(x, axes=(0,)) + np.fft.fftn(z, s=(4, 3), axes=(0, 1))
    b = np.fft.irfft2(np.fft.rfft2(x) * 2j, s=(4, 3)) + np.fft.irfftn(
        np.fft.rfftn(x, norm="ortho"), s=(4, 3), axes=(0, 1)
    )
    c = np.fft.ifft2(np.fft.fftshift(z)) * np.fft.ifftshift(x, axes=1) + np.fft.ihfft(x)[:, :1]
    return np.sum(np.abs(a)) + np.sum(b * x) + np.sum(c.imag)


@given(lambda rng: (np.exp(-(np.linspace(-2, 2, 8) ** 2)) + 0j, rng.normal(size=8)))
def split_step(psi, v):
    k = 2 * np.pi * np.fft.fftfreq(8, 0.5)
    for _ in range(3):
        psi = psi * np.exp(-0.05j * v)
        psi = np.fft.ifft(np.exp(-0.05j * k**2) * np.fft.fft(psi))
        psi = psi * np.exp(-0.05j * v)
    return np.sum(np.abs(psi) ** 2 * v)


@given(lambda rng: (rng.normal(size=8),))
def spectral_heat(u):
    k = np.fft.rfftfreq(8, 1 / 8) * 2j * np.pi
    for _ in range(4):
        slope = np.fft.irfft(k * np.fft.rfft(u), 8)
        u = u - 0.001 * u * slope
    return np.sum(u**2)


@given(lambda rng: (rng.normal(size=(4, 4)), np.abs(rng.normal(size=(4, 4)))))
def phase_retrieval(phase, measured):
    field = np.fft.fftshift(np.fft.fft2(np.exp(1j * phase)))
    return np.sum((np.abs(field) - measured) ** 2)
