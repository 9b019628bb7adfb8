"""Which members are about those who are meant: components, clusters and trees against their slow twins, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from tests.oracles import disambiguate as slow

from coterie import Cooccurrence
from coterie.core.errors import DataError, ParameterError
from coterie.core.links import MEMBERS, Links
from coterie.organize.disambiguate import (
    cluster_then_pick,
    greedy,
    link_structure,
    site,
    weighed,
    with_hindsight,
)

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def made(seed: int = 0, n: int = 40, sites: int = 30):
    """Pages of two topics; the first 20 link to each other's sites, and all have words of their topic."""
    rng = np.random.default_rng(seed)
    topic = np.arange(n) >= n // 2
    tied = np.zeros((n, sites))
    tied[np.arange(n), rng.integers(sites // 2, sites, n)] = 1
    tied[: n // 2] = 0
    tied[np.arange(n // 2), rng.integers(0, sites // 6, n // 2)] = 1
    counts = rng.poisson(np.where(topic[:, None] == (np.arange(24) >= 12)[None], 1.2, 0.1)).astype(
        float
    )
    counts[:, 0] += 1
    ids = [f"p{i}" for i in range(n)]
    tables = {
        (MEMBERS, "sites"): Cooccurrence(tied, ids, [f"s{j}" for j in range(sites)]),
        (MEMBERS, "words"): Cooccurrence(counts, ids, [f"w{j}" for j in range(24)]),
    }
    return Links(tables), topic


def held(links: Links) -> list[set[str]]:
    table = links.between(MEMBERS, "sites")
    assert table is not None
    return [
        {table.cols[j] for j in np.flatnonzero(row)} for row in np.asarray(table.counts.todense())
    ]


@pytest.mark.parametrize("seed", range(5))
def test_components_are_those_found_by_walking(seed):
    links, _ = made(seed)
    found = link_structure(links, "sites", popular=set())
    twins = slow.components(held(links))
    assert [set(np.flatnonzero(found.groups == g).tolist()) for g in range(len(twins))] == twins
    assert set(found.members.tolist()) == twins[0]


def test_the_core_needs_two_queries():
    links, _ = made(1)
    twins = slow.components(held(links))
    queries = np.array(["ann"] * 40, dtype=object)
    queries[sorted(twins[2])[0]] = "bob"
    assert (
        set(link_structure(links, "sites", popular=set(), queries=queries).members.tolist())
        == twins[2]
    )
    with pytest.raises(DataError, match="no two members of different queries"):
        link_structure(links, "sites", popular=set(), queries=["ann"] * 40)
    with pytest.raises(DataError, match="3 queries for 40"):
        link_structure(links, "sites", queries=["a", "b", "c"])


def test_what_is_popular_ties_nobody():
    links, _ = made(2)
    table = links.between(MEMBERS, "sites")
    wide = np.column_stack([np.asarray(table.counts.todense()), np.ones(40)])
    named = Cooccurrence(wide, table.rows, [*table.cols, "portal"])
    links = Links({(MEMBERS, "sites"): named})
    assert len(link_structure(links, "sites", popular=set()).members) == 40
    apart = slow.components([one - {"portal"} for one in held(links)])
    for popular in (0.05, {"portal"}):
        assert set(link_structure(links, "sites", popular=popular).members.tolist()) == apart[0]


def test_the_core_grows_by_words_until_it_is_large_enough():
    links, topic = made(3)
    core = link_structure(links, "sites", popular=set())
    grown = link_structure(links, "sites", words="words", popular=set(), size=20)
    assert grown.members[: len(core.members)].tolist() == core.members.tolist()
    assert len(core.members) < 20 <= len(grown.members)
    assert np.mean(~topic[grown.members]) > 0.9
    rows = np.asarray(links.between(MEMBERS, "words").counts.todense())
    sums = np.asarray(weighed(links, "words").todense())
    inside = sums[core.members].sum(axis=0)
    groups = [g for g in np.unique(core.groups) if g != core.groups[core.members[0]]]
    alike = {
        g: float(
            sums[core.groups == g].sum(axis=0)
            @ inside
            / np.linalg.norm(sums[core.groups == g].sum(axis=0))
        )
        for g in groups
    }
    first = grown.groups[grown.members[len(core.members)]]
    assert alike[first] == max(alike.values())
    assert rows.shape == (40, 24)


@pytest.mark.parametrize("background", [None, {"w0": 900.0, "w5": 40.0}])
def test_cosines_are_those_of_the_weights(background):
    links, _ = made(4)
    counts = np.asarray(links.between(MEMBERS, "words").counts.todense())
    df = (
        (counts > 0).sum(axis=0)
        if background is None
        else np.array([background.get(f"w{j}", 0.0) for j in range(24)])
    )
    rows = weighed(links, "words", background)
    assert np.allclose(np.asarray((rows @ rows.T).todense()), slow.cosine(counts, df))


def test_the_cluster_with_the_most_shared_links_is_picked():
    links, topic = made(5)
    found = cluster_then_pick(links, "sites", words="words", n_groups=4, random_state=0)
    known = held(links)
    for k, members in {4: found.members, **found.history}.items():
        labels = found.groups if k == 4 else None
        if labels is not None:
            counts = [
                len(slow.shared(known, np.flatnonzero(labels == g).tolist())) for g in range(4)
            ]
            assert len(slow.shared(known, members.tolist())) == max(counts)
    assert sorted(found.history) == [2, 3]
    assert (
        np.mean(~topic[found.history[2]]) > 0.9
    )  # the first half links to few sites, so that they are shared


@pytest.mark.parametrize("seed", range(4))
def test_hindsight_takes_the_best_cluster_of_the_tree(seed):
    links, topic = made(seed)
    tree = greedy(links, "words")
    assert tree.n_members == 40
    truth = topic.copy()
    truth[np.random.default_rng(seed).integers(40, size=6)] ^= True
    members = with_hindsight(tree, truth)
    hits = truth[members].sum()
    assert 2 * hits / (len(members) + truth.sum()) == pytest.approx(
        slow.best_f(tree.merges, truth), abs=1e-12
    )


def test_sites_are_hosts_with_their_first_directory():
    assert site("http://www.cs.umass.edu/~ronb/index.html") == "www.cs.umass.edu/~ronb"
    assert site("ftp.example.org/pub/a/b.txt") == "ftp.example.org/pub"
    assert site("HTTP://Example.ORG:80/page.html?q=/x/") == "example.org"
    assert site("") == ""


@pytest.mark.parametrize(
    ("size", "wanted"), [(5.0, 5), (5, 5), (0.25, 10), (1, 1), (1.0, 40), (np.float32(0.25), 10)]
)
def test_a_size_is_a_share_only_up_to_one(size, wanted):
    table = Cooccurrence(np.eye(40), [f"p{i}" for i in range(40)], [f"s{j}" for j in range(40)])
    alone = Links(
        {(MEMBERS, "sites"): table, (MEMBERS, "words"): made(0)[0].between(MEMBERS, "words")}
    )
    assert len(link_structure(alone, "sites", words="words", size=size).members) == wanted


def test_refusals_are_sentences():
    links, _ = made()
    with pytest.raises(DataError, match="no population 'pages'; they have 'sites', 'words'"):
        link_structure(links, "pages")
    with pytest.raises(ParameterError, match="size must be a share"):
        link_structure(links, "sites", words="words", size=41)
    with pytest.raises(ParameterError, match="popular must be"):
        link_structure(links, "sites", popular=1.5)
    with pytest.raises(ParameterError, match="n_groups must be from 2"):
        cluster_then_pick(links, "sites", words="words", n_groups=1)
    with pytest.raises(DataError, match="nothing is in 99 or more members"):
        cluster_then_pick(links, "sites", words="words", min_df=99)
    with pytest.raises(DataError, match="2 answers for 40"):
        with_hindsight(greedy(links, "words"), [True, False])


def test_few_members_with_frequent_words_are_clustered_into_as_many_as_they_can_be():
    words = Cooccurrence.of(
        [(0, "tea", 1), (1, "tea", 1), (2, "tea", 1), (3, "sea", 1), (4, "sea", 1), (5, "sea", 2)],
        list("abcdefgh"),
    )
    people = Cooccurrence.of([(at, f"p{at % 3}", 1) for at in range(8)], list("abcdefgh"))
    links = Links({("members", "words"): words, ("members", "people"): people})
    found = cluster_then_pick(links, "people", words="words", n_groups=7, random_state=0)
    assert set(found.members.tolist()) <= set(range(6))
    with pytest.raises(DataError, match="nothing is in 9 or more members; lower min_df"):
        cluster_then_pick(links, "people", words="words", min_df=9, random_state=0)
