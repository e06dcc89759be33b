"""TensorFlow's guide to automatic differentiation, with NumPy underneath: the snippets run with one import changed.

    python examples/tensorflow_guide.py [--quick]

Where TensorFlow answers None, `explain` says why.
"""

import argparse

import numpy as np

import pullback.tf as tf


def show(title, *values):
    print(f"{title:45}", *(value.numpy().tolist() if hasattr(value, "numpy") else value for value in values))


def gradients():
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = x**2
    show("d(x²)/dx at 3", tape.gradient(y, x))

    w = tf.Variable([[0.5, -1.0], [0.25, 2.0], [-0.75, 0.1]], name="w")
    b = tf.Variable(tf.zeros(2), name="b")
    with tf.GradientTape(persistent=True) as tape:
        y = [[1.0, 2.0, 3.0]] @ w + b
        loss = tf.reduce_mean(y**2)
    show("by a list of variables", *tape.gradient(loss, [w, b]))
    show("by a dict of them", tape.gradient(loss, {"w": w, "b": b})["b"])

    layer = tf.keras.layers.Dense(2, activation="relu", seed=0)
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(layer(tf.constant([[1.0, 2.0, 3.0]])) ** 2)
    found = tape.gradient(loss, layer.trainable_variables)
    for variable, gradient in zip(layer.trainable_variables, found, strict=True):
        print(f"{variable.name}, shape of the gradient: {gradient.shape}")


def what_is_watched():
    x0 = tf.Variable(3.0, name="x0")
    x1 = tf.Variable(3.0, name="x1", trainable=False)
    x2 = tf.Variable(2.0, name="x2") + 1.0
    x3 = tf.constant(3.0, name="x3")
    with tf.GradientTape() as tape:
        y = x0**2 + x1**2 + x2**2
    sources = {"x0": x0, "x1": x1, "x2": x2, "x3": x3}
    for name, gradient in tape.gradient(y, sources).items():
        show(f"dy/d{name}", gradient)
    print(tape.explain(y, x2))

    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        z = y * y
    show("by an intermediate result, dz/dy", tape.gradient(z, y))


def control_flow():
    x = tf.constant(1.0)
    v0, v1 = tf.Variable(2.0), tf.Variable(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        if x > 0.0:
            result = v0
        else:
            result = v1**2
    show("only the branch that was taken", *tape.gradient(result, [v0, v1]))
    show("the condition", tape.gradient(result, x))


def reasons_for_none():
    x = tf.Variable([[1.0, 2.0], [3.0, 4.0]], name="x")
    with tf.GradientTape() as tape:
        squares = x**2
        y = tf.reduce_mean(np.mean(squares, axis=0))  # NumPy's functions are recorded
    show("through np.mean", tape.gradient(y, x))

    x = tf.Variable(3.0, name="x")
    state = tf.Variable(0.0, name="state")
    with tf.GradientTape() as tape:
        state.assign_add(x)
        y = state**2
    show("through a variable's state", tape.gradient(y, x))
    print(tape.explain(y, x))

    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.cast(tf.cast(x, tf.int32), tf.float32)
    show("through integers", tape.gradient(y, x))
    print(tape.explain(y, x))


def jacobians_and_higher_orders(steps):
    x = tf.Variable(1.0)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = x * x * x
        dy = inner.gradient(y, x)
    show("d(x³)/dx and d²(x³)/dx² at 1", dy, outer.gradient(dy, x))

    x = tf.linspace(-10.0, 10.0, steps)
    delta = tf.Variable(0.0)
    with tf.GradientTape() as tape:
        y = tf.nn.sigmoid(x + delta)
    jacobian = tape.jacobian(y, delta)
    print(f"{'shapes of y and of its Jacobian':45} {y.shape} {jacobian.shape}")

    x = tf.constant(np.random.default_rng(0).normal(size=(7, 5)))
    layer = tf.keras.layers.Dense(10, activation="tanh", dtype=tf.float64, seed=0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = layer(x)
    print(f"{'shape of a batch Jacobian':45} {tape.batch_jacobian(y, x).shape}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a Jacobian of 21 elements, not of 201")
    arguments = parser.parse_args()
    gradients()
    what_is_watched()
    control_flow()
    reasons_for_none()
    jacobians_and_higher_orders(21 if arguments.quick else 201)


if __name__ == "__main__":
    main()
