"""Gradients of any function of tensors, held against central differences."""

import numpy as np

import nanotorch as nt


def numbers(*shape, seed=0):
    """Distinct numbers of both signs, none closer to 0 than 0.3: safe to divide by, and max has no ties."""
    rng = np.random.default_rng(seed)
    size = int(np.prod(shape))
    return rng.permutation((np.arange(size) / max(size, 1) + 0.3) * rng.choice([-1, 1], size)).reshape(shape)


def assert_gradients(function, *arrays, parameters=(), step=1e-6):
    """backward() against central differences, for every element of every array and of every parameter.

    The loss is a sum of all results with unequal coefficients, so that no two of them can be mixed up.
    """
    inputs = [nt.tensor(array, requires_grad=True) for array in arrays]

    def loss():
        result = function(*inputs)
        coefficients = np.random.default_rng(1).normal(size=result.shape)
        return (result * coefficients).sum()

    loss().backward()
    for each in [*inputs, *parameters]:
        expected = np.zeros(each.shape)
        for place in np.ndindex(each.shape):
            value = each.data[place]
            each.data[place] = value + step
            high = loss().item()
            each.data[place] = value - step
            low = loss().item()
            each.data[place] = value
            expected[place] = (high - low) / (2 * step)
        assert each.grad.shape == each.shape
        np.testing.assert_allclose(each.grad, expected, rtol=1e-6, atol=1e-7)
