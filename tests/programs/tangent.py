"""The test programs of google/tangent, subject by subject, in our own words.

The names are those of `reference/programs.md`, table (a). Repaired: `cart2polar` uses arctan2, `listcomp` takes a
vector, the programs with a stack use a list. `inlining_contextmanager` stands in `tangent_insert.py`.
"""

import numpy as np

from collect import program

SCALARS = (2.0, -1.5, 1.0, 0.5, -0.1)
PAIRS = ((2.0, -1.5), (-0.5, 0.1), (1.0, 2.0))
TRIPLES = ((2.0, -1.5, 0.5), (-1.0, 0.1, 2.0))
POWERS = ((1.5, 1), (-0.5, 2), (1.0, 3))
VECTORS = tuple(np.random.default_rng(seed).normal(size=n) for seed, n in ((1, 3), (2, 5), (3, 10)))
MATRICES = tuple(np.random.default_rng(seed).normal(size=(n, n)) for seed, n in ((4, 1), (5, 5)))


def samples(*all_args, **options):
    """Attach several samples at once."""

    def attach(function):
        for args in reversed(all_args):
            program(*args, **options)(function)
        return function

    return attach


with_a = samples(*((a,) for a in SCALARS))
with_a_b = samples(*PAIRS)
with_a_b_c = samples(*TRIPLES)
with_a_n = samples(*POWERS)
with_x = samples(*((x,) for x in VECTORS))
with_matrix = samples(*((m,) for m in MATRICES))


@with_a
def id_(a):
    return a


@with_a
def unary_sub(a):
    return -a


@with_x
def sum_(x):
    return np.sum(x)


@with_x
def cast_sum_(x):
    converted = np.array(x)
    return np.sum(converted)


@with_x
def overwrite_call(x):
    x = np.sum(x)
    x = x * x
    return x


@with_a
def tanh(a):
    return np.tanh(a)


@with_a
def identity_assign(a):
    b = a
    return b


@with_a
def increment(a):
    return a + 1


@with_a_b_c
def saxpy(a, b, c):
    return a * b + c


@with_a_b
def mul(a, b):
    return a * b


@with_a_b
def add(a, b):
    return a + b


@with_a_b_c
def saxpy_call(a, b, c):
    return add(mul(a, b), c)


@with_a_b_c
def saxpy_anf(a, b, c):
    product = a * b
    result = product + c
    return result


@with_a_b_c
def saxpy_overwrite(a, b, c):
    t = a * b
    t = t + c
    return t


@with_a
def gradname_aliasing(a):
    da = 2.0 * a
    da = da * a
    return da


@with_a
def overwrite_if(a):
    if a > 0.2:
        a = a * 3.0
    else:
        a = a * a
    return a


@with_a
def test_binop_mul1(a):
    return a * 3.0


@with_a
def test_binop_mul2(a):
    return 3.0 * a


@with_a
def test_binop_mul3(a):
    return a * a


@with_a
def test_binop_div1(a):
    return a / 3.0


@with_a
def test_binop_div2(a):
    return 3.0 / a


@with_a
def test_binop_div3(a):
    return a / a


@with_a
def test_binop_sub1(a):
    return a - 3.0


@with_a
def test_binop_sub2(a):
    return 3.0 - a


@with_a
def test_binop_sub3(a):
    return a - a


@with_a
def test_binop_add1(a):
    return a + 3.0


@with_a
def test_binop_add2(a):
    return 3.0 + a


@with_a
def test_binop_add3(a):
    return a + a


@with_a
def nested_if(a):
    if a > 0.0:
        if a < 1.2:
            a = a * a * 2.0
    else:
        a = 4.0 * a
    return a


@with_a
def multiarg_if(a):
    level = 1.0
    if a * a > 3.0:
        level = 4.0
    elif a - 0.2 > 0.0:
        if 2.0 * a > 1.5:
            level = 2.0
        else:
            level = -3.0
        a = a * level
    else:
        a = a * a
    return a * level


@with_a
def fn_multiply(a):
    return np.multiply(a, 3.0)


@samples(*((a,) for a in SCALARS), cotangent=(1.0, -0.5))
def fn_multiple_return(a):
    double = 2.0 * a
    return double, a


@with_a
def test_anf_list(a):
    parts = [1, a * a, 2]
    return np.sum(parts)


@with_x
def test_deep_anf_list(x):
    parts = [x[0] * x[1] * x[2], 3.0, x[1] * x[1]]
    return np.sum(parts)


@with_x
def test_subscript1(x):
    a = x[0]
    b = x[1]
    return a * b


@with_x
def test_subscript2(x):
    a = x[0]
    b = x[1]
    x[0] = a * b
    return np.sum(x)


@with_x
def test_subscript3(x):
    y = x**2
    x[0] = y[0] + y[1]
    x[1] = 3.0 * y[2]
    return np.sum(x * y)


@with_a
def test_list_and_subscript(a):
    parts = [1.0, a, 3.0]
    return parts[1] * parts[2]


@with_x
def test_implicit_indexing(x):
    res = 0.0
    for a in x:
        res += a * a
    return res


@with_a
def serial_if(a):
    if a > 0:
        a = a * 2.0
    a = a * a
    if a > 1.5:
        a = a * 3.0
    return a


@with_a_b
def multivar_if(a, b):
    if a > b:
        c = a * a
    else:
        c = a * b
    return c


@with_a_n
def serial_for(a, n):
    for i in range(n):
        a = a * a
    for i in range(n + 1):
        a = a * 2.0
    return a


@with_a_n
def serial_ifthenfor(a, n):
    if a > 0:
        a = a * 3.0
    for i in range(n):
        a = a * a
    return a


@with_a_n
def serial_forthenif(a, n):
    for i in range(n):
        a = a * a
    if a > 0.5:
        a = a * 3.0
    return a


@with_a
def devilish_nested_if(a):
    if a > 0:
        a = a * a * 3.0
        if a < 4.0:
            a = a * a
        else:
            a = a + a
    return a


@with_a
def overwrite_ifelse(a):
    if a > 1.2:
        a = a * 2.0
    elif a > 0.0:
        a = a * a
    else:
        a = a * 3.0 + a * a
    return a


@with_a
def overwrite_arg(a):
    a = a * 3.0
    return a


@with_a
def overwrite_non_arg(a):
    b = a
    b = b * 3.0
    return b


@with_a
def third_pow(a):
    return a * a * a


@with_a
def direct_third_pow(a):
    return a**3


@with_a
def iter_third_pow1(a):
    result = 1
    for i in range(3):
        result = result * a
    return result


@with_a
def iter_third_pow2(a):
    result = a
    for i in range(3 - 1):
        result = result * a
    return result


@with_a
def iterpower_static(a):
    for i in range(3):
        a = a * a
    return a


@with_a_n
def iterpower(a, n):
    for i in range(n):
        a = a * a
    return a


@with_a
def cond_iterpower1(a):
    for i in range(4):
        if a < 1.2:
            a = a * a
        else:
            a = a * 1.1
    return a


@with_a
def cond_iterpower2(a):
    if a > 0:
        for i in range(3):
            a = a * a
    else:
        a = 2.0 * a
    return a


@with_a
def superfor_iterpower(a):
    for i in range(2):
        for j in range(2):
            a = a * a
    return a


@with_a
def super_iterpower(a):
    for i in range(3):
        a = a * a * a
    return a


@with_x
def numpy_sum(x):
    return np.sum(x)


@with_x
def numpy_mean(x):
    return np.mean(x)


@with_a
def numpy_exp(a):
    return np.exp(a)


@with_a
def numpy_exp2(a):
    return np.exp(np.exp(a))


@with_a
def numpy_sqrt(a):
    if a > 0:
        root = np.sqrt(a)
    else:
        root = np.sqrt(-a)
    return root


@with_a
def numpy_cos(a):
    return np.cos(a)


@with_a
def numpy_sin(a):
    return np.sin(a)


@with_a
def numpy_tan(a):
    return np.tan(a)


@with_a
def numpy_cosh(a):
    return np.cosh(a)


@with_a
def numpy_sinh(a):
    return np.sinh(a)


@with_a
def numpy_tanh(a):
    return np.tanh(a)


@with_a
def numpy_arccos(a):
    return np.arccos(a)


@with_a
def numpy_arcsin(a):
    return np.arcsin(a)


@with_a
def numpy_arctan(a):
    return np.arctan(a)


@with_x
def numpy_atleast_1d(x):
    return np.sum(np.atleast_1d(x))


@with_x
def numpy_atleast_2d(x):
    return np.sum(np.atleast_2d(x))


@with_x
def numpy_atleast_3d(x):
    return np.sum(np.atleast_3d(x))


@program(MATRICES[1][:3], np.array([1.0, 0.0, 1.0]), VECTORS[1], 0.3, wrt=(2, 3))
@program(MATRICES[1][:3], np.array([1.0, 0.0, 1.0]), VECTORS[1], 0.3)
def logistic_regression(input, label, W, b):
    prediction = 0.5 * (np.tanh(0.5 * (np.dot(input, W) + b)) + 1.0)
    likelihood = prediction * label + (1.0 - prediction) * (1.0 - label)
    return -np.sum(np.log(likelihood))


@with_matrix
def det(sqm):
    return np.linalg.det(sqm)


@with_a_b
def _inner_fn(a, b):
    return a * b


@with_a_b
def mul_with_call(a, b):
    return _inner_fn(a, b)


@with_a_b
def if_mul_with_call(a, b):
    if a > b:
        c = _inner_fn(a, b) * a
    else:
        c = _inner_fn(b, a) * b
    return c


@with_a_n
def iterpower_with_call(a, n):
    for i in range(n):
        a = _inner_fn(a, a)
    return a


def _outer_fn(a, b):
    return _inner_fn(a, b) + a


@with_a_b
def nested_call(a, b):
    return _outer_fn(a, b)


@with_a_n
def iterpower_with_nested_def(a, n):
    def square(value):
        return value * value

    for i in range(n):
        a = square(a)
    return a


@program((2.0, -1.5, 0.5))
@program((-1.0, 0.1, 2.0))
def unpacking_args_saxpy(tuple):
    a, b, c = tuple
    return a * b + c


@program({"a": 2.0, "b": -1.5, "c": 0.5})
def dict_saxpy(val):
    return val["a"] * val["b"] + val["c"]


@program((2.0, -1.5, 0.5))
def dict_wrapper(tuple):
    a, b, c = tuple
    return dict_saxpy(val=dict(a=a, b=b, c=c))


@program(2.0, -1.5, 0.5, 0)
@program(2.0, -1.5, 0.5, 2)
def passthru_pack(a, b, c, i):
    packed = (a, b, c)
    return packed[i]


@program((2.0, -1.5, 0.5))
def passthru_unpack(tuple):
    a, b, c = tuple
    return a


@samples(*PAIRS, cotangent=(1.0, 0.5))
def cart2polar(a, b):
    r = np.sqrt(a**2 + b**2)
    theta = np.arctan2(b, a)
    return r, theta


@with_x
def listcomp(a):
    return np.sum([i * 3 for i in a])


@with_a
def while_big(a):
    while np.abs(a) > 0.13:
        a = a * 0.5
    return a * a


@with_x
def active_subscript(x):
    y = np.zeros_like(x)
    for i in range(len(x)):
        y[i] = x[i]
    return np.sum(y * x)


@with_x
def init_array_grad_maybe_active(x):
    h = np.zeros((len(x), 3))
    for t in range(len(x)):
        h[t] = x[t]
    return np.sum(h * h)


@with_x
def slicing(x):
    return np.sum(x[1:])


@program(np.random.default_rng(6).normal(size=(4, 3)), np.random.default_rng(7).normal(size=(3, 2)))
def rnn(inputs, W):
    steps = inputs.shape[0]
    h = np.zeros((steps + 1, W.shape[1]))
    for t in range(steps):
        h[t + 1] = np.dot(inputs[t], W) + h[t]
    return np.sum(h[steps] * h[1])


@with_a
def augassign(a):
    x = a + 1.0
    x *= x
    return x


@program(
    VECTORS[0],
    VECTORS[1],
    np.random.default_rng(8).normal(size=(3, 4)),
    np.random.default_rng(9).normal(size=(5, 4)),
    np.array([0.1, -0.2, 0.3, 0.0]),
)
def bilinear(x, h, U, W, b):
    y = np.dot(x, U)
    y = y + np.dot(h, W)
    y = y + b
    y = np.tanh(y)
    y = np.sum(y)
    return y


@with_a
def stack_pushing(a):
    stack = []
    b = a * a
    stack.append(b)
    b = b * 3.0
    saved = stack.pop()
    return b * saved


@samples((2.0, 3.0), (-0.5, 2.0), (1.5, -1.0), (-0.1, 0.5))
def gradgrad_pow(a, b):
    if a > 0:
        c = a**b
    else:
        c = (-a) ** b
    return c


@with_a
def gradgrad_pow_twice(a):
    a = a * a
    y = a * a
    return y


@with_a
def gradgrad_chain_of_mults(a):
    b = a
    b = a * a
    c = b * b
    d = c * c
    return d


@with_a
def gradgrad_chain_of_multcalls(a):
    b = mul(a, a)
    c = mul(b, b)
    d = mul(c, c)
    return d


@with_a
def useless_stack_ops(a):
    stack = []
    stack.append(a)
    unused = stack.pop()
    return a * a


@with_a
def redefining_var_as_list(a):
    kept = [a]
    a = [a, 2.0 * a]
    a = kept.pop()
    return a * a


@program({"i": {"j": 2.0, "k": -1.5}})
def nested_dict(p):
    return p["i"]["j"] * p["i"]["k"]


@with_x
def extended_slice(x):
    return np.sum(x[::2, np.newaxis] * 2.0)
