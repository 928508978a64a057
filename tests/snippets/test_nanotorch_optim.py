"""Optimizers: the steps by hand, what they leave alone, and their messages."""

import re

import numpy as np
import pytest

import nanotorch as nt


def test_gradient_descent_goes_against_the_gradient():
    w, untouched = nt.parameter([1.0, -2.0]), nt.parameter([5.0])
    optimizer = nt.SGD([w, untouched], lr=0.1)
    (w * w).sum().backward()
    optimizer.step()
    np.testing.assert_allclose(w.data, [0.8, -1.6])
    assert untouched.data.tolist() == [5]
    optimizer.zero_grad()
    assert w.grad is None


def test_two_steps_of_adam_by_hand():
    w = nt.parameter([3.0])
    optimizer = nt.Adam([w], lr=0.5, betas=(0.8, 0.9), eps=0.1)
    w.grad = np.array([2.0])
    optimizer.step()
    assert w.data[0] == pytest.approx(3 - 0.5 * 2 / (2 + 0.1))  # after one step m and √v are the gradient
    before = w.data[0]
    w.grad = np.array([-1.0])
    optimizer.step()
    m = (0.8 * 0.2 * 2 + 0.2 * -1) / (1 - 0.8**2)
    v = (0.9 * 0.1 * 4 + 0.1 * 1) / (1 - 0.9**2)
    assert w.data[0] == pytest.approx(before - 0.5 * m / (np.sqrt(v) + 0.1))


def test_the_first_step_of_adam_has_one_length_however_large_the_gradient():
    w = nt.parameter([1.0, 1.0, 1.0])
    optimizer = nt.Adam([w], lr=0.01)
    w.grad = np.array([1e4, 1e-2, -3.0])
    optimizer.step()
    np.testing.assert_allclose(w.data, [0.99, 0.99, 1.01], rtol=1e-7)


@pytest.mark.parametrize("make", [lambda w: nt.SGD(w, lr=0.1), lambda w: nt.Adam(w, lr=0.1)], ids=["SGD", "Adam"])
def test_it_finds_the_lowest_point(make):
    w = nt.parameter([4.0, -3.0])
    optimizer = make([w])
    for _ in range(400):
        loss = ((w - [1, 2]) * (w - [1, 2]) * [1, 3]).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    np.testing.assert_allclose(w.data, [1, 2], atol=1e-3)


@pytest.mark.parametrize("make", [lambda w: nt.SGD(w, lr=0.1), lambda w: nt.Adam(w, lr=0.1)], ids=["SGD", "Adam"])
def test_float32_stays_float32_and_the_array_stays_the_same(make):
    """The array too: whoever tied or drew ``w.data`` sees the step."""
    w = nt.parameter([1.0, 2.0], dtype=np.float32)
    array, optimizer = w.data, make([w])
    for _ in range(3):
        (w * w).sum().backward()
        optimizer.step()
    assert w.data is array
    assert array.dtype == np.float32
    assert array[0] < 1


def test_the_learning_rate_may_change_between_steps():
    w = nt.parameter([1.0])
    optimizer = nt.SGD([w], lr=0.1)
    w.grad = np.array([1.0])
    optimizer.step()
    optimizer.lr = 0.01
    optimizer.step()
    assert w.data[0] == pytest.approx(0.89)


def test_adam_counts_the_steps_of_each_parameter():
    """One that had no gradient at first is corrected as at its first step, as in PyTorch."""
    early, late = nt.parameter([0.0]), nt.parameter([0.0])
    optimizer = nt.Adam([early, late], lr=0.1)
    early.grad = np.array([1.0])
    optimizer.step()
    optimizer.step()
    late.grad = np.array([1.0])
    optimizer.step()
    assert late.data[0] == pytest.approx(-0.1)


@pytest.mark.parametrize(("action", "kind", "message"), [
    (lambda: nt.Adam(nt.LayerNorm(2)), TypeError,
     "Adam takes a list of parameters, got LayerNorm: write model.parameters(), or [w, b]"),
    (lambda: nt.SGD(nt.parameter(1.0), lr=1), TypeError,
     "SGD takes a list of parameters, got Tensor: write model.parameters(), or [w, b]"),
    (lambda: nt.Adam([nt.LayerNorm(2)]), TypeError,
     "Adam takes a list of parameters, got a list with LayerNorm: "
     "write [*encoder.parameters(), *decoder.parameters()]"),
    (lambda: nt.Adam(nt.Module().parameters()), ValueError,
     "Adam got no parameters; if they came from model.parameters(), "
     "the model has no attribute made with requires_grad=True"),
    (lambda: nt.Adam([nt.parameter(1.0), nt.tensor([[1.0, 2.0]])]), ValueError,
     "Adam cannot move a tensor of shape (1, 2): it was not made with requires_grad=True"),
    (lambda: nt.SGD([nt.parameter(1.0)], lr=1).step(), RuntimeError,
     "step() before backward(): no parameter has a gradient"),
])
def test_message(action, kind, message):
    with pytest.raises(kind, match=f"^{re.escape(message)}$"):
        action()
