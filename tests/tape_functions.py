"""Functions with tapes in them: each is run by Python on tensors, and compiled on arrays."""

import numpy as np

import pullback as pb
from collect import program

rng = np.random.default_rng(3)
V, W = rng.normal(size=4), rng.normal(size=4)
X, Y = rng.normal(size=(6, 4)), rng.normal(size=6)
W1, W2, CLASSES = rng.normal(size=(4, 5)), rng.normal(size=(5, 3)), np.eye(3)[[0, 1, 2, 0, 1, 2]]


@program(V, X, Y, 7)
def descent(w, x, y, n):
    loss = 0.0
    for _ in range(n):
        with pb.GradientTape() as tape:
            tape.watch(w)
            loss = np.mean((x @ w - y) ** 2)
        w = w - 0.1 * tape.gradient(loss, w)
    return w, loss


@program(1.7, 5)
def newton(x, n):
    for _ in range(n):
        with pb.GradientTape() as outer:
            outer.watch(x)
            with pb.GradientTape() as inner:
                inner.watch(x)
                y = x**4 - 3 * x**2 + x
            slope = inner.gradient(y, x)
        x = x - slope / outer.gradient(slope, x)
    return x


@program(1.3)
def persistent(x):
    with pb.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        z = y * y
    return tape.gradient(z, x), tape.gradient(y, x), tape.gradient(z, y)


@program(V)
def intermediate(x):
    with pb.GradientTape() as tape:
        tape.watch(x)
        h = np.sin(x)
        loss = np.sum(h * h * x)
    return tape.gradient(loss, [x, h])


@program(V, 1.5)
def structures(p, q):
    with pb.GradientTape() as tape:
        tape.watch([p, q])
        loss = np.sum(p * p) * q
    g = tape.gradient(loss, {"p": p, "both": (q, [p])})
    return g["p"], g["both"][0], g["both"][1][0]


@program(V)
def several_targets(x):
    with pb.GradientTape() as tape:
        tape.watch(x)
        a, b = x * x, np.exp(x)
    return tape.gradient([a, b], x)


@program(V, W)
def output_gradients(x, v):
    with pb.GradientTape() as tape:
        tape.watch(x)
        y = np.cumsum(x * x)
    return tape.gradient(y, x, output_gradients=v)


@program(V)
def before_the_watch(x):
    with pb.GradientTape() as tape:
        a = x * x
        tape.watch(x)
        b = x * x * x
        loss = np.sum(a + b)
    return tape.gradient(loss, x)


@program(V, W)
def unwatched(x, y):
    with pb.GradientTape() as tape:
        tape.watch(x)
        z = y * y
        loss = np.sum(x * z)
    g, n = tape.gradient(loss, [x, z])
    return g, n is None


@program(V)
def after_the_block(x):
    with pb.GradientTape() as tape:
        tape.watch(x)
        y = np.sum(x * x)
    z = y * 2.0
    return tape.gradient(z, x) is None


@program(V, W)
def zeros(x, y):
    with pb.GradientTape() as tape:
        tape.watch([x, y])
        z = np.sum(x * 2.0)
    return tape.gradient(z, [x, y], unconnected_gradients="zero")


@program(V, 1.0)
@program(V, -1.0)
def branches(x, c):
    with pb.GradientTape() as tape:
        tape.watch(x)
        if c > 0:
            y = np.sum(x * x)
        else:
            y = np.sum(np.exp(x))
    return tape.gradient(y, x)


@program(1.2)
def while_in_block(x):
    with pb.GradientTape() as tape:
        tape.watch(x)
        y = x
        while y < 100.0:
            y = y * y + x
    return tape.gradient(y, x)


@program(0.3, 6)
def loop_in_block(x, n):
    with pb.GradientTape() as tape:
        tape.watch(x)
        y = 0.0
        for k in range(n):
            y = np.sin(y + x * k)
    return y, tape.gradient(y, x)


@program(1.4)
def break_in_block(x):
    with pb.GradientTape() as tape:
        tape.watch(x)
        y = 1.0
        for _ in range(20):
            y = y * x
            if y > 10.0:
                break
    return tape.gradient(y, x)


@program(V, 1.0)
@program(V, -1.0)
def tape_in_branch(x, c):
    g = x
    if c > 0:
        with pb.GradientTape() as tape:
            tape.watch(x)
            y = np.sum(x**3)
        g = tape.gradient(y, x)
    return g


@program(V, 1.0)
@program(V, -1.0)
def gradient_in_branch(x, c):
    with pb.GradientTape() as tape:
        tape.watch(x)
        y = np.sum(x**3)
    if c > 0:
        g = tape.gradient(y, x)
    else:
        g = -tape.gradient(y, x)
    return g


@program(V, 3)
def gradient_in_loop(x, n):
    with pb.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = np.sum(np.tanh(x))
    total = np.zeros(x.shape[0])
    for k in range(n):
        total = total + (k + 1.0) * tape.gradient(y, x)
    return total


@program(V, W)
def inner_function(x, y):
    def slope(f, at):
        with pb.GradientTape() as tape:
            tape.watch(at)
            value = f(at)
        return tape.gradient(value, at)

    return slope(lambda t: np.sum(t * t * y), x) + slope(np.exp, y)


@program(V)
def by_default_argument(x):
    def f(t, s=x):
        return t * s

    with pb.GradientTape() as tape:
        tape.watch(x)
        y = np.sum(f(x))
    return tape.gradient(y, x)


@program(V)
def two_tapes(x):
    with pb.GradientTape() as one, pb.GradientTape() as two:
        one.watch(x)
        two.watch(x)
        y = np.sum(x**3)
    return one.gradient(y, x), two.gradient(y, x)


@program(0.7)
def third_order(x):
    with pb.GradientTape() as a:
        a.watch(x)
        with pb.GradientTape() as b:
            b.watch(x)
            with pb.GradientTape() as c:
                c.watch(x)
                y = np.sin(x) * x
            d1 = c.gradient(y, x)
        d2 = b.gradient(d1, x)
    return d1, d2, a.gradient(d2, x)


@program(V, W)
def hessian_vector(x, v):
    with pb.GradientTape() as outer:
        outer.watch(x)
        with pb.GradientTape() as inner:
            inner.watch(x)
            y = np.sum(np.tanh(x) * x**2)
        g = inner.gradient(y, x)
    return outer.gradient(g, x, output_gradients=v)


@program(V, X)
def gradient_penalty(w, x):
    with pb.GradientTape() as outer:
        outer.watch(w)
        with pb.GradientTape() as inner:
            inner.watch(x)
            y = np.sum(np.tanh(x @ w))
        g = inner.gradient(y, x)
        penalty = (np.sqrt(np.sum(g * g)) - 1.0) ** 2
    return penalty, outer.gradient(penalty, w)


@program(V)
@program(1.0)
def target_is_source(x):
    with pb.GradientTape() as tape:
        tape.watch(x)
    return tape.gradient(x, x)


@program(V, W)
def same_gradient_twice(a, b):
    with pb.GradientTape() as tape:
        tape.watch((a, b))
        y = np.sum(a + b)
    ga, gb = tape.gradient(y, (a, b))
    ga *= 2.0
    return ga, gb


@program(V, W)
def gradient_that_is_an_argument(w, x):
    with pb.GradientTape() as tape:
        tape.watch(w)
        y = np.sum(w * x)
    g = tape.gradient(y, w)
    g *= 3.0
    return g, x


@program(V, W)
def value_after(w, x):
    with pb.GradientTape(persistent=True) as tape:
        tape.watch(w)
        a = np.sum(w * w * x)
        b = np.sum(np.exp(w))
    w = w - 0.5 * tape.gradient(a, w)
    return w, tape.gradient(b, x, unconnected_gradients="zero")


@program(V, W)
def updates_between(w, x):
    with pb.GradientTape(persistent=True) as tape:
        tape.watch(w)
        a = np.sum(w * w * x)
        b = np.sum(np.exp(w))
    ga = tape.gradient(a, w)
    v = w - ga
    gb = tape.gradient(b, w)
    return v, gb


@program(V)
def in_its_own_block(x):
    with pb.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = np.sum(x**3)
        g = tape.gradient(y, x)
        z = np.sum(g * g)
    return tape.gradient(z, x)


@program(V)
def stops_when_asked(x):
    with pb.GradientTape() as tape:
        tape.watch(x)
        y = np.sum(x**3)
        g = tape.gradient(y, x)
        z = np.sum(g * x)
    return g, z


@program(V, X, Y, 5)
def momentum(w, x, y, n):
    velocity = np.zeros(w.shape)
    for _ in range(n):
        with pb.GradientTape() as tape:
            tape.watch(w)
            r = np.tanh(x @ w) - y
            loss = np.sum(r * r)
        velocity = 0.9 * velocity + tape.gradient(loss, w)
        w = w - 0.01 * velocity
    return w


@program(W1, np.zeros(5), W2, np.zeros(3), X, CLASSES, 4)
def network(w1, b1, w2, b2, x, y, n):
    for _ in range(n):
        with pb.GradientTape() as tape:
            tape.watch((w1, b1, w2, b2))
            h = np.maximum(x @ w1 + b1, 0.0)
            z = h @ w2 + b2
            z = z - np.max(z, axis=1, keepdims=True)
            loss = -np.mean(np.sum(y * (z - np.log(np.sum(np.exp(z), axis=1, keepdims=True))), axis=1))
        g1, c1, g2, c2 = tape.gradient(loss, (w1, b1, w2, b2))
        w1 = w1 - 0.1 * g1
        b1 = b1 - 0.1 * c1
        w2 = w2 - 0.1 * g2
        b2 = b2 - 0.1 * c2
    return w1, b1, w2, b2, loss


@program(V)
def floor_is_constant(x):
    with pb.GradientTape() as tape:
        tape.watch(x)
        y = np.sum(np.floor(x))
    return tape.gradient(y, x) is None


@program(1.5, 2.5)
def list_of_numbers(a, b):
    p = [a, b]
    with pb.GradientTape() as tape:
        tape.watch(p)
        z = p[0] * p[0] * p[1]
    ga, gb = tape.gradient(z, p)
    return ga, gb


@program(0.7, 4)
def reverse_of_saved(x, n):
    with pb.GradientTape() as outer:
        outer.watch(x)
        with pb.GradientTape() as inner:
            inner.watch(x)
            y = x
            for _ in range(n):
                y = np.sin(y * x)
        g = inner.gradient(y, x)
    return g, outer.gradient(g, x)


@program(1.2)
def second_order_of_while(x):
    with pb.GradientTape() as outer:
        outer.watch(x)
        with pb.GradientTape() as inner:
            inner.watch(x)
            y = x
            while y < 100.0:
                y = y * y + x
        g = inner.gradient(y, x)
    return g, outer.gradient(g, x)


@program(V, 3)
def inner_in_loop(x, n):
    with pb.GradientTape() as outer:
        outer.watch(x)
        acc = 0.0
        for i in range(n):
            with pb.GradientTape() as inner:
                inner.watch(x)
                y = np.sum(np.sin(x * (i + 1.0)))
            g = inner.gradient(y, x)
            acc = acc + np.sum(g * g)
    return acc, outer.gradient(acc, x)


@program(W[:2], X[:, :2])
def per_sample(w, x):
    out = np.zeros(x.shape)
    for i in range(x.shape[0]):
        with pb.GradientTape() as tape:
            tape.watch(w)
            loss = np.exp(w[0] * x[i, 0]) + w[1] * x[i, 1] ** 2
        out[i] = tape.gradient(loss, w)
    return out


@program(0.7, V)
def per_number(w, x):
    out = np.zeros(x.shape)
    for i in range(x.shape[0]):
        a = x[i]
        with pb.GradientTape() as tape:
            tape.watch(a)
            loss = np.exp(w * a) * np.tanh(a)
        out[i] = tape.gradient(loss, a)
    return out


@program(np.abs(V) + 1.0)
def per_element_newton(a):
    out = np.zeros(a.shape)
    for i in range(a.shape[0]):
        z = a[i]
        for _ in range(6):
            with pb.GradientTape() as tape:
                tape.watch(z)
                f = z * z * z - a[i]
            z = z - f / tape.gradient(f, z)
        out[i] = z
    return out


@program(1.5, 0.5)
def unrolled(a, b):
    total = 0.0
    for v in (a, b, a * b):
        with pb.GradientTape() as tape:
            tape.watch(v)
            y = v**3
        total = total + tape.gradient(y, v)
    return total


@program(W, X, Y)
def meta(w, x, y):
    with pb.GradientTape() as outer:
        outer.watch(w)
        v = w
        for _ in range(3):
            with pb.GradientTape() as inner:
                inner.watch(v)
                loss = np.mean((x @ v - y) ** 2)
            v = v - 0.05 * inner.gradient(loss, v)
        final = np.mean((x @ v - y) ** 2)
    return final, outer.gradient(final, w)


@program(V)
def jacobian_rows(x):
    n = x.shape[0]
    with pb.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = np.exp(x) * np.sum(x)
    rows = np.zeros((n, n))
    for i in range(n):
        e = np.zeros(n)
        e[i] = 1.0
        rows[i] = tape.gradient(y, x, output_gradients=e)
    return rows


@program(V)
def hessian(x):
    n = x.shape[0]
    rows = np.zeros((n, n))
    with pb.GradientTape(persistent=True) as outer:
        outer.watch(x)
        with pb.GradientTape() as inner:
            inner.watch(x)
            y = np.sum(x**3) * np.sum(np.sin(x))
        g = inner.gradient(y, x)
    for i in range(n):
        e = np.zeros(n)
        e[i] = 1.0
        rows[i] = outer.gradient(g, x, output_gradients=e)
    return rows


@program(W, X, Y)
def line_search(w, x, y):
    t = 1.0
    with pb.GradientTape() as tape:
        tape.watch(w)
        loss = np.sum((x @ w - y) ** 2)
    g = tape.gradient(loss, w)
    while np.sum((x @ (w - t * g) - y) ** 2) > loss - 1e-4 * t * np.sum(g * g) and t > 1e-8:
        t *= 0.5
    return w - t * g, t


@program(W[:2] + 2.0, 50)
def ode_sensitivity(p, n):
    with pb.GradientTape() as tape:
        tape.watch(p)
        u = 1.0
        v = 0.0
        for _ in range(n):
            u, v = u + 0.01 * v, v - 0.01 * (p[0] * u + p[1] * v)
        e = u * u + v * v
    return e, tape.gradient(e, p)


@program(V)
def view_reads(x):
    with pb.GradientTape() as tape:
        tape.watch(x)
        a = x[1:]
        b = x[:-1]
        y = np.sum(a * b)
    return tape.gradient(y, x)


@program(V)
def reshaped(x):
    with pb.GradientTape() as tape:
        tape.watch(x)
        m = x.reshape(2, 2)
        y = np.sum(m @ m.T)
    return tape.gradient(y, x)


@program(V)
def intermediate_scalar(x):
    with pb.GradientTape() as tape:
        tape.watch(x)
        s = np.sum(x * x)
        n = np.sqrt(s)
        y = n * s
    return tape.gradient(y, [x, s, n])


@program(V, 2.0)
def two_losses(x, c):
    with pb.GradientTape(persistent=True) as tape:
        tape.watch(x)
        h = np.tanh(x)
        a = np.sum(h)
        b = np.sum(h * h)
    ga = tape.gradient(a, x)
    gb = tape.gradient(b, x)
    return np.sum(ga * gb) * c, ga, gb


@program(W, X, Y, 6)
def clipped(w, x, y, n):
    for _ in range(n):
        with pb.GradientTape() as tape:
            tape.watch(w)
            loss = np.sum((x @ w - y) ** 2)
        g = tape.gradient(loss, w)
        norm = np.sqrt(np.sum(g * g))
        if norm > 1.0:
            g = g / norm
        w = w - 0.1 * g
    return w


@program(W, X, Y, 6)
def adam(w, x, y, n):
    m = np.zeros(w.shape)
    v = np.zeros(w.shape)
    for k in range(1, n + 1):
        with pb.GradientTape() as tape:
            tape.watch(w)
            loss = np.mean((np.tanh(x @ w) - y) ** 2)
        g = tape.gradient(loss, w)
        m = 0.9 * m + 0.1 * g
        v = 0.999 * v + 0.001 * g * g
        w = w - 0.1 * (m / (1 - 0.9**k)) / (np.sqrt(v / (1 - 0.999**k)) + 1e-8)
    return w


@program(W, X, Y)
def early_stop(w, x, y):
    best = 1e9
    steps = 0
    for _ in range(50):
        with pb.GradientTape() as tape:
            tape.watch(w)
            loss = np.mean((x @ w - y) ** 2)
        if best - loss < 1e-3:
            break
        best = loss
        steps += 1
        w = w - 0.1 * tape.gradient(loss, w)
    return w, steps
