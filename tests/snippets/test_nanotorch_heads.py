"""Attention with any score, several heads and the KV cache: against one head at a time, and what masks promise."""

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
CAUSAL = np.triu(np.ones((5, 5), bool), k=1)


def generator(seed=0):
    return np.random.default_rng(seed)


def heads(d_model=6, n_heads=2, **options):
    return nt.MultiHeadAttention(d_model, n_heads, generator(), **options)


# ---- any score ----

SCORES = {
    "dot": (nt.dot_score, 4),
    "general": (nt.GeneralScore(3, 4, generator()), 3),
    "additive": (nt.AdditiveScore(3, 4, 6, generator()), 3),
}


def test_the_scores_by_hand():
    Q, K = numbers(2, 3), numbers(5, 4, seed=1)
    general, additive = SCORES["general"][0], SCORES["additive"][0]
    for i, q in enumerate(Q):
        for j, k in enumerate(K):
            np.testing.assert_allclose(general(Q, K).data[i, j], q @ general.W_a.data @ k)
            hidden = np.tanh(q @ additive.W_a.data + k @ additive.U_a.data)
            np.testing.assert_allclose(additive(Q, K).data[i, j], additive.v_a.data @ hidden)
    assert nt.dot_score([[1, 2]], [[3, 4], [5, 6]]).data.tolist() == [[11, 17]]


def test_luongs_concat_is_the_additive_score():
    """v · tanh(W [q; k]) with W the two matrices side by side."""
    score, q, k = nt.AdditiveScore(3, 4, 6, generator()), numbers(3), numbers(4, seed=1)
    W = np.concatenate([score.W_a.data, score.U_a.data])               # (3 + 4, 6)
    expected = score.v_a.data @ np.tanh(np.concatenate([q, k]) @ W)
    np.testing.assert_allclose(score(q[None], k[None]).data, [[expected]])


@pytest.mark.parametrize(("score", "d_query"), SCORES.values(), ids=SCORES)
@pytest.mark.parametrize("mask", [None, CAUSAL[:2], [[True, False, False, False, True], [True] * 5]],
                         ids=["no mask", "causal", "padding, and a query that sees nothing"])
def test_attention_with_any_score(score, d_query, mask):
    Q, K, V = numbers(2, d_query), numbers(5, 4, seed=1), numbers(5, 3, seed=2)
    out, weights = nt.attend(score, Q, K, V, mask)
    allowed = np.ones((2, 5)) if mask is None else ~np.array(mask)
    powers = np.exp(score(Q, K).data) * allowed
    expected = powers / np.maximum(powers.sum(axis=1, keepdims=True), 1e-300)
    np.testing.assert_allclose(weights.data, expected, rtol=1e-12)
    np.testing.assert_allclose(out.data, expected @ V, rtol=1e-12, atol=1e-15)
    parameters = [] if score is nt.dot_score else list(score.parameters())
    for each in parameters:
        each.zero_grad()
    assert_gradients(lambda Q, K, V: nt.concatenate(nt.attend(score, Q, K, V, mask), axis=-1), Q, K, V,
                     parameters=parameters)


@pytest.mark.parametrize(("score", "d_query"), SCORES.values(), ids=SCORES)
@pytest.mark.parametrize("poison", [1e6, np.inf, np.nan])
def test_nothing_comes_out_of_padding(score, d_query, poison):
    """Not into results, not into gradients of inputs or parameters, whatever the score."""
    def run(K, V):
        parameters = [] if score is nt.dot_score else list(score.parameters())
        inputs = [nt.tensor(each, requires_grad=True) for each in (numbers(2, d_query), K, V)]
        for each in parameters:
            each.zero_grad()
        out, weights = nt.attend(score, *inputs, mask=[False, False, False, True])
        out.sum().backward()
        return [out.data, weights.data, *(each.grad for each in [*inputs, *parameters])]

    K, V = numbers(4, 4, seed=1), numbers(4, 3, seed=2)
    before = run(K.copy(), V.copy())
    K[3] = V[3] = poison
    for one, other in zip(before, run(K, V), strict=True):
        np.testing.assert_array_equal(one, other)


# ---- several heads ----

def one_head_at_a_time(mha, X, C, mask):
    """Each head with its own columns of W^Q, W^K, W^V and its own rows of W^O; the outputs are added up."""
    d_k, outputs, weights = mha.d_model // mha.n_heads, [], []
    for head in range(mha.n_heads):
        own = slice(head * d_k, (head + 1) * d_k)
        W_Q, W_K, W_V = (layer.weight.data[:, own] for layer in (mha.W_Q, mha.W_K, mha.W_V))
        out, weight = nt.scaled_dot_product_attention(X @ W_Q, C @ W_K, C @ W_V, mask)
        outputs.append(out.data @ mha.W_O.weight.data[own])
        weights.append(weight.data)
    return sum(outputs), np.stack(weights, axis=-3)


@quick
@given(st.data(), hnp.array_shapes(min_dims=0, max_dims=2, max_side=3), st.sampled_from([(4, 1), (4, 2), (6, 3), (4, 4)]),
       st.integers(1, 4), st.integers(1, 4))
def test_the_same_as_one_head_at_a_time(data, batch, sizes, m, n):
    d_model, n_heads = sizes
    mha, X, C = heads(d_model, n_heads), numbers(*batch, m, d_model), numbers(*batch, n, d_model, seed=1)
    mask_shape = data.draw(hnp.broadcastable_shapes((*batch, m, n), max_dims=len(batch) + 2))
    fits = len(mask_shape) <= len(batch) + 2 and np.broadcast_shapes(mask_shape, (*batch, m, n)) == (*batch, m, n)
    mask = data.draw(st.none() | hnp.arrays(bool, mask_shape if fits else ()))
    out, weights = mha(X, C, mask=mask)
    expected_out, expected_weights = one_head_at_a_time(mha, X, C, mask)
    assert out.shape == (*batch, m, d_model)
    assert weights.shape == (*batch, n_heads, m, n)
    np.testing.assert_allclose(weights.data, expected_weights, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(out.data, expected_out, rtol=1e-12, atol=1e-14)


def test_self_attention_is_cross_attention_with_itself():
    mha, X = heads(), numbers(2, 5, 6)
    for one, other in zip(mha(X, mask=CAUSAL), mha(X, X, mask=CAUSAL), strict=True):
        np.testing.assert_array_equal(one.data, other.data)


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("mask", [None, CAUSAL, [[[False] * 4 + [True]], [[True] * 5]]],
                         ids=["no mask", "causal", "padding of each sentence"])
def test_gradients_of_self_attention(bias, mask):
    mha = heads(d_model=4, bias=bias)
    assert_gradients(lambda X: mha(X, mask=mask)[0], numbers(2, 5, 4), parameters=list(mha.parameters()))


def test_gradients_of_cross_attention_and_of_the_weights():
    mha = heads(d_model=4)
    assert_gradients(lambda X, C: nt.concatenate([each.reshape(-1) for each in mha(X, C)]),
                     numbers(2, 3, 4), numbers(5, 4, seed=1), parameters=list(mha.parameters())[:3])


def test_as_many_sentences_as_heads_are_not_mixed_up_with_heads():
    """A mask of shape (2, 1, n) is one for each sentence, though two heads would fit it as well."""
    padding = np.array([[[False, False, True]], [[False, True, True]]])
    _, weights = heads(n_heads=2)(numbers(2, 3, 6), mask=padding)
    assert ((weights.data == 0) == padding[:, None]).all()


def test_parameters_do_not_depend_on_the_number_of_heads():
    """512 · 512 · 4 without bias, as in the paper, and 4 · 512 more with."""
    for n_heads in (1, 8):
        for bias, expected in ((False, 1_048_576), (True, 1_050_624)):
            mha = nt.MultiHeadAttention(512, n_heads, generator(), bias=bias, dtype=np.float32)
            assert sum(each.data.size for each in mha.parameters()) == expected


def test_heads_keep_float32():
    mha = heads(dtype=np.float32)
    X = nt.tensor(numbers(5, 6), True, np.float32)
    out, weights = mha(X, mask=CAUSAL)
    out.sum().backward()
    assert {out.dtype, weights.dtype, X.grad.dtype, *(each.grad.dtype for each in mha.parameters())} == {
        np.dtype(np.float32)}


# ---- the cache ----

@quick
@given(st.lists(st.integers(1, 3), min_size=1, max_size=5), hnp.array_shapes(min_dims=0, max_dims=1, max_side=2))
def test_piece_by_piece_with_a_cache_gives_what_all_at_once_gives(pieces, batch):
    mha, total, cache, start = heads(), sum(pieces), nt.KVCache(), 0
    X, causal = numbers(*batch, total, 6), np.triu(np.ones((total, total), bool), k=1)
    out, weights = mha(X, mask=causal)
    for size in pieces:
        end = start + size
        new_out, new_weights = mha(X[..., start:end, :], mask=causal[start:end, :end], cache=cache)
        assert len(cache) == end
        np.testing.assert_allclose(new_out.data, out.data[..., start:end, :], rtol=1e-12, atol=1e-14)
        np.testing.assert_allclose(new_weights.data, weights.data[..., start:end, :end], rtol=1e-12, atol=1e-15)
        start = end
    assert cache.K.shape == cache.V.shape == (*batch, 2, total, 3)


def test_a_cached_model_computes_the_same_logits_and_one_row_of_scores_a_token():
    rng = generator()
    embedding, norm, head = nt.Embedding(7, 6, rng), nt.LayerNorm(6), nt.Linear(6, 7, rng)
    mha, tokens, cache = heads(), rng.integers(0, 7, 5), nt.KVCache()

    def logits(tokens, mask=None, cache=None):
        x = embedding(tokens)
        out, weights = mha(norm(x), mask=mask, cache=cache)
        return head(x + out).data, weights.shape[-2:]

    expected, shape = logits(tokens, mask=CAUSAL)
    assert shape == (5, 5)
    for position in range(5):
        row, shape = logits(tokens[position:position + 1], cache=cache)
        assert shape == (1, position + 1)
        np.testing.assert_allclose(row[0], expected[position], rtol=1e-12, atol=1e-14)


def test_the_cache_keeps_values_without_history():
    mha, cache = heads(), nt.KVCache()
    assert len(cache) == 0
    out, _ = mha(numbers(1, 6), cache=cache)
    mha(numbers(1, 6), cache=cache)
    assert out.requires_grad  # through W^Q and W^O
    assert not cache.K.requires_grad
    assert not cache.V.requires_grad


# ---- messages ----

@pytest.mark.parametrize(("action", "message"), [
    (lambda: heads(d_model=6, n_heads=4), "d_model must be a multiple of n_heads, got 6 and 4"),
    (lambda: heads(d_model=6, n_heads=0), "d_model must be a multiple of n_heads, got 6 and 0"),
    (lambda: heads()(np.ones((3, 5))), "MultiHeadAttention takes X of shape (…, tokens, 6), got (3, 5)"),
    (lambda: heads()(np.ones(6)), "MultiHeadAttention takes X of shape (…, tokens, 6), got (6,)"),
    (lambda: heads()(np.ones((3, 6)), np.ones((4, 7))),
     "MultiHeadAttention takes C of shape (…, tokens, 6), got (4, 7)"),
    (lambda: heads()(np.ones((2, 3, 6)), np.ones((3, 4, 6)), mask=[True] * 4),
     "attention from X (2, 3, 6) to C (3, 4, 6): before the last two, sizes must be equal or 1"),
    (lambda: heads()(np.ones((2, 3, 6)), mask=np.ones((2, 1, 1, 3), bool)),
     "a mask of shape (2, 1, 1, 3) does not fit the scores of each head, queries by keys, of shape (2, 3, 3): "
     "counted from the right, sizes must be equal or 1"),
    (lambda: heads()(np.ones((3, 6)), np.ones((4, 6)), cache=nt.KVCache()),
     "a cache is for self-attention: leave out C, whose keys and values do not grow"),
    (lambda: nt.dot_score(np.ones((2, 3)), np.ones((2, 4))),
     "dot products of Q (2, 3) with K (2, 4): the last sizes must agree, not 3 and 4"),
    (lambda: nt.GeneralScore(3, 4, generator())(np.ones((2, 3)), np.ones((2, 5))),
     "dot products of Q (2, 4) with K (2, 5): the last sizes must agree, not 4 and 5"),
    (lambda: nt.attend(SCORES["additive"][0], np.ones((2, 3)), np.ones((5, 5)), np.ones((5, 5))),
     "(5, 5) @ (4, 6): the left operand has 5 columns, the right one 4 rows; they must be equal"),
    (lambda: nt.attend(lambda Q, K: nt.dot_score(K, Q), np.ones((2, 3)), np.ones((5, 3)), np.ones((5, 1))),
     "the score of Q (2, 3) and K (5, 3) has shape (5, 2): it must end in (2, 5), a row per query and a column per key"),
])
def test_message(action, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        action()


def test_scores_keep_the_scale_of_their_inputs_at_the_start():
    """Weights in ±1/√d: the hidden numbers of an additive score start far from where tanh is flat."""
    score = nt.AdditiveScore(256, 256, 64, generator())
    for parameter, d in ((score.W_a, 256), (score.U_a, 256), (score.v_a, 64)):
        assert 0.9 / math.sqrt(d) < np.abs(parameter.data).max() <= 1 / math.sqrt(d)
