"""Hidden Markov models against hmmlearn: one model per sequence, all sequences under all models, and one model of all.

    python benchmarks/speed/hmm.py [--quick]

Same start, same number of rounds, diagonal Gaussian states, no priors. hmmlearn is asked both for its scaled passes
(`implementation="scaling"`) and for its default in logarithms; the matrix of all pairs is timed on a tenth of the models and
the default with many states on a tenth of the rounds, and multiplied. Likelihoods are to be equal to 1e-12 of their size.
"""

from __future__ import annotations

import os

for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[_name] = "1"

from typing import Any  # noqa: E402

import numpy as np  # noqa: E402
from timing import Row, quick, race, report, timed  # noqa: E402

from coterie.core.ragged import Ragged  # noqa: E402
from coterie.core.workplace import using  # noqa: E402
from coterie.parts.emissions import Floors, Normal  # noqa: E402
from coterie.parts.hmm import Bank  # noqa: E402
from coterie.parts.hmm_training import induced, train_bank  # noqa: E402
from coterie.parts.likelihood import likelihoods  # noqa: E402

_FIXED = "for few short sequences a third of a round is what lies between the kernels, 0.2 ms whatever the size"


def drawn(n: int, low: int, high: int, d: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Sequences of about (low + high) / 2 frames, each from one of five chains of six Gaussian states."""
    random = np.random.default_rng(seed)
    lengths = random.integers(low, high + 1, n)
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    chains = random.dirichlet(np.full(6, 5.0), (5, 6))
    means = random.normal(size=(5, 6, d)) * 0.7
    values = np.empty((offsets[-1], d))
    for i, length in enumerate(lengths):
        state = 0
        kind = i % 5
        for t in range(length):
            values[offsets[i] + t] = means[kind, state]
            state = int(random.choice(6, p=chains[kind, state]))
    return values + random.normal(size=values.shape), offsets


def begun(
    values: np.ndarray, offsets: np.ndarray, owners: np.ndarray, k: int, seed: int = 1
) -> Bank:
    """Means of twelve frames of each model's own, the variance of all frames, steps drawn around equal shares."""
    random = np.random.default_rng(seed)
    m = int(owners.max()) + 1
    d = values.shape[1]
    of_frame = np.repeat(owners, np.diff(offsets))
    means = np.stack(
        [
            values[random.choice(np.flatnonzero(of_frame == i), (k, 12))].mean(axis=1)
            for i in range(m)
        ]
    )
    spreads = np.broadcast_to(values.var(axis=0), (m, k, d)).copy()
    return Bank(
        np.full((m, k), 1.0 / k), random.dirichlet(np.full(k, 5.0), (m, k)), Normal(means, spreads)
    )


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
    model.startprob_ = bank.start[m].copy()
    model.transmat_ = bank.transition[m].copy()
    model.means_ = bank.emissions.arrays()["means"][m].copy()
    model.n_features = bank.emissions.dim
    model.covars_ = bank.emissions.arrays()["spreads"][m].copy()
    return model


def trained(
    bank: Bank, values: np.ndarray, offsets: np.ndarray, owners: np.ndarray, rounds: int
) -> Any:
    """Trained without floors or counts in advance, as hmmlearn does without its priors."""
    none = Floors(np.full(values.shape[1], 1e-12), np.ones(values.shape[1]))
    return train_bank(
        bank, values, offsets, owners, rounds=rounds, training="baum-welch", tol=0.0, floors=none
    )


def apart(one: Any, other: Any) -> float:
    """Largest difference over the size of what is compared."""
    one = np.asarray(one)
    other = np.asarray(other)
    return float(
        np.max(np.abs(one - other) / np.maximum(np.abs(other), 1e-3 * np.abs(other).max()))
    )


def fit_each(name: str, values: np.ndarray, offsets: np.ndarray, k: int, rounds: int = 10) -> Bank:
    n = len(offsets) - 1
    owners = np.arange(n)
    bank = begun(values, offsets, owners, k)

    def by_peer(way: str) -> list[Any]:
        return [
            peer(bank, i, rounds, way).fit(values[offsets[i] : offsets[i + 1]]) for i in range(n)
        ]

    works = {
        "coterie": lambda: trained(bank, values, offsets, owners, rounds),
        "hmmlearn (scaling)": lambda: by_peer("scaling"),
        "hmmlearn (default)": lambda: by_peer("log"),
    }
    found = race(works)
    after, outcome = found.results["coterie"]
    models = found.results["hmmlearn (default)"]
    history = np.sum([model.monitor_.history for model in models], axis=0)
    gaps = (
        apart(outcome.history, history),
        apart(after.emissions.arrays()["means"], [model.means_ for model in models]),
    )
    for other, goal in (("hmmlearn (scaling)", 10.0), ("hmmlearn (default)", 25.0)):
        report(
            found.row(
                "hmm",
                f"fit of each, K = {k}, {rounds} rounds",
                f"{n} sequences, {name}",
                peer=other,
                goal=goal,
                error=gaps[0],
                tolerance=1e-12,
                note=f"means {gaps[1]:.0e} apart",
                why=_FIXED if n < 100 else "",
            )
        )
    return after


def matrix(name: str, bank: Bank, values: np.ndarray, offsets: np.ndarray, share: int = 10) -> None:
    n = len(offsets) - 1
    sequences = Ragged(values, offsets)
    pieces = [values[offsets[i] : offsets[i + 1]] for i in range(n)]
    some = np.arange(0, bank.n_models, share)
    models = {way: [peer(bank, i, 1, way) for i in some] for way in ("scaling", "log")}

    def by_peer(way: str) -> np.ndarray:
        return np.array([[model.score(piece) for piece in pieces] for model in models[way]])

    works = {
        "coterie": lambda: likelihoods(bank, sequences),
        "hmmlearn (scaling)": lambda: by_peer("scaling"),
        "hmmlearn (default)": lambda: by_peer("log"),
    }
    part = bank.n_models / len(some)
    found = race(works, scale={"hmmlearn (scaling)": part, "hmmlearn (default)": part})
    ours = found.results["coterie"][some] * np.diff(offsets)
    for other, goal in (("hmmlearn (scaling)", 50.0), ("hmmlearn (default)", None)):
        gap = apart(ours, found.results[other])
        what = f"likelihood matrix, K = {bank.n_states}"
        report(
            found.row(
                "hmm", what, f"{n} x {n}, {name}", peer=other, goal=goal, error=gap, tolerance=1e-12
            )
        )


def together(values: np.ndarray, offsets: np.ndarray, k: int, rounds: int = 20) -> None:
    owners = np.zeros(len(offsets) - 1, dtype=np.int64)
    bank = begun(values, offsets, owners, k)
    lengths = np.diff(offsets)
    part = max(rounds // 10, 1)
    works = {
        "coterie": lambda: trained(bank, values, offsets, owners, rounds),
        "hmmlearn (scaling)": lambda: peer(bank, 0, rounds, "scaling").fit(values, lengths),
        "hmmlearn (default)": lambda: peer(bank, 0, part, "log").fit(values, lengths),
    }
    found = race(works, scale={"hmmlearn (default)": rounds / part})
    (after, outcome) = found.results["coterie"]
    model = found.results["hmmlearn (scaling)"]
    gaps = (
        apart(outcome.history, model.monitor_.history),
        apart(after.emissions.arrays()["means"][0], model.means_),
    )
    for other, goal in (("hmmlearn (scaling)", 6.0), ("hmmlearn (default)", 30.0)):
        report(
            found.row(
                "one hmm",
                f"K = {k}, {rounds} rounds",
                f"{len(values)} frames, d = {values.shape[1]}",
                peer=other,
                goal=goal,
                error=gaps[0],
                tolerance=1e-12,
                note=f"means {gaps[1]:.0e} apart",
            )
        )


def transitions(n: int, k: int) -> None:
    """Expected transitions of each sequence under one model: no peer."""
    values, offsets = drawn(200, 100, 100, 12)
    repeats = max(n // 200, 1)
    many = np.tile(values, (repeats, 1))
    bounds = np.arange(200 * repeats + 1) * 100
    bank = begun(values, offsets, np.zeros(200, dtype=np.int64), k)
    induced(bank, values, offsets)
    taken, _ = timed(lambda: induced(bank, many, bounds), 1)
    report(
        Row(
            "one hmm",
            f"expected transitions, K = {k}",
            f"{len(bounds) - 1} sequences of 100 frames",
            ours=taken,
        )
    )


def main() -> None:
    with using(n_jobs=1):
        values, offsets = drawn(60 if quick() else 200, 50, 155, 12)
        for k in (2, 5):
            bank = fit_each("d = 12", values, offsets, k)
            matrix("d = 12", bank, values, offsets)
        short, bounds = drawn(40, 120, 280, 1, seed=2)
        matrix("d = 1 (Smyth)", fit_each("d = 1 (Smyth)", short, bounds, 2), short, bounds, share=2)
        for k in (20,) if quick() else (20, 40):
            together(values, offsets, k)
        for k in (20, 40):
            transitions(1_000 if quick() else 10_000, k)


if __name__ == "__main__":
    main()
