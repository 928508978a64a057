"""nanotorch: tensors with gradients in a few hundred lines of numpy, to be read as a lesson.

>>> import nanotorch as nt
>>> x = nt.tensor([1.0, 2.0, 3.0], requires_grad=True)
>>> loss = (x * x).sum()
>>> loss
tensor(14., shape=(), requires_grad=True)
>>> loss.backward()
>>> x.grad
array([2., 4., 6.])

Read it in this order. ``tensor.py`` is reverse-mode automatic differentiation; all else is built on its operations:
``functional.py`` has softmax, activations and cross-entropy, ``module.py`` finds the parameters of a model,
``layers.py`` has Linear, Embedding and LayerNorm, ``attention.py`` scores, masks, heads and the KV cache,
``recurrent.py`` RNN and GRU cells, ``optim.py`` SGD and Adam.

The names are those of PyTorch or numpy, so that they are known elsewhere. Where they differ from PyTorch:

- ``transpose(*axes)`` permutes all axes, as in numpy; PyTorch's exchanges two, which is ``swapaxes`` here.
- ``.grad`` is a numpy array, and every tensor on the way to the loss gets one, not only the inputs.
- In a mask, True means forbidden. ``torch.nn.functional.scaled_dot_product_attention`` reads True as allowed,
  ``torch.nn.MultiheadAttention`` as forbidden: look it up before you carry a mask over.
- Weights stand as in the formula x W, (inputs, outputs); PyTorch keeps their transpose.
- Nothing is random by itself: whatever starts at random takes ``rng``, a ``numpy.random.Generator``.
- ``MultiHeadAttention`` has no bias unless asked, and returns the weights of each head, not their mean.
"""

from .attention import (
    AdditiveScore,
    GeneralScore,
    KVCache,
    MultiHeadAttention,
    attend,
    dot_score,
    scaled_dot_product_attention,
)
from .functional import cross_entropy, gelu, log_softmax, relu, softmax
from .layers import Embedding, LayerNorm, Linear
from .module import Module, parameter
from .optim import SGD, Adam
from .recurrent import GRUCell, RNNCell
from .tensor import Tensor, concatenate, split, stack, tensor, where

__all__ = [
    "SGD",
    "Adam",
    "AdditiveScore",
    "Embedding",
    "GRUCell",
    "GeneralScore",
    "KVCache",
    "LayerNorm",
    "Linear",
    "Module",
    "MultiHeadAttention",
    "RNNCell",
    "Tensor",
    "attend",
    "concatenate",
    "cross_entropy",
    "dot_score",
    "gelu",
    "log_softmax",
    "parameter",
    "relu",
    "scaled_dot_product_attention",
    "softmax",
    "split",
    "stack",
    "tensor",
    "where",
]
