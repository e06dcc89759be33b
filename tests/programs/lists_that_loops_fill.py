"""Lists that a loop fills or replaces: begun with a number repeated, or empty and asked first; of other lengths."""

import numpy as np

from collect import failing, program

X = np.array([0.7, 0.3, 1.4, 1.1, 0.5, 0.9, 2.0])


@program(X)
@program(X[:1])
def filled_at_indices(x):
    y = [0.0] * len(x)
    for i in range(len(x)):
        y[i] = x[i] ** 2
    return sum(y) + y[0] * y[-1]


@program(X, 4)
@program(X, 0)
@program(X, -2)
def begun_with_an_integer(x, n):
    y = [0] * n
    for i in range(n):
        y[i] = x[i] * 2
    for i in range(n - 1):
        y[i + 1] += y[i]
    return sum(y) + x[0] + len(y)


@program(X, 3)
def unpacked_after_all(x, n):
    a, b, c = [x[0]] * n
    y = [x[1]] * n
    z = [*y, 1.0]
    return a * b * c + sum(z) + np.sum(np.stack(y) ** 2)


@program(X)
def places_in_a_list(x):
    best = [-1] * len(x)
    for i in range(len(x)):
        for j in range(i):
            if x[j] * 1.2 < x[i]:
                best[i] = j
    s = 0.0
    for i in range(len(x)):
        if best[i] >= 0:
            s += x[best[i]] * x[i]
    return s


@program(X)
def flags_in_a_list(x):
    seen = [False] * x.shape[0]
    s = 0.0
    i = 0
    while not seen[i]:
        seen[i] = True
        s += x[i] * (i + 1)
        i = (i * 2 + 1) % len(x)
    return s


@program(X)
def best_sum_without_neighbours(x):
    n = len(x)
    best = [0.0] * (n + 1)
    best[1] = x[0]
    for i in range(2, n + 1):
        best[i] = max(best[i - 1], best[i - 2] + x[i - 1])
    return best[n] + best[-2] + max(best)


@program(X)
def rows_of_a_table_by_turns(x):
    m = len(x)
    before = [10.0] * m
    before[0] = x[0]
    for _ in range(3):
        now = [0.0] * m
        for j in range(m):
            now[j] = x[j] + (before[j] if j == 0 or before[j] < before[j - 1] else before[j - 1])
        before = now
    return before[-1] * before[1]


@failing(X, error=IndexError)
def written_behind_the_end(x):
    y = [0.0] * len(x)
    y[len(x)] = x[0]
    return y[0]


@program(X)
@program(X[:1])
def numbers_above_are_taken_down(x):
    stack = []
    total = 0.0
    for v in x:
        while stack and stack[-1] > v:
            total += stack.pop() * v
        stack.append(v * v)
    return total + sum(stack)


@program(X)
@program(X[::-1])
def places_are_taken_down(x):
    stack = []
    total = 0.0
    for i in range(len(x)):
        while stack and x[stack[-1]] < x[i]:
            j = stack.pop()
            total += x[j] * (i - j)
        stack.append(i)
    while stack:
        j = stack.pop()
        total += x[j] * (len(x) - j) ** 2
    return total


@program(X)
def largest_rectangle(heights):
    stack = []
    best = 0.0
    i = 0
    n = len(heights)
    while i <= n:
        height = heights[i] if i < n else 0.0
        if not stack or heights[stack[-1]] <= height:
            if i == n:
                break
            stack.append(i)
            i += 1
        else:
            top = stack.pop()
            width = i if not stack else i - stack[-1] - 1
            best = max(best, heights[top] * width)
    return best


@program(X)
def largest_of_windows(x):
    places = []
    total = 0.0
    head = 0
    for i in range(len(x)):
        while len(places) > head and x[places[-1]] <= x[i]:
            places.pop()
        places.append(i)
        if places[head] <= i - 3:
            head += 1
        if not (i < 2 or len(places) == 0):
            total += x[places[head]] * (i + 1)
    return total


@program(X)
def one_place_is_there(x):
    stack = [0]
    total = 0.0
    for i in range(len(x)):
        while len(stack) > 1 and x[stack[-1]] < x[i]:
            total += x[stack.pop()] * x[i]
        stack.append(i)
    return total + x[stack[-1]]


@failing(X, error=IndexError)
def taken_from_an_empty_list(x):
    stack = []
    s = 0.0
    for v in x:
        if v > 0.6:
            s += stack.pop() * v
        stack.append(v)
    return s


@program(X[::-1])
def never_taken_from_an_empty_list(x):
    stack = []
    s = x[0]
    for v in x:
        if v < 0.6:
            s += stack.pop() * v
        stack.append(v)
    return s


@program(X)
def never_filled(x):
    stack = []
    s = 0.0
    for v in x:
        while stack and stack[-1] > 0:
            s += stack.pop()
        s += v * v
    return s


@program(X)
def arrays_above_are_taken_down(x):
    stack = []
    s = 0.0
    for i in range(4):
        while stack and np.sum(stack[-1]) < i:
            s += np.sum(stack.pop() ** 2)
        stack.append(x * i / 4)
    return s + np.sum(stack[0])


@program(X)
def lists_in_conditions(x):
    kept, s = [], 0.0
    for v in x:
        if v > 0.6:
            kept.append(v)
        s += v if kept and v < 1.0 else 2.0 * v
        s += sum([w for w in x if kept or w > 1.0]) * 0.1
    assert kept and s > 0.0
    return s


@program(X)
def begun_again_where_it_is_full(x):
    held = []
    s = 0.0
    for v in x:
        held.append(v)
        if len(held) == 2:
            s += held[0] * held[1]
            held = []
    return s + sum(held)


@program(X)
def replaced_in_a_branch(x):
    held = [x[0]]
    for v in x:
        if v > 0.8:
            held = [v]
        else:
            held.append(v)
    return sum(held) * held[0]


@program(X)
def breadth_first(x):
    now = [0]
    s = 0.0
    for depth in range(3):
        following = []
        for i in now:
            for child in (2 * i + 1, 2 * i + 2):
                if child < len(x):
                    following.append(child)
                    s += x[child] * (depth + 1)
        now = following
    return s * x[now[-1]] if now else s


@program(X)
def made_anew_by_each_iteration(x):
    now = [x[0]]
    s = 0.0
    for depth in range(3):
        following = [v * 0.9 for v in now]
        following.append(x[depth])
        s += sum(now)
        now = following
    return s + now[-1] * now[0]


@program(X)
def two_lists_by_turns(x):
    a, b = [x[0]], [x[1], x[2]]
    for i in range(3):
        a, b = b, a
        a.append(x[i])
    return sum(a) * 2 + sum(b)


@program(X)
def the_list_before_is_kept(x):
    now = []
    before = [x[0]]
    for i in range(4):
        before = now
        now = [x[i]]
        if i > 1:
            before.append(x[i] * 3)
    return sum(before) * 2 + sum(now)


@program(X, 3)
@program(X, 0)
def longer_after_the_loop(x, n):
    held = [x[0]]
    for i in range(n):
        held = [x[i]] * 2
    return sum(held) * len(held)


@program(X, 3)
def tuples_made_anew(x, n):
    pairs = [(x[0], x[1])]
    for i in range(n):
        following = []
        for a, b in pairs:
            following.append((a * x[i], b))
            following.append((b, a + x[i]))
        pairs = following
    return sum([a * b for a, b in pairs])


@program(X)
def made_by_a_function(x):
    def expanded(values, v):
        made = []
        for w in values:
            made.append(w * v)
        made.append(v)
        return made

    held = []
    for v in x:
        held = expanded(held, v)
    return sum(held)


class Collector:
    def __init__(self):
        self.items = []

    def add(self, v):
        self.items.append(v)

    def emptied(self):
        total = sum(self.items)
        self.items = []
        return total


@program(X)
def emptied_by_a_method(x):
    collector = Collector()
    s = 0.0
    for i, v in enumerate(x):
        collector.add(v)
        if i % 3 == 2:
            s += collector.emptied() ** 2
    return s + collector.emptied()


@program(X)
def lists_in_a_dict(x):
    lists = {"large": [], "small": [x[0]]}
    for v in x:
        if v > 0.8:
            lists["large"] = [v]
        else:
            lists["small"].append(v)
    return sum(lists["large"]) * sum(lists["small"])


@program(X)
def cleared_where_it_is_full(x):
    held = []
    s = 0.0
    for v in x:
        held.append(v)
        if len(held) == 2:
            s += held[0] * held[1]
            held.clear()
    return s + sum(held)


class Box:
    def __init__(self, size):
        self.size = size


@program(X)
@failing(X[:0], error=AttributeError)
def attribute_that_only_iterations_set(x):
    box = Box(2.0)
    for v in x:
        box.content = v * box.size
    return box.content**2


@program(X)
def array_that_only_iterations_set(x):
    box = Box(2.0)
    for i in range(3):
        box.content = x * i
        box.content[0] += 1.0
    return np.sum(box.content * x) * box.size


@program([np.array([[0.3, -0.2], [0.5, 0.1], [0.2, 0.7]]), np.array([[0.4, 0.6, -0.3]])], np.array([0.8, -0.5]))
def layers_of_other_sizes(weights, x):
    layers = [x]
    for k in range(len(weights)):
        layers.append(np.tanh(weights[k] @ layers[-1]))
    total = 0.0
    for k in range(len(layers)):
        total += np.sum(layers[k] ** 2) * (k + 1)
    return total


@program(np.array([0.4, -0.3, 0.8, 1.2, 0.5, -0.6, 0.9, 0.2]), 3)
def grids_of_other_sizes(u, n):
    grids = [u]
    for _level in range(2):
        grids.append(0.5 * (grids[-1][::2] + grids[-1][1::2]))
    for i in range(n):
        grids[2] += np.sin(grids[2]) * 0.1
        grids[1] = grids[1] * u[i]
    return np.sum(grids[2]) * np.sum(grids[1]) + np.sum(grids[0])


@program(np.array([0.4, -0.3, 0.8, 1.2]), 7)
def states_of_one_size(x, n):
    states = []
    for k in range(3):
        x = np.sin(x * x[k])
        states.append(x)
    total = 0.0
    for i in range(n):
        total += np.sum(states[i % 3] * states[-1]) * i
    return total + np.sum(np.stack(states) ** 2)


@program(np.array([0.4, -0.3, 0.8, 1.2]), 3)
def states_that_a_longer_loop_adds_to(x, n):
    states = []
    for k in range(3):
        x = np.sin(x * x[k])
        states.append(x)
    for i in range(n):
        states.append(states[-1] * states[i])
    return np.sum(states[-1] * 3.0) + np.sum(np.stack(states[1:]))
