"""nanotorch against PyTorch on the CPU: the same expressions, the same attention, the same training run."""

import numpy as np
import pytest

import nanotorch as nt

torch = pytest.importorskip("torch", reason="PyTorch is not installed; CI installs it and runs these tests")

CONDITION = np.array([[True, False, True], [False, False, True]])
CAUSAL = np.triu(np.ones((4, 4), bool), k=1)
PADDING = np.array([[[[False, False, False, False]]], [[[False, False, False, True]]]])  # (2, 1, 1, 4)

# An expression, how PyTorch writes it (None: the same), and the shapes of its operands.
EXPRESSIONS = {
    "arithmetic, broadcast": (lambda a, b, c: (a + b) * c / (b * b + 1) - 2 * a + 1 / (c * c + 1), None,
                              (2, 3, 4), (3, 1), (4,)),
    "powers": (lambda a: (a * a + 1) ** -0.5 + a**3 - a**0, None, (2, 3)),
    "exp, log, tanh, sqrt": (lambda a: (a.exp() + 1).log() + a.tanh() * (a * a + 2).sqrt(), None, (2, 3)),
    "vector @ vector": (lambda a, b: a @ b, None, (3,), (3,)),
    "matrix @ vector": (lambda a, b: a @ b, None, (2, 3), (3,)),
    "vector @ batch": (lambda a, b: a @ b, None, (3,), (4, 3, 2)),
    "batch @ matrix": (lambda a, b: a @ b, None, (4, 2, 3), (3, 5)),
    "batch @ batch, broadcast": (lambda a, b: a @ b, None, (4, 1, 2, 3), (5, 3, 2)),
    "softmax": (lambda a: nt.softmax(a, axis=1), lambda a: a.softmax(dim=1), (2, 3, 4)),
    "sum": (lambda a: a.sum(axis=(0, 2)) * a.sum() + a.sum(axis=1, keepdims=True).sum(), None, (2, 3, 4)),
    "mean": (lambda a: a.mean(axis=(0, 2)) * a.mean(axis=1, keepdims=True).sum(), None, (2, 3, 4)),
    "max": (lambda a: a.max(axis=1) * a.max(), lambda a: a.amax(dim=1) * a.amax(), (2, 3, 4)),
    "max, equal elements": (lambda a: a[:, [0, 0, 1]].max(axis=1), lambda a: a[:, [0, 0, 1]].amax(dim=1),
                            (4, 2)),
    "reshape, T": (lambda a: a.reshape(6, -1).T * 2, None, (2, 3, 4)),
    "transpose": (lambda a: a.transpose(2, 0, 1), lambda a: a.permute(2, 0, 1), (2, 3, 4)),
    "swapaxes": (lambda a: a.swapaxes(0, -1), None, (2, 3, 4)),
    "index": (lambda a: a[1:, None, :, -1] * a[0, 2, 1], None, (2, 3, 4)),
    "index, repeated rows": (lambda a: a[np.array([[0, 1, 1], [1, 1, 0]])], None, (2, 3)),
    "index, pairs and booleans": (lambda a: a[[0, 1, 1], [2, 0, 0]] * a[CONDITION], None, (2, 3)),
    "where": (lambda a, b: nt.where(CONDITION, a, b), lambda a, b: torch.where(torch.tensor(CONDITION), a, b),
              (2, 3), (3,)),
    "concatenate": (lambda a, b: nt.concatenate([a, b, a], axis=1), lambda a, b: torch.cat([a, b, a], dim=1),
                    (2, 1), (2, 3)),
}


def assert_same(expression, in_torch, arrays):
    """Equal results, and equal gradients for a loss that weighs the results unequally."""
    ours = [nt.tensor(array, requires_grad=True) for array in arrays]
    theirs = [torch.tensor(array, requires_grad=True) for array in arrays]
    our_result, their_result = expression(*ours), (in_torch or expression)(*theirs)
    np.testing.assert_allclose(our_result.data, their_result.detach().numpy(), rtol=1e-12, atol=1e-14)
    coefficients = np.random.default_rng(1).normal(size=our_result.shape)
    our_result.backward(coefficients)
    their_result.backward(torch.tensor(coefficients))
    for our, their in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(our.grad, their.grad.numpy(), rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize(("expression", "in_torch", "shapes"),
                         [(f, t, s) for f, t, *s in EXPRESSIONS.values()], ids=EXPRESSIONS)
def test_expression(expression, in_torch, shapes):
    rng = np.random.default_rng(0)
    assert_same(expression, in_torch, [rng.normal(size=shape) for shape in shapes])


@pytest.mark.parametrize(("shapes", "mask"), [
    (((3, 8), (5, 8), (5, 4)), None),
    (((2, 4, 8), (2, 4, 8), (2, 4, 3)), CAUSAL),
    (((2, 3, 4, 8), (2, 3, 4, 8), (2, 3, 4, 8)), CAUSAL | PADDING),
    (((2, 3, 4, 8), (2, 1, 4, 8), (4, 8)), CAUSAL.T[::-1]),
], ids=["no mask", "causal", "heads, causal and padding", "broadcast"])
def test_attention(shapes, mask):
    """PyTorch's mask says what is allowed: the opposite of ours."""
    allowed = None if mask is None else torch.tensor(~mask)
    rng = np.random.default_rng(0)
    assert_same(lambda Q, K, V: nt.scaled_dot_product_attention(Q, K, V, mask)[0],
                lambda Q, K, V: torch.nn.functional.scaled_dot_product_attention(Q, K, V, attn_mask=allowed),
                [rng.normal(size=shape) for shape in shapes])


def test_training_takes_the_same_steps():
    """Twenty steps of gradient descent on embeddings, causal attention and a tanh layer: the same losses."""
    rng = np.random.default_rng(0)
    tokens, targets = rng.integers(0, 5, size=(3, 4)), rng.normal(size=(3, 4, 2))
    start = [rng.normal(size=shape) for shape in ((5, 8), (8, 8), (8, 8), (8, 8), (8, 2), (2,))]

    def our_attention(Q, K, V):
        return nt.scaled_dot_product_attention(Q, K, V, CAUSAL)[0]

    def their_attention(Q, K, V):
        return torch.nn.functional.scaled_dot_product_attention(Q, K, V, is_causal=True)

    def train(parameters, attention, targets):
        losses = []
        for _ in range(20):
            embedding, W_q, W_k, W_v, W_o, bias = parameters
            x = embedding[tokens]                                         # (3, 4, 8)
            error = (x + attention(x @ W_q, x @ W_k, x @ W_v)).tanh() @ W_o + bias - targets
            loss = (error**2).mean()
            loss.backward()
            losses.append(loss.item())
            for parameter in parameters:
                parameter.data -= 0.1 * parameter.grad
                parameter.grad = None
        return losses

    ours = [nt.tensor(array, requires_grad=True) for array in start]
    theirs = [torch.tensor(array, requires_grad=True) for array in start]
    ours, theirs = train(ours, our_attention, targets), train(theirs, their_attention, torch.tensor(targets))
    np.testing.assert_allclose(ours, theirs, rtol=1e-10)
    assert ours[-1] < ours[0] / 2
