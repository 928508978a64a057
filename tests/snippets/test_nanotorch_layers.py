"""Modules, layers, activations, cross-entropy and recurrent cells: values by hand, finite differences, messages."""

import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import nanotorch as nt
from tests.snippets.finite_differences import assert_gradients, numbers

quick = settings(max_examples=40, deadline=None, derandomize=True, database=None)


def generator(seed=0):
    return np.random.default_rng(seed)


# A layer, and the shapes of its inputs.
LAYERS = {
    "Linear": (lambda dtype: nt.Linear(3, 4, generator(), dtype=dtype), (2, 5, 3)),
    "Linear of a vector": (lambda dtype: nt.Linear(3, 4, generator(), dtype=dtype), (3,)),
    "Linear without bias": (lambda dtype: nt.Linear(3, 4, generator(), bias=False, dtype=dtype), (5, 3)),
    "LayerNorm": (lambda dtype: nt.LayerNorm(4, dtype=dtype), (2, 3, 4)),
    "RNNCell": (lambda dtype: nt.RNNCell(3, 4, generator(), dtype=dtype), (2, 3), (2, 4)),
    "GRUCell": (lambda dtype: nt.GRUCell(3, 4, generator(), dtype=dtype), (2, 3), (2, 4)),
    "GRUCell of a vector": (lambda dtype: nt.GRUCell(3, 4, generator(), dtype=dtype), (3,), (4,)),
    "GeneralScore": (lambda dtype: nt.GeneralScore(3, 4, generator(), dtype=dtype), (2, 2, 3), (2, 5, 4)),
    "AdditiveScore": (lambda dtype: nt.AdditiveScore(3, 4, 6, generator(), dtype=dtype), (2, 2, 3), (2, 5, 4)),
}


@pytest.mark.parametrize(("make", "shapes"), [(f, s) for f, *s in LAYERS.values()], ids=LAYERS)
def test_gradients_of_inputs_and_parameters(make, shapes):
    layer = make(np.float64)
    for seed, parameter in enumerate(layer.parameters()):  # LayerNorm's ones and zeros would hide mistakes
        parameter.data[...] = numbers(*parameter.shape, seed=seed)
    arrays = [numbers(*shape, seed=10 + seed) for seed, shape in enumerate(shapes)]
    assert_gradients(layer, *arrays, parameters=list(layer.parameters()))


@pytest.mark.parametrize(("make", "shapes"), [(f, s) for f, *s in LAYERS.values()], ids=LAYERS)
def test_a_layer_of_float32_stays_float32(make, shapes):
    layer = make(np.float32)
    inputs = [nt.tensor(numbers(*shape), True, np.float32) for shape in shapes]
    result = layer(*inputs)
    result.sum().backward()
    everything = [result.dtype, *(each.grad.dtype for each in [*inputs, *layer.parameters()])]
    assert set(everything) == {np.dtype(np.float32)}
    assert len(everything) > len(shapes) + 1


# ---- values ----

def test_linear_is_x_w_plus_b():
    layer = nt.Linear(2, 3, generator())
    layer.weight.data[...] = [[1, 2, 3], [10, 20, 30]]
    layer.bias.data[...] = [0.5, 0, -0.5]
    assert layer([[1, 0], [1, 1]]).data.tolist() == [[1.5, 2, 2.5], [11.5, 22, 32.5]]
    assert nt.Linear(2, 3, generator(), bias=False).bias is None


def test_embedding_looks_rows_up_and_adds_up_their_gradients():
    layer = nt.Embedding(4, 2, generator())
    layer.weight.data[...] = [[0, 0], [1, 10], [2, 20], [3, 30]]
    result = layer([[3, 1, 1]])
    assert result.data.tolist() == [[[3, 30], [1, 10], [1, 10]]]
    result.backward([[[1, 2], [3, 4], [5, 6]]])
    assert layer.weight.grad.tolist() == [[0, 0], [8, 10], [0, 0], [1, 2]]


def test_layer_norm_of_2_4_6():
    layer = nt.LayerNorm(3, eps=0)
    result = layer([[2, 4, 6], [200, 400, 600]]).data  # each row by itself
    np.testing.assert_allclose(result, np.sqrt(1.5) * np.array([[-1, 0, 1]] * 2), atol=1e-15)
    layer.weight.data[...], layer.bias.data[...] = [1, 1, 2], [0, 5, 0]
    np.testing.assert_allclose(layer([[2, 4, 6]]).data, [[-np.sqrt(1.5), 5, 2 * np.sqrt(1.5)]])


def test_layer_norm_of_equal_components_is_its_bias():
    assert nt.LayerNorm(3)([[7, 7, 7]]).data.tolist() == [[0, 0, 0]]


def test_one_step_of_a_gru_by_hand():
    layer = nt.GRUCell(1, 1, generator())
    W_ir, W_iz, W_in, W_hr, W_hz, W_hn = 0.5, -0.3, 0.8, 0.2, 0.7, -0.6
    b_ir, b_iz, b_in, b_hr, b_hz, b_hn = 0.1, 0.2, 0.3, 0.4, 0.5, 0.6
    layer.weight_ih.data[...], layer.weight_hh.data[...] = [W_ir, W_iz, W_in], [W_hr, W_hz, W_hn]
    layer.bias_ih.data[...], layer.bias_hh.data[...] = [b_ir, b_iz, b_in], [b_hr, b_hz, b_hn]
    x, h = 1.5, -0.4
    r = 1 / (1 + math.exp(-(x * W_ir + b_ir + h * W_hr + b_hr)))
    z = 1 / (1 + math.exp(-(x * W_iz + b_iz + h * W_hz + b_hz)))
    n = math.tanh(x * W_in + b_in + r * (h * W_hn + b_hn))
    np.testing.assert_allclose(layer([[x]], [[h]]).data, [[(1 - z) * n + z * h]], rtol=1e-14)


@pytest.mark.parametrize("layer", [
    nt.Linear(256, 400, generator()), nt.GRUCell(300, 256, generator()), nt.RNNCell(300, 256, generator())],
    ids=lambda layer: type(layer).__name__)
def test_parameters_start_uniform_within_one_over_the_square_root(layer):
    for parameter in layer.parameters():
        bound, values = 1 / 16, parameter.data
        assert np.abs(values).max() <= bound
        assert values.max() > 0.95 * bound
        assert values.min() < -0.95 * bound
        assert abs(values.std() - bound / math.sqrt(3)) < 0.1 * bound


def test_embeddings_start_normal():
    values = nt.Embedding(100, 100, generator()).weight.data
    assert abs(values.mean()) < 0.05
    assert abs(values.std() - 1) < 0.05


def test_the_same_generator_gives_the_same_start_and_nothing_else_is_random():
    first, second = generator(3), generator(3)
    state = np.random.get_state()[1].tolist()
    models = [[nt.Linear(2, 3, rng), nt.Linear(2, 3, rng), nt.GRUCell(2, 3, rng)] for rng in (first, second)]
    for one, other in zip(*models, strict=True):
        assert one.state_dict().keys() == other.state_dict().keys()
        for name, values in one.state_dict().items():
            np.testing.assert_array_equal(values, other.state_dict()[name])
    assert not np.array_equal(models[0][0].weight.data, models[0][1].weight.data)
    assert np.random.get_state()[1].tolist() == state


# ---- activations ----

FUNCTIONS = {
    "relu": (nt.relu, lambda a: np.maximum(a, 0)),
    "gelu": (nt.gelu, lambda a: a * np.vectorize(lambda x: 0.5 * math.erfc(-x / math.sqrt(2)))(a)),
    "gelu with tanh": (lambda a: nt.gelu(a, approximate="tanh"),
                       lambda a: a / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (a + 0.044715 * a**3)))),
    "log_softmax": (nt.log_softmax, lambda a: a - np.log(np.exp(a).sum(axis=-1, keepdims=True))),
    "log_softmax of columns": (lambda a: nt.log_softmax(a, axis=0), lambda a: a - np.log(np.exp(a).sum(axis=0))),
}


@quick
@given(st.sampled_from(sorted(FUNCTIONS)), hnp.array_shapes(max_dims=3, max_side=3))
def test_function(name, shape):
    function, in_numpy = FUNCTIONS[name]
    array = 3 * numbers(*shape)
    np.testing.assert_allclose(function(nt.tensor(array)).data, in_numpy(array), rtol=1e-12, atol=1e-14)
    assert_gradients(function, array)


@pytest.mark.parametrize("function", [each for each, _ in FUNCTIONS.values()], ids=FUNCTIONS)
def test_functions_keep_float32_and_take_arrays(function):
    x = nt.tensor(numbers(2, 3), True, np.float32)
    result = function(x)
    result.sum().backward()
    assert (result.dtype, x.grad.dtype) == (np.float32, np.float32)
    assert function(numbers(2, 3)).dtype == np.float64


def test_gelu_is_exact_unless_asked():
    """Φ(1) = 0.8413447460685429; tanh's formula gives 0.84119."""
    assert nt.gelu(1.0).item() == pytest.approx(0.8413447460685429, rel=1e-15)
    assert nt.gelu(1.0, approximate="tanh").item() == pytest.approx(0.8411919906082768, rel=1e-15)
    x = np.linspace(-6, 6, 2001)
    assert 0.0004 < np.abs(nt.gelu(x).data - nt.gelu(x, approximate="tanh").data).max() < 0.0005


def test_relu_at_zero_and_of_nan():
    x = nt.tensor([-1.0, 0.0, 2.0, np.nan], requires_grad=True)
    result = nt.relu(x)
    result.sum().backward()
    np.testing.assert_array_equal(result.data, [0, 0, 2, np.nan])
    assert x.grad[:3].tolist() == [0, 0, 1]


def test_log_softmax_where_softmax_has_no_digits_left():
    assert nt.log_softmax([0.0, 2000.0]).data.tolist() == [-2000, 0]
    assert nt.log_softmax([0.0, -np.inf]).data.tolist() == [0, -np.inf]


# ---- cross-entropy ----

@quick
@given(st.data(), hnp.array_shapes(min_dims=0, max_dims=2, max_side=3), st.integers(1, 4))
def test_cross_entropy_is_the_mean_of_minus_log_softmax_where_it_counts(data, shape, classes):
    logits = 2 * numbers(*shape, classes)
    targets = data.draw(hnp.arrays(int, shape, elements=st.integers(0, classes - 1)))
    mask = data.draw(st.none() | hnp.arrays(bool, shape).filter(lambda mask: not mask.all()))
    counted = [place for place in np.ndindex(shape) if mask is None or not mask[place]]
    expected = [np.log(np.exp(logits[place]).sum()) - logits[place][targets[place]] for place in counted]
    loss = nt.cross_entropy(logits, targets, mask)
    assert loss.shape == ()
    np.testing.assert_allclose(loss.data, np.mean(expected), rtol=1e-12, atol=1e-14)
    assert_gradients(lambda logits: nt.cross_entropy(logits, targets, mask), logits)


def test_equal_logits_cost_the_logarithm_of_the_number_of_classes():
    assert nt.cross_entropy(np.zeros((4, 65)), [0, 7, 64, 7]).item() == pytest.approx(math.log(65), rel=1e-14)


def test_cross_entropy_does_not_overflow():
    logits = nt.tensor([[1000.0, 0.0], [-1000.0, 1000.0]], requires_grad=True)
    loss = nt.cross_entropy(logits, [1, 1])
    loss.backward()
    assert loss.item() == 500
    assert logits.grad.tolist() == [[0.5, -0.5], [0, 0]]


def test_what_does_not_count_in_cross_entropy_may_be_anything():
    logits = nt.tensor([[1.0, 2.0], [np.nan, np.inf], [0.0, 3.0]], requires_grad=True)
    loss = nt.cross_entropy(logits, [0, -100, 1], mask=[False, True, False])
    loss.backward()
    alone = nt.tensor([[1.0, 2.0], [0.0, 3.0]], requires_grad=True)
    expected = nt.cross_entropy(alone, [0, 1])
    expected.backward()
    assert loss.item() == expected.item()
    np.testing.assert_array_equal(logits.grad[[0, 2]], alone.grad)
    assert logits.grad[1].tolist() == [0, 0]


def test_a_mask_of_cross_entropy_broadcasts():
    logits, targets = numbers(2, 3, 4), np.array([[0, 1, 2], [3, 2, 1]])
    assert (nt.cross_entropy(logits, targets, mask=[False, True, False]).item()
            == nt.cross_entropy(logits[:, ::2], targets[:, ::2]).item())


def test_cross_entropy_keeps_float32():
    logits = nt.tensor(numbers(2, 3), True, np.float32)
    loss = nt.cross_entropy(logits, [0, 2])
    loss.backward()
    assert (loss.dtype, logits.grad.dtype) == (np.float32, np.float32)


# ---- modules ----

class Pair(nt.Module):
    """Parameters in every place where they are found, and tensors that are none."""

    def __init__(self):
        self.first = nt.Linear(2, 2, generator(1))
        self.second = nt.Linear(2, 2, generator(2), bias=False)
        self.blocks = [nt.LayerNorm(2), nt.parameter([1.0])]
        self.by_name = {"scale": nt.parameter(2.0)}
        self.pair = (nt.parameter([[3.0]]),)
        self.shared = self.first.weight
        self.frozen = nt.tensor([5.0])
        self.parent = self
        self.name = "pair"

    def forward(self, x):
        self.hidden = self.first(x)
        return self.second(self.hidden)


NAMES = ["first.weight", "first.bias", "second.weight", "blocks.0.weight", "blocks.0.bias", "blocks.1",
         "by_name.scale", "pair.0"]


def test_a_module_finds_its_parameters_once_each():
    model = Pair()
    assert [name for name, _ in model.named_parameters()] == NAMES
    assert [id(each) for each in model.parameters()] == [id(each) for _, each in model.named_parameters()]
    assert next(model.parameters()) is model.first.weight


def test_what_forward_leaves_in_an_attribute_is_no_parameter():
    model = Pair()
    model(np.ones((1, 2)))
    assert model.hidden.requires_grad
    assert [name for name, _ in model.named_parameters()] == NAMES


def test_a_module_that_shares_a_module_has_its_parameters_once():
    class Tied(nt.Module):
        def __init__(self):
            self.W_Q = self.W_K = nt.Linear(2, 3, generator(), bias=False)
    assert [name for name, _ in Tied().named_parameters()] == ["W_Q.weight"]


def test_a_saved_state_makes_another_model_the_same(tmp_path):
    first, second = nt.GRUCell(2, 3, generator(1)), nt.GRUCell(2, 3, generator(2), dtype=np.float32)
    np.savez(tmp_path / "model.npz", **first.state_dict())
    with np.load(tmp_path / "model.npz") as state:
        second.load_state_dict(state)
    x, h = numbers(1, 2), numbers(1, 3)
    np.testing.assert_allclose(second(x, h).data, first(x, h).data, rtol=1e-5)
    assert {each.dtype for each in second.parameters()} == {np.dtype(np.float32)}


def test_a_state_is_a_copy():
    model = nt.LayerNorm(2)
    state = model.state_dict()
    model.weight.data[...] = 7
    assert state["weight"].tolist() == [1, 1]
    model.load_state_dict(state)
    model.weight.data[...] = 7
    assert state["weight"].tolist() == [1, 1]


def test_a_state_that_does_not_fit_changes_nothing():
    model, state = nt.LayerNorm(2), {"weight": np.full(2, 7.0), "bias": np.zeros(3)}
    with pytest.raises(ValueError, match="bias"):
        model.load_state_dict(state)
    assert model.weight.data.tolist() == [1, 1]


# ---- messages ----

@pytest.mark.parametrize(("action", "kind", "message"), [
    (lambda: nt.Linear(2, 3, 0), TypeError,
     "rng must be a numpy Generator, got int: write once rng = np.random.default_rng(0) "
     "and hand the same rng to every layer"),
    (lambda: nt.Embedding(2, 3, None), TypeError,
     "rng must be a numpy Generator, got NoneType: write once rng = np.random.default_rng(0) "
     "and hand the same rng to every layer"),
    (lambda: nt.Linear(3, 4, generator())(np.ones((2, 5))), ValueError,
     "(2, 5) @ (3, 4): the left operand has 5 columns, the right one 3 rows; they must be equal"),
    (lambda: nt.GRUCell(3, 4, generator())(np.ones((2, 3)), np.zeros((2, 5))), ValueError,
     "(2, 5) @ (4, 12): the left operand has 5 columns, the right one 4 rows; they must be equal"),
    (lambda: nt.Embedding(5, 2, generator())([0, 5]), IndexError,
     "the indices of an embedding must be from 0 to 4, got 5"),
    (lambda: nt.Embedding(5, 2, generator())([[-1]]), IndexError,
     "the indices of an embedding must be from 0 to 4, got -1"),
    (lambda: nt.Embedding(5, 2, generator())([0.0]), TypeError,
     "the indices of an embedding must be integers, got dtype float64"),
    (lambda: nt.Embedding(5, 2, generator())([True]), TypeError,
     "the indices of an embedding must be integers, got dtype bool"),
    (lambda: nt.LayerNorm(4)(np.ones((2, 1))), ValueError,
     "LayerNorm over 4 components got a tensor of shape (2, 1): the last size must be 4"),
    (lambda: nt.gelu([1.0], approximate="sigmoid"), ValueError,
     'gelu is exact ("none") or approximate="tanh", got \'sigmoid\''),
    (lambda: nt.cross_entropy(np.ones((2, 3, 4)), [1, 2]), ValueError,
     "cross_entropy of logits (2, 3, 4) needs one target per row of logits, (2, 3), got (2,)"),
    (lambda: nt.cross_entropy(np.ones((2, 4)), np.eye(4)[:2]), ValueError,
     "cross_entropy of logits (2, 4) needs one target per row of logits, (2,), got (2, 4)"),
    (lambda: nt.cross_entropy(np.ones((2, 4)), [1, 4]), IndexError,
     "the targets of cross_entropy must be from 0 to 3, got 4"),
    (lambda: nt.cross_entropy(np.ones((2, 4)), [1.0, 2.0]), TypeError,
     "the targets of cross_entropy must be integers, got dtype float64"),
    (lambda: nt.cross_entropy(np.ones((2, 4)), [1, 2], mask=[True, True]), ValueError,
     "cross_entropy of logits (2, 4): no target counts, there is no mean"),
    (lambda: nt.cross_entropy(np.ones((2, 4)), [1, 2], mask=[1, 0]), TypeError,
     "the mask must hold booleans, True = forbidden, got dtype int64: "
     "write mask == 1 if 1 means forbidden, mask == 0 if 0 does"),
    (lambda: nt.cross_entropy(np.ones((2, 4)), [1, 2], mask=[[True, False, True]]), ValueError,
     "a mask of shape (1, 3) does not fit the targets of shape (2,): "
     "counted from the right, sizes must be equal or 1"),
    (lambda: nt.Module()(1), NotImplementedError, "Module must say in forward() what it computes"),
    (lambda: nt.Linear(2, 3, generator()).load_state_dict({"weight": np.ones((2, 3))}), ValueError,
     "no values for the parameters bias"),
    (lambda: nt.LayerNorm(2).load_state_dict({"weight": [1, 1], "bias": [0, 0], "scale": 1}), ValueError,
     "LayerNorm has no parameters scale"),
    (lambda: nt.LayerNorm(2).load_state_dict({"weight": [1, 1], "bias": [[0, 0]]}), ValueError,
     "the parameter bias has shape (2,), its values (1, 2): they must be equal"),
])
def test_message(action, kind, message):
    with pytest.raises(kind, match=f"^{re.escape(message)}$"):
        action()
