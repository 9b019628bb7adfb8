"""CRF: a conditional random field over tagged text that classifies marked mentions by the words and tags around them.

Tokens outside mentions have the label null and tokens that continue one the label in, both imposed; no weights tie two
made-up classes to each other. Then every path through a sentence splits into one free choice per mention, and the field
is a maximum entropy (multinomial logistic) model of the window around the first token of each mention. The learner
"maxent" trains exactly that; "crfsuite" trains the whole chain with python-crfsuite and decodes it under the constraints.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from scipy.optimize import minimize

from coterie.compare.sic.chain import Edges, decoded, neighbors_of, trained_chain
from coterie.compare.sic.roles import Diverter
from coterie.core.params import param
from coterie.core.text import TaggedText
from coterie.core.workplace import steady
from coterie.parts.windows import OFFSETS, attributes, columns_of

_STILL = 1e-7  # relative change of the objective at which the training rests
_FLAT = 1e-10  # share of the largest eigenvalue below which a direction of the training set carries nothing
_SHOWN = 50  # reasons at most
MARKS = "bio"  # the feature that marks where mentions begin and go on
_BAND = 8192  # mentions scored together; a constant, so that results never depend on the workplace


@dataclass(frozen=True, slots=True, eq=False)
class Encoded:
    """Tagged text as the classifier reads it: spans x attributes, the attributes in words and by name, and the text."""

    matrix: Any
    names: Sequence[str]
    known: Mapping[str, int]
    columns: tuple[str, ...]
    text: TaggedText
    scale: np.ndarray  # per attribute: rare ones may weigh more
    tokens: Any = None  # tokens x attributes, where the whole chain is trained


@dataclass(frozen=True, slots=True, eq=False)
class Weights:
    """A trained model: the attributes seen in training, their weights for each label, and what the chain adds."""

    used: np.ndarray  # attributes, rising
    values: np.ndarray  # (attributes used, labels)
    labels: np.ndarray
    edges: Edges | None = None


class CRF(Diverter):
    """Conditional random field over the windows around mentions; null and in are imposed outside and inside them."""

    takes: ClassVar[tuple[type, ...]] = (TaggedText,)

    learner: str = param(
        "maxent",
        "maxent (the constrained field in its factored form), or crfsuite (the whole chain, by python-crfsuite).",
        choices=("maxent", "crfsuite"),
    )
    offsets: tuple[int, ...] = param(
        OFFSETS, "Tokens looked at, counted from the first token of a mention."
    )
    columns: tuple[str, ...] | None = param(
        None, "Columns looked at: word and features by name; all but bio when left out."
    )
    rarity: float = param(
        0.5,
        "How much more rare attributes may weigh: the power of log(1 + mentions / those with it).",
        ge=0,
    )
    c2: float = param(1.0, "Weight of the squared weights in the objective (Gaussian prior).", gt=0)
    max_iterations: int = param(20, "Steps of the optimizer at most.", ge=1)

    def label_range(self, n_train: int) -> tuple[int, int]:
        """More labels than trained mentions: two forms rarely share one by chance, and further labels do no harm."""
        return max(2, 2 * n_train), max(2, 4 * n_train)

    def prepare(self, view: TaggedText, like: Encoded | None = None) -> Encoded:
        """The attributes of every mention (of every token for crfsuite); of new mentions those that were known before."""
        columns = columns_of(view, self.columns if like is None else like.columns)
        if (
            self.columns is None
        ):  # where mentions begin and end tells their form, and drowns what stands around them
            columns = tuple(name for name in columns if name != MARKS) or columns
        known = None if like is None else like.known
        if self.learner == "maxent":
            tokens = None
            (matrix, names) = attributes(view, self.offsets, columns, known)
        else:
            each = np.arange(len(view.tokens))
            whole = TaggedText(
                view.tokens, view.offsets, np.stack([each, each + 1], axis=1), view.features
            )
            tokens, names = attributes(whole, self.offsets, columns, known)
            matrix = tokens[view.spans[:, 0]]
        if like is not None:
            return Encoded(matrix, like.names, like.known, columns, view, like.scale, tokens)
        scale = rareness(matrix, self.rarity)
        return Encoded(
            matrix, names, {name: at for at, name in enumerate(names)}, columns, view, scale, tokens
        )

    def train(
        self,
        data: Encoded,
        members: np.ndarray,
        labels: np.ndarray,
        drawn: Mapping[str, Any],
        generator: np.random.Generator,
        contrast: Any = None,
    ) -> Weights:
        """Weights of the attributes of these mentions for their made-up labels."""
        known, codes = np.unique(labels, return_inverse=True)
        if self.learner == "crfsuite":
            used, values, edges = trained_chain(
                data.text, data.tokens, members, codes, self.c2, self.max_iterations
            )
            return Weights(used, values, known, edges)
        rows = data.matrix[members]
        used = np.unique(rows.indices)
        scale = data.scale[used]
        with steady():
            found = maxent(
                rows[:, used] @ sp.diags_array(scale), codes, self.c2, self.max_iterations
            )
        return Weights(used, found * scale[:, None], known)

    def apply(self, trained: Weights, data: Encoded, members: np.ndarray) -> np.ndarray:
        """The label with the largest score; the chain is decoded with null and in imposed."""
        if trained.edges is None:
            bands = [members[a : a + _BAND] for a in range(0, max(len(members), 1), _BAND)]
            return np.asarray(
                trained.labels[
                    np.concatenate([_scores(trained, data, band).argmax(axis=1) for band in bands])
                ]
            )
        order = np.argsort(
            data.text.spans[:, 0], kind="stable"
        )  # whole sentences in their order, whoever is asked for
        before, after = neighbors_of(data.text)
        best = np.empty(len(order), dtype=np.int64)
        best[order] = decoded(
            _scores(trained, data, order), before[order], after[order], trained.edges
        )
        return np.asarray(trained.labels[best[members]])

    def reasons(
        self, trained: Weights, data: Encoded, members: np.ndarray
    ) -> tuple[tuple[str, float], ...]:
        """Attributes these mentions have more often than others, by their weight for the common label against all labels."""
        said = self.apply(trained, data, np.asarray(members))
        names, counts = np.unique(said, return_counts=True)
        common = int(np.searchsorted(trained.labels, names[counts.argmax()]))
        mine = np.asarray(members)[said == trained.labels[common]]
        share = np.asarray(data.matrix[mine][:, trained.used].mean(axis=0)).ravel()
        usual = np.asarray(data.matrix[:, trained.used].mean(axis=0)).ravel()
        weight = (trained.values[:, common] - trained.values.mean(axis=1)) * np.where(
            share > 0.5, share - usual, 0.0
        )
        order = [int(j) for j in np.argsort(-weight, kind="stable")[:_SHOWN] if weight[j] > 0]
        return tuple((data.names[trained.used[j]], float(weight[j])) for j in order)


def rareness(matrix: Any, power: float) -> np.ndarray:
    """Per attribute log(1 + mentions / mentions with it) to a power; attributes met have a mean square of one."""
    count = np.maximum(np.asarray(matrix.sum(axis=0)).ravel(), 1.0)
    weight = np.log1p(matrix.shape[0] / count) ** power
    return np.asarray(weight / np.sqrt((weight**2 * count).sum() / max(count.sum(), 1.0)))


def _scores(trained: Weights, data: Encoded, members: np.ndarray) -> np.ndarray:
    """Mentions x labels: the sum of the weights of each mention's attributes."""
    return np.asarray(data.matrix[members][:, trained.used] @ trained.values)


def maxent(rows: Any, codes: np.ndarray, c2: float, max_iterations: int) -> np.ndarray:
    """Attributes x labels: the weights that minimize the negative log-likelihood + c2 * (sum of squared weights).

    The best weights are sums of training rows, W = X'A. With X X' = Z Z' (Z from the eigenvectors) the same problem is
    solved for B = Z'A, which has as many rows as there are mentions instead of attributes, and the same squared length.
    """
    n = len(codes)
    width = int(codes.max()) + 1
    gram = (rows @ rows.T).toarray()
    value, vector = np.linalg.eigh(gram)
    kept = value > _FLAT * max(float(value[-1]), 1e-300)
    root = np.sqrt(value[kept])
    points = np.ascontiguousarray(vector[:, kept] * root)
    truth = (np.arange(n), codes)

    def objective(flat: np.ndarray) -> tuple[float, np.ndarray]:
        weights = flat.reshape(-1, width)
        score = points @ weights
        top = score.max(axis=1, keepdims=True)
        own = score[truth].sum()
        np.exp(score - top, out=score)
        total = score.sum(axis=1, keepdims=True)
        loss = float((top + np.log(total)).sum() - own + c2 * (flat @ flat))
        score /= total
        score[truth] -= 1.0
        return loss, (points.T @ score + 2 * c2 * weights).ravel()

    start = np.zeros(points.shape[1] * width)
    options = {"maxiter": max_iterations, "ftol": _STILL, "gtol": 1e-6, "maxcor": 5}
    found = minimize(objective, start, jac=True, method="L-BFGS-B", options=options).x.reshape(
        -1, width
    )
    return np.asarray(rows.T @ ((vector[:, kept] / root) @ found))
