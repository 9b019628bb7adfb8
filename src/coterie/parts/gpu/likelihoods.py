"""The likelihood of every sequence under every model on a card: densities by one matrix product, then all paths frame by frame.

In double precision throughout. Gaussian states with variances (diagonal, spherical) are done there; other laws stay here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from coterie.core.errors import need
from coterie.core.ragged import Ragged
from coterie.core.workplace import watched, workplace
from coterie.parts.emissions import Normal
from coterie.parts.gpu.counts import has_kernel
from coterie.parts.gpu.device import card, or_here, room, shrunk, tell
from coterie.parts.hmm import Bank, redone
from coterie.parts.variances import LOG_2PI, Product, product

STATES = 8  # states up to which the compiled recursion keeps all in registers
# models of a program of the kernel, and its warps
BLOCK = 128
WARPS = 4
# as in parts.hmm and its kernels
_NONE = -1e300
_FAINT = 1e-150
_LEAST = 1e-100
_GONE = -430.0
_LN2 = float(np.log(2.0))
_BYTES = 4 * 2**30  # of densities at once, at most: more is no faster


def likelihoods(bank: Bank, sequences: Ragged) -> np.ndarray | None:
    """Mean log-likelihood per frame, (models, sequences); None where there is no card, or none for such models."""
    if card() is None:
        return None
    if not on_card(bank):
        tell(
            "using: likelihoods on a card are for Gaussian states with variances (diagonal, spherical); those of these models "
            "are taken on the processor."
        )
        return None

    def work(where: Any) -> np.ndarray:
        scores = forward_scores_on(where, bank, sequences.values, sequences.offsets)
        return np.asarray(scores.T / sequences.lengths)

    return or_here(work, "the matrix of likelihoods")


def on_card(bank: Bank) -> bool:
    """Whether these models are of the kind that a card is used for."""
    return isinstance(bank.emissions, Normal) and not bank.emissions.square


def forward_scores_on(
    device: Any, bank: Bank, values: np.ndarray, offsets: np.ndarray
) -> np.ndarray:
    """The log-likelihood of every sequence under every model on this device of torch: (n, M); -inf where there is none."""
    torch = need("torch", extra="neural")
    where = torch.device(device)
    here = workplace()
    bounds = np.asarray(offsets, dtype=np.int64)
    n = len(bounds) - 1
    widest = int(np.diff(bounds).max(initial=1))
    out = np.zeros((n, bank.n_models))
    lost: list[np.ndarray] = []
    size = min(room(where) // 4, _BYTES)
    models = max(1, min(bank.n_models, size // (8 * bank.n_states * max(widest, 1))))
    at = 0
    with watched(here.watch, "likelihoods", bank.n_models) as task:
        while at < bank.n_models:

            def some(count: int, at: int = at) -> int:
                part = np.arange(at, min(at + count, bank.n_models))
                scores, gone = _scores(torch, where, bank.take(part), values, bounds, size)
                out[:, part] = scores
                lost.extend(np.argwhere(gone < _GONE) + [0, at])
                return int(part[-1]) + 1

            last, models = shrunk(some, models)
            task.advance(last - at)
            at = last
            here.stop_if_asked()
    if lost:
        redone(bank, values, bounds, np.array(lost), out)
    return out


def _scores(
    torch: Any, where: Any, bank: Bank, values: np.ndarray, offsets: np.ndarray, size: int
) -> tuple[np.ndarray, np.ndarray]:
    """Log-likelihoods of all sequences under some models, and how far they fell since something could have been lost."""
    n = len(offsets) - 1
    m = bank.n_models
    laws = bank.emissions
    assert isinstance(laws, Normal)
    start = bank.start.T
    links = bank.transition.transpose(1, 2, 0)
    fell = np.zeros((n, m))
    follow = False
    if (
        links.min(initial=1.0) < _LEAST
        or ((start > 0) & (start < _LEAST)).any()
        or (start <= 0).any()
    ):
        follow = True
        tiny = [
            ((law > 0) & (law < _FAINT)).reshape(m, -1).any(axis=1)
            for law in (bank.start, bank.transition)
        ]
        start = np.where(start < _FAINT, 0.0, start)
        links = np.where(links < _FAINT, 0.0, links)
        fell = np.where(tiny[0] | tiny[1], -1.0, fell)
    begin, steps = (
        torch.as_tensor(np.ascontiguousarray(part), device=where) for part in (start, links)
    )
    laid = product(laws.means, laws.spreads)
    made = torch.empty((n, m), dtype=torch.float64, device=where)
    gone = torch.as_tensor(fell, device=where) if follow else made[:0]
    for first, last in _runs(offsets, size // (8 * m * bank.n_states)):
        bounds = torch.as_tensor(offsets[first : last + 1] - offsets[first], device=where)
        rows = densities(torch, where, laid, laws, values[offsets[first] : offsets[last]])
        part = slice(first, last)
        if has_kernel(where) and bank.n_states <= STATES:
            launched(rows, bounds, begin, steps, gone[part], made[part], follow)
        else:
            plain(
                rows,
                offsets[first : last + 1] - offsets[first],
                begin,
                steps,
                gone[part],
                made[part],
                follow,
            )
    return made.cpu().numpy(), gone.cpu().numpy() if follow else np.zeros((0, m))


def _runs(offsets: np.ndarray, frames: int) -> Iterator[tuple[int, int]]:
    """Runs of whole sequences, (first, last + 1), of at most so many frames, but for a single one that is longer."""
    first = 0
    n = len(offsets) - 1
    while first < n:
        last = max(
            first + 1, int(np.searchsorted(offsets, offsets[first] + frames, side="right")) - 1
        )
        yield first, min(last, n)
        first = min(last, n)


def densities(torch: Any, where: Any, laid: Product, laws: Normal, frames: np.ndarray) -> Any:
    """Log-densities of frames in every state of every model: (frames, states, models)."""
    features, gaps = laid.features(frames)
    put = torch.as_tensor(np.ascontiguousarray(features.T), device=where).T
    rows = put @ torch.as_tensor(laid.gapped if gaps else laid.plain, device=where)
    if len(laid.far):
        _apart(
            torch, laid.far, laws, torch.as_tensor(frames, dtype=torch.float64, device=where), rows
        )
    return rows.reshape(len(frames), laws.n_states, laws.n_models)


def _apart(torch: Any, far: np.ndarray, laws: Normal, frames: Any, rows: Any) -> None:
    """Fills in the columns of states so far from the center that the product would cancel, by the differences themselves."""
    step = max(1, 2**24 // max(len(frames), 1))
    for first in range(0, len(far), step):
        columns = far[first : first + step]
        k, m = np.divmod(columns, laws.n_models)
        means, spreads = (
            torch.as_tensor(part[m, k].T.copy(), device=frames.device)
            for part in (laws.means, laws.spreads)
        )
        found = torch.zeros((len(frames), len(columns)), dtype=torch.float64, device=frames.device)
        for value, mean, spread in zip(frames.T[:, :, None], means, spreads, strict=True):
            own = torch.square(value - mean) / spread + (torch.log(spread) + LOG_2PI)
            found += torch.where(torch.isnan(value), 0.0, own)
        rows[:, torch.as_tensor(columns, device=frames.device)] = -0.5 * found


def launched(
    rows: Any, offsets: Any, start: Any, links: Any, gone: Any, out: Any, follow: bool
) -> None:
    """The recursion by the compiled kernel, which fills `out` and, where asked to, `gone`."""
    from coterie.parts.gpu.forward_kernel import forward_kernel

    states, models = start.shape
    grid = (len(offsets) - 1, -(-models // BLOCK))
    with need("torch", extra="neural").cuda.device_of(out):
        forward_kernel[grid](
            rows,
            offsets,
            start,
            links,
            gone,
            out,
            models,
            states=states,
            follow=follow,
            block=BLOCK,
            num_warps=WARPS,
        )


def plain(
    rows: Any, offsets: np.ndarray, start: Any, links: Any, gone: Any, out: Any, follow: bool
) -> None:
    """The same in torch's own words, all sequences of a length together, for a processor or more states."""
    torch = need("torch", extra="neural")
    lengths = np.diff(offsets)
    order = np.argsort(-lengths, kind="stable")
    out[torch.as_tensor(order[lengths[order] == 0], device=out.device)] = 0.0
    order = order[lengths[order] > 0]
    if not len(order):
        return
    begins = offsets[:-1][order]
    live = lengths[order]
    logs = torch.zeros((len(order), rows.shape[2]), dtype=torch.float64, device=rows.device)
    fell = gone[torch.as_tensor(order, device=rows.device)] if follow else logs
    shares = start.expand(len(order), *start.shape)
    for t in range(int(live[0])):
        count = int(np.searchsorted(-live, -t, side="left"))
        shares = shares[:count]
        if t:
            shares = sum(shares[:, s, None, :] * links[s] for s in range(links.shape[0]))
        row = rows[torch.as_tensor(begins[:count] + t, device=rows.device)]
        seen = torch.where(shares > 0, row, _NONE) if follow else row
        top = seen.amax(dim=1, keepdim=True).clamp(min=_NONE)
        weighed = shares * torch.exp((row - top).clamp(max=0.0))
        total = weighed.sum(dim=1, keepdim=True)
        known = torch.where(total > 0, total, 1.0)
        logs[:count] += (top + torch.log(total))[:, 0]
        if follow:
            on = ((shares > 0) & (row > -torch.inf)).sum(dim=1) - (weighed / known >= _FAINT).sum(
                dim=1
            )
            more = (torch.floor(torch.log2(known)) - (row.amax(dim=1, keepdim=True) - top) / _LN2)[
                :, 0
            ].clamp(max=0.0) - 1e-9
            mark = (fell[:count] < 0) | (on > 0)
            fell[:count] = torch.where(mark, fell[:count] + more, fell[:count])
        shares = weighed / known
    place = torch.as_tensor(order, device=rows.device)
    out[place] = logs
    if follow:
        gone[place] = fell
