"""Random generators as records: what their methods draw, by a text where a derivative flows through.

    rng.normal(loc, scale, size)    →    loc + scale * (what rng draws as standard_normal)

Such draws are computed as NumPy computes them, bit for bit, and have the derivative for the same state of the
generator. All others are constants: `draw` calls the method itself.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from typing import Any

import numpy as np

from pullback.functions.objects import makes, stands_for
from pullback.functions.parts import as_array
from pullback.runtime.python.generators import stream_of

TITLE = "a random generator"


def drawn_by(number, kind, name, size, *parameters, **settings):
    """What a method of the generator with a number draws; settings are known before the run."""
    raise NotImplementedError


def drawn_from(state, kind, name, size, *parameters, **settings):
    """The state of a generator behind a draw, and what a method draws."""
    raise NotImplementedError


def seeded(kind, *seed):
    """The state of a new generator."""
    raise NotImplementedError


class Draws:
    """The methods that all generators of NumPy have."""

    __pullback_title__ = TITLE

    def draw(self, name, size, *parameters, **settings):
        """What a method draws, with the parameters broadcast to the size."""
        raise NotImplementedError

    def uniform(self, low=0.0, high=1.0, size=None):
        low, high = as_float(low), as_float(high)
        return low + (high - low) * self.draw("random", size_of(size, low, high))

    def normal(self, loc=0.0, scale=1.0, size=None):
        loc, scale = as_float(loc), as_float(scale)
        check_scale(scale)
        return loc + scale * self.draw("standard_normal", size_of(size, loc, scale))

    def exponential(self, scale=1.0, size=None):
        scale = as_float(scale)
        check_scale(scale)
        return scale * self.draw("standard_exponential", size_of(size, scale))

    def permutation(self, x):
        if np.ndim(x) == 0:
            return self.draw("permutation", None, x)
        x = as_array(x)
        return x[self.draw("permutation", None, np.shape(x)[0])]

    def shuffle(self, x):
        x[...] = x[self.draw("permutation", None, np.shape(x)[0])]

    def choice(self, a, size=None, replace=True, p=None):
        a = as_array(a)
        count = a if np.ndim(a) == 0 else np.shape(a)[0]
        if p is None:
            drawn = self.draw("choice", size, count, replace=replace)
        else:
            drawn = self.draw("choice", size, count, p=as_array(p), replace=replace)
        return drawn if np.ndim(a) == 0 else np.take(a, drawn, axis=0)

    def beta(self, a, b, size=None):
        return self.draw("beta", size, a, b)

    def binomial(self, n, p, size=None):
        return self.draw("binomial", size, n, p)

    def chisquare(self, df, size=None):
        return self.draw("chisquare", size, df)

    def dirichlet(self, alpha, size=None):
        return self.draw("dirichlet", size, as_array(alpha))

    def f(self, dfnum, dfden, size=None):
        return self.draw("f", size, dfnum, dfden)

    def gamma(self, shape, scale=1.0, size=None):
        return self.draw("gamma", size, shape, scale)

    def geometric(self, p, size=None):
        return self.draw("geometric", size, p)

    def gumbel(self, loc=0.0, scale=1.0, size=None):
        return self.draw("gumbel", size, loc, scale)

    def hypergeometric(self, ngood, nbad, nsample, size=None):
        return self.draw("hypergeometric", size, ngood, nbad, nsample)

    def laplace(self, loc=0.0, scale=1.0, size=None):
        return self.draw("laplace", size, loc, scale)

    def logistic(self, loc=0.0, scale=1.0, size=None):
        return self.draw("logistic", size, loc, scale)

    def lognormal(self, mean=0.0, sigma=1.0, size=None):
        return self.draw("lognormal", size, mean, sigma)

    def logseries(self, p, size=None):
        return self.draw("logseries", size, p)

    def multinomial(self, n, pvals, size=None):
        return self.draw("multinomial", size, n, as_array(pvals))

    def multivariate_normal(self, mean, cov, size=None):
        return self.draw("multivariate_normal", size, as_array(mean), as_array(cov))

    def negative_binomial(self, n, p, size=None):
        return self.draw("negative_binomial", size, n, p)

    def noncentral_chisquare(self, df, nonc, size=None):
        return self.draw("noncentral_chisquare", size, df, nonc)

    def noncentral_f(self, dfnum, dfden, nonc, size=None):
        return self.draw("noncentral_f", size, dfnum, dfden, nonc)

    def pareto(self, a, size=None):
        return self.draw("pareto", size, a)

    def poisson(self, lam=1.0, size=None):
        return self.draw("poisson", size, lam)

    def power(self, a, size=None):
        return self.draw("power", size, a)

    def rayleigh(self, scale=1.0, size=None):
        return self.draw("rayleigh", size, scale)

    def standard_cauchy(self, size=None):
        return self.draw("standard_cauchy", size)

    def standard_t(self, df, size=None):
        return self.draw("standard_t", size, df)

    def triangular(self, left, mode, right, size=None):
        return self.draw("triangular", size, left, mode, right)

    def vonmises(self, mu, kappa, size=None):
        return self.draw("vonmises", size, mu, kappa)

    def wald(self, mean, scale, size=None):
        return self.draw("wald", size, mean, scale)

    def weibull(self, a, size=None):
        return self.draw("weibull", size, a)

    def zipf(self, a, size=None):
        return self.draw("zipf", size, a)


class NewDraws(Draws):
    """What `np.random.Generator` has besides."""

    __pullback_class__ = np.random.Generator

    def random(self, size=None, dtype=np.float64):
        return self.draw("random", size, dtype=dtype)

    def standard_normal(self, size=None, dtype=np.float64):
        return self.draw("standard_normal", size, dtype=dtype)

    def standard_exponential(self, size=None, dtype=np.float64, method="zig"):
        return self.draw("standard_exponential", size, dtype=dtype, method=method)

    def standard_gamma(self, shape, size=None, dtype=np.float64):
        return self.draw("standard_gamma", size, shape, dtype=dtype)

    def integers(self, low, high=None, size=None, dtype=np.int64, endpoint=False):
        if high is None:
            return self.draw("integers", size, low, dtype=dtype, endpoint=endpoint)
        return self.draw("integers", size, low, high, dtype=dtype, endpoint=endpoint)


class LegacyDraws(Draws):
    """What `np.random.RandomState`, and so the module `np.random`, has besides."""

    __pullback_class__ = np.random.RandomState

    def seed(self, seed):
        return self.draw("seed", None, seed)

    def rand(self, *sizes):
        return self.draw("random_sample", sizes if len(sizes) else None)

    def randn(self, *sizes):
        return self.draw("standard_normal", sizes if len(sizes) else None)

    def randint(self, low, high=None, size=None, dtype=int):
        if high is None:
            return self.draw("randint", size, low, dtype=dtype)
        return self.draw("randint", size, low, high, dtype=dtype)

    def random(self, size=None):
        return self.draw("random_sample", size)

    def random_sample(self, size=None):
        return self.draw("random_sample", size)

    def standard_normal(self, size=None):
        return self.draw("standard_normal", size)

    def standard_exponential(self, size=None):
        return self.draw("standard_exponential", size)

    def standard_gamma(self, shape, size=None):
        return self.draw("standard_gamma", size, shape)


def as_float(x):
    """A parameter as NumPy takes it, with 64 bits."""
    x = as_array(x)
    return x.astype(np.float64) if np.ndim(x) else float(x)


def check_scale(scale):
    """Raises ValueError for a negative scale."""
    negative = np.any(np.signbit(scale)) if np.ndim(scale) else math.copysign(1.0, scale) < 0.0
    if negative:
        raise ValueError("scale < 0")


def size_of(size, *parameters):
    """The size of a draw: what was said, or the common shape of arrays among the parameters."""
    if size is not None:
        return size
    shapes = []
    for one in parameters:
        if np.ndim(one):
            shapes.append(np.shape(one))
    return np.broadcast_shapes(*shapes) if len(shapes) else None


# Generators from outside, by number


class FromOutside:
    """What is passed for a generator is the number of its stream."""

    number: Any

    @staticmethod
    def __pullback_part__(generator, name):
        return stream_of(generator).number

    def draw(self, name, size, *parameters, **settings):
        return drawn_by(self.number, type(self), name, size, *parameters, **settings)


@stands_for(np.random.Generator)
@dataclass
class Outside(FromOutside, NewDraws):
    """A generator from outside."""

    number: Any


@stands_for(np.random.RandomState)
@dataclass
class LegacyOutside(FromOutside, LegacyDraws):
    """A legacy generator from outside; that of the functions of `np.random` is one."""

    number: Any


@stands_for(random.Random)
@dataclass
class OfPython(FromOutside):
    """A generator of the module `random`."""

    __pullback_title__ = TITLE
    __pullback_class__ = random.Random
    number: Any

    def random(self):
        return self.draw("random", None)

    def uniform(self, a, b):
        return a + (b - a) * self.draw("random", None)

    def gauss(self, mu=0.0, sigma=1.0):
        return mu + self.draw("gauss", None) * sigma

    def normalvariate(self, mu=0.0, sigma=1.0):
        return mu + self.draw("normalvariate", None) * sigma

    def expovariate(self, lambd=1.0):
        return self.draw("expovariate", None, 1.0) / lambd

    def betavariate(self, alpha, beta):
        return self.draw("betavariate", None, alpha, beta)

    def gammavariate(self, alpha, beta):
        return self.draw("gammavariate", None, alpha, beta)

    def randint(self, a, b):
        return self.draw("randint", None, a, b)

    def randrange(self, *bounds):
        return self.draw("randrange", None, *bounds)

    def seed(self, a):
        return self.draw("seed", None, a)


def global_seed(seed):
    """np.random.seed."""
    return np.random.mtrand._rand.seed(seed)


# Generators that the function makes, by their state


class WithState:
    """A generator that is its state, which each draw changes."""

    def __init__(self, state):
        self.state = state

    def draw(self, name, size, *parameters, **settings):
        self.state, drawn = drawn_from(self.state, type(self), name, size, *parameters, **settings)
        return drawn


class Generator(WithState, NewDraws):
    """A generator that the function made."""


class RandomState(WithState, LegacyDraws):
    """A legacy generator that the function made."""

    def seed(self, seed):
        self.state = seeded(np.random.RandomState, as_array(seed))


def default_rng(seed=None):
    """np.random.default_rng: a generator is given back as it is."""
    if isinstance(seed, np.random.Generator):
        return seed
    return (
        Generator(seeded(np.random.Generator))
        if seed is None
        else Generator(seeded(np.random.Generator, as_array(seed)))
    )


@makes(np.random.RandomState)
def random_state(seed=None):
    """np.random.RandomState."""
    return (
        RandomState(seeded(np.random.RandomState))
        if seed is None
        else RandomState(seeded(np.random.RandomState, as_array(seed)))
    )


FUNCTIONS = {np.random.default_rng: default_rng, np.random.seed: global_seed}
"""The texts of functions of `np.random` that are no methods of its generator."""
