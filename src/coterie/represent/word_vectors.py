"""WordVectors: texts as the mean of the vectors of their words, by a model that lies on this machine."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from coterie.core.errors import DataError, MissingExtra, need
from coterie.core.params import param
from coterie.core.random import seed_of, stream
from coterie.core.table import Table
from coterie.core.text import Text
from coterie.core.workplace import steady
from coterie.represent.model_names import INSTALLED, check_model, is_installed
from coterie.represent.role import Representer

_AT_ONCE = 1000  # texts whose words are looked up together
_READ_AT_ONCE = 32  # texts that a network reads together
_LONGEST = 512  # tokens of a text that a network reads
_WEIGHTS = "weights/l2_supercat_256.safetensors"
_TOKENIZER = "tokenizers/l2_supercat_tokenizer_config.json"


class WordVectors(Representer):
    """Texts as the mean of the vectors of their tokens, frequent tokens weighing less (smooth inverse frequency).

    The vector of a text d of tokens t is

        v(d) = sum_t c(t, d) w(t) x(t) / sum_t c(t, d) w(t),    w(t) = a / (a + p(t)),

    with x(t) the vector of the token in the model, c(t, d) how often it stands in the text, p(t) its share of all tokens of
    the fitted texts and a the smoothing (Arora, Liang and Ma 2017). A text without known tokens is a row of zeros. Of a
    network (`onnx:`), v(d) is the mean of its last hidden states, and nothing is weighted.

    Learned: `tokens_` and `shares_` (which tokens the fitted texts hold, and p of each), `digest_` (SHA-256 of the weights: a
    stored run refuses others), `n_features_out_`. The weights themselves are not kept.

    References
    ----------
    S. Arora, Y. Liang, T. Ma. A simple but tough-to-beat baseline for sentence embeddings. ICLR 2017.

    Example
    -------
    >>> WordVectors(model="model2vec:my-model").model
    'model2vec:my-model'
    """

    takes: ClassVar[type] = Text

    model: str = param(
        INSTALLED,
        "The model: wordllama, model2vec:FOLDER, onnx:FOLDER, or the name of one in the usual cache.",
    )
    smoothing: float = param(
        1e-3,
        "The share of all tokens at which a token weighs half as much as a rare one.",
        gt=0,
    )
    download: bool = param(
        False, "Whether a model that is not on this machine may be fetched.", advanced=True
    )

    tokens_: np.ndarray
    shares_: np.ndarray
    digest_: str
    n_features_out_: int

    def fit(self, X: Any, y: Any = None) -> Self:
        """Count the tokens of these texts."""
        texts: Text = self.check(X)
        found = open_model(self.model, self.download)
        self.digest_ = found.digest
        self.n_features_out_ = found.dimension
        times = found.count_all(texts.documents)
        self.tokens_ = np.flatnonzero(times)
        self.shares_ = times[self.tokens_] / max(times.sum(), 1.0)
        return self

    def transform(self, X: Any) -> np.ndarray:
        """The vectors of these texts; of tokens that no fitted text has, as of rare ones."""
        check_is_fitted(self, "shares_")
        texts: Text = self.check(X, new=True)
        found = open_model(self.model, self.download)
        if found.digest != self.digest_:
            raise DataError(
                f"the model '{self.model}' has other weights here ({found.digest[:12]}) than those that were fitted with "
                f"({self.digest_[:12]}).",
                owner="WordVectors",
                parameter="model",
            )
        weights = np.ones(found.size)
        weights[self.tokens_] = self.smoothing / (self.smoothing + self.shares_)
        with steady():
            return found.embed(texts.documents, weights)

    def transform_shuffled(
        self, X: Any, n_copies: int = 1, random_state: Any = None
    ) -> list[np.ndarray]:
        """The vectors of copies of these texts without anything in common: all tokens shuffled over the texts, whose lengths stay.

        A network reads texts whole, and has none.
        """
        check_is_fitted(self, "shares_")
        texts: Text = self.check(X, new=True)
        found = open_model(self.model, self.download)
        if not isinstance(found, StaticModel):
            raise DataError("a network has no vectors of shuffled tokens.", owner="WordVectors")
        weights = np.ones(found.size)
        weights[self.tokens_] = self.smoothing / (self.smoothing + self.shares_)
        seed = seed_of(random_state)
        with steady():
            counts = found.count([texts[at] for at in range(len(texts))])
            return [
                found.average(_shuffle(counts, stream(seed, at)), weights) for at in range(n_copies)
            ]

    def fit_transform(self, X: Any, y: Any = None, **params: Any) -> np.ndarray:
        """Fit, and the vectors of the same texts."""
        return self.fit(X).transform(X)

    def represent(self, X: Any) -> Table:
        """The vectors as a table."""
        return Table.of(self.transform(X))


# ---- models -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class StaticModel:
    """A vector for each token."""

    tokenizer: Any
    vectors: np.ndarray
    left_out: tuple[int, ...]
    digest: str

    @property
    def size(self) -> int:
        """How many tokens there are."""
        return len(self.vectors)

    @property
    def dimension(self) -> int:
        """How many numbers a vector has."""
        return int(self.vectors.shape[1])

    def count(self, texts: Sequence[str]) -> Any:
        """How often each token stands in each text, as a sparse array."""
        encoded = self.tokenizer.encode_batch(list(texts), add_special_tokens=False)
        ids = [np.asarray(one.ids, dtype=np.int64) for one in encoded]
        ids = [one[(one < self.size) & ~np.isin(one, self.left_out)] for one in ids]
        ends = np.concatenate([[0], np.cumsum([len(one) for one in ids])])
        columns = np.concatenate(ids) if len(ids) else np.zeros(0, dtype=np.int64)
        found = sp.csr_array((np.ones(len(columns)), columns, ends), shape=(len(ids), self.size))
        found.sum_duplicates()
        return found

    def count_all(self, texts: Any) -> np.ndarray:
        """How often each token stands in all texts."""
        times = np.zeros(self.size)
        for some in _in_blocks(texts, _AT_ONCE):
            times += np.asarray(self.count(some).sum(axis=0)).ravel()
        return times

    def embed(self, texts: Any, weights: np.ndarray) -> np.ndarray:
        """The weighted means."""
        rows = [self.average(self.count(some), weights) for some in _in_blocks(texts, _AT_ONCE)]
        return np.concatenate(rows) if rows else np.zeros((0, self.dimension))

    def average(self, counts: Any, weights: np.ndarray) -> np.ndarray:
        """The weighted means of counted tokens; the counts are overwritten."""
        counts.data *= weights[counts.indices]
        there = np.unique(counts.indices)
        sums = counts[:, there] @ self.vectors[there].astype(np.float64)
        totals = np.asarray(counts.sum(axis=1)).reshape(-1, 1)
        return np.divide(sums, totals, out=np.zeros_like(sums), where=totals > 0)


@dataclass(frozen=True, eq=False)
class NetworkModel:
    """A network that reads a text whole; its last hidden states are averaged."""

    tokenizer: Any
    session: Any
    dimension: int
    digest: str
    size: int = 0

    def count_all(self, texts: Any) -> np.ndarray:
        """Nothing: no token is weighted."""
        return np.zeros(0)

    def embed(self, texts: Any, weights: np.ndarray) -> np.ndarray:
        """The mean of the last hidden states of each text; texts of one length are read together, so that no padding counts."""
        rows = np.zeros((len(texts), self.dimension))
        encoded = [self.tokenizer.encode(text).ids[:_LONGEST] for text in map(str, texts)]
        by_length = dict[int, list[int]]()
        for at, ids in enumerate(encoded):
            by_length.setdefault(len(ids), []).append(at)
        for length, places in by_length.items():
            if not length:
                continue
            for some in _in_blocks(places, _READ_AT_ONCE):
                rows[some] = self._read(np.array([encoded[at] for at in some], dtype=np.int64))
        return rows

    def _read(self, ids: np.ndarray) -> np.ndarray:
        given = {
            "input_ids": ids,
            "attention_mask": np.ones_like(ids),
            "token_type_ids": np.zeros_like(ids),
        }
        wanted = {one.name for one in self.session.get_inputs()}
        found = np.asarray(
            self.session.run(None, {name: of for name, of in given.items() if name in wanted})[0],
            dtype=np.float64,
        )
        return found.mean(axis=1) if found.ndim == 3 else found


Model = StaticModel | NetworkModel


@lru_cache(maxsize=2)
def open_model(words: str, download: bool = False) -> Model:
    """A model by its name; a sentence where it is not on this machine."""
    check_model(words)
    if words == INSTALLED:
        return _open_installed()
    kind, colon, place = words.partition(":")
    folder = Path(place).expanduser() if colon else _cached(words, download)
    if not folder.is_dir():
        raise DataError(f"There is no folder '{place}' that holds a model.", parameter="embed")
    if not colon:
        kind = (
            "model2vec" if (folder / "model.safetensors").exists() and not _nets(folder) else "onnx"
        )
    return _open_static(folder, words) if kind == "model2vec" else _open_network(folder, words)


def _open_installed() -> StaticModel:
    """The vectors in the wheel of wordllama."""
    if not is_installed():
        raise MissingExtra(
            "There are no word vectors on this machine: pip install 'coterie[embed]' brings them.",
            parameter="embed",
        )
    spec = importlib.util.find_spec(INSTALLED)
    home = Path(str(spec.origin)).parent if spec is not None else Path()
    for name in (_WEIGHTS, _TOKENIZER):
        if not (home / name).exists():
            raise DataError(
                f"The package wordllama that is installed has no file {name}; name a folder of model2vec instead.",
                parameter="embed",
            )
    return _static(home / _TOKENIZER, home / _WEIGHTS)


def _open_static(folder: Path, words: str) -> StaticModel:
    """A folder as model2vec saves it."""
    for name in ("tokenizer.json", "model.safetensors"):
        if not (folder / name).exists():
            raise DataError(
                f"'{words}' has no file {name}; a folder of model2vec holds model.safetensors and tokenizer.json.",
                parameter="embed",
            )
    return _static(folder / "tokenizer.json", folder / "model.safetensors")


def _static(tokenizer: Path, weights: Path) -> StaticModel:
    need("safetensors", extra="embed")
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    try:
        tensors = load_file(weights)
    except (SafetensorError, OSError, ValueError) as error:
        raise DataError(
            f"'{weights.name}' is damaged or holds no tensors: {str(error).splitlines()[0]}.",
            parameter="embed",
        ) from None
    wide = [one for one in tensors.values() if one.ndim == 2]
    if len(wide) != 1:
        raise DataError(
            f"'{weights.name}' holds {len(wide)} tables of vectors, and one is expected.",
            parameter="embed",
        )
    vectors = np.asarray(wide[0], dtype=np.float32)
    if "mapping" in tensors:
        vectors = vectors[tensors["mapping"].astype(np.int64)]
    if "weights" in tensors:
        vectors = vectors * np.asarray(tensors["weights"], dtype=np.float32)[:, None]
    if not np.isfinite(vectors).all():
        raise DataError(f"'{weights.name}' holds vectors that are not finite.", parameter="embed")
    reads = _tokenizer(tokenizer)
    unknown = [reads.token_to_id(name) for name in ("[UNK]", "<unk>", "[PAD]")]
    left_out = tuple(one for one in unknown if one is not None)
    return StaticModel(reads, vectors, left_out, digest_of(weights, tokenizer))


def _open_network(folder: Path, words: str) -> NetworkModel:
    """A folder with a network in ONNX and its tokenizer."""
    nets = _nets(folder)
    if not nets or not (folder / "tokenizer.json").exists():
        raise DataError(
            f"'{words}' has no {'tokenizer.json' if nets else 'model.onnx'}; a folder of a network holds both.",
            parameter="embed",
        )
    try:
        import onnxruntime
    except ImportError:
        raise MissingExtra(
            "A network in ONNX needs the package onnxruntime: pip install onnxruntime",
            parameter="embed",
        ) from None
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1  # the same sums for any number of workers
    options.inter_op_num_threads = 1
    try:
        session = onnxruntime.InferenceSession(
            str(nets[0]), options, providers=["CPUExecutionProvider"]
        )
    except Exception as error:
        raise DataError(
            f"'{words}' cannot be opened as a network: {str(error).splitlines()[0]}.",
            parameter="embed",
        ) from None
    width = session.get_outputs()[0].shape[-1]
    if not isinstance(width, int):
        raise DataError(f"'{words}' does not say how long its vectors are.", parameter="embed")
    reads = _tokenizer(folder / "tokenizer.json")
    return NetworkModel(reads, session, width, digest_of(nets[0], folder / "tokenizer.json"))


def _tokenizer(path: Path) -> Any:
    tokenizers = need("tokenizers", extra="embed")
    try:
        found = tokenizers.Tokenizer.from_file(str(path))
    except Exception as error:  # the library raises a bare Exception
        raise DataError(
            f"'{path.name}' is no tokenizer: {str(error).splitlines()[0]}.", parameter="embed"
        ) from None
    found.no_padding()
    found.no_truncation()
    return found


def _nets(folder: Path) -> list[Path]:
    found = [folder / "model.onnx", folder / "onnx" / "model.onnx", folder / "model_optimized.onnx"]
    return [one for one in found if one.exists()]


def _cached(name: str, download: bool) -> Path:
    """Where a model lies in the usual caches."""
    for root in _caches():
        snapshots = root / f"models--{name.replace('/', '--')}" / "snapshots"
        found = sorted(snapshots.glob("*/tokenizer.json"), key=lambda one: one.stat().st_mtime)
        if found:
            return found[-1].parent
    if not download:
        raise DataError(
            f"The model '{name}' is not on this machine, and nothing is fetched unless download says so; name a folder as "
            "model2vec:FOLDER or onnx:FOLDER, or take wordllama, which coterie[embed] brings.",
            parameter="embed",
        )
    try:
        from huggingface_hub import snapshot_download
    except ImportError:
        raise MissingExtra(
            "Fetching a model needs the package huggingface_hub: pip install huggingface_hub",
            parameter="download",
        ) from None
    try:
        return Path(
            snapshot_download(
                name, allow_patterns=["*.json", "*.onnx", "model.safetensors", "*.txt"]
            )
        )
    except Exception as error:  # of the network, of the name, of the disk
        raise DataError(
            f"The model '{name}' could not be fetched: {str(error).splitlines()[0]}",
            parameter="embed",
        ) from None


def _caches() -> Iterator[Path]:
    home = os.environ.get("HF_HUB_CACHE")
    base = os.environ.get("HF_HOME", "~/.cache/huggingface")
    yield Path(home or f"{base}/hub").expanduser()
    yield Path(
        os.environ.get("FASTEMBED_CACHE_PATH", f"{tempfile.gettempdir()}/fastembed_cache")
    ).expanduser()


def digest_of(*paths: Path) -> str:
    """SHA-256 of the bytes of some files, one after the other."""
    found = hashlib.sha256()
    for path in paths:
        with path.open("rb") as file:
            while piece := file.read(1 << 20):
                found.update(piece)
    return found.hexdigest()


def _shuffle(counts: Any, generator: np.random.Generator) -> Any:
    """The same tokens shuffled over the rows, whose totals stay."""
    times = counts.data.astype(np.int64)
    row = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))
    totals = np.bincount(row, times, minlength=counts.shape[0]).astype(np.int64)
    tokens = generator.permutation(np.repeat(counts.indices, times))
    ends = np.concatenate([[0], np.cumsum(totals)])
    found = sp.csr_array((np.ones(len(tokens)), tokens, ends), shape=counts.shape)
    found.sum_duplicates()
    return found


def _in_blocks(items: Any, size: int) -> Iterator[list[Any]]:
    for first in range(0, len(items), size):
        yield [items[at] for at in range(first, min(first + size, len(items)))]
