"""How a model of word vectors is named; this file loads nothing, so that names can be checked before anything is.

- `wordllama`: the vectors in the wheel of that package (`coterie[embed]`), which are read without its own loader;
- `model2vec:FOLDER`: a folder with `model.safetensors` and `tokenizer.json`, as model2vec saves them;
- `onnx:FOLDER`: a folder with `model.onnx` and `tokenizer.json`, whose last hidden states are averaged (needs onnxruntime);
- a name such as `minishlab/potion-base-8M`: a model of either form in the usual cache of Hugging Face or fastembed.

Nothing is fetched over the network unless that was asked for.
"""

from __future__ import annotations

import importlib.util

from coterie.core.errors import ParameterError

INSTALLED = "wordllama"
NONE = "none"  # words alone
_NEEDED = ("tokenizers", "safetensors")


def is_installed() -> bool:
    """Whether the vectors that come with `coterie[embed]` are there."""
    return all(importlib.util.find_spec(name) is not None for name in (INSTALLED, *_NEEDED))


def choose_model(words: str | None) -> str:
    """The model that was named, or the one that is installed where none was; empty for words alone."""
    if words == NONE or (words is None and not is_installed()):
        return ""
    return words or INSTALLED


def check_model(words: str) -> None:
    """Refuse what names no model, before anything is read."""
    kind, colon, place = words.partition(":")
    if colon and kind not in ("model2vec", "onnx"):
        raise ParameterError(
            f"'{words}' names no model: say none, wordllama, model2vec:FOLDER, onnx:FOLDER, or the name of one in the usual cache.",
            parameter="embed",
        )
    if not words.strip() or (colon and not place.strip()):
        raise ParameterError(f"'{words}' names no folder.", parameter="embed")
