"""Hidden Markov models against hmmlearn: one model per sequence, all sequences under all models, and one model of all.

    python benchmarks/speed/hmm.py [--quick]

Same start, same number of rounds, diagonal Gaussian states, no priors. hmmlearn is asked both for its scaled passes
(`implementation="scaling"`) and for its default in logarithms; the matrix of all pairs is timed on a tenth of the models and
multiplied. CPU seconds of one thread, medians of three (the default of hmmlearn with many states once), in the same run: the
machine was shared, so only the ratios mean something. Bars: fit of each at least 10 times (25 times the default), matrix 50
times, one model of all 6 times (30 times the default); likelihoods equal to 1e-10 of their size, means to 1e-8.
"""

from __future__ import annotations

import os

for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[_name] = "1"

import sys  # noqa: E402
from typing import Any  # noqa: E402

import numpy as np  # noqa: E402
from timing import timed  # noqa: E402

from coterie.core.ragged import Ragged  # noqa: E402
from coterie.core.workplace import using  # noqa: E402
from coterie.parts.emissions import Floors, Normal  # noqa: E402
from coterie.parts.hmm import Bank, forward_scores  # noqa: E402
from coterie.parts.hmm_training import induced, train_bank  # noqa: E402
from coterie.parts.likelihood import likelihoods  # noqa: E402


def drawn(n: int, low: int, high: int, d: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Sequences of about (low + high) / 2 frames, each from one of five chains of six Gaussian states."""
    random = np.random.default_rng(seed)
    lengths = random.integers(low, high + 1, n)
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    chains, means = random.dirichlet(np.full(6, 5.0), (5, 6)), random.normal(size=(5, 6, d)) * 0.7
    values = np.empty((offsets[-1], d))
    for i, length in enumerate(lengths):
        state, kind = 0, i % 5
        for t in range(length):
            values[offsets[i] + t] = means[kind, state]
            state = int(random.choice(6, p=chains[kind, state]))
    return values + random.normal(size=values.shape), offsets


def begun(values: np.ndarray, offsets: np.ndarray, owners: np.ndarray, k: int, seed: int = 1) -> Bank:
    """Means of twelve frames of each model's own, the variance of all frames, steps drawn around equal shares."""
    random, m, d = np.random.default_rng(seed), int(owners.max()) + 1, values.shape[1]
    of_frame = np.repeat(owners, np.diff(offsets))
    means = np.stack([values[random.choice(np.flatnonzero(of_frame == i), (k, 12))].mean(axis=1) for i in range(m)])
    spreads = np.broadcast_to(values.var(axis=0), (m, k, d)).copy()
    return Bank(np.full((m, k), 1.0 / k), random.dirichlet(np.full(k, 5.0), (m, k)), Normal(means, spreads))


def peer(bank: Bank, m: int, rounds: int, implementation: str) -> Any:
    """The same model in hmmlearn, without its priors."""
    from hmmlearn.hmm import GaussianHMM

    model = GaussianHMM(
        bank.n_states,
        implementation=implementation,
        n_iter=rounds,
        tol=-np.inf,
        init_params="",
        covars_prior=0.0,
        min_covar=0.0,
    )
    model.startprob_, model.transmat_ = bank.start[m].copy(), bank.transition[m].copy()
    model.means_, model.n_features = bank.emissions.arrays()["means"][m].copy(), bank.emissions.dim
    model.covars_ = bank.emissions.arrays()["spreads"][m].copy()
    return model


def trained(bank: Bank, values: np.ndarray, offsets: np.ndarray, owners: np.ndarray, rounds: int) -> Any:
    """Trained without floors or counts in advance, as hmmlearn does without its priors."""
    none = Floors(np.full(values.shape[1], 1e-12), np.ones(values.shape[1]))
    return train_bank(bank, values, offsets, owners, rounds=rounds, training="baum-welch", tol=0.0, floors=none)


def apart(one: Any, other: Any) -> float:
    """Largest difference over the size of what is compared."""
    one, other = np.asarray(one), np.asarray(other)
    return float(np.max(np.abs(one - other) / np.maximum(np.abs(other), 1e-3 * np.abs(other).max())))


def fit_each(name: str, values: np.ndarray, offsets: np.ndarray, k: int, rounds: int = 10) -> Bank:
    n = len(offsets) - 1
    owners = np.arange(n)
    bank = begun(values, offsets, owners, k)
    trained(bank, values, offsets, owners, 1)
    ours, (after, outcome) = timed(lambda: trained(bank, values, offsets, owners, rounds))
    taken, models = {}, []
    for way in ("scaling", "log"):

        def work(way: str = way) -> list[Any]:
            return [peer(bank, i, rounds, way).fit(values[offsets[i] : offsets[i + 1]]) for i in range(n)]

        taken[way], models = timed(work)
    history = np.sum([model.monitor_.history for model in models], axis=0)
    gaps = apart(outcome.history, history), apart(after.emissions.arrays()["means"], [model.means_ for model in models])
    ratios = taken["scaling"] / ours, taken["log"] / ours
    print(f"Fit each of {n}, {name}, K={k}, {rounds} rounds: {ours:.4f} s", end="; ")
    print(f"scaling {taken['scaling']:.3f}, default {taken['log']:.3f}")
    print(f"  ratios {ratios[0]:.1f} (bar 10), {ratios[1]:.1f} (bar 25); likelihoods {gaps[0]:.1e}, means {gaps[1]:.1e} apart")
    return after


def matrix(name: str, bank: Bank, values: np.ndarray, offsets: np.ndarray, share: int = 10) -> None:
    n = len(offsets) - 1
    sequences = Ragged(values, offsets)
    pieces = [values[offsets[i] : offsets[i + 1]] for i in range(n)]
    some = np.arange(0, bank.n_models, share)
    models = [peer(bank, i, 1, "scaling") for i in some]
    forward_scores(bank, values[: offsets[2]], offsets[:3])
    ours, found = timed(lambda: likelihoods(bank, sequences))
    theirs, wanted = timed(lambda: np.array([[model.score(piece) for piece in pieces] for model in models]))
    theirs *= bank.n_models / len(some)
    gap = apart(found[some] * np.diff(offsets), wanted)
    print(
        f"Matrix {bank.n_models} x {n}, {name}, K={bank.n_states}: {ours:.4f} s; scaling {theirs:.2f} (1 model in {share})",
        end="",
    )
    print(f"; ratio {theirs / ours:.0f} (bar 50); {gap:.1e} apart")


def together(values: np.ndarray, offsets: np.ndarray, k: int, rounds: int = 20, slow: bool = True) -> None:
    owners = np.zeros(len(offsets) - 1, dtype=np.int64)
    bank = begun(values, offsets, owners, k)
    trained(bank, values, offsets, owners, 1)
    ours, (after, outcome) = timed(lambda: trained(bank, values, offsets, owners, rounds))
    lengths = np.diff(offsets)
    scaled, model = timed(lambda: peer(bank, 0, rounds, "scaling").fit(values, lengths))
    gaps = apart(outcome.history, model.monitor_.history), apart(after.emissions.arrays()["means"][0], model.means_)
    print(f"One model of {len(values)} frames, K={k}, {rounds} rounds: {ours:.3f} s", end="; ")
    print(f"scaling {scaled:.2f}, ratio {scaled / ours:.1f} (bar 6)")
    if slow:
        part = max(rounds // 10, 1)
        default = timed(lambda: peer(bank, 0, part, "log").fit(values, lengths), 1)[0] * rounds / part
        print(f"  default {default:.1f} (from {part} rounds, once), ratio {default / ours:.1f} (bar 30)")
    print(f"  likelihoods {gaps[0]:.1e}, means {gaps[1]:.1e} apart")


def transitions(n: int, k: int) -> None:
    """Expected transitions of each sequence under one model: no peer; a bar of seconds."""
    values, offsets = drawn(200, 100, 100, 12)
    repeats = max(n // 200, 1)
    many, bounds = np.tile(values, (repeats, 1)), np.arange(200 * repeats + 1) * 100
    bank = begun(values, offsets, np.zeros(200, dtype=np.int64), k)
    induced(bank, values, offsets)
    taken, found = timed(lambda: induced(bank, many, bounds), 1)
    print(
        f"Expected transitions of {len(bounds) - 1} sequences of 100 frames, K={k}: {taken:.2f} s, {found.empty.sum()} empty rows"
    )


def main() -> None:
    quick = "--quick" in sys.argv
    print("CPU seconds of one thread; the machine was shared: only the ratios mean something.")
    with using(n_jobs=1):
        values, offsets = drawn(40 if quick else 200, 50, 155, 12)
        for k in (2, 5):
            bank = fit_each("d=12", values, offsets, k)
            matrix("d=12", bank, values, offsets)
        short, bounds = drawn(40, 120, 280, 1, seed=2)
        matrix("d=1", fit_each("d=1 (Smyth)", short, bounds, 2), short, bounds, share=2)
        for k in (20,) if quick else (20, 40):
            together(values, offsets, k, slow=not quick)
        for k in (20, 40):
            transitions(1_000 if quick else 10_000, k)


if __name__ == "__main__":
    main()
