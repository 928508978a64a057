"""The same method on models of the Hugging Face hub, through ``transformers``, where a reader has internet.

The course does not need this. It exists so that the figures which the Spanish draft reports for two BERTs can be
checked; they could not be computed where the course was written, and no file of it was.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from realattention.errors import RealAttentionError
from realattention.model import Reading
from realattention.words import words_of

REVISIONS = {
    "bert-base-uncased": "86b5e0934494bd15c9632b12f734a8a67f723594",
    "bert-base-multilingual-cased": "3f076fdb1ab68d5b2880cb87a0886f315b8146f8",
}


class HubModel:
    """A BERT by name (its revision is pinned), or from a folder on this machine."""

    def __init__(self, name: str) -> None:
        transformers = _transformers()
        revision = REVISIONS.get(name)
        if revision is None and not Path(name).is_dir():
            raise RealAttentionError(
                f"“{name}” is neither a folder nor a model that is known here: e5, {', '.join(REVISIONS)}."
            )
        try:
            self._tokenizer = transformers.AutoTokenizer.from_pretrained(name, revision=revision)
            self._model = transformers.AutoModel.from_pretrained(
                name, revision=revision, attn_implementation="eager"
            ).eval()
        except (OSError, ValueError) as error:
            raise RealAttentionError(
                f"{name} (revision {revision}) could not be loaded; it is fetched from the Hugging Face hub, "
                f"which needs internet.\n    {str(error).splitlines()[0]}"
            ) from None
        config = self._model.config
        self._positions = config.max_position_embeddings
        self.provenance: dict[str, Any] = {
            "model": name,
            "revision": revision,
            "layers": config.num_hidden_layers,
            "heads": config.num_attention_heads,
            "width": config.hidden_size,
        }

    def read(self, sentence: str) -> Reading:
        """Raises RealAttentionError if there are more tokens than positions."""
        import torch

        encoded = self._tokenizer(sentence, return_tensors="pt")
        ids = encoded["input_ids"][0].tolist()
        if len(ids) > self._positions:
            raise RealAttentionError(
                f"The sentence has {len(ids)} tokens; the model has {self._positions} positions. Shorten the sentence."
            )
        with torch.no_grad():
            out = self._model(**encoded, output_attentions=True, output_hidden_states=True)
        pieces = tuple(self._tokenizer.convert_ids_to_tokens(ids))
        attention = np.stack([layer[0].double().numpy() for layer in out.attentions])
        hidden = np.stack([layer[0].double().numpy() for layer in out.hidden_states])
        return Reading(sentence, pieces, words_of(pieces), attention, hidden)


def _transformers() -> Any:
    try:
        import torch  # noqa: F401  (transformers loads without it and fails only later)
        import transformers
    except ImportError as error:
        raise RealAttentionError(
            f"This model needs {error.name}, which is not installed: pip install torch transformers\n"
            "    The course itself needs neither; its own data come from the wheel (--model e5)."
        ) from None
    return transformers
