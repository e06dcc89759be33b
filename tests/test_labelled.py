"""A Series of pandas, or a DataArray with one axis, is an array where labels do not matter; its gradient has them."""

import numpy as np
import pytest

import pullback as pb

pandas = pytest.importorskip("pandas")
VALUES = np.array([0.5, 1.5, 2.0])


def series(values=VALUES, **options):
    return pandas.Series(np.array(values), **options)


def loss(x, y):
    return np.sum(np.sin(x) * y) + x.mean()


def through_elements(x):
    total = 0.0
    for k in range(len(x)):
        total += x[k] ** 2
    return total


@pytest.mark.parametrize("jit", [False, True])
def test_the_gradient_of_a_series_is_a_series_with_its_index(jit):
    function = pb.differentiable(loss, jit=jit)
    x, y = series(index=list("abc"), name="x"), series(index=list("abc"))
    value, (x_bar, y_bar) = pb.value_and_grad(function, argnums=(0, 1))(x, y)
    assert value == pytest.approx(loss(x, y), rel=1e-14)
    plain = pb.grad(function, argnums=(0, 1))(VALUES, VALUES)
    pandas.testing.assert_series_equal(x_bar, pandas.Series(plain[0], index=x.index, name="x"))
    pandas.testing.assert_series_equal(y_bar, pandas.Series(plain[1], index=x.index))
    assert pb.grad(function)(x, VALUES).index.equals(x.index)
    assert type(pb.grad(function)(VALUES, VALUES)) is np.ndarray


def test_a_series_may_stand_in_a_dict_and_be_pulled_back():
    def inner(params):
        return np.tanh(params["x"]) * params["scale"]

    params = {"x": series(index=[3, 4, 5]), "scale": 2.0}
    value, pullback = pb.vjp(pb.differentiable(inner, jit=False))(params)
    np.testing.assert_allclose(value, inner(params), rtol=1e-14)
    gradient = pullback(np.ones(3))
    assert gradient["x"].index.equals(params["x"].index)
    np.testing.assert_allclose(gradient["x"], 2.0 * (1 - np.tanh(VALUES) ** 2), rtol=1e-14)


def test_float32_stays_and_elements_are_found_by_their_places():
    gradient = pb.grad(pb.differentiable(through_elements, jit=False))(series(VALUES.astype(np.float32)))
    assert gradient.dtype == np.float32
    np.testing.assert_allclose(gradient, 2.0 * VALUES, rtol=1e-6)


def with_aux(x):
    return np.sum(x * x), x


def test_the_second_result_passes_through():
    gradient, aux = pb.grad(pb.differentiable(with_aux, jit=False), has_aux=True)(series(index=list("abc")))
    assert list(gradient.index) == list("abc")
    np.testing.assert_allclose(aux, VALUES)


@pytest.mark.parametrize(
    ("function", "x", "reason"),
    [
        (lambda x: x.std(), series(), "may divide by n - 1"),
        (lambda x: np.sum(x[1:] - x[:-1]), series(), "parts would keep"),
        (lambda x: np.sum(x[x > 1.0]), series(), "parts would keep"),
        (through_elements, series(index=[2, 1, 0]), "labels of its own"),
        (lambda x: np.sum(x), series([1.0, np.nan, 2.0]), "missing values"),
        (lambda x: np.sum(x), series(dtype="Float64"), "not an array of NumPy"),
        (lambda x: np.sum(x), pandas.DataFrame({"a": VALUES}), "not an array of NumPy"),
    ],
)
def test_what_labels_would_decide_is_refused_by_name(function, x, reason):
    with pytest.raises(pb.TypingError, match=reason) as caught:
        pb.grad(pb.differentiable(function, jit=False))(x)
    assert "x.to_numpy()" in str(caught.value)


def test_series_with_other_labels_are_refused():
    with pytest.raises(pb.TypingError, match="'y' has other labels than 'x'"):
        pb.grad(pb.differentiable(loss, jit=False))(series(), series(index=[1, 2, 3]))


def test_the_gradient_of_a_data_array_is_one_with_its_coordinates():
    xarray = pytest.importorskip("xarray")
    x = xarray.DataArray(VALUES, dims=["time"], coords={"time": [10, 20, 30]}, name="x")
    value, gradient = pb.value_and_grad(pb.differentiable(loss, jit=False))(x, VALUES)
    assert value == pytest.approx(float(loss(x, VALUES)), rel=1e-14)
    assert gradient.coords.equals(x.coords)
    assert gradient.dims == x.dims
    two = xarray.DataArray(np.ones((2, 2)), dims=["a", "b"])
    with pytest.raises(pb.TypingError, match=r"x\.to_numpy\(\)"):
        pb.grad(pb.differentiable(lambda x: np.sum(x), jit=False))(two)
