"""Rows of a sparse table as bags for torch, and a training of named arrays that can be kept and taken up again.

A network here is a plain dict of named tensors and a function of it; what was learned are numpy arrays, so that a fitted
model is used, saved and read without torch.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from coterie.core.errors import need
from coterie.parts.gpu.device import card

Arrays = Mapping[str, np.ndarray]
_THREADS = 1  # of torch: sums have one order on any number of cores


def torch_here() -> Any:
    """The library torch, or a sentence that names the extra which brings it."""
    return need("torch", extra="neural")


def device() -> Any:
    """The device that `using(device=...)` names; the processor, and one sentence, where there is no such card."""
    torch = torch_here()
    return card() or torch.device("cpu")


@contextlib.contextmanager
def one_order() -> Iterator[None]:
    """torch with a fixed number of threads, so that the same seed gives the same bits; what was set before comes back."""
    torch = torch_here()
    before = torch.get_num_threads()
    torch.set_num_threads(_THREADS)
    try:
        yield
    finally:
        torch.set_num_threads(before)


@dataclass(frozen=True, eq=False)
class Bags:
    """The rows of a sparse table on a device: `of(csr)`, then `take(rows)` gives (columns, offsets, weights) of these rows."""

    columns: Any
    weights: Any
    starts: Any

    @classmethod
    def of(cls, table: Any, dtype: Any = None) -> Bags:
        """From a sparse array of rows."""
        torch = torch_here()
        where = device()
        return cls(
            torch.as_tensor(table.indices.astype(np.int64), device=where),
            torch.as_tensor(table.data, dtype=dtype or torch.float32, device=where),
            torch.as_tensor(table.indptr.astype(np.int64), device=where),
        )

    def take(self, rows: Any) -> tuple[Any, Any, Any]:
        """Columns, offsets and weights of these rows (a tensor of positions), as an embedding bag takes them."""
        torch = torch_here()
        first = self.starts[rows]
        length = self.starts[rows + 1] - first
        ends = torch.cumsum(length, 0)
        offsets = ends - length
        total = int(ends[-1]) if len(rows) else 0
        place = torch.arange(total, device=first.device) + torch.repeat_interleave(
            first - offsets, length, output_size=total
        )
        return self.columns[place], offsets, self.weights[place]

    def sums(self, rows: Any, table: Any, *, sparse: bool = False) -> Any:
        """The weighted sum of the rows of `table` (columns x units) over each bag."""
        columns, offsets, weights = self.take(rows)
        return torch_here().nn.functional.embedding_bag(
            columns, table, offsets, mode="sum", per_sample_weights=weights, sparse=sparse
        )


@dataclass(eq=False)
class Adam:
    """Adam on named tensors, its moments among what is kept; of a sparse gradient only the rows that it has are touched."""

    tensors: dict[str, Any]
    moments: dict[str, Any]
    steps: int
    rate: float = 3e-3
    decay: tuple[float, float] = (0.9, 0.999)

    @classmethod
    def of(cls, arrays: Arrays, rate: float) -> Adam:
        """From arrays: parameters under their names, moments under `m:NAME` and `v:NAME` and the number of steps where kept."""
        torch = torch_here()
        where = device()
        names = [name for name in arrays if ":" not in name and name != "steps"]
        tensors = {
            name: torch.as_tensor(np.array(arrays[name]), device=where).requires_grad_(True)
            for name in names
        }
        moments = {}
        for name in names:
            for kind in "mv":
                kept = arrays.get(f"{kind}:{name}")
                like = torch.zeros_like(tensors[name], requires_grad=False)
                moments[f"{kind}:{name}"] = (
                    like if kept is None else torch.as_tensor(np.array(kept), device=where)
                )
        return cls(tensors, moments, int(arrays.get("steps", np.array(0))), rate)

    def step(self, loss: Any) -> None:
        """One step down the gradient of the loss."""
        torch = torch_here()
        gradients = torch.autograd.grad(loss, list(self.tensors.values()), allow_unused=True)
        self.steps += 1
        first, second = self.decay
        scale = self.rate * (1 - second**self.steps) ** 0.5 / (1 - first**self.steps)
        with torch.no_grad():
            for (name, tensor), gradient in zip(self.tensors.items(), gradients, strict=True):
                if gradient is None:
                    continue
                m = self.moments[f"m:{name}"]
                v = self.moments[f"v:{name}"]
                if gradient.is_sparse:
                    gradient = gradient.coalesce()
                    rows = gradient.indices()[0]
                    values = gradient.values()
                    new_m = m.index_select(0, rows).mul_(first).add_(values, alpha=1 - first)
                    new_v = (
                        v.index_select(0, rows)
                        .mul_(second)
                        .addcmul_(values, values, value=1 - second)
                    )
                    m.index_copy_(0, rows, new_m)
                    v.index_copy_(0, rows, new_v)
                    tensor.index_add_(0, rows, new_m.div_(new_v.sqrt_().add_(1e-8)), alpha=-scale)
                    continue
                m.mul_(first).add_(gradient, alpha=1 - first)
                v.mul_(second).addcmul_(gradient, gradient, value=1 - second)
                tensor.addcdiv_(m, v.sqrt() + 1e-8, value=-scale)

    def arrays(self) -> dict[str, np.ndarray]:
        """Parameters, moments and the number of steps as numpy arrays, to be kept."""
        found = {**self.tensors, **self.moments}
        kept = {name: tensor.detach().cpu().numpy().copy() for name, tensor in found.items()}
        return {**kept, "steps": np.array(self.steps)}


def learned(arrays: Arrays) -> dict[str, np.ndarray]:
    """The parameters alone among what `Adam.arrays` gives."""
    return {
        name: np.asarray(value)
        for name, value in arrays.items()
        if ":" not in name and name != "steps"
    }
