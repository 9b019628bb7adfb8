"""Consensus of several runs, presence instead of counts, and large collections from a sample."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from coterie.core.errors import ParameterError
from coterie.core.links import Links
from coterie.core.random import stream
from coterie.core.workplace import using
from coterie.organize import MDC
from coterie.organize.comraf.consensus import agreed
from coterie.organize.comraf.graph import Wishes, net_of
from coterie.organize.comraf.inference import Found, State, objective
from coterie.parts.moves import information


def blocks(n: int = 200, m: int = 300, k: int = 5, seed: int = 0) -> tuple[Links, np.ndarray]:
    generator = stream(seed, 77)
    rows = generator.integers(k, size=n)
    cols = generator.integers(k, size=m)
    counts = generator.poisson(np.where(rows[:, None] == cols[None, :], 0.6, 0.03))
    return Links.of({("members", "words"): counts}), rows


def labeled(net, groups: np.ndarray, k: int) -> Found:
    width = len(net.nodes[1])
    return Found(State((groups, np.arange(width) % 7), (k, 7)), (("members", k, 0.0),))


def test_the_consensus_tells_most_of_all_runs_and_mends_their_separate_errors() -> None:
    links, truth = blocks()
    net = net_of(links, Wishes("test", n_groups=5))
    generator = stream(3, 1)
    founds = []
    for _ in range(5):
        wrong = generator.random(len(truth)) < 0.2
        founds.append(
            labeled(net, np.where(wrong, generator.integers(5, size=len(truth)), truth), 5)
        )
    found = agreed(net, founds, seed=0)
    groups = found.state.labels[0]
    single = max(adjusted_rand_score(truth, one.state.labels[0]) for one in founds)
    assert adjusted_rand_score(truth, groups) > max(0.9, single + 0.1)

    def told(of: np.ndarray) -> float:
        tables = [
            np.histogram2d(of, one.state.labels[0], bins=(range(6), range(6)))[0] for one in founds
        ]
        return sum(information(table) for table in tables)

    assert told(groups) >= max(told(one.state.labels[0]) for one in founds) - 1e-12
    assert found.history[-1] == ("members", 5, objective(net, found.state))


def test_one_run_is_the_run_itself_and_several_are_the_same_for_any_number_of_workers() -> None:
    links, truth = blocks(seed=1)
    one = MDC(n_groups=5, runs=1, polish=None, random_state=2).fit(links)
    with using(n_jobs=1):
        alone = MDC(n_groups=5, runs=3, random_state=2).fit(links)
    with using(n_jobs=2):
        both = MDC(n_groups=5, runs=3, random_state=2).fit(links)
    assert alone.labels_.tobytes() == both.labels_.tobytes()
    assert adjusted_rand_score(truth, both.labels_) == 1.0
    assert len(both.history_) == len(one.history_) + 2  # the consensus, and the polish


def test_presence_sees_no_repetition_and_auto_takes_it_where_things_are_there_once() -> None:
    links, _ = blocks(seed=2)
    counts = links.tables["members", "words"].counts
    loud = counts.copy()
    loud.data = loud.data * stream(0, 5).integers(1, 50, size=len(loud.data))
    present = MDC(n_groups=5, runs=1, counts="presence", random_state=0)
    assert np.array_equal(present.fit(loud).labels_, present.fit(counts).labels_)
    auto = MDC(n_groups=5, runs=1, counts="auto", random_state=0)
    given = MDC(n_groups=5, runs=1, counts="occurrences", random_state=0)
    assert (
        auto.fit(counts).net_.edges[0].counts.total == counts.nnz
    )  # most of what is there is there once
    assert auto.fit(loud).net_.edges[0].counts.total == loud.sum()
    assert given.fit(counts).net_.edges[0].counts.total == counts.sum()
    fitted = present.fit(loud)
    assert np.array_equal(fitted.predict(loud), fitted.predict(counts))  # new members too


def test_a_sample_finds_the_groups_and_everyone_is_placed() -> None:
    links, truth = blocks(n=900, seed=3)
    found = MDC(n_groups=5, runs=1, restarts=2, sample=200, random_state=0).fit(links)
    assert (found.labels_ >= 0).all()
    assert adjusted_rand_score(truth, found.labels_) > 0.98
    words = found.partitions_["words"].labels
    assert (words >= 0).all()  # words that the sample did not hold have clusters too
    values = [value for name, _, value in found.history_[-5:-1] if name == "members"]
    assert values[-1] >= values[0] - 1e-9
    again = MDC(n_groups=5, runs=1, restarts=2, sample=200, random_state=0).fit(links)
    assert found.labels_.tobytes() == again.labels_.tobytes()


@pytest.mark.parametrize(("word", "value"), [("runs", 0), ("sample", 1), ("counts", "often")])
def test_bad_settings_are_named(word: str, value: object) -> None:
    with pytest.raises(ParameterError, match=word):
        MDC(**{word: value}).fit(blocks()[0])
