"""Attention: against a loop in plain Python, against known digits, and what masks promise."""

import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import nanotorch as nt

attention = nt.scaled_dot_product_attention
quick = settings(max_examples=60, deadline=None, derandomize=True, database=None)

CAUSAL = np.triu(np.ones((4, 4), bool), k=1)
PADDING = np.array([False, False, False, True])
NAN, INF = math.nan, math.inf


def attention_by_hand(queries, keys, values, forbidden):
    """One query, one key, one component after the other; only what is allowed is ever touched."""
    out, weights = [], []
    for i, query in enumerate(queries):
        allowed = [j for j in range(len(keys)) if not forbidden[i][j]]
        scores = {j: sum(q * k for q, k in zip(query, keys[j], strict=True)) for j in allowed}
        powers = {j: math.exp(score / math.sqrt(len(query))) for j, score in scores.items()}
        row = [powers[j] / sum(powers.values()) if j in allowed else 0.0 for j in range(len(keys))]
        weights.append(row)
        out.append([sum(row[j] * values[j][c] for j in allowed) for c in range(len(values[0]))])
    return out, weights


def random_operands(*, queries=4, keys=4, d=3, d_v=2, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(queries, d)), rng.normal(size=(keys, d)), rng.normal(size=(keys, d_v))


def run(operands, mask, upstream=None):
    """Outputs, weights and the gradients of Q, K, V for a loss of which ``upstream`` is d loss / d out."""
    Q, K, V = (nt.tensor(each, requires_grad=True) for each in operands)
    out, weights = attention(Q, K, V, mask)
    out.backward(np.random.default_rng(5).normal(size=out.shape) if upstream is None else upstream)
    return out.data, weights.data, Q.grad, K.grad, V.grad


def assert_identical(some, others):
    for one, other in zip(some, others, strict=True):
        np.testing.assert_array_equal(one, other)


def exactly(message):
    return f"^{re.escape(message)}$"


# ---- values ----

@quick
@given(st.data(), hnp.mutually_broadcastable_shapes(num_shapes=3, max_dims=2, max_side=3),
       st.tuples(*[st.integers(1, 4)] * 4))
def test_the_same_as_the_loop(data, batch, sizes):
    (queries, keys, d, d_v), rng = sizes, np.random.default_rng(sum(sizes))
    q_batch, k_batch, v_batch = batch.input_shapes
    Q = rng.normal(size=(*q_batch, queries, d))
    K = rng.normal(size=(*k_batch, keys, d))
    V = rng.normal(size=(*v_batch, keys, d_v))
    scores_shape = (*np.broadcast_shapes(q_batch, k_batch), queries, keys)
    mask_shape = data.draw(hnp.broadcastable_shapes(scores_shape, max_dims=len(scores_shape)))
    mask_shape = mask_shape if np.broadcast_shapes(mask_shape, scores_shape) == scores_shape else ()
    mask = data.draw(hnp.arrays(bool, mask_shape))

    out, weights = attention(nt.tensor(Q), nt.tensor(K), nt.tensor(V), mask)

    assert out.shape == (*batch.result_shape, queries, d_v)
    assert weights.shape == scores_shape
    mask = np.broadcast_to(mask, scores_shape)
    full = [np.broadcast_to(each, (*batch.result_shape, *each.shape[-2:])) for each in (Q, K, V, mask)]
    full_weights = np.broadcast_to(weights.data, (*batch.result_shape, queries, keys))
    for place in np.ndindex(batch.result_shape):
        expected_out, expected_weights = attention_by_hand(*(each[place].tolist() for each in full))
        np.testing.assert_allclose(full_weights[place], expected_weights, rtol=1e-12)
        np.testing.assert_allclose(out.data[place], expected_out, rtol=1e-12, atol=1e-15)


def test_three_queries_and_five_keys_give_these_digits():
    rng = np.random.default_rng(0)
    Q, K, V = (nt.tensor(rng.normal(size=size)) for size in ((3, 8), (5, 8), (5, 4)))
    out, weights = attention(Q, K, V)
    np.testing.assert_allclose(weights.data, [
        [0.0582672498, 0.2844843868, 0.4449080283, 0.0759697930, 0.1363705421],
        [0.5149398983, 0.1597256467, 0.0334595771, 0.1199985937, 0.1718762842],
        [0.1774699444, 0.2632676515, 0.3193643863, 0.1914893079, 0.0484087099]], rtol=0, atol=6e-11)
    np.testing.assert_allclose(out.data, [
        [0.6214699709, -0.9321557406, 0.8699316527, -0.3127173266],
        [0.2571739205, -0.5024076330, 0.8256597268, 0.7976698635],
        [0.4282034798, -0.6749392646, 0.8677180023, 0.3232340166]], rtol=0, atol=6e-11)


@pytest.mark.parametrize(("mask", "digits"), [
    (np.tile(PADDING, (4, 1)), [[0.2532304384, 0.2710423759, 0.4757271858, 0],
                                [0.5850342607, 0.2093887038, 0.2055770355, 0],
                                [0.2986152034, 0.3528149401, 0.3485698566, 0],
                                [0.0336120484, 0.8480559044, 0.1183320472, 0]]),
    (CAUSAL, [[1, 0, 0, 0],
              [0.7364266730, 0.2635733270, 0, 0],
              [0.2986152034, 0.3528149401, 0.3485698566, 0],
              [0.0322736976, 0.8142883613, 0.1136203501, 0.0398175910]]),
], ids=["padding", "causal"])
def test_masked_weights_give_these_digits(mask, digits):
    rng = np.random.default_rng(1)
    Q, K = nt.tensor(rng.normal(size=(4, 8))), nt.tensor(rng.normal(size=(4, 8)))
    out, weights = attention(Q, K, nt.tensor(np.eye(4)), mask=mask)
    np.testing.assert_allclose(weights.data, digits, rtol=0, atol=6e-11)
    np.testing.assert_array_equal(out.data, weights.data)  # the values are the identity


# ---- the mask ----

MASKS = {
    "nothing": np.zeros((4, 4), bool),
    "causal": CAUSAL,
    "padding": PADDING,
    "query 1 sees nothing": np.array([[False], [True], [False], [False]]),
    "padded to the left": CAUSAL | [True, True, False, False],
    "everything": np.True_,
}


@pytest.mark.parametrize("mask", MASKS.values(), ids=MASKS)
def test_forbidden_weights_are_exactly_0_and_the_others_add_up_to_1(mask):
    mask = np.broadcast_to(mask, (4, 4))
    _, weights = attention(*random_operands(), mask)
    assert np.all(weights.data[mask] == 0)
    assert np.all(weights.data[~mask] > 0)
    np.testing.assert_allclose(weights.data.sum(axis=1), np.where(mask.all(axis=1), 0, 1), rtol=1e-14)


def test_scores_may_be_lower_than_any_large_negative_number():
    """-10⁹ in place of -inf would win over an allowed score of -10¹⁰."""
    out, weights = attention([[1.0]], [[-1e10], [0.0]], [[5.0], [7.0]], [False, True])
    assert weights.data.tolist() == [[1, 0]]
    assert out.data.tolist() == [[5]]


def test_a_mask_that_forbids_nothing_is_no_mask():
    assert_identical(run(random_operands(), MASKS["nothing"]), run(random_operands(), None))


@pytest.mark.parametrize("mask", [[False, True, False, True], ((False, True, False, True),) * 4, [[True]]])
def test_lists_of_booleans_are_masks(mask):
    array = np.broadcast_to(np.array(mask), (4, 4))
    assert_identical(run(random_operands(), mask), run(random_operands(), array))


def test_a_query_that_sees_nothing_gets_zeros_and_passes_no_gradient():
    """Whatever the loss makes of its row; warnings, of 0 / 0 for instance, are errors in these tests."""
    mask = CAUSAL | [True, False, False, False]  # query 0 sees nothing, key 0 is never seen
    operands = random_operands()
    upstream = np.ones((4, 2))
    upstream[0] = NAN, INF
    out, weights, Q_grad, K_grad, V_grad = run(operands, mask, upstream)
    assert out[0].tolist() == [0, 0]
    assert weights[0].tolist() == [0, 0, 0, 0]
    assert Q_grad[0].tolist() == K_grad[0].tolist() == [0, 0, 0]
    assert V_grad[0].tolist() == [0, 0]

    upstream[0] = 0
    assert_identical((out, weights, Q_grad, K_grad, V_grad), run(operands, mask, upstream))


def test_when_everything_is_forbidden_all_is_zero():
    for result in run(random_operands(), np.ones((4, 4), bool)):
        assert np.all(result == 0)


# ---- no leak: what may not be seen moves nothing, not by one bit ----

POISONS = [1e6, -1e300, INF, -INF, NAN]


def poisoned(operands, positions, row, poison):
    changed = [each.copy() for each in operands]
    for position in positions:
        changed[position][row] = poison
    return changed


@pytest.mark.parametrize("poison", POISONS)
def test_nothing_comes_back_from_the_future(poison):
    """Token 3 has another key and value: only query 3 may notice; the loss is one of the others."""
    operands = random_operands()
    upstream = np.random.default_rng(3).normal(size=(4, 2)) * [[1], [1], [1], [0]]
    before = run(operands, CAUSAL, upstream)
    after = run(poisoned(operands, [1, 2], 3, poison), CAUSAL, upstream)
    # Outputs, weights and gradients of the queries. Keys and values get gradients through query 3 too.
    assert_identical([each[:3] for each in before[:3]], [each[:3] for each in after[:3]])
    assert not np.array_equal(before[0][3], after[0][3])


@pytest.mark.parametrize("poison", POISONS)
def test_nothing_comes_out_of_padding(poison):
    """Keys and values of padding; outputs, weights and every gradient stay the same bit for bit."""
    operands = random_operands()
    assert_identical(run(operands, PADDING), run(poisoned(operands, [1, 2], 3, poison), PADDING))


@pytest.mark.parametrize("poison", POISONS)
def test_nothing_comes_out_of_a_query_that_sees_nothing(poison):
    operands, mask = random_operands(), MASKS["query 1 sees nothing"]
    assert_identical(run(operands, mask), run(poisoned(operands, [0], 1, poison), mask))


@pytest.mark.parametrize("position", [0, 1], ids=["query", "key"])
def test_nan_in_sight_is_not_hidden(position):
    """A mask is no excuse to lose a NaN: whoever sees it gets it, forbidden weights stay 0."""
    operands = random_operands()
    operands[position][2, 0] = NAN
    out, weights = (each.data for each in attention(*operands, CAUSAL))
    seen_by = [False, False, True, position == 1]
    assert np.isnan(out).all(axis=1).tolist() == seen_by
    assert np.isnan(out).any(axis=1).tolist() == seen_by
    assert np.all(weights[CAUSAL] == 0)
    assert np.isnan(weights[2, :3]).all()


@pytest.mark.parametrize("poison", [NAN, INF])
def test_a_value_in_sight_that_is_no_number_spoils_its_component_only(poison):
    operands = random_operands()
    operands[2][2, 0] = poison
    out, weights = (each.data for each in attention(*operands, CAUSAL))
    assert np.isnan(out).tolist() == [[False, False], [False, False], [True, False], [True, False]]
    assert np.isfinite(weights).all()


# ---- types and messages ----

def test_float32_stays_float32():
    Q, K, V = (nt.tensor(each.astype(np.float32), requires_grad=True) for each in random_operands())
    for mask in (None, CAUSAL):
        out, weights = attention(Q, K, V, mask)
        out.sum().backward()
        assert {out.dtype, weights.dtype, Q.grad.dtype, V.grad.dtype} == {np.dtype(np.float32)}


def test_arrays_and_lists_are_taken_as_constants():
    out, weights = attention([[0, 0]], [[1, 0], [0, 1]], np.array([[2], [4]]))
    assert weights.data.tolist() == [[0.5, 0.5]]
    assert out.data.tolist() == [[3]]
    assert not out.requires_grad


@pytest.mark.parametrize(("shapes", "message"), [
    (((3, 8), (5, 7), (5, 4)),
     "dot products of Q (3, 8) with K (5, 7): the last sizes must agree, not 8 and 7"),
    (((3, 8), (5, 8), (4, 8)),
     "attention of Q (3, 8), K (5, 8), V (4, 8): K and V must have as many rows, one per key, not 5 and 4"),
    (((8,), (5, 8), (5, 4)),
     "attention of Q (8,), K (5, 8), V (5, 4): each needs two axes or more, rows and their components; "
     "reshape(1, -1) makes one row of a vector"),
    (((2, 3, 8), (3, 5, 8), (5, 4)),
     "attention of Q (2, 3, 8), K (3, 5, 8), V (5, 4): before the last two, sizes must be equal or 1"),
    (((3, 8), (0, 8), (0, 4)),
     "attention of Q (3, 8), K (0, 8), V (0, 4): there must be at least one key, of at least one component"),
])
def test_shapes_that_do_not_fit(shapes, message):
    with pytest.raises(ValueError, match=exactly(message)):
        attention(*map(np.ones, shapes))


def test_a_mask_that_does_not_fit():
    message = ("a mask of shape (4, 5) does not fit the scores, queries by keys, of shape (2, 3, 5): "
               "counted from the right, sizes must be equal or 1")
    with pytest.raises(ValueError, match=exactly(message)):
        attention(np.ones((2, 3, 8)), np.ones((2, 5, 8)), np.ones((2, 5, 4)), np.zeros((4, 5), bool))


@pytest.mark.parametrize(("mask", "dtype"), [
    ([[0, 1], [0, 0]], "int64"), (np.array([[0.0, -np.inf]]), "float64"), (nt.tensor([[0, 1]]), "float64"),
])
def test_a_mask_that_is_not_boolean(mask, dtype):
    message = (f"the mask must hold booleans, True = forbidden, got dtype {dtype}: "
               "write mask == 1 if 1 means forbidden, mask == 0 if 0 does")
    with pytest.raises(TypeError, match=exactly(message)):
        attention(np.ones((2, 3)), np.ones((2, 3)), np.ones((2, 3)), mask)
