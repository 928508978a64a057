"""nanotorch: tensors with gradients in a few hundred lines of numpy, to be read as a lesson.

>>> import nanotorch as nt
>>> x = nt.tensor([1.0, 2.0, 3.0], requires_grad=True)
>>> loss = (x * x).sum()
>>> loss
tensor(14., shape=(), requires_grad=True)
>>> loss.backward()
>>> x.grad
array([2., 4., 6.])

``tensor.py`` is reverse-mode automatic differentiation; ``functional.py`` builds softmax and attention on it.
The names are those of PyTorch or numpy, so that they are known elsewhere. Where the two differ:

- ``transpose(*axes)`` permutes all axes, as in numpy; PyTorch's exchanges two, which is ``swapaxes`` here.
- ``.grad`` is a numpy array, and every tensor on the way to the loss gets one, not only the inputs.
- In a mask, True means forbidden. ``torch.nn.functional.scaled_dot_product_attention`` reads True as allowed,
  ``torch.nn.MultiheadAttention`` as forbidden: look it up before you carry a mask over.
"""

from .functional import scaled_dot_product_attention, softmax
from .tensor import Tensor, concatenate, tensor, where

__all__ = ["Tensor", "concatenate", "scaled_dot_product_attention", "softmax", "tensor", "where"]
