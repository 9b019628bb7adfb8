"""Training of the network of words in documents (NNTR): its losses, its steps and its rounds, with torch."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from coterie.core.random import stream
from coterie.parts.iterate import Outcome, iterate
from coterie.parts.nets.bags import Adam, learned, one_order, torch_here
from coterie.parts.nets.pairs import Drawn, Negatives, Pairs
from coterie.parts.nets.row_sums import RowSums

Loss = Literal["hinge", "logistic"]
LOSSES: tuple[str, ...] = get_args(Loss)
ROUND = 500  # steps of a round at most
_WAIT = 5  # rounds without a better rank after which training ends
_SPREAD = 0.1  # standard deviation of the tables at the start: words that are hardly trained must not add noise
_LEAST = 1e-6  # of 1 - x^2, where the weight of a word is nearly one


@dataclass(frozen=True, slots=True)
class Plan:
    """How to train: the loss, how pairs are drawn and weighed, the steps and the rounds."""

    loss: Loss = "hinge"
    balanced: bool = True
    negatives: Negatives = "shuffled"
    kinds: int = 3
    batch: int = 512
    rate: float = 3e-3
    max_iter: int = 60
    most: int = ROUND  # steps of a round

    def steps(self, pairs: int) -> int:
        """Steps of a round: once through so many pairs, and no more than `most`."""
        return max(1, min(self.most, -(-pairs // self.batch)))


def start(
    n_words: int, n_units: int, n_hidden: int, generator: np.random.Generator
) -> dict[str, np.ndarray]:
    """The arrays before any training; a word and a document of length one give values of the same size."""
    across = 1.0 / np.sqrt(n_units)
    found = {
        "words": generator.normal(size=(n_words, n_units)) * _SPREAD,
        "documents": generator.normal(size=(n_words, n_units)) * _SPREAD,
        "from_words": generator.normal(size=(n_units, n_hidden)) * across,
        "from_documents": generator.normal(size=(n_units, n_hidden)) * across,
        "bias": np.zeros(n_hidden),
        "out": generator.normal(size=n_hidden) / np.sqrt(n_hidden),
        "offset": np.zeros(1),
    }
    return {name: values.astype(np.float32) for name, values in found.items()}


class Judged:
    """The loss of a draw: the network on pairs that occur, without the word, and on pairs that do not."""

    def __init__(self, pairs: Pairs, rows: Any, plan: Plan, dtype: Any = np.float32) -> None:
        self.pairs = pairs
        self.plan = plan
        self.dtype = dtype
        self.sums = RowSums(rows, dtype)
        n, m = pairs.shape
        occurring = len(pairs.keys)
        share = occurring / max(1, n * m)
        self.shares = (0.5, 0.5) if plan.balanced else (share, 1 - share)
        self.keys: Any = None

    def loss(self, tensors: Mapping[str, Any], drawn: Drawn) -> Any:
        """The loss of one draw: the mean over positive pairs and the mean over the negative ones that do not occur."""
        torch = torch_here()
        where = tensors["words"].device
        n = len(drawn.words)
        new = drawn.other_documents.ravel()
        rows, place = np.unique(np.concatenate([drawn.documents, new]), return_inverse=True)
        found = self.sums.sums(tensors["documents"], rows, drawn.words)
        sums = found[: len(rows)] @ tensors["from_documents"]
        own = found[len(rows) :] @ tensors["from_documents"]
        contexts = torch.index_select(sums, 0, torch.as_tensor(place, device=where))
        weight = torch.as_tensor(drawn.weights.astype(self.dtype), device=where)[:, None]
        rest = (contexts[:n] - weight * own) / torch.sqrt(torch.clamp(1 - weight**2, min=_LEAST))
        words = torch.as_tensor(
            np.concatenate([drawn.words, drawn.other_words.ravel()]), device=where
        )
        kinds, back = torch.unique(words, return_inverse=True)
        first = (
            torch.nn.functional.embedding(kinds, tensors["words"], sparse=True)
            @ tensors["from_words"]
            + tensors["bias"]
        )
        hidden = torch.tanh(torch.index_select(first, 0, back) + torch.cat([rest, contexts[n:]]))
        scores = hidden @ tensors["out"] + tensors["offset"]
        good, bad = self._each(scores[:n], scores[n:])
        kept = self._apart(words[n:], torch.as_tensor(new, device=where))
        positive, negative = self.shares
        return 2 * (
            positive * good.mean() + negative * (bad * kept).sum() / torch.clamp(kept.sum(), min=1)
        )

    def _each(self, positive: Any, negative: Any) -> tuple[Any, Any]:
        torch = torch_here()
        if self.plan.loss == "hinge":
            return torch.relu(1 - positive), torch.relu(1 + negative)
        return torch.nn.functional.softplus(-positive), torch.nn.functional.softplus(negative)

    def _apart(self, words: Any, documents: Any) -> Any:
        """One for the pairs that do not occur, zero for the others; looked up on the device, as `Pairs.occur` does."""
        torch = torch_here()
        if self.keys is None:
            self.keys = torch.as_tensor(self.pairs.keys, device=words.device)
        wanted = documents * self.pairs.shape[1] + words
        at = torch.clamp(torch.searchsorted(self.keys, wanted), max=len(self.keys) - 1)
        return (self.keys[at] != wanted).to(
            torch.float64 if self.dtype == np.float64 else torch.float32
        )


def train(
    pairs: Pairs,
    rows: Any,
    arrays: Mapping[str, np.ndarray],
    plan: Plan,
    seed: int,
    rank: Callable[[Mapping[str, np.ndarray]], float] | None = None,
) -> Outcome:
    """Rounds of steps; with `rank` (lower is better) after each, until it has not become better for five rounds.

    The state ends with the arrays of the best round, `rank_history` and `rounds`; taken up again it ends with the same bits.
    """
    judged = Judged(pairs, rows, plan)
    steps = plan.steps(len(pairs))

    def step(state: Mapping[str, np.ndarray]) -> tuple[dict[str, np.ndarray], float]:
        at = int(state["rounds"])
        generator = stream(seed, at)
        adam = Adam.of({name: value for name, value in state.items() if name in trained}, plan.rate)
        total = 0.0
        for _ in range(steps):
            loss = judged.loss(
                adam.tensors, pairs.draw(generator, plan.batch, plan.negatives, plan.kinds)
            )
            adam.step(loss)
            total = total + loss.detach()
        new = {**state, **adam.arrays(), "rounds": np.array(at + 1)}
        return (_ranked(new, rank) if rank else new), float(total) / steps

    def settled(state: Mapping[str, np.ndarray], value: float) -> bool:
        if rank is None:
            return False
        history = state["rank_history"]
        return len(history) - 1 - int(np.argmin(history)) >= _WAIT

    trained = {*arrays, *(f"{kind}:{name}" for kind in "mv" for name in arrays), "steps"}
    first = {**arrays, "rounds": np.array(0), "rank_history": np.zeros(0)}
    if rank:
        first |= {f"best:{name}": value for name, value in arrays.items()}
    with one_order():
        return iterate(
            step, first, max_iter=plan.max_iter, tol=0.0, label="train", settled=settled, quiet=True
        )


def _ranked(
    state: dict[str, np.ndarray], rank: Callable[[Mapping[str, np.ndarray]], float]
) -> dict[str, np.ndarray]:
    """The state with the rank of this round; the arrays are kept as the best where it is the lowest so far."""
    arrays = learned(
        {name: value for name, value in state.items() if name not in ("rounds", "rank_history")}
    )
    value = rank(arrays)
    before = state["rank_history"]
    if not len(before) or value < before.min():
        state |= {f"best:{name}": array for name, array in arrays.items()}
    return {**state, "rank_history": np.append(before, value)}


def best(state: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The arrays of the best round where rounds were ranked, else the last ones."""
    ranked = {
        name.removeprefix("best:"): np.asarray(value)
        for name, value in state.items()
        if name.startswith("best:")
    }
    return ranked or learned(
        {name: value for name, value in state.items() if name not in ("rounds", "rank_history")}
    )
