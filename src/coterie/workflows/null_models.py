"""Null models: what the same members would look like if there were no groups. Each is a function of a generator."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from coterie.core.ragged import Ragged
from coterie.core.table import Table
from coterie.parts.sequences import filled
from coterie.represent.shapes import paths

Draw = Callable[[np.random.Generator], Any]
_ALPHABET = 16  # different whole numbers up to which one column counts as symbols
_SKEW = 1.645  # normal quantile of 95 %
_SWAPS = 10  # of ties, for each tie, until a network has forgotten its groups
_WHOLE = (
    12  # dimensions up to which the whole covariance of a set is drawn, and not only its variances
)


def flat(points: np.ndarray) -> Draw:
    """Uniform on a box along the principal axes, with the same standard deviations."""
    _, s, _ = np.linalg.svd(points - points.mean(axis=0), full_matrices=False)
    spread = s[s > 1e-9 * s[0]] / np.sqrt(len(points)) if len(s) and s[0] > 0 else np.ones(1)

    def draw(generator: np.random.Generator) -> np.ndarray:
        return generator.uniform(-1.0, 1.0, (len(points), len(spread))) * spread * np.sqrt(3.0)

    return draw


def bent(points: np.ndarray) -> Draw:
    """One cloud: a Gaussian with the columns' rank correlations, each column bent to its own skewness."""
    from scipy.stats import norm, rankdata

    n = len(points)
    scores = norm.ppf((rankdata(points, axis=0) - 0.5) / n)
    scores = scores - scores.mean(axis=0)
    scores /= np.maximum(scores.std(axis=0), 1e-12)
    _, s, axes = np.linalg.svd(scores, full_matrices=False)
    low, middle, high = np.quantile(points, [0.05, 0.5, 0.95], axis=0)
    spread = points.std(axis=0)
    lean = (
        np.log(
            np.clip(np.maximum(high - middle, 1e-12) / np.maximum(middle - low, 1e-12), 1 / 20, 20)
        )
        / _SKEW
    )
    straight = np.abs(lean) < 1e-3
    slope = np.where(straight, 1.0, lean)

    def draw(generator: np.random.Generator) -> np.ndarray:
        cloud = (generator.normal(size=(n, len(s))) * (s / np.sqrt(n))) @ axes
        cloud = np.where(
            straight, cloud, np.sign(slope) * (np.exp(np.clip(slope * cloud, -8, 8)) - 1)
        )
        cloud = cloud - cloud.mean(axis=0)
        return cloud * (spread / np.maximum(cloud.std(axis=0), 1e-12))

    return draw


def of_points(points: np.ndarray) -> Mapping[str, Draw]:
    """Nulls of plain numeric rows: one bent cloud, and one flat box."""
    return {"one_cloud": bent(points), "one_box": flat(points)}


def rewired(network: Any) -> Draw:
    """The same members with as many ties each, to others: pairs of ties swap their ends, ten times each on average.

    A swap that would tie a member to itself, or two members twice, is left out. Weights are dealt anew to the ties.
    """
    import scipy.sparse as sp

    upper = sp.coo_array(sp.triu(network, 1))
    first = np.asarray(upper.coords[0], dtype=np.int64)
    second = np.asarray(upper.coords[1], dtype=np.int64)
    weights = np.asarray(upper.data, dtype=np.float64)

    def draw(generator: np.random.Generator) -> Any:
        ends = np.column_stack([first, second])
        order = np.lexsort((second, first))
        ends = ends[order].tolist()
        tied = {tuple(tie) for tie in ends}
        many = len(ends)
        pairs = generator.integers(max(many, 1), size=(_SWAPS * many, 2))
        crossed = generator.random(_SWAPS * many) < 0.5
        for (i, j), cross in zip(pairs, crossed, strict=True):
            (a, b), (c, d) = ends[i], ends[j]
            if cross:
                c, d = d, c
            one, other = (min(a, d), max(a, d)), (min(c, b), max(c, b))
            if len({a, b, c, d}) < 4 or one in tied or other in tied:
                continue
            tied -= {tuple(ends[i]), tuple(ends[j])}
            tied |= {one, other}
            ends[i], ends[j] = list(one), list(other)
        rows, columns = np.array(ends, dtype=np.int64).reshape(-1, 2).T
        dealt = generator.permutation(weights[order])
        half = sp.csr_array((dealt, (rows, columns)), shape=network.shape)
        return sp.csr_array(half + half.T)

    return draw


def of_columns(table: Table) -> Mapping[str, Draw]:
    """Nulls of a mixed table: categories shuffled within their columns, numbers drawn as one cloud or one box; gaps stay."""
    numeric = table.numeric
    words = table.categorical
    filled = np.array(table.values[:, numeric], dtype=float)
    gaps = np.isnan(filled)
    if len(numeric):
        filled = np.where(gaps, np.nanmedian(filled, axis=0), filled)
    families = {"one_cloud": bent(filled)} if len(numeric) else {"shuffled_columns": None}

    def drawing(numbers: Draw | None) -> Draw:
        def draw(generator: np.random.Generator) -> Table:
            values = np.array(table.values)
            if numbers is not None:
                values[:, numeric] = np.where(gaps, np.nan, numbers(generator))
            for j in words:
                values[:, j] = generator.permutation(values[:, j])
            return Table(values, table.names, table.categories, table.dates)

        return draw

    return {name: drawing(numbers) for name, numbers in families.items()}


def copula(table: Table) -> Draw:
    """One cloud with the margins of the columns and their rank correlations (a Gaussian copula); missing values stay.

    The levels of a category have no order; they are put in the order of the first principal component of the numbers.
    """
    from scipy.stats import norm, rankdata

    n = len(table)
    values = np.array(table.values, dtype=np.float64)
    known = ~np.isnan(values)
    scores = np.zeros(values.shape)

    def score(column: int, ordered: np.ndarray) -> None:
        own = known[:, column]
        ranks = rankdata(ordered[own])
        found = norm.ppf((ranks - 0.5) / max(len(ranks), 1))
        spread = found.std() if len(found) else 0.0
        scores[own, column] = (found - found.mean()) / spread if spread > 0 else 0.0

    for j in table.numeric:
        score(j, values[:, j])
    first = np.linalg.svd(scores, full_matrices=False)[0][:, 0]
    places = {}
    for j in table.categorical:
        codes = np.where(known[:, j], values[:, j], 0).astype(np.int64)
        count = np.bincount(codes[known[:, j]], minlength=codes.max() + 1)
        mean = np.bincount(codes[known[:, j]], first[known[:, j]], minlength=codes.max() + 1)
        places[j] = np.divide(mean, count, out=np.zeros(len(count)), where=count > 0)[codes]
        score(j, places[j])
    _, spread, axes = np.linalg.svd(scores, full_matrices=False)

    def draw(generator: np.random.Generator) -> Table:
        cloud = (generator.normal(size=(n, len(spread))) * (spread / np.sqrt(n))) @ axes
        cloud += 1e-9 * generator.normal(size=cloud.shape)
        made = np.full_like(values, np.nan)
        for j in range(values.shape[1]):
            own = np.flatnonzero(known[:, j])
            by = (places[j] if j in places else values[:, j])[own]
            rising = own[np.lexsort((values[own, j], by))]
            made[own[np.argsort(cloud[own, j], kind="stable")], j] = values[rising, j]
        return Table(made, table.names, table.categories, table.dates)

    return draw


def of_counts(counts: Any) -> Mapping[str, Draw]:
    """Nulls of text: all words dealt out anew over the documents, whose lengths stay."""
    import scipy.sparse as sp

    triples = counts.tocoo()
    times = triples.data.astype(np.int64)
    words = np.repeat(triples.col, times)
    documents = np.repeat(triples.row, times)

    def draw(generator: np.random.Generator) -> Any:
        dealt = sp.csr_array(
            (np.ones(len(words)), (documents, generator.permutation(words))), shape=counts.shape
        )
        dealt.sum_duplicates()
        return dealt

    return {"shuffled_words": draw}


def of_sequences(sequences: Ragged, points: int) -> Mapping[str, Draw]:
    """Nulls of sequences: one process for all, and sequences stitched together from pieces of all of them.

    Symbols (a few whole numbers in one column) have nulls that are symbols: one chain for all.
    """
    sequences = filled(sequences)
    if _symbols(sequences):
        return {"one_chain": one_chain(sequences)}
    return {"one_process": one_process(sequences, points), "stitched": stitched(sequences)}


def _symbols(sequences: Ragged) -> bool:
    values = sequences.values
    return (
        sequences.dim == 1
        and bool(np.all(values == np.round(values)))
        and len(np.unique(values)) <= _ALPHABET
    )


def one_chain(sequences: Ragged) -> Draw:
    """Sequences of symbols from the one Markov chain of all members, lengths kept."""
    alphabet, codes = np.unique(sequences.values[:, 0], return_inverse=True)
    codes = codes.ravel()
    first = sequences.offsets[:-1]
    inner = np.ones(len(codes), dtype=bool)
    inner[first] = False
    at = np.flatnonzero(inner)
    steps = np.full((len(alphabet), len(alphabet)), 1e-3)
    np.add.at(steps, (codes[at - 1], codes[at]), 1.0)
    law = np.cumsum(steps / steps.sum(axis=1, keepdims=True), axis=1)
    begin = codes[first]
    longest = int(sequences.lengths.max())

    def draw(generator: np.random.Generator) -> Ragged:
        made = np.empty((longest, len(sequences)), dtype=np.int64)
        made[0] = generator.permutation(begin)
        for t in range(1, longest):
            made[t] = (
                (generator.random(len(sequences))[:, None] > law[made[t - 1]])
                .sum(axis=1)
                .clip(max=len(alphabet) - 1)
            )
        return Ragged.of(
            [alphabet[made[:length, i]][:, None] for i, length in enumerate(sequences.lengths)]
        )

    return draw


def one_process(sequences: Ragged, points: int) -> Draw:
    """The mean path plus one autoregression with resampled shocks and starts, lengths kept."""
    n = len(sequences)
    d = sequences.dim
    course = paths(sequences, points).reshape(n, points, d).mean(axis=0)
    grid = np.linspace(0.0, 1.0, points)
    means = [
        np.stack(
            [np.interp(np.linspace(0, 1, length), grid, course[:, j]) for j in range(d)], axis=1
        )
        for length in sequences.lengths
    ]
    off = [trace - mean for trace, mean in zip(sequences, means, strict=True)]
    before = np.concatenate([e[:-1] for e in off])
    after = np.concatenate([e[1:] for e in off])
    gram = before.T @ before
    law = np.linalg.solve(
        gram + 1e-6 * max(float(np.trace(gram)), 1e-12) / d * np.eye(d), before.T @ after
    )
    shocks = after - before @ law if len(after) else np.zeros((1, d))
    law = law / max(1.0, float(np.abs(np.linalg.eigvals(law)).max()))
    first = np.array([e[0] for e in off])
    longest = int(sequences.lengths.max())

    def draw(generator: np.random.Generator) -> Ragged:
        made = np.empty((longest, n, d))
        made[0] = first[generator.permutation(n)]
        for t in range(1, longest):
            made[t] = made[t - 1] @ law + shocks[generator.integers(len(shocks), size=n)]
        return Ragged.of([made[: len(mean), i] + mean for i, mean in enumerate(means)])

    return draw


def stitched(sequences: Ragged) -> Draw:
    """Runs of steps (a quarter of the mean length on average) taken from anywhere, lengths kept."""
    total = len(sequences.values)
    chance = 1.0 / max(2.0, float(sequences.lengths.mean()) / 4)

    def draw(generator: np.random.Generator) -> Ragged:
        fresh = generator.random(total) < chance
        fresh[sequences.offsets[:-1][sequences.lengths > 0]] = True
        starts = np.flatnonzero(fresh)
        jump = generator.integers(total, size=len(starts))
        run = np.cumsum(fresh) - 1
        rows = (jump[run] + np.arange(total) - starts[run]) % total
        return sequences.with_values(np.ascontiguousarray(sequences.values[rows]))

    return draw


def of_sets(sets: Ragged) -> Mapping[str, Draw]:
    """Nulls of sets of vectors: all vectors dealt anew, and laws that lie anywhere in one cloud of laws."""
    return {"shuffled_vectors": dealt(sets), "one_cloud_of_sets": one_law(sets)}


def one_law(sets: Ragged) -> Draw:
    """Every set with another mean and spread, drawn from one cloud like that of all sets; sizes and shapes stay.

    The spread is the logarithm of the covariance (of the variances only, in many dimensions), a tenth of it that inside
    all sets.
    """
    n, d = sets.shape
    means = np.add.reduceat(sets.values, sets.offsets[:-1], axis=0) / sets.lengths[:, None]
    around = sets.values - np.repeat(means, sets.lengths, axis=0)
    whole = d <= _WHOLE
    logs, roots = _log_spreads(around, sets, whole)
    seen = np.concatenate([means, logs.reshape(n, -1)], axis=1)
    middle = seen.mean(axis=0)
    cloud = bent(seen)
    owner = np.repeat(np.arange(n), sets.lengths)

    def draw(generator: np.random.Generator) -> Ragged:
        made = middle + cloud(generator)
        to = made[:, d:].reshape(logs.shape)
        if not whole:
            return sets.with_values(made[owner, :d] + around * np.exp((to - logs) / 2)[owner])
        turn = roots @ _powered((to + to.transpose(0, 2, 1)) / 2)
        return sets.with_values(made[owner, :d] + np.einsum("tj,tjk->tk", around, turn[owner]))

    return draw


def _log_spreads(around: np.ndarray, sets: Ragged, whole: bool) -> tuple[np.ndarray, np.ndarray]:
    """Logarithms of the covariances (or variances) of the sets, and the roots of their inverses."""
    counts = sets.lengths
    starts = sets.offsets[:-1]
    if not whole:
        inside = np.square(around)
        spreads = np.add.reduceat(inside, starts, axis=0) / counts[:, None]
        pooled = inside.mean(axis=0)
        floor = np.where(pooled > 0, pooled, 1.0)
        return np.log(0.9 * spreads + 0.1 * floor), np.empty(0)
    spreads = np.stack([part.T @ part / len(part) for part in np.split(around, starts[1:])])
    pooled = around.T @ around / len(around)
    pooled += np.diag(np.where(np.diagonal(pooled) > 0, 1e-9 * np.diagonal(pooled), 1.0))
    values, vectors = np.linalg.eigh(0.9 * spreads + 0.1 * pooled)
    values = np.maximum(values, 1e-12 * values.max())
    turned = vectors.transpose(0, 2, 1)
    return (vectors * np.log(values)[:, None]) @ turned, (
        vectors / np.sqrt(values)[:, None]
    ) @ turned


def _powered(logs: np.ndarray) -> np.ndarray:
    """Roots of covariances from their logarithms."""
    values, vectors = np.linalg.eigh(logs)
    return np.asarray(
        (vectors * np.exp(np.clip(values, -200, 200) / 2)[:, None]) @ vectors.transpose(0, 2, 1)
    )


def dealt(sets: Ragged) -> Draw:
    """All vectors dealt out anew over the sets, whose sizes stay."""

    def draw(generator: np.random.Generator) -> Ragged:
        return sets.with_values(
            np.ascontiguousarray(sets.values[generator.permutation(len(sets.values))])
        )

    return draw
