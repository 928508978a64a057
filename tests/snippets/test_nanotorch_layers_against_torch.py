"""nanotorch's layers, losses, optimizers and a whole GPT against PyTorch: outputs, all gradients, training."""

import numpy as np
import pytest

import nanotorch as nt
from tests.bench import gpt_step

torch = pytest.importorskip("torch", reason="PyTorch is not installed; CI installs it and runs these tests")
F = torch.nn.functional
torch.set_num_threads(1)  # more would only wait for each other beside parallel tests

CAUSAL = np.triu(np.ones((5, 5), bool), k=1)
PADDING = np.array([[[False] * 5], [[False] * 3 + [True] * 2]])  # (2, 1, 5): the second sentence is shorter


def generator(seed=0):
    return np.random.default_rng(seed)


def assert_close(ours, theirs, rtol=1e-12, atol=1e-13):
    np.testing.assert_allclose(ours, theirs.detach().numpy(), rtol=rtol, atol=atol)


def assert_same(ours, theirs, arrays, parameters=()):
    """Equal results and equal gradients of the inputs and of ``parameters``: pairs (ours, theirs, how ours is had
    from theirs), for a loss that weighs the results unequally."""
    our_inputs = [nt.tensor(array, requires_grad=True) for array in arrays]
    their_inputs = [torch.tensor(array, requires_grad=True) for array in arrays]
    our_results, their_results = ours(*our_inputs), theirs(*their_inputs)
    our_loss, their_loss = 0, 0
    for seed, (our, their) in enumerate(zip(our_results, their_results, strict=True)):
        assert_close(our.data, their)
        coefficients = generator(seed).normal(size=our.shape)
        our_loss = (our * coefficients).sum() + our_loss
        their_loss = (their * torch.tensor(coefficients)).sum() + their_loss
    our_loss.backward()
    their_loss.backward()
    for our, their in zip(our_inputs, their_inputs, strict=True):
        assert_close(our.grad, their.grad)
    for our, their, arrange in parameters:
        assert_close(our.grad, arrange(their.grad))


def same(x):
    return x


def transposed(x):
    return x.T


# ---- functions ----

@pytest.mark.parametrize(("ours", "theirs"), [
    (nt.relu, torch.relu),
    (nt.gelu, F.gelu),
    (lambda x: nt.gelu(x, approximate="tanh"), lambda x: F.gelu(x, approximate="tanh")),
    (lambda x: nt.log_softmax(x, axis=1), lambda x: F.log_softmax(x, dim=1)),
    (lambda x: x.sigmoid(), torch.sigmoid),
    (lambda x: nt.stack([x, x * x], axis=-1), lambda x: torch.stack([x, x * x], dim=-1)),
    (lambda x: nt.split(x, 3, axis=1)[1], lambda x: torch.chunk(x, 3, dim=1)[1]),
], ids=["relu", "gelu", "gelu with tanh", "log_softmax", "sigmoid", "stack", "split"])
def test_function(ours, theirs):
    assert_same(lambda x: [ours(x)], lambda x: [theirs(x)], [3 * generator().normal(size=(4, 6, 5))])


@pytest.mark.parametrize("counted", [[[True] * 4] * 3, [[True, False, True, True]] * 3], ids=["all", "some"])
def test_cross_entropy(counted):
    counted, targets = np.array(counted), generator().integers(0, 7, (3, 4))
    marked = torch.tensor(np.where(counted, targets, -100))
    assert_same(lambda x: [nt.cross_entropy(x, targets, mask=~counted)],
                lambda x: [F.cross_entropy(x.flatten(0, 1), marked.flatten(), ignore_index=-100)],
                [generator(1).normal(size=(3, 4, 7))])


# ---- layers ----

def copy(layer, state):
    """``layer`` with PyTorch's weights, which stand transposed there."""
    layer.load_state_dict({name: np.transpose(values.numpy()) for name, values in state.items()})
    return layer


@pytest.mark.parametrize(("ours", "theirs", "shapes"), [
    (nt.Linear(3, 4, generator()), torch.nn.Linear(3, 4), [(2, 5, 3)]),
    (nt.Linear(3, 4, generator(), bias=False), torch.nn.Linear(3, 4, bias=False), [(5, 3)]),
    (nt.LayerNorm(6), torch.nn.LayerNorm(6), [(2, 5, 6)]),
    (nt.RNNCell(3, 4, generator()), torch.nn.RNNCell(3, 4), [(5, 3), (5, 4)]),
    (nt.GRUCell(3, 4, generator()), torch.nn.GRUCell(3, 4), [(5, 3), (5, 4)]),
], ids=["Linear", "Linear without bias", "LayerNorm", "RNNCell", "GRUCell"])
def test_layer(ours, theirs, shapes):
    theirs = theirs.double()
    copy(ours, theirs.state_dict())
    pairs = [(our, dict(theirs.named_parameters())[name], transposed if our.ndim == 2 else same)
             for name, our in ours.named_parameters()]
    assert len(pairs) == len(list(theirs.parameters()))
    rng = generator(1)
    assert_same(lambda *x: [ours(*x)], lambda *x: [theirs(*x)], [rng.normal(size=shape) for shape in shapes], pairs)


def test_embedding():
    ours, theirs = nt.Embedding(5, 3, generator()), torch.nn.Embedding(5, 3).double()
    theirs.weight.data[...] = torch.tensor(ours.weight.data)
    tokens = generator().integers(0, 5, (2, 4))
    assert_same(lambda: [ours(tokens)], lambda: [theirs(torch.tensor(tokens))], [],
                [(ours.weight, theirs.weight, same)])


def test_a_gru_read_step_by_step_is_their_gru():
    """Seven steps through time: the gradients of all of them add up in the same weights."""
    theirs = torch.nn.GRU(3, 4, batch_first=True).double()
    ours = copy(nt.GRUCell(3, 4, generator()), {name.removesuffix("_l0"): each for name, each in theirs.state_dict().items()})

    def read(x):
        states, h = [], np.zeros((2, 4))
        for step in range(7):
            h = ours(x[:, step], h)
            states.append(h)
        return [nt.stack(states, axis=1)]

    pairs = [(our, dict(theirs.named_parameters())[f"{name}_l0"], transposed if our.ndim == 2 else same)
             for name, our in ours.named_parameters()]
    assert_same(read, lambda x: [theirs(x)[0]], [generator(1).normal(size=(2, 7, 3))], pairs)


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("cross", [False, True], ids=["self", "cross"])
@pytest.mark.parametrize("mask", [None, CAUSAL, PADDING], ids=["no mask", "causal", "padding"])
def test_multi_head_attention(mask, cross, bias):
    """Theirs has W_Q, W_K, W_V in one matrix, and reads True as forbidden, as ours does."""
    ours, theirs = nt.MultiHeadAttention(8, 4, generator(), bias=bias), torch.nn.MultiheadAttention(
        8, 4, bias=bias, batch_first=True).double()
    projections = [ours.W_Q, ours.W_K, ours.W_V]
    parameters = []
    for part, layer in enumerate(projections):
        rows = slice(8 * part, 8 * part + 8)
        theirs.in_proj_weight.data[rows] = torch.tensor(layer.weight.data.T)
        parameters.append((layer.weight, theirs.in_proj_weight, lambda grad, rows=rows: grad[rows].T))
        if bias:
            theirs.in_proj_bias.data[rows] = torch.tensor(layer.bias.data)
            parameters.append((layer.bias, theirs.in_proj_bias, lambda grad, rows=rows: grad[rows]))
    theirs.out_proj.weight.data[...] = torch.tensor(ours.W_O.weight.data.T)
    parameters.append((ours.W_O.weight, theirs.out_proj.weight, transposed))
    if bias:
        theirs.out_proj.bias.data[...] = torch.tensor(ours.W_O.bias.data)
        parameters.append((ours.W_O.bias, theirs.out_proj.bias, same))
    options = {"need_weights": True, "average_attn_weights": False}
    if mask is CAUSAL:
        options["attn_mask"] = torch.tensor(mask)
    elif mask is PADDING:
        options["key_padding_mask"] = torch.tensor(mask[:, 0])
    rng = generator(1)
    arrays = [rng.normal(size=(2, 5, 8)) for _ in range(1 + cross)]
    assert_same(lambda X, C=None: ours(X, C, mask=mask),
                lambda X, C=None: theirs(X, X if C is None else C, X if C is None else C, **options),
                arrays, parameters)


# ---- training ----

@pytest.mark.parametrize(("ours", "theirs"), [
    (lambda w: nt.SGD(w, lr=0.05), lambda w: torch.optim.SGD(w, lr=0.05)),
    (lambda w: nt.Adam(w, lr=0.05), lambda w: torch.optim.Adam(w, lr=0.05)),
    (lambda w: nt.Adam(w, lr=0.05, betas=(0.5, 0.8), eps=1e-2),
     lambda w: torch.optim.Adam(w, lr=0.05, betas=(0.5, 0.8), eps=1e-2)),
], ids=["SGD", "Adam", "Adam with other constants"])
def test_an_optimizer_takes_the_same_steps(ours, theirs):
    start, target = generator().normal(size=(2, 3)), generator(1).normal(size=(2, 3))
    w, v = nt.parameter(start), torch.tensor(start, requires_grad=True)
    our_optimizer, their_optimizer = ours([w]), theirs([v])
    for _ in range(30):
        for optimizer, loss in ((our_optimizer, ((w - target) ** 4).sum()),
                                (their_optimizer, ((v - torch.tensor(target)) ** 4).sum())):
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        assert_close(w.data, v)
    assert not np.allclose(w.data, start)


@pytest.mark.parametrize(("dtype", "rtol"), [(np.float64, 1e-9), (np.float32, 1e-4)])
def test_a_gpt_takes_the_same_steps(dtype, rtol, monkeypatch):
    """The model of the benchmark: 116 thousand parameters, gelu, layer norm, causal heads, Adam."""
    monkeypatch.setattr(gpt_step, "BATCH", 2)
    model = gpt_step.GPT(generator(), dtype)
    assert sum(each.data.size for each in model.parameters()) == 115_968
    their_step, our_step = gpt_step.torch_step(model), gpt_step.nanotorch_step(model)
    ours, theirs = zip(*((our_step(), their_step()) for _ in range(3)), strict=True)
    np.testing.assert_allclose(ours, theirs, rtol=rtol)
    assert ours[-1] < ours[0]
