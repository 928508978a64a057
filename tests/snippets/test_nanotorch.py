"""Each operation of nanotorch: values against numpy, gradients against finite differences, messages."""

import doctest
import gc
import re
import weakref
from itertools import pairwise
from operator import methodcaller

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import nanotorch as nt
from tests.snippets.finite_differences import assert_gradients, numbers

quick = settings(max_examples=40, deadline=None, derandomize=True, database=None)
CAUSAL = np.triu(np.ones((3, 3), bool), k=1)


# An operation, what numpy calls the same (None: the expression itself works on arrays), and the operands.
OPERATIONS = {
    "add": (lambda a, b: a + b, None, numbers(2, 3), numbers(2, 3, seed=1)),
    "subtract": (lambda a, b: a - b, None, numbers(2, 3), numbers(2, 3, seed=1)),
    "multiply": (lambda a, b: a * b, None, numbers(2, 3), numbers(2, 3, seed=1)),
    "divide": (lambda a, b: a / b, None, numbers(2, 3), numbers(2, 3, seed=1)),
    "number first": (lambda a: (2 - a) * 3 + 1 / a, None, numbers(2, 3)),
    "negative": (lambda a: -a, None, numbers(2, 3)),
    "square": (lambda a: a**2, None, numbers(2, 3)),
    "power -1.5": (lambda a: (a * a) ** -1.5, None, numbers(2, 3)),
    "exp": (lambda a: a.exp(), np.exp, numbers(2, 3)),
    "log": (lambda a: (a * a).log(), lambda a: np.log(a * a), numbers(2, 3)),
    "sqrt": (lambda a: (a * a).sqrt(), np.abs, numbers(2, 3)),
    "tanh": (lambda a: a.tanh(), np.tanh, numbers(2, 3)),
    "sigmoid": (lambda a: a.sigmoid(), lambda a: 1 / (1 + np.exp(-a)), numbers(2, 3)),
    "softmax": (nt.softmax, lambda a: np.exp(a) / np.exp(a).sum(axis=1, keepdims=True), numbers(2, 3)),
    "softmax of columns": (lambda a: nt.softmax(a, axis=0), lambda a: np.exp(a) / np.exp(a).sum(axis=0),
                           numbers(3, 2)),
    "vector @ vector": (lambda a, b: a @ b, None, numbers(3), numbers(3, seed=1)),
    "vector @ matrix": (lambda a, b: a @ b, None, numbers(3), numbers(3, 2, seed=1)),
    "vector @ batch": (lambda a, b: a @ b, None, numbers(3), numbers(4, 3, 2, seed=1)),
    "matrix @ vector": (lambda a, b: a @ b, None, numbers(2, 3), numbers(3, seed=1)),
    "batch @ vector": (lambda a, b: a @ b, None, numbers(4, 2, 3), numbers(3, seed=1)),
    "matrix @ matrix": (lambda a, b: a @ b, None, numbers(2, 3), numbers(3, 4, seed=1)),
    "square matrices": (lambda a, b: a @ b, None, numbers(3, 3), numbers(3, 3, seed=1)),
    "batch @ matrix": (lambda a, b: a @ b, None, numbers(4, 2, 3), numbers(3, 2, seed=1)),
    "transpose": (lambda a: a.transpose(), None, numbers(2, 3, 4)),
    "transpose cyclic": (lambda a: a.transpose(1, 2, 0), None, numbers(2, 3, 4)),
    "transpose tuple, negative": (lambda a: a.transpose((-1, 0, 1)), None, numbers(2, 3, 4)),
    "T": (lambda a: a.T, None, numbers(2, 3)),
    "swapaxes": (lambda a: a.swapaxes(-1, 0), None, numbers(2, 3, 4)),
    "reshape": (lambda a: a.reshape(3, -1), None, numbers(2, 3, 2)),
    "reshape tuple": (lambda a: a.reshape((2, 1, 6)), None, numbers(3, 4)),
    "index rows": (lambda a: a[1], None, numbers(3, 2)),
    "index element": (lambda a: a[1, -1], None, numbers(3, 2)),
    "index step backwards": (lambda a: a[::-2, None], None, numbers(4, 2)),
    "index repeated rows": (lambda a: a[np.array([[0, 2], [2, 2]])], None, numbers(3, 2)),
    "index pairs, repeated": (lambda a: a[[0, 1, 1], [2, 0, 0]], None, numbers(2, 3)),
    "index booleans": (lambda a: a[np.array([True, False, True])], None, numbers(3, 2)),
    "index mixed": (lambda a: a[..., [1, 1], :1], None, numbers(2, 2, 3)),
    "concatenate": (lambda a, b: nt.concatenate([a, b, a]), lambda a, b: np.concatenate([a, b, a]),
                    numbers(2, 3), numbers(1, 3, seed=1)),
    "concatenate columns": (lambda a, b: nt.concatenate([a, b], axis=-1), lambda a, b: np.hstack([a, b]),
                            numbers(2, 1), numbers(2, 3, seed=1)),
    "stack": (lambda a, b: nt.stack([a, b, a]), lambda a, b: np.stack([a, b, a]),
              numbers(2, 3), numbers(2, 3, seed=1)),
    "stack last": (lambda a, b: nt.stack([a, b], axis=-1), lambda a, b: np.stack([a, b], axis=-1),
                   numbers(2, 3), numbers(2, 3, seed=1)),
    "split": (lambda a: nt.split(a, 2)[1], lambda a: np.split(a, 2)[1], numbers(4, 3)),
    "split columns": (lambda a: nt.concatenate(nt.split(a, 3, axis=-1)[::-1], axis=1),
                      lambda a: np.concatenate(np.split(a, 3, axis=-1)[::-1], axis=1), numbers(2, 6)),
    "where": (lambda a, b: nt.where(CAUSAL, a, b), lambda a, b: np.where(CAUSAL, a, b),
              numbers(3, 3), numbers(3, seed=1)),
    "where with a number": (lambda a: nt.where(CAUSAL, 0, a), lambda a: np.where(CAUSAL, 0, a),
                            numbers(3, 3)),
}
OPERATIONS |= {
    f"{name} {options}": (methodcaller(name, **options), None, numbers(2, 3, 4))
    for name in ("sum", "mean", "max")
    for options in ({}, {"axis": 1}, {"axis": -1, "keepdims": True}, {"axis": (0, -1)}, {"keepdims": True})
}


@pytest.mark.parametrize(("operation", "in_numpy", "operands"),
                         [(f, n, o) for f, n, *o in OPERATIONS.values()], ids=OPERATIONS)
def test_operation(operation, in_numpy, operands):
    result = operation(*map(nt.tensor, operands))
    expected = np.asarray((in_numpy or operation)(*operands))
    assert result.shape == expected.shape
    np.testing.assert_allclose(result.data, expected, rtol=1e-14)
    assert_gradients(operation, *operands)


@pytest.mark.parametrize(("operation", "operands"),
                         [(f, o) for f, _, *o in OPERATIONS.values()], ids=OPERATIONS)
def test_float32_stays_float32_in_results_and_gradients(operation, operands):
    inputs = [nt.tensor(each.astype(np.float32), requires_grad=True) for each in operands]
    result = operation(*inputs)
    result.sum().backward()
    assert [result.dtype, *(each.grad.dtype for each in inputs)] == [np.float32] * (1 + len(inputs))


@pytest.mark.parametrize("mask", [None, CAUSAL, [True, False, False], [[False], [True], [False]]],
                         ids=["no mask", "causal", "padding", "query 1 sees nothing"])
def test_gradients_of_attention(mask):
    def out_and_weights(Q, K, V):
        return nt.concatenate(nt.scaled_dot_product_attention(Q, K, V, mask), axis=-1)
    assert_gradients(out_and_weights, numbers(2, 3, 4), numbers(2, 3, 4, seed=1), numbers(3, 2, seed=2))


# ---- shapes that nobody thought of ----

@quick
@given(hnp.mutually_broadcastable_shapes(num_shapes=2, max_dims=3, max_side=3))
def test_arithmetic_broadcasts_as_in_numpy(shapes):
    a, b = numbers(*shapes.input_shapes[0]), numbers(*shapes.input_shapes[1], seed=1)
    for operation in (lambda a, b: a + b, lambda a, b: a - b, lambda a, b: a * b, lambda a, b: a / b):
        np.testing.assert_array_equal(operation(nt.tensor(a), nt.tensor(b)).data, operation(a, b))
        assert_gradients(operation, a, b)


@quick
@given(hnp.mutually_broadcastable_shapes(num_shapes=3, max_dims=3, max_side=3))
def test_where_broadcasts_all_three(shapes):
    condition, a, b = (numbers(*shape, seed=seed) for seed, shape in enumerate(shapes.input_shapes))
    np.testing.assert_array_equal(nt.where(condition > 0, nt.tensor(a), nt.tensor(b)).data,
                                  np.where(condition > 0, a, b))
    assert_gradients(lambda a, b: nt.where(condition > 0, a, b), a, b)


@quick
@given(hnp.mutually_broadcastable_shapes(signature=np.matmul.signature, max_dims=2, max_side=3))
def test_matrix_product_of_vectors_matrices_and_batches(shapes):
    a, b = numbers(*shapes.input_shapes[0]), numbers(*shapes.input_shapes[1], seed=1)
    result = nt.tensor(a) @ nt.tensor(b)
    assert result.shape == shapes.result_shape
    np.testing.assert_allclose(result.data, a @ b, rtol=1e-12, atol=1e-14)
    assert_gradients(lambda a, b: a @ b, a, b)


@quick
@given(st.data(), hnp.array_shapes(max_dims=3, max_side=3), st.booleans())
def test_reductions_over_any_axes(data, shape, keepdims):
    axes = data.draw(hnp.valid_tuple_axes(len(shape), min_size=1))
    array = numbers(*shape)
    for name in ("sum", "mean", "max"):
        reduction = methodcaller(name, axis=axes, keepdims=keepdims)
        np.testing.assert_allclose(reduction(nt.tensor(array)).data, reduction(array), atol=1e-14)
        assert_gradients(reduction, array)


@quick
@given(st.data(), hnp.array_shapes(max_dims=3, max_side=3))
def test_indices_of_any_kind(data, shape):
    index = data.draw(hnp.basic_indices(shape, allow_newaxis=True) | hnp.integer_array_indices(shape))
    np.testing.assert_array_equal(nt.tensor(numbers(*shape))[index].data, numbers(*shape)[index])
    assert_gradients(lambda a: a[index], numbers(*shape))


@quick
@given(st.data(), hnp.array_shapes(max_dims=4, max_side=3))
def test_transpose_in_any_order(data, shape):
    transpose = methodcaller("transpose", *data.draw(st.permutations(range(len(shape)))))
    np.testing.assert_array_equal(transpose(nt.tensor(numbers(*shape))).data, transpose(numbers(*shape)))
    assert_gradients(transpose, numbers(*shape))


# ---- what single operations promise ----

def test_equal_largest_elements_share_the_gradient():
    x = nt.tensor([[1.0, 7.0, 7.0], [5.0, 5.0, 5.0], [1.0, 2.0, 3.0]], requires_grad=True)
    (x.max(axis=1) * [6, 9, 1]).sum().backward()
    np.testing.assert_allclose(x.grad, [[0, 3, 3], [3, 3, 3], [0, 0, 1]])


def test_power_zero_is_constant_even_at_zero():
    x = nt.tensor([0.0, 2.0], requires_grad=True)
    (x**0).sum().backward()
    assert x.grad.tolist() == [0, 0]


def test_softmax_does_not_overflow():
    weights = nt.softmax(nt.tensor([[1000.0, 1002.0], [-1000.0, -1002.0], [0.0, -np.inf]])).data
    small = 1 / (1 + np.exp(2))
    np.testing.assert_allclose(weights, [[small, 1 - small], [1 - small, small], [1, 0]], rtol=1e-12)


def test_sigmoid_does_not_overflow():
    x = nt.tensor([-1000.0, 0.0, 1000.0], requires_grad=True)
    x.sigmoid().sum().backward()
    assert x.sigmoid().data.tolist() == [0, 0.5, 1]
    assert x.grad.tolist() == [0, 0.25, 0]


def test_where_gives_what_is_not_chosen_a_gradient_of_zero():
    a, b = nt.tensor([np.nan, 4.0], requires_grad=True), nt.tensor([2.0, np.inf], requires_grad=True)
    nt.where([False, True], a, b).backward([np.inf, np.inf])
    assert a.grad.tolist() == [0, np.inf]
    assert b.grad.tolist() == [np.inf, 0]


def test_mean_of_nothing_is_nan_and_of_no_rows_is_empty():
    assert nt.tensor(np.ones((0, 3))).mean(axis=1).shape == (0,)


# ---- the engine ----

def test_a_tensor_used_in_several_places_adds_up_its_gradients():
    x = nt.tensor(3.0, requires_grad=True)
    y = x * x
    loss = y * x + y + x  # x³ + x² + x
    loss.backward()
    assert (x.grad, y.grad, loss.grad) == (3 * 9 + 2 * 3 + 1, 3 + 1, 1)


def test_gradients_of_several_calls_add_up_until_zero_grad():
    x = nt.tensor([1.0, 2.0], requires_grad=True)
    loss = ((x * x) * x).sum()
    loss.backward()
    loss.backward()
    assert x.grad.tolist() == [6, 24]
    x.zero_grad()
    assert x.grad is None
    loss.backward()
    assert x.grad.tolist() == [3, 12]


def test_the_gradient_of_a_single_number_is_an_array_too():
    x = nt.tensor(3.0, requires_grad=True)
    for _ in range(2):
        (x * x).backward()
        assert isinstance(x.grad, np.ndarray)
    assert x.grad.tolist() == 12


def test_backward_from_many_numbers_with_their_gradient():
    x = nt.tensor([1.0, 2.0], requires_grad=True)
    (x * x).backward([10, 100])
    assert x.grad.tolist() == [20, 400]


def test_a_loss_of_shape_1_1_is_one_number():
    x = nt.tensor([[3.0]], requires_grad=True)
    (x * x).backward()
    assert x.grad.tolist() == [[6]]


def test_no_two_tensors_share_the_memory_of_their_gradient():
    a, b = nt.tensor([1.0, 2.0], requires_grad=True), nt.tensor([3.0, 4.0], requires_grad=True)
    total = a + b
    loss = total.reshape(2, 1).T.sum()
    loss.backward()
    for one, other in pairwise([a, b, total, loss, a]):
        assert not np.shares_memory(one.grad, other.grad)
    a.grad *= 10  # as gradient clipping does
    assert b.grad.tolist() == [1, 1]


@pytest.mark.parametrize(("operation", "operands"),
                         [(f, o) for f, _, *o in OPERATIONS.values()], ids=OPERATIONS)
def test_a_gradient_is_an_array_of_its_own(operation, operands):
    inputs = [nt.tensor(each, requires_grad=True) for each in operands]
    result = operation(*inputs)
    result.backward(np.ones(result.shape))
    for one, other in pairwise([*inputs, result, inputs[0]]):
        assert one.grad.flags.writeable
        assert not np.shares_memory(one.grad, other.grad)


def test_the_gradient_that_backward_was_given_is_not_kept():
    x, given_gradient = nt.tensor([1.0, 2.0], requires_grad=True), np.ones(2)
    x.backward(given_gradient)
    x.grad *= 10
    assert given_gradient.tolist() == [1, 1]


def test_a_graph_deeper_than_the_call_stack():
    x = nt.tensor(0.0, requires_grad=True)
    y = x
    for _ in range(10_000):
        y = y + x
    y.backward()
    assert x.grad == 10_001


def test_only_what_depends_on_a_required_gradient_keeps_a_graph():
    x, constant = nt.tensor([1.0], requires_grad=True), nt.tensor([2.0])
    assert not (constant * 3).requires_grad
    assert (constant * 3)._edges == ()
    product = constant * x
    assert product.requires_grad
    assert [operand for operand, _ in product._edges] == [x]
    product.sum().backward()
    assert constant.grad is None


def test_detach_stops_the_gradient_and_shares_the_values():
    x = nt.tensor([2.0], requires_grad=True)
    (x * x.detach()).sum().backward()
    assert x.grad.tolist() == [2]
    assert x.detach().data is x.data
    assert not x.detach().requires_grad


@pytest.mark.parametrize(("operation", "operands"),
                         [(f, o) for f, _, *o in OPERATIONS.values()], ids=OPERATIONS)
def test_a_graph_is_freed_without_the_garbage_collector(operation, operands):
    """A cycle, such as a gradient function that holds its own result, would fill memory while training."""
    gc.disable()
    try:
        result = operation(*(nt.tensor(each, requires_grad=True) for each in operands))
        memory = weakref.ref(result.data)
        result.sum().backward()
        del result
        assert memory() is None
    finally:
        gc.enable()


# ---- numbers, arrays and types ----

@pytest.mark.parametrize("other", [2, 2.0, np.float64(2), np.int64(2), np.array(2), [2, 2], np.array([2, 2])])
def test_numbers_and_arrays_on_either_side(other):
    x = nt.tensor([1.0, 4.0], requires_grad=True)
    results = {"+": (other + x, x + other), "-": (other - x, x - other),
               "*": (other * x, x * other), "/": (other / x, x / other)}
    assert {symbol: [each.data.tolist() for each in pair] for symbol, pair in results.items()} == {
        "+": [[3, 6], [3, 6]], "-": [[1, -2], [-1, 2]], "*": [[2, 8], [2, 8]], "/": [[2, 0.5], [0.5, 2]]}
    for result in sum(results.values(), start=()):
        assert isinstance(result, nt.Tensor)
        assert result.requires_grad


def test_array_at_tensor():
    array, x = numbers(2, 3), nt.tensor(numbers(3, 2, seed=1), requires_grad=True)
    result = array @ x
    assert isinstance(result, nt.Tensor)
    np.testing.assert_allclose(result.data, array @ x.data)
    assert_gradients(lambda x: array @ x, x.data)


def test_number_types():
    assert nt.tensor([1, 2]).dtype == np.float64
    assert nt.tensor([True]).dtype == np.float64
    assert nt.tensor(np.ones(2, np.float32)).dtype == np.float32
    assert nt.tensor(np.ones(2, np.float32), dtype=np.float64).dtype == np.float64
    single = nt.tensor([1.0, 2.0], dtype=np.float32)
    for result in (single * 2.5, np.float64(2.5) * single, single * np.array([1, 2]), single.mean() ** 0.5,
                   nt.where([True, False], 0.0, single), single @ single):
        assert result.dtype == np.float32
    assert (single * np.array([0.5, 0.5])).dtype == np.float64


def test_tensor_copies_what_it_is_given():
    array = np.ones(2)
    x = nt.tensor(array)
    array[0] = 5
    assert x.data.tolist() == [1, 1]


def test_numpy_and_plotting_read_a_tensor_without_history():
    x = nt.tensor([[1.0, 2.0]])
    assert np.asarray(x).tolist() == [[1, 2]]
    assert np.asarray(x, dtype=np.float32).dtype == np.float32
    assert x.numpy() is x.data
    assert [row.shape for row in x] == [(2,)]
    assert len(x) == 1
    assert nt.tensor([[2.5]]).item() == 2.5
    assert type(nt.tensor([[2.5]]).item()) is float


@pytest.mark.parametrize(("made", "text"), [
    (nt.tensor([[0.6, 0.4]]), "tensor([[0.6, 0.4]], shape=(1, 2))"),
    (nt.tensor(2), "tensor(2., shape=())"),
    (nt.tensor([1 / 3, 1e-9], True, np.float32),
     "tensor([0.3333, 0.    ], shape=(2,), dtype=float32, requires_grad=True)"),
    (nt.tensor(np.eye(2)), "tensor([[1., 0.],\n        [0., 1.]], shape=(2, 2))"),
])
def test_repr(made, text):
    assert repr(made) == text


@pytest.mark.parametrize("module", [nt, nt.module], ids=lambda module: module.__name__)
def test_the_example_in_the_documentation(module):
    outcome = doctest.testmod(module)
    assert outcome.attempted > 0
    assert outcome.failed == 0


# ---- messages ----

def ones(*shape, **options):
    return nt.tensor(np.ones(shape), **options)


@pytest.mark.parametrize(("action", "kind", "message"), [
    (lambda: ones(2, 3) + ones(4), ValueError,
     "(2, 3) + (4,): counted from the right, sizes must be equal or 1"),
    (lambda: np.ones((2, 3)) / ones(2), ValueError,
     "(2, 3) / (2,): counted from the right, sizes must be equal or 1"),
    (lambda: ones(2, 3) @ ones(2, 3), ValueError,
     "(2, 3) @ (2, 3): the left operand has 3 columns, the right one 2 rows; they must be equal"),
    (lambda: ones(2, 3) @ ones(2), ValueError,
     "(2, 3) @ (2,): the left operand has 3 columns, the right one 2 rows; they must be equal"),
    (lambda: ones(2, 3, 4) @ ones(3, 4, 5), ValueError,
     "(2, 3, 4) @ (3, 4, 5): before the last two, sizes must be equal or 1"),
    (lambda: 2 @ ones(2), ValueError,
     "() @ (2,): a single number has no rows and columns, multiply by it with *"),
    (lambda: ones(2, 3).reshape(4, -1), ValueError, "cannot reshape (2, 3) to (4, -1): there are 6 numbers"),
    (lambda: ones(2, 3, 4).transpose(-2, -1), ValueError,
     "transpose of (2, 3, 4) needs each of its 3 axes once, got (-2, -1); "
     "to exchange two axes, use swapaxes"),
    (lambda: ones(2, 3)[2], IndexError,
     "cannot index shape (2, 3): index 2 is out of bounds for axis 0 with size 2"),
    (lambda: nt.stack([ones(2), ones(2), ones(3)]), ValueError,
     "cannot stack shapes (2,), (3,): all must be equal"),
    (lambda: nt.stack([]), ValueError, "stack needs at least one tensor"),
    (lambda: nt.split(ones(2, 7), 3, axis=1), ValueError, "cannot split axis 1 of (2, 7) into 3 equal pieces"),
    (lambda: nt.where(np.ones(2, bool), ones(3), 0), ValueError,
     "where((2,), (3,), ()): counted from the right, sizes must be equal or 1"),
    (lambda: nt.where([1, 0], 1, 0), TypeError, "where needs a condition of booleans, got dtype int64"),
    (lambda: ones(2, 3).item(), ValueError, "item() needs a tensor of one number, this one has shape (2, 3)"),
    (lambda: ones(2, 3, requires_grad=True).backward(), ValueError,
     "backward() starts from one number, this tensor has shape (2, 3): "
     "call .sum().backward(), or pass a gradient of the same shape"),
    (lambda: ones(2, 3, requires_grad=True).backward(np.ones(3)), ValueError,
     "the gradient has shape (3,), the tensor (2, 3): they must be equal"),
    (lambda: ones(2, 3).backward(), RuntimeError,
     "no gradient: this tensor of shape (2, 3) was computed from no tensor made with requires_grad=True"),
    (lambda: np.asarray(ones(2, 3, requires_grad=True)), TypeError,
     "numpy would lose the gradient of this tensor of shape (2, 3): "
     "use nanotorch's operations, or .data for the plain values"),
    (lambda: ones(2) ** ones(2), TypeError, "the exponent must be a number, got Tensor"),
    (lambda: nt.tensor(["a"]), TypeError, "a tensor holds real numbers, got an array of dtype <U1"),
    (lambda: ones(2) + None, TypeError, "a tensor holds real numbers, got an array of dtype object"),
    (lambda: nt.tensor([1], dtype=int), TypeError,
     "a tensor holds floats, got dtype int64; leave indices in numpy arrays"),
])
def test_message(action, kind, message):
    with pytest.raises(kind, match=f"^{re.escape(message)}$"):
        action()


def test_concatenate_names_the_shapes():
    with pytest.raises(ValueError, match=r"^cannot concatenate shapes \(2, 3\), \(3, 3\) along axis 1: "):
        nt.concatenate([ones(2, 3), ones(3, 3)], axis=1)
