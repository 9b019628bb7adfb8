"""The default walks against what people would do by hand: agreement with k given, the number chosen without, and no structure."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from coterie.collect.samples import sample
from coterie.collect.sequences import read_npz
from coterie.compare.alignment import Alignment
from coterie.core.collection import Collection
from coterie.core.partition import Partition
from coterie.core.random import stream
from coterie.core.table import Table
from coterie.core.text import Text
from coterie.core.workplace import steady
from coterie.judge import nmi
from coterie.organize.medoids import Medoids
from coterie.workflows.choices import Choices
from coterie.workflows.explore import analyse
from coterie_papers.experiment import Experiment, Ledger, Trial

_FAR = 1.5
_DRAWS = 5
_DOCUMENTS = 2000
_STRUCTURELESS = ("uniform", "one_gaussian", "one_topic", "one_process")


def run(trial: Trial, ledger: Ledger) -> None:
    """Three questions, one table."""
    real = _real_sets(trial, ledger)
    _with_k(trial, ledger, real)
    _without_k(trial, ledger, real)
    _structureless(trial, ledger)


def _with_k(trial: Trial, ledger: Ledger, real: dict[str, Collection]) -> None:
    """NMI with the true number given, against the peer on the same data."""
    if trial.has("newsgroups20", "newsgroups20.parquet"):
        file = trial.data("newsgroups20", "newsgroups20.parquet")
        draws = [newsgroups(file, seed) for seed in range(2 if trial.quick else _DRAWS)]
        ours = [_agreement(draw, 20, seed) for seed, draw in enumerate(draws)]
        peer = [_text_peer(draw, 20, seed) for seed, draw in enumerate(draws)]
        _versus(ledger, "20 Newsgroups, 2,000 drawn", "TF-IDF + LSA + k-means", ours, peer)
        for at, (mine, theirs) in enumerate(zip(ours, peer, strict=True)):
            ledger.relate(
                f"20 Newsgroups draw {at}: explore ({mine:.3f}) is at least the peer ({theirs:.3f})",
                mine >= theirs,
            )
    else:
        ledger.skip(
            "20 Newsgroups: the data set 'newsgroups20' is not here (give its parent folder with --data or COTERIE_DATA)."
        )
    for name in ("digits", "wine"):
        k = len(np.unique(real[name].truth["group"]))
        ours = [_agreement(real[name], k, seed) for seed in range(trial.seeds)]
        _versus(
            ledger,
            name,
            "scikit-learn SpectralClustering, best of its uses",
            ours,
            [_table_peer(real[name], k)],
        )
    if "JapaneseVowels" in real:
        vowels = real["JapaneseVowels"]
        ours = [_agreement(vowels, 9, seed) for seed in range(trial.seeds)]
        _versus(ledger, "JapaneseVowels", "DTW + k-medoids", ours, [_sequence_peer(vowels, 9)])


def _versus(
    ledger: Ledger, data: str, peer_name: str, ours: list[float], peer: list[float]
) -> None:
    mine = ledger.add("explore", "NMI, k given", data, ours)
    theirs = ledger.add(peer_name, "NMI, k given", data, peer)
    ledger.relate(
        f"{data}: explore ({mine:.3f}) is at least {peer_name} ({theirs:.3f})", mine >= theirs
    )


def _without_k(trial: Trial, ledger: Ledger, real: dict[str, Collection]) -> None:
    """The number chosen, on generated and real sets."""
    sets: dict[str, tuple[Collection, int]] = {
        name: (sample(name), k)
        for name, k in (("blobs", 5), ("rings", 3), ("topics", 8), ("traces", 4))
    }
    sets |= {
        name: (data, len(np.unique(next(iter(data.truth.values()))))) for name, data in real.items()
    }
    right = 0
    for name, (collection, truth) in sets.items():
        chosen = len(analyse(collection, Choices()).findings.groups)
        ledger.add("explore", "number of groups chosen", name, chosen, paper=float(truth))
        right += truth / _FAR <= chosen <= truth * _FAR
    ledger.add("explore", f"sets within a factor {_FAR}, of {len(sets)}", "all sets", right)
    ledger.relate(
        f"the chosen number is within a factor {_FAR} of the truth on {right} of {len(sets)} sets (6 of 8 asked)",
        right >= 0.75 * len(sets),
    )


def _structureless(trial: Trial, ledger: Ledger) -> None:
    """How often data without groups is said to have none."""
    draws = 1 if trial.quick else 5
    called = 0
    asked = 0
    for name in _STRUCTURELESS:
        none = [
            not analyse(
                sample(name, random_state=100 + draw), Choices(seed=draw)
            ).findings.evidence.structured
            for draw in range(draws)
        ]
        ledger.add("explore", "share called structureless", name, float(np.mean(none)), paper=1.0)
        called = called + sum(none)
        asked = asked + draws
    ledger.relate(
        f"structureless data is called so in {called} of {asked} draws (19 of 20 asked)",
        called >= 0.95 * asked,
    )


def _agreement(collection: Collection, k: int, seed: int) -> float:
    labels = analyse(collection, Choices(k=k, seed=seed, nulls=0)).findings.labels
    return nmi(labels, Partition.of(next(iter(collection.truth.values()))).labels)


def _real_sets(trial: Trial, ledger: Ledger) -> dict[str, Collection]:
    from sklearn.datasets import load_digits, load_wine

    found = {}
    for name, bunch in (("digits", load_digits()), ("wine", load_wine())):
        ids = [str(i) for i in range(len(bunch.target))]
        found[name] = Collection(
            ids=ids, views={"table": Table.of(bunch.data)}, truth={"group": bunch.target}, name=name
        )
    for name in ("JapaneseVowels", "BasicMotions"):
        if trial.has("sequences", f"{name}.npz"):
            found[name] = read_npz(trial.data("sequences", f"{name}.npz"))
        else:
            ledger.skip(
                f"{name}: the data set 'sequences' is not here (give its parent folder with --data or COTERIE_DATA)."
            )
    return found


def newsgroups(file: Path, seed: int, n: int = _DOCUMENTS) -> Collection:
    """A draw of posts of 20 Newsgroups, headers stripped (everything up to the first empty line)."""
    import pyarrow.parquet as pq

    table = pq.read_table(file)
    texts = table["text"].to_pylist()
    groups = np.array(table["label"].to_pylist(), dtype=object)
    drawn = np.sort(stream(seed, 20).choice(len(texts), n, replace=False))
    bodies = [texts[i].partition("\n\n")[2] or texts[i] for i in drawn]
    return Collection(
        ids=[str(i) for i in drawn],
        views={"text": Text.of(bodies)},
        truth={"group": groups[drawn]},
        name="newsgroups",
    )


def _text_peer(collection: Collection, k: int, seed: int) -> float:
    from sklearn.cluster import KMeans
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import Normalizer

    text: Any = collection.view()
    with steady():
        lsa = make_pipeline(
            TfidfVectorizer(stop_words="english", min_df=2),
            TruncatedSVD(100, random_state=seed),
            Normalizer(copy=False),
        )
        labels = KMeans(k, n_init=10, random_state=seed).fit_predict(lsa.fit_transform(list(text)))
    return nmi(labels, Partition.of(collection.truth["group"]).labels)


def _table_peer(collection: Collection, k: int) -> float:
    """The best of the obvious uses of scikit-learn's spectral clustering: raw or standardized, Gaussian or neighbors."""
    from sklearn.cluster import SpectralClustering
    from sklearn.preprocessing import StandardScaler

    table: Any = collection.view()
    truth = Partition.of(collection.truth["group"]).labels
    scores = []
    with steady():
        for rows in (table.values, StandardScaler().fit_transform(table.values)):
            for affinity in ("rbf", "nearest_neighbors"):
                if affinity == "rbf" and _vanishing(rows):
                    continue
                model = SpectralClustering(
                    k, affinity=affinity, random_state=0, assign_labels="kmeans"
                )
                scores.append(nmi(model.fit_predict(rows), truth))
    return max(scores)


def _vanishing(rows: np.ndarray) -> bool:
    """Whether the default Gaussian kernel is zero for nearly all pairs, so that the peer would work on nothing."""
    part = rows[:: max(1, len(rows) // 300)]
    gaps = ((part[:, None] - part[None]) ** 2).sum(axis=2)
    return bool(np.median(gaps) > 700)


def _sequence_peer(collection: Collection, k: int) -> float:
    gaps = Alignment(inner="squared", normalize="none").fit(collection.view()).affinity_
    labels = Medoids(n_groups=k, random_state=0).fit(gaps).labels_
    return nmi(labels, Partition.of(next(iter(collection.truth.values()))).labels)


EXPERIMENT = Experiment(
    name="defaults",
    title="The default walks: against what people do by hand, without k, and on data without groups",
    work="coterie",
    table="defaults",
    needs=("newsgroups20", "sequences/JapaneseVowels.npz", "sequences/BasicMotions.npz"),
    minutes=2,
    seeds=3,
    run=run,
    also=("digits and wine (scikit-learn)",),
    beside="truth",
)
