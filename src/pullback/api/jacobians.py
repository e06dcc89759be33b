"""`jacobian`, `hessian` and their like: from a function to functions that compute its partial derivatives."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

from pullback.api.derivations import makes
from pullback.api.derivative import Derivative
from pullback.compilation.turns import importing
from pullback.errors import TypingError
from pullback.frontend.source.derivations import Argnums, Derivation

if TYPE_CHECKING:
    from pullback.api.sparse import SparseDerivative

Function = Callable[..., Any]
Mode = Literal["forward", "reverse"]
Nan = Literal["raise"] | None


@makes("jacobian")
def jacobian(
    function: Function,
    argnums: Argnums = 0,
    has_aux: bool = False,
    mode: Mode | None = None,
    sparsity: Any = None,
    nan: Nan = None,
) -> Derivative | SparseDerivative:
    """A function that returns all partial derivatives of the results of `function` by its arguments `argnums`.

    function: it may return a number, an array, or a structure of them. argnums: an int, a name, or a tuple of them
    (default: the first). For a result of shape s and an argument of shape t, the Jacobian is an array of shape s + t in
    the dtype of the result; for structures of results it has their structure, then that of the arguments. A result that
    is no float has None. With `has_aux` the function returns `(value, aux)`, and the result is `(jacobian, aux)`.

    mode: 'forward' runs the function once for each element of the arguments and keeps nothing, 'reverse' runs the
    backward sweep once for each element of the results (default: what takes fewer runs, as far as sizes are known).

    sparsity: which elements may be other than 0, an array or sparse array of shape (size of the result, size of the
    argument), both of which have one axis. The Jacobian is a `scipy.sparse.csr_array` then. Columns that share no row
    are computed by one sweep together, and one sweep more checks the sparsity. 'detect': it is found at the first call,
    from tangents along groups of columns, and again where the check finds further elements.

    nan: 'raise' where a value or derivative that is not finite is an error, as for `grad`.

    Raises TypingError (a TypeError) where an argument is not made of floats, LanguageError (a SyntaxError) where the
    source cannot be differentiated; for a sparsity, ShapeError (a ValueError) where sizes are others, and ValueError
    where an element outside of it is not 0.

    >>> import numpy as np, pullback as pb
    >>> def turned(x, angle):
    ...     c, s = np.cos(angle), np.sin(angle)
    ...     return np.array([c * x[0] - s * x[1], s * x[0] + c * x[1]])
    >>> pb.jacobian(turned)(np.array([1.0, 2.0]), 0.0)
    array([[1., 0.],
           [0., 1.]])
    >>> pb.jacobian(turned, argnums="angle")(np.array([1.0, 2.0]), 0.0)
    array([-2.,  1.])
    >>> differences = pb.jacobian(lambda x: x[1:] ** 2 - x[:-1], sparsity=np.eye(2, 3) + np.eye(2, 3, 1))
    >>> differences(np.array([1.0, 2.0, 3.0])).toarray()
    array([[-1.,  4.,  0.],
           [ 0., -1.,  6.]])
    """
    if sparsity is not None:
        return _sparse(function, argnums, has_aux, sparsity, nan, of_gradient=False)
    if mode not in (None, "forward", "reverse"):
        raise ValueError(f"mode={mode!r}: it is 'forward', 'reverse' or None")
    return Derivative(function, Derivation("jacobian", argnums, has_aux, mode or "", nan))


@makes("jacfwd")
def jacfwd(function: Function, argnums: Argnums = 0, has_aux: bool = False, nan: Nan = None) -> Derivative:
    """`jacobian` in forward mode, of `function` by its arguments `argnums`, with or without `has_aux` and `nan`.

    >>> import numpy as np, pullback as pb
    >>> pb.jacfwd(lambda x: x ** 2)(np.array([1.0, 3.0]))
    array([[2., 0.],
           [0., 6.]])
    """
    return Derivative(function, Derivation("jacobian", argnums, has_aux, "forward", nan))


@makes("jacrev")
def jacrev(function: Function, argnums: Argnums = 0, has_aux: bool = False, nan: Nan = None) -> Derivative:
    """`jacobian` in reverse mode, of `function` by its arguments `argnums`, with or without `has_aux` and `nan`.

    >>> import numpy as np, pullback as pb
    >>> pb.jacrev(lambda x: x[:1] * x[1])(np.array([2.0, 3.0]))
    array([[3., 2.]])
    """
    return Derivative(function, Derivation("jacobian", argnums, has_aux, "reverse", nan))


@makes("hessian")
def hessian(
    function: Function, argnums: Argnums = 0, has_aux: bool = False, sparsity: Any = None, nan: Nan = None
) -> Derivative | SparseDerivative:
    """A function that returns all second derivatives of `function`: forward mode over its gradient.

    For an argument of shape t, the Hessian of a number is an array of shape t + t; that of a result of shape s has
    shape s + t + t. For a tuple of argnums it is a tuple of tuples. has_aux, sparsity, nan and errors: as
    for `jacobian`.

    >>> import numpy as np, pullback as pb
    >>> pb.hessian(lambda x: x[0] ** 2 * x[1])(np.array([1.0, 5.0]))
    array([[10.,  2.],
           [ 2.,  0.]])
    """
    if sparsity is not None:
        return _sparse(function, argnums, has_aux, sparsity, nan, of_gradient=True)
    return Derivative(function, Derivation("hessian", argnums, has_aux, nan=nan))


@makes("hvp")
def hvp(function: Function, argnums: Argnums = 0, nan: Nan = None) -> Derivative:
    """A function of `(x, v, ...)` that returns the Hessian of `function` times v, without the Hessian.

    The direction stands behind the argument it belongs to, in its structure, shape and dtype, and what `function` takes
    besides comes after it, as `hessp` of `scipy.optimize.minimize` is called. For a tuple of argnums, it is a tuple
    behind the last of these arguments, and so is the result. `function` returns a float number.

    Time and memory are those of a gradient, two to three times. nan and errors: as for `grad`.

    >>> import numpy as np, pullback as pb
    >>> def energy(x, k):
    ...     return k * np.sum(x ** 3)
    >>> pb.hvp(energy)(np.array([1.0, 2.0]), np.array([1.0, 0.5]), 10.0)
    array([60., 60.])
    """
    return Derivative(function, Derivation("hvp", argnums, nan=nan))


@makes("vhp")
def vhp(function: Function, argnums: Argnums = 0, nan: Nan = None) -> Derivative:
    """A function of `(x, v, ...)` that returns v times the Hessian of `function`: the gradient of a tangent.

    It is what `hvp` returns, by reverse mode over forward mode; argnums and nan as there.

    >>> import numpy as np, pullback as pb
    >>> pb.vhp(lambda x: x[0] * x[1] ** 2)(np.array([3.0, 2.0]), np.array([1.0, 1.0]))
    array([ 4., 10.])
    """
    return Derivative(function, Derivation("vhp", argnums, nan=nan))


@makes("laplacian")
def laplacian(function: Function, argnums: Argnums = 0, nan: Nan = None) -> Derivative:
    """A function that returns the sum of the second derivatives ∂²f/∂x[k]² over all elements of an argument.

    For a tuple of argnums, or arguments that are structures, the sum goes over all their numbers. The Hessian is not
    made: memory is that of a gradient. nan and errors: as for `grad`.

    >>> import numpy as np, pullback as pb
    >>> pb.laplacian(lambda x: np.sum(x ** 3))(np.array([1.0, 2.0]))
    18.0
    """
    return Derivative(function, Derivation("laplacian", argnums, nan=nan))


@makes("elementwise_grad")
def elementwise_grad(function: Function, argnums: Argnums = 0, nan: Nan = None) -> Derivative:
    """A function that returns the gradient of the sum of all that `function` returns.

    That is f'(x[k]) for each element, where element k of the result depends on element k of the argument alone.
    argnums, nan and errors: as for `grad`.

    >>> import numpy as np, pullback as pb
    >>> pb.elementwise_grad(lambda x: np.tanh(x))(np.array([0.0, 1.0])).round(6)
    array([1.      , 0.419974])
    """
    return Derivative(function, Derivation("elementwise_grad", argnums, nan=nan))


def _sparse(
    function: Function, argnums: Argnums, has_aux: bool, sparsity: Any, nan: Nan, of_gradient: bool
) -> SparseDerivative:
    if has_aux:
        raise TypingError("has_aux cannot be used with a sparsity")
    with importing():
        from pullback.api.sparse import SparseDerivative

    return SparseDerivative(function, argnums, sparsity, of_gradient, nan)
