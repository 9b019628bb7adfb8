"""Choosing the graph: planted noise is left out, planted help is taken, halves add up, and the same bits for any workers."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
import scipy.sparse as sp

from coterie import Collection, Cooccurrence
from coterie.core.errors import DataError, ParameterError
from coterie.core.links import Links
from coterie.core.workplace import using
from coterie.organize import MDC, GraphChoice, choose_graph, view_report
from coterie.organize.comraf import structure, tables_report
from coterie.organize.comraf.choice import Trial, spelled
from coterie.organize.comraf.graph import Wishes, net_of
from coterie.organize.comraf.halves import (
    agreement,
    counts_dealt,
    held_out,
    matched,
    members_dealt,
    taken,
)
from coterie.organize.comraf.structure import _Groups, edges_of, graphs_of, reaches
from coterie.organize.comraf.tables_report import SPARSE, aligned
from coterie.parts.contingency import Counts

K = 4


def drawn(generator, truth, items, draws, share):
    """Every item is of one topic; a member draws from its own with chance `share`, else from all."""
    owner = np.arange(items) % K
    found = np.zeros((len(truth), items), dtype=np.int64)
    for i, topic in enumerate(truth):
        own = np.flatnonzero(owner == topic)
        for _ in range(generator.poisson(draws)):
            found[
                i,
                generator.choice(own) if generator.random() < share else generator.integers(items),
            ] += 1
    return found


def planted(seed, n=90, **populations):
    """Links with one table per population given as (items, draws per member, share from the topic); and the truth."""
    generator = np.random.default_rng(seed)
    truth = np.arange(n) % K
    tables = {("members", name): drawn(generator, truth, *how) for name, how in populations.items()}
    return Links.of(tables), truth


WORDS = (150, 20, 0.5)
PEOPLE = (40, 3, 0.75)
NOISE = (60, 12, 0.0)
SPARSELY = (100, 0.4, 0.7)


@pytest.fixture(scope="module")
def three():
    """Words, people who help, and noise: 53 graphs."""
    links, truth = planted(0, n=90, words=WORDS, people=PEOPLE, noise=NOISE)
    with using(n_jobs=1):
        return links, truth, choose_graph(links, n_groups=K, restarts=1, splits=1, random_state=0)


def names(graph):
    return {name for pair in graph for name in pair}


def test_help_is_taken_and_noise_is_not(three):
    _, _, choice = three
    assert len(choice.rows) == 53
    assert names(choice.best.graph) == {"members", "words", "people"}
    said = " ".join(choice.sentences())
    assert "people helps" in said
    assert choice.unrelated == ("noise",)
    assert "noise tells nothing clear of the others" in said


def test_the_score_follows_the_truth(three):
    from scipy.stats import spearmanr
    from sklearn.metrics import normalized_mutual_info_score

    links, truth, choice = three
    rows = choice.rows[::4]
    good = [
        normalized_mutual_info_score(
            truth,
            MDC(n_groups=K, graph=r.graph, runs=1, restarts=1, random_state=1).fit(links).labels_,
        )
        for r in rows
    ]
    assert spearmanr([r.score for r in rows], good)[0] > 0.7


@pytest.mark.parametrize("seed", [1, 2])
def test_noise_alone_beside_words(seed):
    links, _ = planted(seed, words=WORDS, noise=NOISE)
    choice = choose_graph(links, n_groups=K, random_state=seed)
    assert len(choice.rows) == 6
    assert choice.best.graph == (("members", "words"),)


def test_a_sparse_population_at_weight_one_is_not_chosen():
    links, _ = planted(3, words=WORDS, tags=SPARSELY)
    choice = choose_graph(links, n_groups=K, weights=("mass", "one"), random_state=0)
    both = {
        row.weights: row
        for row in choice.rows
        if row.graph == (("members", "words"), ("members", "tags"))
    }
    assert both["mass"].score > both["one"].score
    assert (choice.best.graph, choice.best.weights) != (both["one"].graph, "one")
    assert sum("The rule of weights" in sentence for sentence in choice.sentences()) == 1
    assert (
        len([row for row in choice.rows if len(row.graph) == 1]) == 2
    )  # one rule is enough for a single table


def test_what_is_shown(three):
    _, _, choice = three
    text = str(choice)
    lines = text.splitlines()
    assert lines[0].split()[:3] == ["graph", "weights", "score"]
    assert sum(line.startswith("*") for line in lines) == 1
    assert spelled(choice.best.graph) in next(line for line in lines if line.startswith("*"))
    assert "more graphs did worse" in text
    assert len(choice.to_text(None).splitlines()) == 2 + len(choice.rows)
    assert [row.score for row in choice.rows] == sorted(
        (row.score for row in choice.rows), reverse=True
    )
    frame = choice.frame()
    assert len(frame) == 53
    assert frame["best"].sum() == 1
    assert set(choice.best.held_out) == {"members-words", "members-people", "members-noise"}
    assert all(row.seconds > 0 for row in choice.rows)


def plain(choice):
    return [
        (row.graph, row.weights, row.score, row.stability, dict(row.held_out), row.accuracy)
        for row in choice.rows
    ]


def test_the_same_bits_for_any_number_of_workers():
    links, truth = planted(4, n=50, words=(60, 8, 0.5), people=PEOPLE)
    found = []
    for workers in (1, 2):
        with using(n_jobs=workers):
            found.append(
                plain(
                    choose_graph(
                        links, n_groups=K, labels=truth, splits=1, restarts=1, random_state=7
                    )
                )
            )
    assert found[0] == found[1]
    other = choose_graph(links, n_groups=K, labels=truth, splits=1, restarts=1, random_state=8)
    assert plain(other) != found[0]


def test_labels_rank_where_there_are_enough():
    links, truth = planted(5, n=80, words=(60, 4, 0.2), people=PEOPLE)
    other = np.random.default_rng(0).integers(K, size=80)
    by_truth = choose_graph(
        links,
        n_groups=K,
        labels=[str(t) if i < 60 else None for i, t in enumerate(truth)],
        splits=1,
    )
    assert by_truth.by_labels
    assert by_truth.rows[0].accuracy == max(row.accuracy for row in by_truth.rows) > 0.7
    assert "accuracy" in str(by_truth)
    by_chance = choose_graph(links, n_groups=K, labels=other, splits=1)
    assert by_chance.rows[0].accuracy < 0.6
    few = choose_graph(
        links, n_groups=K, labels=[t if i < 30 else None for i, t in enumerate(truth)], splits=1
    )
    assert not few.by_labels
    assert few.rows[0].accuracy is None
    assert any("30 labels are too few" in sentence for sentence in few.sentences())


def test_too_many_graphs_grow_edge_by_edge():
    links, _ = planted(6, n=60, words=WORDS, people=PEOPLE)
    choice = choose_graph(links, n_groups=K, splits=1, max_graphs=4)
    assert len(choice.rows) == 4
    assert any("one more table" in note for note in choice.notes)
    singles = [row for row in choice.rows if len(row.graph) == 1]
    first = max(singles, key=lambda row: row.score).graph[0]
    assert len(singles) == 2
    assert all(first in row.graph for row in choice.rows if len(row.graph) == 2)
    assert len(choose_graph(links, n_groups=K, splits=1, max_graphs=1).rows) == 1


def test_more_than_five_populations_grow():
    links, _ = planted(
        7, n=40, a=(20, 5, 0.8), b=(20, 5, 0.8), c=(20, 3, 0.0), d=(20, 3, 0.0), e=(20, 3, 0.0)
    )
    choice = choose_graph(links, n_groups=K, splits=1, restarts=1, max_graphs=12)
    assert len(choice.rows) <= 12
    assert len([row for row in choice.rows if len(row.graph) == 1]) == 5


def brute(edges, target):
    """Every subset whose populations are all reached from the target, found by spreading marks."""
    found = set()
    for size in range(1, len(edges) + 1):
        for graph in combinations(edges, size):
            marked = {target}
            for _ in edges:
                marked |= {name for pair in graph if marked & set(pair) for name in pair}
            if target in names(graph) and marked == names(graph):
                found.add(graph)
    return found


@pytest.mark.parametrize(("helpers", "count"), [(1, 1), (2, 6), (3, 53), (4, 908)])
def test_all_connected_graphs_are_listed_once(helpers, count):
    others = [f"h{i}" for i in range(helpers)]
    edges = [("m", other) for other in others] + list(combinations(others, 2))
    found = graphs_of(edges, "m")
    assert len(found) == len(set(found)) == count
    assert set(found) == brute(edges, "m")
    assert [len(graph) for graph in found] == sorted(len(graph) for graph in found)


def test_edges_are_the_tables_and_those_made_over_the_target():
    links = Links.of(
        {
            ("members", "words"): np.ones((3, 2)),
            ("people", "members"): np.ones((2, 3)),
            ("words", "places"): np.ones((2, 2)),
        }
    )
    assert edges_of(links) == [
        ("members", "words"),
        ("people", "members"),
        ("words", "places"),
        ("words", "people"),
    ]
    assert reaches([("a", "b"), ("b", "c")], "a")
    assert not reaches([("a", "b"), ("c", "d")], "a")


def test_halves_add_up():
    generator = np.random.default_rng(0)
    table = generator.poisson(1.5, size=(30, 20)).astype(float)
    table[0, :5] = 2.5
    links = Links.of(
        {("members", "words"): table, ("members", "people"): generator.integers(2, size=(30, 9))}
    )
    one, other = counts_dealt(links, 3, 0)
    for pair in links.tables:
        sides = [half.tables[pair].counts for half in (one, other)]
        assert np.array_equal((sides[0] + sides[1]).toarray(), links.tables[pair].counts.toarray())
        assert all((side.data > 0).all() for side in sides)
    whole = one.tables["members", "words"].counts.toarray()[1:]
    assert np.array_equal(whole, np.rint(whole))
    share = whole.sum() / table[1:].sum()
    assert 0.42 < share < 0.58
    again = counts_dealt(links, 3, 0)[0]
    assert np.array_equal(
        again.tables["members", "words"].counts.toarray(),
        one.tables["members", "words"].counts.toarray(),
    )
    assert not np.array_equal(
        counts_dealt(links, 3, 1)[0].tables["members", "people"].counts.toarray(),
        one.tables["members", "people"].counts.toarray(),
    )


def test_members_are_dealt_whole():
    links, _ = planted(1, n=31, words=(20, 5, 0.5), people=(9, 2, 0.5))
    one, other = members_dealt(links, np.random.default_rng(0))
    assert (len(one), len(other)) == (15, 16)
    assert sorted([*one.ids["members"], *other.ids["members"]]) == sorted(links.ids["members"])
    total = one.tables["members", "words"].total + other.tables["members", "words"].total
    assert total == links.tables["members", "words"].total


def test_groups_are_given_as_predict_gives_them():
    links, _ = planted(3, n=80, words=WORDS, people=PEOPLE)

    half = links.take(np.arange(40))
    rest = links.take(np.arange(40, 80))
    for counts in (
        "occurrences",
        "presence",
    ):  # whole tables that hold nothing but ones count as was asked, too
        fitted = MDC(n_groups=K, runs=1, restarts=1, counts=counts, random_state=0).fit(half)
        given = _Groups(fitted.state_.labels[0], fitted.net_, fitted.state_).given(rest)
        assert np.array_equal(given, fitted.predict(rest))
    assert (_Groups(np.full(40, -1)).given(rest) == -1).all()


def test_whether_counts_are_taken_as_there_is_said_of_the_whole_and_not_of_its_halves():
    people = np.eye(9, dtype=int)[np.arange(40) % 9]
    words = 2 + np.random.default_rng(0).poisson(0.3, (40, 12))
    links = Links.of({("members", "words"): words, ("members", "people"): people})
    halves = counts_dealt(links, 0, 0)[0].tables["members", "words"].counts.data
    assert (halves == 1).mean() > 0.5  # auto would say presence here
    seen = []
    monkey = pytest.MonkeyPatch()
    with monkey.context() as patch:
        patch.setattr(
            structure,
            "net_of",
            lambda links, wishes: seen.append(wishes.counts) or net_of(links, wishes),
        )
        choose_graph(links, n_groups=3, splits=1, restarts=1)
    assert set(seen[1:]) == {"occurrences"}
    whole = taken(links, Wishes("x", counts="auto")).tables
    assert whole["members", "words"].total == links.tables["members", "words"].total


def test_held_out_information():
    generator = np.random.default_rng(0)
    truth = np.arange(200) % K
    counts = Counts.of(sp.csr_array(drawn(generator, truth, 40, 10, 0.8)))
    told, _ = held_out(truth, counts, generator)
    chance = np.array(
        [held_out(generator.permutation(truth), counts, generator) for _ in range(40)]
    )
    assert told > 0.2
    assert abs(chance[:, 0].mean()) < 0.005
    assert 0.6 < chance[:, 0].std() / np.sqrt(1.2 * (chance[:, 1] ** 2).mean()) < 1.6
    assert held_out(np.full(200, -1), counts, generator) == (0.0, 0.0)
    part = np.where(np.arange(200) < 100, truth, -1)
    assert held_out(part, counts, generator)[0] == pytest.approx(told / 2, rel=0.3)
    assert held_out(truth, Counts.of(sp.csr_array((200, 3))), generator) == (0.0, 0.0)
    exact = Counts.of(sp.csr_array(np.eye(2).repeat(50, axis=0)))
    assert held_out(np.repeat([0, 1], 50), exact, generator)[0] > 0.9


def slow_rand(a, b):
    """The adjusted Rand index by counting pairs; who is in no group is alone."""
    both = one = other = total = 0
    for i, j in combinations(range(len(a)), 2):
        x = a[i] == a[j] >= 0
        y = b[i] == b[j] >= 0
        both = both + (x and y)
        one = one + x
        other = other + y
        total = total + 1
    expected = one * other / total
    return (both - expected) / ((one + other) / 2 - expected)


def test_agreement_counts_pairs():
    generator = np.random.default_rng(0)
    for _ in range(5):
        a, b = generator.integers(-1, 3, size=(2, 40))
        b[:25] = a[:25]
        assert agreement(a, b) == pytest.approx(slow_rand(a, b))
    assert agreement(np.full(5, -1), np.full(5, -1)) == 0.0
    assert agreement(np.array([0, 0, 1, 1]), np.array([1, 1, 0, 0])) == 1.0


def slow_matched(groups, known):
    right = []
    for i, label in enumerate(known):
        if label < 0:
            continue
        near = [
            known[j]
            for j in range(len(known))
            if j != i and known[j] >= 0 and groups[j] == groups[i] and groups[i] >= 0
        ]
        votes = {x: near.count(x) for x in near}
        first = [x for x in votes if votes[x] == max(votes.values())] if votes else []
        right.append((label in first) / len(first) if first else 0.0)
    return np.mean(right)


def test_accuracy_leaves_the_own_label_out():
    generator = np.random.default_rng(1)
    for _ in range(8):
        groups = generator.integers(-1, 4, size=30)
        known = generator.integers(-1, 3, size=30)
        assert matched(groups, known) == pytest.approx(slow_matched(groups, known))
    assert matched(np.arange(10), np.zeros(10, dtype=int)) == 0.0


def test_a_table_too_thin_for_halves_gets_a_note_and_no_score():
    links, _ = planted(8, n=40, words=WORDS)
    thin = np.zeros((40, 3))
    thin[:3, 0] = thin[3:5, 1] = 1
    links = Links.of(
        {
            ("members", "words"): links.tables["members", "words"].counts.toarray(),
            ("members", "rare"): thin,
        }
    )
    choice = choose_graph(links, n_groups=K, splits=1)
    alone = next(row for row in choice.rows if row.graph == (("members", "rare"),))
    assert alone.stability == 0.0
    assert "only" in alone.notes[0]
    assert any(sentence.startswith("members-rare: ") for sentence in choice.sentences())
    assert choice.best.graph[0] == ("members", "words")


def test_a_sample_and_a_collection():
    links, truth = planted(9, n=90, words=WORDS)
    ids = [str(i) for i in range(90)]
    table = Cooccurrence(links.tables["members", "words"].counts, ids, links.ids["words"])
    collection = Collection(ids=ids, views={}, links={("members", "words"): table})
    choice = choose_graph(
        collection,
        n_groups=K,
        splits=1,
        sample=70,
        labels=[t if i < 60 else None for i, t in enumerate(truth)],
    )
    assert choice.notes == ("70 of 90 members were looked at.",)
    assert choice.by_labels  # the labeled ones are looked at first
    assert len(choice.rows) == 1
    words = choose_graph(links, "words", n_groups={"words": 3, "members": 5}, splits=1)
    assert words.target == "words"
    assert words.best.graph == (("members", "words"),)


@pytest.mark.parametrize(
    ("change", "kind", "words"),
    [
        ({"n_groups": 0}, ParameterError, "n_groups of 'members' must be a whole number"),
        ({"n_groups": 999}, DataError, "n_groups of 'members' is 999"),
        ({"n_groups": {"nobody": 3}}, ParameterError, "nobody"),
        ({"target": "nobody"}, DataError, "nobody"),
        ({"weights": ("mass", "heavy")}, ParameterError, "'heavy'"),
        ({"weights": ()}, ParameterError, "no rule"),
        ({"weights": [{"members-words": 1.0}]}, ParameterError, "names of rules"),
        ({"counts": "all"}, ParameterError, "counts"),
        ({"restarts": 0}, ParameterError, "restarts"),
        ({"splits": 1.5}, ParameterError, "splits"),
        ({"passes": 0}, ParameterError, "passes"),
        (
            {"passes": "x"},
            ParameterError,
            "choose_graph: passes must be a number above 0 and at most 100, and was 'x'",
        ),
        ({"passes": np.inf}, ParameterError, "passes"),
        (
            {"weights": 5},
            ParameterError,
            "weights must be names of rules, such as 'mass', and holds 5",
        ),
        (
            {"labels": 7},
            DataError,
            "labels must be one for each of 'members', None where unknown, and were 7",
        ),
        (
            {"labels": np.zeros((30, 2))},
            DataError,
            r"labels must be one .* were an array of shape \(30, 2\)",
        ),
        ({"labels": (i for i in range(3))}, DataError, "3 labels and 30 members"),
        ({"max_graphs": 0}, ParameterError, "max_graphs"),
        ({"sample": 0}, ParameterError, "sample"),
        ({"labels": [1, 2, 3]}, DataError, "3 labels and 30 members"),
        ({"random_state": -1}, ParameterError, "random_state"),
    ],
)
def test_bad_input_is_one_sentence(change, kind, words):
    links, _ = planted(0, n=30, words=(20, 5, 0.5))
    with pytest.raises(kind, match=words) as caught:
        choose_graph(links, **{"n_groups": 3, **change})
    assert "\n" not in str(caught.value)


def trial(graph, *agreed, told=(0.2, 0.2), alone=0.5):
    cross = np.array([[alone, 0.01], [alone, 0.01]]) if len(graph) == 1 else None
    return Trial(
        graph,
        "mass",
        ("m-a", "m-b"),
        np.array(agreed),
        np.tile(told, (len(agreed), 1)),
        np.full(2, 0.001),
        cross,
    )


SMALL = (("m", "a"),)
LARGE = (("m", "a"), ("m", "b"))
POOR = (("m", "b"),)


def test_the_smaller_of_two_alike_is_taken():
    alike = GraphChoice.of(
        [trial(SMALL, 0.50, 0.56), trial(LARGE, 0.57, 0.51), trial(POOR, 0.10, 0.10)], "m", False
    )
    assert alike.rows[0].graph == LARGE
    assert alike.best.graph == SMALL
    assert any("the smaller of two alike is taken" in sentence for sentence in alike.sentences())
    apart = GraphChoice.of(
        [trial(SMALL, 0.40, 0.41), trial(LARGE, 0.57, 0.57), trial(POOR, 0.10, 0.10)], "m", False
    )
    assert apart.best.graph == LARGE
    assert apart.rows[0].score == pytest.approx((0.57 + 1.0) / 2)
    helps = "b helps: the best graph with it has 0.785, the best without it 0.70"
    assert any(sentence.startswith(helps) for sentence in apart.sentences())
    assert any(sentence.startswith("a helps") for sentence in apart.sentences())


def test_what_is_unrelated_is_not_taken():
    large = trial(LARGE, 0.9, 0.9)
    apart = GraphChoice.of(
        [trial(SMALL, 0.5, 0.5, alone=0.02), large, trial(POOR, 0.4, 0.4, alone=0.02)], "m", False
    )
    assert apart.unrelated == ("a", "b")  # neither tells of the other
    assert apart.best.graph == SMALL
    assert apart.rows[0].graph == LARGE
    one_way = GraphChoice.of(
        [trial(SMALL, 0.5, 0.5, alone=0.02), large, trial(POOR, 0.4, 0.4, alone=0.04)], "m", False
    )
    assert one_way.unrelated == ()
    assert one_way.best.graph == LARGE


def test_a_share_counts_by_the_best_of_its_table():
    rows = [trial(SMALL, 0.0, 0.0, told=(0.5, 0.01)), trial(POOR, 0.0, 0.0, told=(0.25, 0.02))]
    found = {row.graph: row for row in GraphChoice.of(rows, "m", False).rows}
    assert found[SMALL].tells == pytest.approx((1.0 + 0.5) / 2)
    assert found[POOR].tells == pytest.approx((0.5 + 1.0) / 2)
    assert found[POOR].held_out == {"m-a": 0.25, "m-b": 0.02}


def test_the_views_before_clustering():
    words = np.hstack([(4 * np.eye(4)).repeat(10, axis=0), np.eye(40), np.eye(40)])
    rare = np.zeros((40, 3))
    pixels = np.full((40, 2), 99)
    rare[:4, 0] = 1
    report = view_report(
        Links.of(
            {
                ("members", "words"): words,
                ("rare", "members"): rare.T,
                ("members", "pixels"): pixels,
            }
        )
    )
    first, second, third = report.views
    assert first.pair == ("members", "words")
    assert second.pair == ("members", "rare")
    assert (first.empty, first.per_row, first.total) == (0.0, 3.0, 240.0)
    assert (second.empty, second.per_row, second.loud) == (0.9, 0.1, 60.0)
    assert third.raw == pytest.approx(0.0, abs=1e-12)
    assert (first.loud, third.loud) == (
        1.0,
        240 / 7920,
    )  # words are the main table, as of the weights: pixels are no words
    assert first.excess > 0.5
    assert abs(second.excess) < 1e-12
    assert not first.sparse
    assert second.sparse
    assert SPARSE in str(report)
    assert SPARSE in report.sentences()[1]
    assert SPARSE not in report.sentences()[0]
    assert report.records()[1]["note"] == SPARSE


def test_the_chance_of_pixels_is_that_of_occurrences_dealt_one_by_one(monkeypatch):
    generator = np.random.default_rng(0)
    tables = (
        generator.poisson(3.0, (300, 200)),
        generator.poisson(generator.gamma(0.3, 1.0, (1, 150)), (800, 150)),
        generator.poisson(50.0, (6, 300)),
    )
    monkeypatch.setattr(tables_report, "_doubles", lambda *_: 0.0)
    for table in tables:
        chance = []
        for most, cells in ((10**9, 10**9), (0, 10**9), (0, 20_000)):
            monkeypatch.setattr(tables_report, "_OCCURRENCES", most)
            monkeypatch.setattr(tables_report, "_CELLS", cells)
            chance.append(view_report(Links.of(table)).views[0].chance)
        assert chance[1:] == pytest.approx([chance[0]] * 2, rel=0.03)


def test_a_table_of_pixels_takes_no_longer_than_its_cells():
    pixels = np.random.default_rng(0).multinomial(
        10**6, np.full(40, 1 / 40), size=100
    )  # 10^8 occurrences
    view = view_report(Links.of({("members", "colours"): pixels})).views[0]
    assert view.raw == pytest.approx(view.chance, rel=0.1)


def test_lift_sees_what_is_shared_where_the_excess_cannot():
    generator = np.random.default_rng(0)
    truth = np.arange(120) % K
    blocks = (drawn(generator, truth, 60, 8, 0.9) > 0).astype(float)
    noise = (drawn(generator, truth, 60, 8, 0.0) > 0).astype(float)
    report = view_report(Links.of({("members", "blocks"): blocks, ("members", "noise"): noise}))
    told, silent = report.views
    assert told.excess < 0.05
    assert told.lift > 2.0
    assert silent.lift == pytest.approx(1.0, abs=0.25)
    assert "says little" in silent.sentence()
    assert "says little" not in told.sentence()


def test_the_view_report_is_the_same_for_any_workers_and_refuses_nothing_at_all():
    links, _ = planted(2, n=40, words=(30, 6, 0.5), people=(10, 2, 0.5))
    found = []
    for workers in (1, 2):
        with using(n_jobs=workers):
            found.append(view_report(links).records())
    assert found[0] == found[1]
    with pytest.raises(DataError, match="no table with a count"):
        view_report(Links.of({("members", "words"): np.zeros((3, 2))}))
    assert view_report(links, "people").views[1].pair == ("people", "members")


def test_columns_are_aligned():
    assert (
        aligned([["name", "n", ""], ["a", "10", "x"], ["bcd", "7", ""]])
        == "name   n\n----  --  -\na     10  x\nbcd    7\n"
    )


def test_progress_has_a_name_and_a_stop_is_heard():
    from coterie.core.errors import Interrupted
    from coterie.core.workplace import Silent

    class Ear(Silent):
        heard = []
        stop = False

        def begin(self, name, total):
            self.heard.append((name, total))
            return super().begin(name, total)

        def wants_stop(self):
            return self.stop

    links, _ = planted(2, n=40, words=(30, 6, 0.5), people=(10, 2, 0.5))
    ear = Ear()
    with using(watch=ear):
        choose_graph(links, n_groups=3, splits=1, restarts=1)
    assert ear.heard == [("choose graph", 6)]
    ear.stop = True
    with using(watch=ear), pytest.raises(Interrupted):
        choose_graph(links, n_groups=3, splits=1, restarts=1)
