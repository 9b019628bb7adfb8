"""A model of word vectors that is made on the spot: a word tokenizer and a table of a few vectors, as model2vec saves them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

ANIMALS = ("cat", "dog", "horse", "bird", "fish", "lion", "tiger", "mouse", "sheep", "goat")
VEHICLES = ("car", "train", "boat", "plane", "bike", "truck", "tram", "bus", "ship", "van")
OTHERS = ("the", "a", "and", "of", "in", "is", "near", "with")
WORDS = ("[UNK]", *ANIMALS, *VEHICLES, *OTHERS)


def save_tiny(folder: Path, seed: int = 0, **tensors: np.ndarray) -> Path:
    """A folder with tokenizer.json and model.safetensors; animals lie together and vehicles lie together."""
    tokenizers = pytest.importorskip("tokenizers")
    numpy_files = pytest.importorskip("safetensors.numpy")
    reads = tokenizers.Tokenizer(
        tokenizers.models.WordLevel({word: at for at, word in enumerate(WORDS)}, "[UNK]")
    )
    reads.normalizer = tokenizers.normalizers.Lowercase()
    reads.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    folder.mkdir(parents=True, exist_ok=True)
    reads.save(str(folder / "tokenizer.json"))
    generator = np.random.default_rng(seed)
    vectors = generator.normal(scale=0.3, size=(len(WORDS), 8)).astype(np.float32)
    vectors[1 : 1 + len(ANIMALS), 0] += 2.0
    vectors[1 + len(ANIMALS) : 1 + len(ANIMALS) + len(VEHICLES), 1] += 2.0
    numpy_files.save_file({"embeddings": vectors, **tensors}, folder / "model.safetensors")
    return folder


def short_texts(n: int = 60, seed: int = 0) -> tuple[list[str], np.ndarray]:
    """Texts of three words of animals or of vehicles, and which of the two; few texts share a word."""
    generator = np.random.default_rng(seed)
    kinds = generator.permutation(np.arange(n) % 2)
    texts = []
    for kind in kinds:
        own = generator.choice((ANIMALS, VEHICLES)[kind], 2, replace=False)
        texts.append(f"the {own[0]} {generator.choice(OTHERS)} {own[1]}")
    return texts, kinds
