"""A loss written for JAX, PyTorch or autograd becomes a call that returns `(value, gradient, ...)`, in float64.

Each package is imported when its peer is built, so that a missing one stops nobody else.
"""

from collections.abc import Callable, Sequence
from typing import Any

Call = Callable[[], tuple[Any, ...]]


def jax_gradient(loss: Callable[..., Any], arguments: Sequence[Any]) -> Call:
    """By `jax.jit(jax.value_and_grad(loss))`; the call returns when the results are there."""
    import jax

    jax.config.update("jax_enable_x64", True)
    inputs = [jax.numpy.asarray(argument) for argument in arguments]
    compiled = jax.jit(jax.value_and_grad(loss, argnums=tuple(range(len(inputs)))))

    def call() -> tuple[Any, ...]:
        value, gradients = compiled(*inputs)
        jax.block_until_ready(gradients)
        return value, *gradients

    return call


def torch_gradient(loss: Callable[..., Any], arguments: Sequence[Any]) -> Call:
    """By PyTorch's eager mode on the CPU."""
    import torch

    inputs = [torch.tensor(argument, dtype=torch.float64, requires_grad=True) for argument in arguments]

    def call() -> tuple[Any, ...]:
        value = loss(*inputs)
        return value, *torch.autograd.grad(value, inputs)

    return call


def autograd_gradient(loss: Callable[..., Any], arguments: Sequence[Any]) -> Call:
    """By HIPS autograd."""
    from autograd import value_and_grad

    gradient = value_and_grad(loss, argnum=tuple(range(len(arguments))))

    def call() -> tuple[Any, ...]:
        value, gradients = gradient(*arguments)
        return value, *gradients

    return call
