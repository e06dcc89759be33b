"""Lists, tuples and dicts that loops and branches bind anew, or give other items."""

import numpy as np

from collect import program

X = np.array([0.5, -1.2, 2.0])
PARAMS = {"w": np.array([0.3, 0.7, -0.4]), "b": 0.2}


@program(X, PARAMS, 3)
@program(X, PARAMS, 0)
def descent_with_dicts(x, p, n):
    for _ in range(n):
        g = {"w": x * p["b"], "b": np.sum(x * p["w"])}
        p = {k: p[k] - 0.1 * g[k] for k in p}
    return np.sum(p["w"] * x) * p["b"]


@program(X, [X + 1.0, 0.4], 3)
def descent_with_lists(x, ps, n):
    for _ in range(n):
        gs = [np.sin(ps[0]) * ps[1], np.sum(ps[0] * x)]
        ps = [q - 0.1 * g for q, g in zip(ps, gs)]
    return np.sum(ps[0]) * ps[1]


@program(X, (X + 1.0, 0.4), 3)
def descent_with_tuples(x, ps, n):
    for _ in range(n):
        ps = tuple(q - 0.1 * q * q for q in ps)
    return np.sum(ps[0] * x) * ps[1]


@program(X, 3)
def dict_of_names_and_values(x, n):
    names = ["w", "b"]
    p = dict(zip(names, (x * 2.0, x[0])))
    for _ in range(n):
        p = dict(zip(names, [v * 0.9 + 0.1 for v in p.values()]))
    return np.sum(p["w"]) * p["b"]


@program(X, 3)
def dicts_of_lists(x, n):
    p = {"layers": [x, 2.0 * x], "scale": x[1]}
    for _ in range(n):
        p = {"layers": [np.tanh(w) * p["scale"] for w in p["layers"]], "scale": p["scale"] * 0.9}
    return np.sum(p["layers"][0] * p["layers"][1]) + p["scale"]


@program(X, 3)
def states_in_a_tuple(x, n):
    state = (x, [x[0], 0.0])
    for i in range(n):
        h, (c, _) = state
        state = (np.tanh(h) * c, [c * 0.9, x[1] * i])
    return np.sum(state[0]) * state[1][0] + state[1][1]


@program(X)
def until_a_dict_is_small(x):
    p = {"w": x, "n": 0}
    while np.sum(p["w"] ** 2) > 0.5:
        p = {"w": p["w"] * 0.7, "n": p["n"] + 1}
    return np.sum(p["w"]) * p["n"]


@program(X, True)
@program(X, False)
@program(-X, False)
def dicts_in_branches(x, flag):
    p = {"w": x, "b": x[0]}
    if x[0] > 0.0:
        p = {k: 2.0 * v for k, v in p.items()}
    for i in range(3):
        if i == 1:
            p = {"w": p["w"] * p["b"], "b": p["b"] + 1.0}
        elif flag:
            p = dict(p, b=np.sum(p["w"]))
    return np.sum(p["w"]) * p["b"]


@program(X, PARAMS)
def items_of_a_dict_that_a_loop_replaces(x, p):
    p = {k: p[k] for k in p}
    for _ in range(3):
        g = {"w": x * p["w"], "b": np.sum(x) * p["b"]}
        p["w"] = p["w"] - 0.1 * g["w"]
        p["b"] = p["b"] - 0.1 * g["b"]
    return np.sum(p["w"] ** 2) * p["b"]


@program(X)
def items_of_a_list_that_a_loop_replaces(x):
    ps = [x, [x[0], x[1]]]
    same = ps
    for i in range(4):
        ps[0] = np.sin(ps[0]) + ps[1][0]
        ps[1] = [ps[1][1], ps[1][0] * i]
    return np.sum(same[0]) * same[1][0] + same[1][1]


@program(X, 3)
def another_name_keeps_the_first_dict(x, n):
    p = {"w": x, "b": x[0]}
    first = p
    for _ in range(n):
        p = {"w": p["w"] * 2.0, "b": p["b"] + first["b"]}
    return np.sum(p["w"] * first["w"]) + p["b"] * first["b"]


@program(X, 3)
def written_after_the_dict_is_new(x, n):
    p = {"w": x.copy(), "b": x[0]}
    for _ in range(n):
        p = {"w": p["w"] * 2.0, "b": p["b"]}
        p["w"][0] = 1.0
        p["w"] *= x
        p["b"] = p["b"] * x[1]
    p["w"][1] = p["b"]
    return np.sum(p["w"])


@program(X, 2)
@program(X, 0)
def arrays_of_the_first_dict_are_written(x, n):
    w = x.copy()
    p = {"w": w, "b": 1.0}
    for i in range(n):
        p["w"][0] = 2.0 * p["w"][1]
        if i > 0:
            p = {"w": p["w"] * 2.0, "b": p["b"] + 1.0}
    return np.sum(w * p["w"]) + p["b"]


@program(X, 4)
def two_dicts_that_swap(x, n):
    old, new = {"u": x}, {"u": 2.0 * x}
    for _ in range(n):
        new = {"u": new["u"] * 0.5 + np.sin(old["u"])}
        old, new = new, old
    return np.sum(old["u"] * new["u"][::-1])


@program(X, 3)
def the_dict_of_the_last_iteration(x, n):
    p = {"w": x}
    for _ in range(n):
        step = {"w": 0.1 * np.sin(p["w"]), "size": np.sum(p["w"])}
        p = {"w": p["w"] - step["w"]}
    return np.sum(p["w"] * step["w"]) + step["size"]


@program(X, 3)
def nested_loops_over_dicts(x, n):
    p = {"w": x, "m": 0.0 * x}
    for i in range(n):
        for j in range(i):
            p = {"w": p["w"] - 0.1 * p["m"], "m": 0.9 * p["m"] + x * j}
        p["w"] = p["w"] * 1.1
    return np.sum(p["w"] * p["m"])


@program(X, 3)
@program(X, 0)
def lists_that_swap_and_are_changed(x, n):
    a, b = [x[0], x[1]], [x[1], x[2]]
    for _ in range(n):
        a, b = b, a
        a[0] = a[0] * 2.0 + b[1]
    return a[0] * 3.0 + a[1] * 5.0 + b[0] * 7.0 + b[1] * 11.0


@program(X, 3)
@program(X, 0)
def one_array_twice_in_a_tuple(x, n):
    w = x * 2.0
    p = (w, [w])
    del w
    for _ in range(n):
        p[0][0] = p[0][0] * x[1] + 1.0
        p = (p[0], [p[1][0]])
    return np.sum(p[0] * x) + np.sum(p[1][0] ** 2)


@program(X, 3)
def kept_in_another_list(x, n):
    p, kept = {"w": x[0]}, [{"w": 0.0}]
    for _ in range(n):
        kept[0] = p
        p = {"w": p["w"] * 2.0}
        kept[0]["w"] = x[1] + kept[0]["w"]
    return p["w"] + kept[0]["w"] * 3.0


@program(X, 3)
@program(X, 0)
def read_by_a_function_and_an_old_method(x, n):
    p = {"w": x[0]}

    def weight():
        return p["w"]

    first = p.get
    for _ in range(n):
        p = {"w": weight() * 2.0 + first("w")}
    return weight() + first("w") * 3.0


@program(X)
def none_before_the_first_dict(x):
    best = None
    for i in range(3):
        d = {"v": x[i], "i": i}
        if best is None or d["v"] > best["v"]:
            best = d
    return best["v"] * best["i"]


@program(X, 3)
def made_by_a_function(x, n):
    def step(p):
        new = {k: v * 0.9 for k, v in p.items()}
        return new

    p = {"kind": "linear", "w": x[0], "v": x}
    for _ in range(n):
        p = {"kind": "linear", **step({"w": p["w"], "v": p["v"]})}
        p["w"] += 1.0
    return p["w"] * np.sum(p["v"]) if p["kind"] == "linear" else x[0]


@program(X, 3)
@program(X, 0)
def lists_that_only_the_run_measures(x, n):
    xs = [v * 2.0 for v in x]
    first = xs
    for _ in range(n):
        xs = [v * v for v in xs]
        xs.append(x[0])
    return sum(xs) + sum(first)


@program(X, 2)
@program(X, 0)
def an_array_that_leaves_its_dict(x, n):
    p = {"w": x.copy()}
    v = p["w"]
    for _ in range(n):
        p["w"][0] = p["w"][1] * 2.0
        p["w"] = p["w"] * 3.0
    v[1] = 8.0
    return np.sum(v * x) + np.sum(p["w"] ** 2)


@program(np.array([0.4, -0.3, 0.9]), np.array([0.2, 0.8]))
def made_on_one_path_of_an_inner_loop(x, y):
    s = 0.0
    for l in range(x.shape[0]):
        for item, d in zip(x, y):
            if y[l % 2] >= 0.5 * l:
                s = s + np.sin(d * item)
            elif l > 1:
                kept = [item, s, d]
                q = np.array(kept)
                if np.cos(q[0]) <= 0.13 or not (d >= 0.29):
                    continue
            else:
                s = s * d
            x, y = x * 1.5, y
    return s + np.sum(x)
