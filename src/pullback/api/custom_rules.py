"""Derivatives of one's own: of a function by a rule, by running it again, by the implicit function theorem, or none."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pullback.api.differentiable import Differentiable, wrapped_in
from pullback.api.pickled import named, reduced
from pullback.compilation.turns import MAKING, importing
from pullback.errors import TypingError
from pullback.frontend.source.externals import External
from pullback.frontend.source.plain_functions import objection, primal_of
from pullback.frontend.source.user_rules import RULE, Kind, UserRule

if TYPE_CHECKING:
    from pullback.api.specialise import Engine


class WithRule(Differentiable[..., Any]):
    """A differentiable function whose derivative is a rule."""

    def __init__(
        self, function: Callable[..., Any], kind: Kind, nondiff: tuple[int, ...] = (), parts: tuple[Any, ...] = ()
    ) -> None:
        own, options = wrapped_in(function)
        called = own if isinstance(own, External) or primal_of(own) is not None else _external(own)
        own = _parameters_of(called) if isinstance(called, External) else own
        super().__init__(own, options, getattr(function, "_text", None))
        setattr(self, RULE, UserRule(called, kind, nondiff, parts))
        self._known = None

    @property
    def rule(self) -> UserRule:
        rule: UserRule = getattr(self, RULE)
        return rule

    @property
    def engine(self) -> Engine:
        with importing():
            from pullback.api.rule_engine import RuleEngine
        with MAKING:
            if self._engine is None:
                self._engine = RuleEngine(self)
            return self._engine

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        if instance is None:
            return self
        raise TypingError(
            f"'{self.__qualname__}', whose derivative is a rule, is a method",
            None,
            "make it a function of its arguments",
        )

    def __reduce__(self) -> str | tuple[Any, ...]:
        if named(self.__module__, self.__qualname__) is self:
            return self.__qualname__
        return reduced(_made_again, type(self), self.rule.function, self.rule.kind, self.rule.nondiff, self.rule.parts)

    def __repr__(self) -> str:
        return f"<differentiable {self.__wrapped__.__name__}, by a rule>"


def _external(function: Callable[..., Any]) -> External:
    """A function without source, if it tells itself what it returns."""
    try:
        return External(function)
    except TypingError:
        reason, _ = objection(function)
        name = getattr(function, "__name__", type(function).__name__)
        remedy = f"say what it returns, as in pb.external({name}, result=float), and give the rule to that"
        raise TypingError(reason, None, remedy) from None


def _parameters_of(external: External) -> Callable[..., Any]:
    """A function with the parameters of an external one. Raises TypingError where nobody knows them."""
    if external.parameters is None:
        reason = f"the parameters of '{external.__name__}' are not known"
        raise TypingError(reason, None, "let pb.external have a lambda that calls it")
    return external.__pullback_primal__


def _made_again(kind: type[WithRule], *arguments: Any) -> WithRule:
    made = kind.__new__(kind)
    WithRule.__init__(made, *arguments)
    return made


class CustomVJP(WithRule):
    """What `custom_vjp` returns."""

    def defvjp(self, fwd: Callable[..., Any], bwd: Callable[..., Any]) -> None:
        """Define the derivative.

        fwd: takes the arguments and returns `(value, residuals)`, where the residuals are whatever `bwd` needs.
        bwd: takes the residuals and the cotangent of the value, in its structure, and returns a tuple with a cotangent
            for each argument, in its structure and shapes; None for one without.

        >>> import numpy as np, pullback as pb
        >>> @pb.custom_vjp
        ... def clipped(x):
        ...     return x
        >>> clipped.defvjp(lambda x: (x, None), lambda _, x_bar: (np.clip(x_bar, -1.0, 1.0),))
        >>> pb.grad(lambda x: 100.0 * clipped(x))(2.0)
        1.0
        """
        self.rule.parts = (fwd, bwd)


class CustomJVP(WithRule):
    """What `custom_jvp` returns."""

    def defjvp(self, jvp: Callable[..., Any]) -> Callable[..., Any]:
        """Define the derivative, and return `jvp`, so that this serves as a decorator.

        jvp: takes two tuples, the arguments and their tangents, which have the structures and shapes of the arguments
            (0.0 for integers), and returns `(value, tangent)`; the tangent must be linear in those that are given.

        >>> import numpy as np, pullback as pb
        >>> @pb.custom_jvp
        ... def sine(x):
        ...     return np.sin(x)
        >>> @sine.defjvp
        ... def _(primals, tangents):
        ...     return sine(primals[0]), np.cos(primals[0]) * tangents[0]
        >>> pb.grad(sine)(0.0)
        1.0
        """
        self.rule.kind, self.rule.parts = "jvp", (jvp,)
        return jvp

    def defjvps(self, *jvps: Callable[..., Any] | None) -> None:
        """Define the derivative by a function for each argument, or None for an argument without.

        jvps: each takes the tangent of its argument, the value, and all arguments, and returns a part of the tangent
            of the value, which is the sum of these parts.

        >>> import numpy as np, pullback as pb
        >>> @pb.custom_jvp
        ... def power(x, n):
        ...     return x ** n
        >>> power.defjvps(lambda x_dot, y, x, n: x_dot * n * x ** (n - 1), None)
        >>> pb.grad(power)(3.0, 2)
        6.0
        """
        self.rule.kind, self.rule.parts = "jvps", jvps


def custom_vjp(function: Callable[..., Any] | None = None, nondiff_argnums: tuple[int, ...] = ()) -> Any:
    """Give a function a derivative of your own, by cotangents: see `defvjp` of what this returns.

    The rule serves gradients, Jacobians and tangents (which are its transpose), in differentiable functions, in
    compiled code and on tapes. Derivatives of higher order differentiate the functions of the rule; where `fwd` calls
    the function itself, they go by the rule again.

    function: a Python function, or what `differentiable` has made of one. It is called where nothing is differentiated.
    nondiff_argnums: the numbers of arguments without derivatives, as functions and settings; `bwd` takes them first.

    Raises MissingRuleError when a derivative is taken before it is defined; TypingError where the rule does not fit
    the function; LanguageError where the function writes into its arguments.

    >>> import numpy as np, pullback as pb
    >>> @pb.custom_vjp
    ... def log1pexp(x):
    ...     return np.log(1.0 + np.exp(x))
    >>> def forward(x):
    ...     return log1pexp(x), x
    >>> def backward(x, y_bar):
    ...     return (y_bar * (1.0 - 1.0 / (1.0 + np.exp(x))),)
    >>> log1pexp.defvjp(forward, backward)
    >>> pb.grad(log1pexp)(100.0)
    1.0
    """
    if function is None:
        return functools.partial(custom_vjp, nondiff_argnums=nondiff_argnums)
    return CustomVJP(function, "vjp", tuple(nondiff_argnums))


def custom_jvp(function: Callable[..., Any] | None = None, nondiff_argnums: tuple[int, ...] = ()) -> Any:
    """Give a function a derivative of your own, by tangents: see `defjvp` and `defjvps` of what this returns.

    The rule serves tangents, Jacobians and gradients (which are its transpose), in differentiable functions, in
    compiled code and on tapes. Derivatives of higher order differentiate the functions of the rule; where the rule
    calls the function itself, they go by the rule again.

    function: a Python function, or what `differentiable` has made of one. It is called where nothing is differentiated.
    nondiff_argnums: the numbers of arguments without derivatives, as functions and settings; the function given to
        `defjvp` takes them first.

    Raises MissingRuleError when a derivative is taken before it is defined; TypingError where the rule does not fit
    the function; LanguageError where the function writes into its arguments.

    >>> import numpy as np, pullback as pb
    >>> @pb.custom_jvp
    ... def sinc(x):
    ...     return 1.0 if x == 0.0 else np.sin(x) / x
    >>> @sinc.defjvp
    ... def _(primals, tangents):
    ...     (x,), (x_dot,) = primals, tangents
    ...     return sinc(x), (0.0 if x == 0.0 else (np.cos(x) - sinc(x)) / x) * x_dot
    >>> pb.grad(sinc)(0.0), pb.jvp(sinc, (0.0,), (1.0,))
    (0.0, (1.0, 0.0))
    """
    if function is None:
        return functools.partial(custom_jvp, nondiff_argnums=nondiff_argnums)
    return CustomJVP(function, "jvp", tuple(nondiff_argnums))


def checkpoint(function: Callable[..., Any]) -> Any:
    """The same function, of which nothing but the arguments is kept for a derivative: it runs again for that.

    function: a Python function that does not write into its arguments, draws no random numbers and prints nothing, or
        what `differentiable` has made of one.

    >>> import numpy as np, pullback as pb
    >>> @pb.checkpoint
    ... def layer(w, x):
    ...     return np.tanh(w @ x)
    >>> def loss(w, x):
    ...     return np.sum(layer(w, layer(w, x)))
    >>> pb.grad(loss)(np.eye(2), np.zeros(2))
    array([[0., 0.],
           [0., 0.]])
    """
    return WithRule(function, "checkpoint")


def implicit(residual: Callable[..., Any]) -> Callable[[Callable[..., Any]], Any]:
    """Give a solver its derivative by the implicit function theorem.

    residual: `residual(x, *parameters)`, which is 0 at the solution x, in its shape: f itself for a root of f, g(x) - x
        for a fixed point of g, the gradient of h for a minimiser of h. It is differentiated; the solver is not.

    What this returns decorates `solver(start, *parameters)`, which returns x: one number or array. By the parameters p,

        dx/dp = -(dr/dx)^-1 dr/dp

    with the dense matrix dr/dx, which is solved once for a gradient. The derivative by `start` is 0.

    Raises LinAlgError (of NumPy) in the derivative where dr/dx is singular. Source of the formula: Krantz and Parks,
    The Implicit Function Theorem (2002), theorem 3.3.1.

    >>> import pullback as pb
    >>> @pb.implicit(lambda x, a: x * x - a)
    ... def root(x, a):
    ...     for _ in range(20):
    ...         x = 0.5 * (x + a / x)
    ...     return x
    >>> pb.grad(root, 1)(1.0, 4.0)
    0.25
    """

    def decorate(solver: Callable[..., Any]) -> Any:
        return WithRule(solver, "implicit", (), (residual,))

    return decorate


def constant_function(function: Callable[..., Any]) -> Any:
    """The same function, taken for a constant: derivatives through it are 0.

    function: a Python function that does not write into its arguments, or what `differentiable` has made of one.

    >>> import numpy as np, pullback as pb
    >>> @pb.constant_function
    ... def scale(x):
    ...     return np.max(np.abs(x))
    >>> pb.grad(lambda x: np.sum(x) / scale(x))(np.array([1.0, 4.0]))
    array([0.25, 0.25])
    """
    return WithRule(function, "constant")
