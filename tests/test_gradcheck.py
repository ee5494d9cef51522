import numpy as np
import pytest

from seqbook.gradcheck import numerical_grad, relative_error


def test_cubic_has_its_known_derivative():
    a = np.random.default_rng(0).normal(size=(2, 3))
    got = numerical_grad(lambda: np.sum(a**3), a)
    # truncation eps**2 = 1e-12, rounding about 1e-10
    np.testing.assert_allclose(got, 3 * a**2, rtol=0, atol=1e-8)


def test_array_is_restored_to_the_last_bit():
    a = np.random.default_rng(0).normal(size=(2, 3)) * 1e3
    before = a.copy()
    numerical_grad(lambda: np.sum(np.sin(a)), a)
    assert np.array_equal(a, before)


def test_a_view_reaches_the_array_behind_it():
    a = np.arange(6.0).reshape(2, 3)
    got = numerical_grad(lambda: a.sum(), a[:, 1])
    np.testing.assert_allclose(got, [1, 1], atol=1e-8)


@pytest.mark.parametrize("array", [np.ones(2, int), np.float32([1]), [1.0]])
def test_coarser_numbers_are_refused(array):
    with pytest.raises(ValueError, match="array must be a float64 array, got"):
        numerical_grad(lambda: 0.0, array)


def test_relative_error_is_a_norm_over_a_norm():
    assert relative_error([3, 4 + 1], [3, 4]) == pytest.approx(0.2)


def test_relative_error_at_zero_is_none_or_infinite():
    assert relative_error(np.zeros((2, 2)), np.zeros((2, 2))) == 0
    assert relative_error(np.ones(2), np.zeros(2)) == np.inf


def test_relative_error_does_not_broadcast():
    with pytest.raises(ValueError, match=r"got must be \(2, 3\).*\(3,\)"):
        relative_error(np.ones(3), np.ones((2, 3)))


def cube():
    """One call of numerical_grad: a loss and the array that it reads."""
    a = np.array([0.3, -0.7])
    return {"loss": lambda: float(np.sum(a**3)), "array": a, "eps": 1e-3}


CALLS = {
    numerical_grad: cube,
    relative_error: lambda: {"got": np.ones(2), "want": np.array([1.0, 3.0])},
}
OTHER = {(numerical_grad, "loss"): lambda: lambda: 0.0}
