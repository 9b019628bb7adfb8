"""Training of the two-task network with torch: labeled members and triplets of paragraphs in turn, on one shared map.

Every turn is some passes over the labeled members (or over the documents, where there are triplets alone) and ends with a value
on data held out; the arrays of the best turn are kept. Each task has moments of its own, and the step of the triplets is the
weight times that of the labels: with Adam a factor on the loss itself would change next to nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from coterie.core.random import stream
from coterie.parts.iterate import Outcome, iterate
from coterie.parts.nets.bags import Adam, Arrays, Bags, device, learned, one_order, torch_here
from coterie.parts.paragraphs import Triplets
from coterie.parts.siamese import HEAD, judged_triplets, signs

# streams of the draws
_LABELED = 1
_TRIPLETS = 2
_APART = 3
_JUDGED = 4
_BEST = "best:"
_BATCH = 32  # labeled members, and triplets, of one step
# steps of one turn, at least and at most
_STEPS = 25
_MOST = 400
# documents held out where triplets train alone, and triplets of them that judge every turn
_HELD = 100
_FIXED = 2_000

Judge = Callable[[Arrays], float]  # arrays -> a value on data held out; higher is better


class Task(Protocol):
    """Something to learn: the key of its draws, the size of its steps, the arrays that it trains (none named: all), its loss."""

    @property
    def key(self) -> int: ...

    @property
    def rate(self) -> float: ...

    @property
    def names(self) -> tuple[str, ...]: ...

    def batches(self, generator: np.random.Generator, steps: int) -> Sequence[Any]:
        """What every step of a turn draws."""

    def loss(self, tensors: Mapping[str, Any], batch: Any) -> Any:
        """The loss of one batch."""


@dataclass(frozen=True, eq=False)
class Labels:
    """The labeled task: hinge losses of all categories, weighted by pairs."""

    bags: Bags
    marks: Any
    weights: Any
    rate: float
    names: tuple[str, ...] = ()
    key: int = _LABELED

    @classmethod
    def of(
        cls,
        rows: Any,
        indicator: np.ndarray,
        weights: np.ndarray,
        rate: float,
        *,
        head_only: bool = False,
    ) -> Labels:
        """From sparse rows, who is in which category, and the weights of the pairs; `head_only` leaves the map as it is."""
        torch = torch_here()
        where = device()
        marks = torch.as_tensor(signs(indicator), dtype=torch.float32, device=where)
        scaled = torch.as_tensor(weights * len(indicator), dtype=torch.float32, device=where)
        return cls(Bags.of(rows), marks, scaled, rate, HEAD if head_only else ())

    def batches(self, generator: np.random.Generator, steps: int) -> Sequence[np.ndarray]:
        """Whole passes over the members in random order, in parts; as many as give about so many steps."""
        n = len(self.marks)
        passes = -(-steps * _BATCH // n)
        order = np.concatenate([generator.permutation(n) for _ in range(passes)])
        return np.split(order, np.arange(_BATCH, len(order), _BATCH))

    def loss(self, tensors: Mapping[str, Any], batch: np.ndarray) -> Any:
        """The mean over the batch of the weighted hinge of every category: an estimate of L1 or L1'."""
        torch = torch_here()
        rows = torch.as_tensor(batch, device=self.marks.device)
        found = shared(tensors, self.bags, rows) @ tensors["head"] + tensors["head_bias"]
        return (self.weights[rows] * torch.relu(1 - self.marks[rows] * found)).sum() / len(batch)


@dataclass(frozen=True, eq=False)
class Pairs:
    """The unlabeled task: of three paragraphs, the two of one document are to be nearer."""

    bags: Bags
    source: Triplets
    rate: float
    names: tuple[str, ...] = ()
    key: int = _TRIPLETS

    @classmethod
    def of(cls, source: Triplets, rate: float) -> Pairs:
        """From the paragraphs."""
        return cls(Bags.of(source.rows), source, rate)

    def batches(self, generator: np.random.Generator, steps: int) -> Sequence[np.ndarray]:
        """Triplets drawn for every step."""
        return [self.source.draw(generator, _BATCH) for _ in range(steps)]

    def loss(self, tensors: Mapping[str, Any], batch: np.ndarray) -> Any:
        """L2 of the batch; x, x+ and x- go through the map as one stack."""
        torch = torch_here()
        x, near, far = shared(
            tensors, self.bags, torch.as_tensor(batch.ravel(), device=self.bags.starts.device)
        ).chunk(3)
        return torch.relu(1 - (x * near).sum(1) + (x * far).sum(1)).mean()


def shared(tensors: Mapping[str, Any], bags: Bags, rows: Any) -> Any:
    """phi of these rows; only the words that occur get a gradient."""
    torch = torch_here()
    hidden = torch.tanh(bags.sums(rows, tensors["terms"], sparse=True) + tensors["terms_bias"])
    return torch.tanh(hidden @ tensors["units"] + tensors["units_bias"])


@dataclass(eq=False)
class Net:
    """The tensors that all tasks share, and an optimizer with moments of its own for each task."""

    tensors: dict[str, Any]
    optimizers: list[Adam]

    @classmethod
    def of(cls, state: Arrays, tasks: Sequence[Task]) -> Net:
        """From arrays; what belongs to one task stands under its key."""
        tensors = Adam.of(learned(state), 0.0).tensors
        found = []
        for task in tasks:
            names = task.names or tuple(tensors)
            prefix = f"{task.key}:"
            own = {
                name.removeprefix(prefix): array
                for name, array in state.items()
                if name.startswith(prefix)
            }
            adam = Adam.of({**{name: state[name] for name in names}, **own}, task.rate)
            found.append(
                Adam({name: tensors[name] for name in names}, adam.moments, adam.steps, task.rate)
            )
        return cls(tensors, found)

    def turn(self, tasks: Sequence[Task], seed: int, turn: int, steps: int) -> None:
        """A step of every task after another, until the first has been through its batches."""
        first = tasks[0].batches(stream(seed, tasks[0].key, turn), steps)
        others = [task.batches(stream(seed, task.key, turn), len(first)) for task in tasks[1:]]
        for batches in zip(first, *others, strict=True):
            for task, adam, batch in zip(tasks, self.optimizers, batches, strict=True):
                adam.step(task.loss(self.tensors, batch))

    def arrays(self, tasks: Sequence[Task]) -> dict[str, np.ndarray]:
        """Everything as numpy arrays, to be kept."""
        kept = {name: tensor.detach().cpu().numpy().copy() for name, tensor in self.tensors.items()}
        for task, adam in zip(tasks, self.optimizers, strict=True):
            own = {
                name: array
                for name, array in adam.arrays().items()
                if ":" in name or name == "steps"
            }
            kept |= {f"{task.key}:{name}": array for name, array in own.items()}
        return kept


def train(
    arrays: Arrays,
    tasks: Sequence[Task],
    judge: Judge,
    *,
    seed: int,
    max_iter: int,
    patience: int,
    label: str,
    steps: int = _STEPS,
) -> Outcome:
    """Train by the tasks in turn until the judged value has not risen for so many turns; the best arrays are in the state.

    The first task says how many steps a turn has; the others take as many, one after each of its steps. A task that is left out
    draws nothing, so the others draw the same. `best_of(outcome)` gives the arrays, `outcome.history` the values.
    """
    begun = {**arrays, **{f"{_BEST}{name}": array for name, array in arrays.items()}}
    begun |= {":turn": np.array(0), ":since": np.array(0), ":top": np.array(-np.inf)}
    live: dict[
        int, Net
    ] = {}  # the tensors of the last state: made anew only where a training is taken up again

    def step(state: Arrays) -> tuple[Arrays, float]:
        net = live.pop(id(state), None) or Net.of(state, tasks)
        turn = int(state[":turn"])
        net.turn(tasks, seed, turn, steps)
        made = net.arrays(tasks)
        now = learned(made)
        value = judge(now)
        top = float(state[":top"])
        best = now if value > top else {name: state[f"{_BEST}{name}"] for name in now}
        made |= {f"{_BEST}{name}": array for name, array in best.items()}
        made |= {":turn": np.array(turn + 1), ":top": np.array(max(value, top))}
        made[":since"] = np.array(0 if value > top else int(state[":since"]) + 1)
        live[id(made)] = net
        return made, value

    def settled(state: Arrays, _: float) -> bool:
        return int(state[":since"]) >= patience

    with one_order():
        return iterate(step, begun, max_iter=max_iter, tol=0.0, label=label, settled=settled)


def best_of(outcome: Outcome) -> dict[str, np.ndarray]:
    """The arrays of the best turn."""
    return {
        name.removeprefix(_BEST): np.asarray(array)
        for name, array in outcome.state.items()
        if name.startswith(_BEST)
    }


def train_on_triplets(
    arrays: Arrays,
    source: Triplets,
    *,
    rate: float,
    seed: int,
    max_iter: int,
    patience: int,
    label: str,
) -> Outcome:
    """Train the map by triplets alone; values are minus the loss on triplets of documents held out, a turn is a pass."""
    rest, held = source.parted(min(_HELD, len(source.able) // 5), stream(seed, _APART)) or (
        source,
        source,
    )
    fixed = held.draw(stream(seed, _JUDGED), _FIXED)

    def judge(now: Arrays) -> float:
        return -judged_triplets(held.rows, fixed, now)

    steps = int(np.clip(len(rest.able) // _BATCH, _STEPS, _MOST))
    tasks = [Pairs.of(rest, rate)]
    return train(
        arrays,
        tasks,
        judge,
        seed=seed,
        max_iter=max_iter,
        patience=patience,
        label=label,
        steps=steps,
    )
