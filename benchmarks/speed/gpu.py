"""A card against two cores: correctness first, then time, bytes and operations against what the card can do.

    python benchmarks/speed/gpu.py [--quick] [--write-cpu FILE] [--cpu FILE]

Nearest members by common codes (D = 100,000, N = 1,000), the matrix of likelihoods of N = 5,000 hidden Markov models, distances,
MMD and two networks. Every answer of the card is first set against float64 on the processor at moderate sizes. Ours is the time
on the clock with arrays of numpy on both sides, transfers included; theirs our own compiled kernels with `using(n_jobs=2)` in the
same run, on a share of the rows, multiplied. Where numba cannot be loaded beside the card, `--write-cpu` measures that half on
another machine, and `--cpu` reads it. Without a card one row says so.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
import traceback
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from timing import Row, quick, report

from coterie.core.affinity import Lazy, card_form
from coterie.core.ragged import Ragged
from coterie.core.workplace import using
from coterie.parts.emissions import Normal
from coterie.parts.gpu import counts, likelihoods, near_codes
from coterie.parts.gpu.distances import FORMS
from coterie.parts.gpu.placed import placed_on
from coterie.parts.hmm import Bank
from coterie.parts.pairwise import dense, graph
from coterie.parts.row_kernels import RowKernel

MEMORY = 4.8e12  # bytes a second, by the maker's sheet of an H200
# operations a second in float64: plain, and in matrix products
DOUBLES = 34e12
PRODUCTS = 67e12
COMPARED = 64  # bitwise operations of 32 bits that a multiprocessor of compute capability 9.0 starts in a cycle
CLOCK = 1.98e9  # cycles a second at most
_NEAREST = 10


@cache
def has_numba() -> bool:
    """Whether the compiled kernels of the processor can be loaded."""
    try:
        import numba  # noqa: F401
    except ImportError as error:
        print(
            f"numba cannot be loaded here ({error}); the processor is numpy where results are checked, and is not timed."
        )
        return False
    return True


def best_of(work: Callable[[], Any], times: int = 5) -> tuple[float, Any]:
    """Median seconds on the clock after a first run, and what the last one gave; the card has ended its work at every reading."""
    import torch

    found = []
    result = work()
    for _ in range(times):
        torch.cuda.synchronize()
        begun = time.perf_counter()
        result = work()
        torch.cuda.synchronize()
        found.append(time.perf_counter() - begun)
    return statistics.median(found), result


def once(work: Callable[[], Any]) -> tuple[float, Any]:
    begun = time.perf_counter()
    result = work()
    return time.perf_counter() - begun, result


def said(
    name: str, seconds: float, bytes_moved: float, operations: float, ceiling: float, what: str
) -> str:
    """What a time means for the card."""
    sentence = (
        f"{bytes_moved / 1e9:.3g} GB ({bytes_moved / seconds / MEMORY:.1%} of 4.8 TB/s), "
        f"{operations:.3g} {what} ({operations / seconds / ceiling:.1%} of {ceiling / 1e12:.3g} T/s)"
    )
    print(f"    {name}: {1000 * seconds:.4g} ms, {sentence}", flush=True)
    return sentence


# --- what is compared -------------------------------------------------------------------------------------------------


def drawn_codes(n: int, d: int, device: str, missing: float = 0.0, seed: int = 0) -> np.ndarray:
    """Codes (iterations, members) given by random linear classifiers to random points: 60 to 200 classes, -1 is missing."""
    import torch

    random = np.random.default_rng(seed)
    points = torch.as_tensor(random.normal(size=(d, 16)).astype(np.float32), device=device)
    out = np.empty((n, d), dtype=np.int16)
    for i in range(n):
        weights = random.normal(size=(16, int(random.integers(60, 201)))).astype(np.float32)
        out[i] = torch.argmax(points @ torch.as_tensor(weights, device=device), dim=1).cpu().numpy()
    if missing:
        out[random.random(out.shape, dtype=np.float32) < missing] = -1
    return out


def coded(
    labels: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, tuple[np.ndarray, np.ndarray] | None]:
    """Rows and columns as the kernels take them, and who was tested when."""
    top = np.iinfo(np.uint8).max
    cols = labels.astype(np.uint8)
    if (labels >= 0).all():
        return cols, cols, None
    rows = np.where(cols == top, top - 1, cols).astype(np.uint8)
    bits = np.packbits((labels >= 0).T, axis=1)
    bits = np.ascontiguousarray(np.pad(bits, ((0, 0), (0, -bits.shape[1] % 8)))).view(np.uint64)
    return rows, cols, (bits, bits)


def nearest_by_numpy(labels: np.ndarray, k: int, rows: int) -> tuple[np.ndarray, np.ndarray]:
    """The same, plainly, of the first rows."""
    index = np.empty((rows, k), dtype=np.int64)
    value = np.empty((rows, k))
    tested = labels >= 0
    for p in range(rows):
        both = tested[:, p : p + 1] & tested
        times = both.sum(axis=0)
        share = np.where(
            times > 0,
            ((labels == labels[:, p : p + 1]) & both).sum(axis=0) / np.maximum(times, 1),
            np.nan,
        )
        keys = np.where(np.isnan(share), 2.0, -share)
        keys[p] = np.inf
        index[p] = np.argsort(keys, kind="stable")[:k]
        value[p] = share[index[p]]
    return index, value


def drawn_chains(
    n: int, low: int, high: int, d: int, seed: int = 0
) -> tuple[np.ndarray, np.ndarray]:
    """Sequences as benchmarks/speed/hmm.py draws them, all chains of a kind a step at a time."""
    random = np.random.default_rng(seed)
    lengths = random.integers(low, high + 1, n)
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    chains = random.dirichlet(np.full(6, 5.0), (5, 6))
    means = random.normal(size=(5, 6, d)) * 0.7
    kinds = np.arange(n) % 5
    state = np.zeros(n, dtype=np.int64)
    values = np.empty((offsets[-1], d))
    for t in range(high):
        live = np.flatnonzero(lengths > t)
        values[offsets[live] + t] = means[kinds[live], state[live]]
        edges = chains[kinds, state].cumsum(axis=1)
        state = np.minimum((random.random(n)[:, None] > edges).sum(axis=1), 5)
    return values + random.normal(size=values.shape), offsets


def begun_bank(values: np.ndarray, offsets: np.ndarray, k: int, seed: int = 1) -> Bank:
    """One model of each sequence: means of twelve of its frames, variances about that of all, steps around equal shares."""
    random = np.random.default_rng(seed)
    m = len(offsets) - 1
    d = values.shape[1]
    lengths = np.diff(offsets)
    chosen = offsets[:-1, None] + (random.random((m, k * 12)) * lengths[:, None]).astype(np.int64)
    means = values[chosen].reshape(m, k, 12, d).mean(axis=2)
    spreads = values.var(axis=0) * random.uniform(0.5, 1.5, (m, k, d))
    return Bank(
        np.full((m, k), 1.0 / k), random.dirichlet(np.full(k, 5.0), (m, k)), Normal(means, spreads)
    )


def scores_by_numpy(bank: Bank, values: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """Forward in logarithms, plainly."""
    from scipy.special import logsumexp

    laws: Any = bank.emissions
    out = np.zeros((len(offsets) - 1, bank.n_models))
    for n in range(len(out)):
        x = values[offsets[n] : offsets[n + 1]]
        b = -0.5 * (
            np.log(2 * np.pi * laws.spreads) + (x[:, None, None] - laws.means) ** 2 / laws.spreads
        ).sum(axis=-1)
        a = np.log(bank.start) + b[0]
        for row in b[1:]:
            a = logsumexp(a[:, :, None] + np.log(bank.transition), axis=1) + row
        out[n] = logsumexp(a, axis=1)
    return out


# --- the processor ----------------------------------------------------------------------------------------------------


def on_two_cores(size: dict[str, Any], device: str) -> dict[str, float]:
    """Seconds of our own kernels with two workers, on a share and multiplied."""
    from coterie.compare import MMD, Euclidean
    from coterie.compare.sic.codes import Codes
    from coterie.compare.sic.scores import top
    from coterie.parts.likelihood import likelihoods as here

    found: dict[str, float] = {}
    with using(n_jobs=2):
        labels = drawn_codes(size["n"], size["d"], device)
        codes = Codes(labels)
        part = min(size["d"], 2048)
        asked = Codes(labels[:, :part])
        top(codes, _NEAREST, Codes(labels[:, :8]))
        found["codes"] = once(lambda: top(codes, _NEAREST, asked))[0] * size["d"] / part
        values, offsets = drawn_chains(size["sequences"], 50, 155, 12)
        bank = begun_bank(values, offsets, 5)
        some = min(size["sequences"], 640)
        sequences = Ragged(values[: offsets[some]], offsets[: some + 1])
        here(bank.take(np.arange(40)), sequences)
        found["hmm"] = once(lambda: here(bank, sequences))[0] * len(values) / offsets[some]
        rows = np.random.default_rng(0).normal(size=(size["rows"], 64))
        few = min(size["rows"], 4096)
        fitted = Euclidean().fit(rows)
        graph(Euclidean().fit(rows[:600]).affinity_, _NEAREST)
        found["graph"] = (
            once(lambda: graph(fitted.compare(rows[:few]), _NEAREST))[0] * size["rows"] / few
        )
        square = Euclidean().fit(rows[: size["square"]]).affinity_
        found["dense"] = min(once(lambda: dense(square))[0] for _ in range(2))
        sets = drawn_sets(size["sets"])
        small = sets[: size["sets"] // 4]
        MMD(width=3.0).fit(small[:8])
        found["mmd"] = once(lambda: MMD(width=3.0).fit(small))[0] * len(sets) ** 2 / len(small) ** 2
    return found


def drawn_sets(n: int, vectors: int = 100, d: int = 12) -> Ragged:
    """Sets of about so many vectors."""
    random = np.random.default_rng(3)
    lengths = random.integers(vectors // 2, vectors * 3 // 2, n)
    values = random.normal(size=(int(lengths.sum()), d)) + np.repeat(
        random.normal(size=(n, d)), lengths, axis=0
    )
    return Ragged(values, np.concatenate([[0], np.cumsum(lengths)]))


# --- the card: right? -------------------------------------------------------------------------------------------------


def check_codes(device: str) -> float:
    """Every count, share and position of the card is that of the processor; gives how many are not."""
    worst = 0.0
    for missing in (0.0, 0.25):
        labels = drawn_codes(333, 3001, device, missing, seed=7)
        rows, cols, bits = coded(labels)
        near, share = near_codes.nearest_on(device, rows, cols, bits, 20, True)
        known, value = nearest_by_numpy(labels, 20, 200)
        wrong = int((near[:200] != known).sum()) + int(
            (~np.equal(share[:200], value) & ~np.isnan(value)).sum()
        )
        print(
            f"  codes, missing {missing:.0%}: {wrong} of {known.size} neighbors differ from numpy"
        )
        worst = max(worst, float(wrong))
        if has_numba():
            from coterie.compare.sic.codes import Codes
            from coterie.compare.sic.scores import Binary, top

            codes = Codes(labels)
            index, shares = top(codes, 20)
            with using(device=device):
                again = top(codes, 20)
                there = dense(Binary().affinity(codes)).values
            here = dense(Binary().affinity(codes)).values
            wrong = int(
                (again[0] != index).sum() + (~np.equal(again[1], shares) & ~np.isnan(shares)).sum()
            )
            wrong += int((~np.equal(here, there) & ~np.isnan(here)).sum()) + int(
                (near != index).sum()
            )
            print(
                f"  codes, missing {missing:.0%}: {wrong} values of all members differ from the compiled kernels"
            )
            worst = max(worst, float(wrong))
    return worst


def check_chains(device: str) -> float:
    """The largest relative gap of log-likelihoods: all states linked, left to right, and chains hard to follow."""
    values, offsets = drawn_chains(200, 20, 90, 12, seed=5)
    bank = begun_bank(values, offsets, 5)
    worst = 0.0
    mask = np.triu(np.ones((5, 5))) * np.tril(np.ones((5, 5)), 1)
    links = bank.transition * mask
    links /= links.sum(axis=2, keepdims=True)
    begin = np.tile([1.0, 0, 0, 0, 0], (bank.n_models, 1))
    laws: Any = bank.emissions
    hard = Normal(laws.means * 6, laws.spreads * 0.02)
    wide = begun_bank(values, offsets, 11)
    for name, one in {
        "linked": bank,
        "left to right": Bank(begin, links, laws, "left-right"),
        "hard to follow": Bank(begin, links, hard, "left-right"),
        "eleven states": wide,
    }.items():
        try:
            found = likelihoods.forward_scores_on(device, one, values, offsets)
        except (
            ImportError
        ) as error:  # pairs that were lost in scaling are done again by a compiled kernel
            print(f"  likelihoods, {name}: not done ({error})")
            continue
        with np.errstate(divide="ignore"):
            known = scores_by_numpy(one.take(np.arange(40)), values[: offsets[40]], offsets[:41])
        gap = float(np.max(np.abs(found[:40, :40] - known) / np.abs(known)))
        if has_numba():
            from coterie.parts.hmm import forward_scores

            here = forward_scores(one, values, offsets)
            gap = max(gap, float(np.max(np.abs(found - here) / np.abs(here))))
        print(f"  likelihoods, {name}: {gap:.2e} apart")
        worst = max(worst, gap)
    return worst


@card_form("euclidean")
def far(a: Any, b: Any) -> np.ndarray:
    """Euclidean distances on the processor, without a compiled kernel."""
    from scipy.spatial.distance import cdist

    return cdist(a[0], b[0])


@card_form("mmd")
def apart(a: Any, b: Any, kernel: RowKernel, root: bool) -> np.ndarray:
    """MMD on the processor, set by set."""
    from scipy.spatial.distance import cdist

    mean = [[np.exp(-(cdist(x, y) ** 2) / kernel.width**2).mean() for y in b[0]] for x in a[0]]
    return np.sqrt(np.maximum(a[1][:, None] + b[1] - 2 * np.array(mean), 0.0))


def rows_of(values: np.ndarray) -> tuple[Any, ...]:
    """What a side of Euclidean distances is made of."""
    rows = np.ascontiguousarray(values - values.mean(axis=0))
    return rows, np.einsum("ij,ij->i", rows, rows), np.arange(len(rows))


def sets_side(sets: Ragged, width: float) -> tuple[Any, ...]:
    """What a side of MMD is made of."""
    from scipy.spatial.distance import cdist

    return sets, np.array([np.exp(-(cdist(x, x) ** 2) / width**2).mean() for x in sets])


def lazily(rows: tuple[Any, ...], tile: Any = far) -> Lazy:
    return Lazy(tile, rows, rows, "distance")


def check_pairs(device: str) -> dict[str, float]:
    """The largest gap of every distance and kernel to the processor, of its size."""
    import torch
    from scipy.spatial.distance import cdist

    x = np.random.default_rng(2).normal(size=(1500, 33))
    x[7] = x[800]
    here = {
        "euclidean": cdist(x, x),
        "minkowski 1": cdist(x, x, "cityblock"),
        "minkowski 3": cdist(x, x, "minkowski", p=3),
    }
    here |= {
        "minkowski inf": cdist(x, x, "chebyshev"),
        "linear": x @ x.T,
        "polynomial": (0.1 * (x @ x.T) + 1.0) ** 3,
    }
    here |= {
        "gaussian": np.exp(-(here["euclidean"] ** 2) / 8),
        "laplacian": np.exp(-here["minkowski 1"] / 30),
    }
    one = x / np.linalg.norm(x, axis=1, keepdims=True)
    here |= {"cosine": one @ one.T, "chord": np.sqrt(np.maximum(2 - 2 * (one @ one.T), 0))}
    put = [
        torch.as_tensor(part, device=device)
        for part in (x, (x * x).sum(axis=1), np.arange(len(x)), one)
    ]
    long = (put[0], put[1], put[2])
    short = (put[0], put[2])
    unit = (put[3], put[2])
    given: dict[str, tuple[Any, dict[str, Any]]] = {
        name: (short, {"p": float(name.split()[1])}) for name in here if " " in name
    }
    given |= {
        "euclidean": (long, {}),
        "linear": (short, {}),
        "gaussian": (long, {"width": 2.0}),
        "chord": (unit, {}),
    }
    given |= {
        "polynomial": (short, {"scale": 0.1, "offset": 1.0, "degree": 3}),
        "cosine": (unit, {}),
    }
    given |= {"laplacian": (short, {"width": 30.0})}
    found: dict[str, float] = {}
    for name, (side, more) in given.items():
        there = FORMS[name.split()[0]](side, side, **more).cpu().numpy()
        off = ~np.eye(len(x), dtype=bool) if name == "chord" else np.ones_like(there, dtype=bool)
        found[name] = float(np.abs(here[name] - there)[off].max() / np.abs(here[name]).max())
    lazy = lazily(rows_of(x))
    near = placed_on(device, lazy)
    known = graph(lazy, 10).values
    for rows, index, value in near.nearest(10, "near"):  # type: ignore[attr-defined]
        same = np.sort(index, axis=1) == known.indices.reshape(-1, 10)[rows]
        found["graph"] = float(
            np.abs(np.sort(value, axis=1) - np.sort(known.data.reshape(-1, 10)[rows], axis=1)).max()
        )
        print(f"  graph: {int((~same).sum())} of {same.size} neighbors differ")
    sets = drawn_sets(60)
    side = sets_side(sets, 3.0)
    tile = partial(
        apart, kernel=RowKernel("gaussian", 3.0, center=sets.values.mean(axis=0)), root=True
    )
    whole = placed_on(device, lazily(side, tile)).block(slice(0, 60), slice(0, 60))
    other = tile(side, side)
    off = ~np.eye(60, dtype=bool)
    found["MMD"] = float(np.abs(whole - other)[off].max() / other.max())
    for name, gap in found.items():
        print(f"  {name}: {gap:.2e} apart")
    return found


def check_networks(device: str) -> None:
    """The networks learn the same on the card, to what single precision allows after a few rounds."""
    from coterie.represent import NNTR, Siamese

    random = np.random.default_rng(0)
    counts = random.poisson(0.1 + 2.0 * (random.integers(0, 4, (600, 1)) == np.arange(400) // 100))
    words = [
        " ".join(
            f"w{'abcdefghij'[j // 40 % 10]}{'abcdefghij'[j // 4 % 10]}{'abcd'[j % 4]}"
            for j in np.flatnonzero(row)
        )
        for row in counts
    ]
    texts = ["\n\n".join(words[i : i + 3]) for i in range(0, 600, 3)]
    for name, fit in {
        "NNTR": lambda: (
            NNTR(n_units=20, n_hidden=20, max_iter=2, early_stopping=False, random_state=0)
            .fit(counts)
            .transform(counts)
        ),
        "Siamese": lambda: (
            Siamese(n_hidden=20, n_components=8, min_words=5, max_iter=2, random_state=0)
            .fit(texts)
            .transform(texts)
        ),
    }.items():
        with using(n_jobs=2):
            slow, here = once(fit)
        with using(device=device):
            fit()
            quickly, there = once(fit)
        gap = float(np.abs(here - there).max() / np.abs(here).max())
        print(
            f"  {name}: {gap:.2e} apart; {slow:.2f} s on the processor, {quickly:.2f} s on the card"
        )


# --- the card: how fast? ----------------------------------------------------------------------------------------------


def time_codes(size: dict[str, Any], cpu: dict[str, float], wrong: float, device: str) -> None:
    import torch

    labels = drawn_codes(size["n"], size["d"], device)
    rows, cols, bits = coded(labels)
    d = size["d"]
    n = size["n"]
    ours, (near, share) = best_of(
        lambda: near_codes.nearest_on(device, rows, cols, bits, _NEAREST, True), 3
    )
    known, value = nearest_by_numpy(labels, _NEAREST, 3)
    wrong += float((near[:3] != known).sum() + (share[:3] != value).sum())
    left, right = counts.planes_for(rows, cols, torch.device(device))
    words, planes, _ = left.bits.shape
    tall = min(d, 2**30 // d)
    out = torch.empty((tall, d), dtype=torch.int32, device=device)
    print(
        f"  planes: {words} words of {planes} planes; parts of the time of one band of {tall} rows:"
    )
    part = best_of(lambda: counts.planes_for(rows, cols, torch.device(device)))[0]
    said(
        "codes to the card and to planes",
        part,
        rows.nbytes * 2 + 2 * left.bits.nbytes,
        2.0 * rows.size * planes,
        1e15,
        "bits",
    )
    ceiling = torch.cuda.get_device_properties(device).multi_processor_count * COMPARED * CLOCK
    pairs = float(tall) * d
    for high, wide, warps, band in (
        (32, 128, 4, 16),
        (32, 128, 4, 64),
        (32, 64, 2, 16),
        (32, 256, 8, 16),
        (16, 128, 4, 16),
    ):
        part = best_of(
            lambda h=high, w=wide, s=warps, b=band: counts.launched(
                left[:tall], right, out, high=h, wide=w, warps=s, band=b
            )
        )[0]
        name = f"counts, tiles of {high} x {wide}, {warps} warps, bands of {band}"
        said(
            name,
            part,
            4 * pairs + 2 * left.bits.nbytes,
            pairs * words * (planes + 1),
            ceiling,
            "bitwise operations",
        )
    part = best_of(lambda: out.mul_(1).add_(0))[0]
    said("two passes over the counts", part, 16 * pairs, 2 * pairs, 1e15, "operations")
    out.random_(0, 2**30)
    part = best_of(lambda: torch.topk(out, _NEAREST, dim=1, sorted=True))[0]
    said("the largest of each row", part, 4 * pairs, pairs, 1e15, "numbers seen")
    whole = float(d) * d
    note = said(
        "all", ours, 24 * whole, whole * words * (planes + 1), ceiling, "bitwise operations"
    )
    print(f"    {whole * n / ours:.3g} codes compared in a second")
    row(
        f"the {_NEAREST} nearest by common codes",
        f"D = {d}, N = {n}",
        ours,
        cpu.get("codes"),
        wrong,
        note,
        20.0,
    )


def time_chains(size: dict[str, Any], cpu: dict[str, float], gap: float, device: str) -> None:
    import torch

    from coterie.parts.variances import product

    values, offsets = drawn_chains(size["sequences"], 50, 155, 12)
    bank = begun_bank(values, offsets, 5)
    ours, found = best_of(lambda: likelihoods.forward_scores_on(device, bank, values, offsets), 3)
    known = scores_by_numpy(bank.take(np.arange(50)), values[: offsets[20]], offsets[:21])
    gap = max(gap, float(np.max(np.abs(found[:20, :50] - known) / np.abs(known))))
    frames = float(len(values))
    states = bank.n_states * bank.n_models
    d = values.shape[1]
    cells = frames * states
    product_flop = 2 * (2 * d + 1) * cells
    path_flop = cells * (2 * bank.n_states + 40)
    some = min(int(np.searchsorted(offsets, 20_000)), len(offsets) - 1)
    where = torch.device(device)
    laws = bank.emissions
    laid = product(laws.means, laws.spreads)
    start = torch.as_tensor(np.ascontiguousarray(bank.start.T), device=where)
    links = torch.as_tensor(np.ascontiguousarray(bank.transition.transpose(1, 2, 0)), device=where)
    part = values[: offsets[some]]
    share = len(part) / frames
    seconds, rows = best_of(lambda: likelihoods.densities(torch, where, laid, laws, part))
    said(
        f"densities of {len(part)} frames",
        seconds,
        8 * cells * share,
        product_flop * share,
        PRODUCTS,
        "FLOP",
    )
    bounds = torch.as_tensor(offsets[: some + 1], device=where)
    out = torch.empty((some, bank.n_models), dtype=torch.float64, device=where)
    seconds = best_of(
        lambda: likelihoods.launched(rows, bounds, start, links, out[:0], out, False)
    )[0]
    said("all paths of these", seconds, 8 * cells * share, path_flop * share, DOUBLES, "FLOP")
    note = said("all", ours, 16 * cells + 8 * found.size, product_flop + path_flop, DOUBLES, "FLOP")
    row(
        "likelihood matrix, K = 5",
        f"{len(offsets) - 1} x {bank.n_models}, d = {d}",
        ours,
        cpu.get("hmm"),
        gap,
        note,
        20.0,
    )


def time_pairs(
    size: dict[str, Any], cpu: dict[str, float], gaps: dict[str, float], device: str
) -> None:
    n = size["rows"]
    d = 64
    lazy = lazily(rows_of(np.random.default_rng(0).normal(size=(n, d))))
    with using(device=device):
        ours, _ = best_of(lambda: graph(lazy, _NEAREST), 3)
    there: Any = placed_on(device, lazy)
    part = best_of(lambda: there.there(slice(0, 4096), slice(0, n)))[0]
    said("distances of 4,096 rows", part, 5 * 8 * 4096.0 * n, 2.0 * d * 4096 * n, PRODUCTS, "FLOP")
    note = said("graph", ours, 5 * 8 * float(n) * n, 2.0 * d * n * n, PRODUCTS, "FLOP")
    row("the 10 nearest, Euclidean", f"{n} x {d}", ours, cpu.get("graph"), gaps.get("graph"), note)
    square = lazily(rows_of(np.random.default_rng(0).normal(size=(size["square"], d))))
    with using(device=device):
        ours, _ = best_of(lambda: dense(square), 3)
    many = float(size["square"]) ** 2
    note = said("dense", ours, 8 * many, d * many, PRODUCTS, "FLOP")
    row(
        "Euclidean, all pairs brought back",
        f"{size['square']} x {d}",
        ours,
        cpu.get("dense"),
        gaps.get("euclidean"),
        note,
    )
    sets = drawn_sets(size["sets"])
    side = sets_side(sets, 3.0)
    tile = partial(
        apart, kernel=RowKernel("gaussian", 3.0, center=sets.values.mean(axis=0)), root=True
    )
    shape = max(1, round(512 / 100)), max(1, round(4096 / 100))
    with using(device=device):
        ours, _ = best_of(lambda: dense(lazily(side, tile), shape=shape), 3)
    pairs = float(len(sets.values)) ** 2 / 2
    note = said("MMD", ours, 4 * 8 * pairs, pairs * (2 * 12 + 40), DOUBLES, "FLOP")
    row(
        "MMD, gaussian kernel",
        f"{len(sets)} sets of about 100 vectors",
        ours,
        cpu.get("mmd"),
        gaps.get("MMD"),
        note,
    )


def row(
    name: str,
    size: str,
    ours: float,
    theirs: float | None,
    error: float | None,
    note: str,
    goal: float | None = None,
) -> None:
    """One line of the table."""
    more = f"{note}; 2 cores on a share, multiplied"
    report(
        Row(
            "gpu",
            name,
            size,
            ours=ours,
            peer="2 cores",
            theirs=theirs,
            goal=goal,
            error=error,
            tolerance=1e-10,
            unit="wall s",
            note=more,
        )
    )


def ceilings(device: str) -> None:
    """What this card gives by plain means: a copy, and a matrix product in float64."""
    import torch

    one = torch.empty(2**30, dtype=torch.float64, device=device)
    other = torch.empty_like(one)
    seconds = best_of(partial(other.copy_, one))[0]
    print(f"  copy of 8.6 GB: {2 * one.nbytes / seconds / 1e12:.2f} TB/s read and written")
    a = torch.randn((8192, 8192), dtype=torch.float64, device=device)
    seconds = best_of(lambda: a @ a, 3)[0]
    print(
        f"  product of 8,192 x 8,192 in float64: {2 * 8192**3 / seconds / 1e12:.1f} TFLOP/s",
        flush=True,
    )


def main() -> None:
    reader = argparse.ArgumentParser()
    reader.add_argument("--quick", action="store_true")
    reader.add_argument("--write-cpu", type=Path)
    reader.add_argument("--cpu", type=Path)
    asked, _ = reader.parse_known_args()
    size = {
        "d": 100_000,
        "n": 1000,
        "sequences": 5000,
        "rows": 100_000,
        "square": 10_000,
        "sets": 800,
    }
    if quick():
        size = {
            "d": 10_000,
            "n": 200,
            "sequences": 600,
            "rows": 20_000,
            "square": 4_000,
            "sets": 200,
        }
    if asked.write_cpu:
        asked.write_cpu.write_text(json.dumps({"size": size, "seconds": on_two_cores(size, "cpu")}))
        print(asked.write_cpu.read_text())
        return
    try:
        import torch

        device = "cuda:0" if torch.cuda.is_available() else ""
    except ImportError:
        device = ""
    if not device:
        report(
            Row(
                "gpu",
                "co-classification, likelihoods, distances",
                failed="there is no card on this machine",
            )
        )
        return
    print(
        torch.cuda.get_device_name(device), "torch", torch.__version__, "cuda", torch.version.cuda
    )
    cpu: dict[str, float] = {}
    if asked.cpu:
        cpu = json.loads(asked.cpu.read_text())["seconds"]
    elif has_numba():
        cpu = step("two cores", lambda: on_two_cores(size, device)) or {}
    print({name: round(value, 2) for name, value in cpu.items()})
    step("ceilings", lambda: ceilings(device))
    wrong = step("codes, right?", lambda: check_codes(device))
    gap = step("likelihoods, right?", lambda: check_chains(device))
    gaps = step("pairs, right?", lambda: check_pairs(device)) or {}
    step("codes", lambda: time_codes(size, cpu, float("nan") if wrong is None else wrong, device))
    step(
        "likelihoods", lambda: time_chains(size, cpu, float("nan") if gap is None else gap, device)
    )
    step("pairs", lambda: time_pairs(size, cpu, gaps, device))
    step("networks, right?", lambda: check_networks(device))


def step(name: str, work: Callable[[], Any]) -> Any:
    """One part; a failure is shown, and the next part goes on."""
    print(f"{name}:", flush=True)
    try:
        seconds, result = once(work)
        print(f"  ({seconds:.1f} s)", flush=True)
        return result
    except Exception:
        traceback.print_exc(file=sys.stdout)
        sys.stdout.flush()
        return None


if __name__ == "__main__":
    main()
