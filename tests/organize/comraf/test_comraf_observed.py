"""What a person knows, in the graph: labels as a population, laws that are kept by every search, weights, seeds, and refusals."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from coterie import Hints
from coterie.collect.planted import corpus
from coterie.core.errors import DataError, ParameterError
from coterie.core.links import MEMBERS, Links, linked
from coterie.judge import nmi
from coterie.organize import MDC, AgglomerativeIB, Comraf, ComrafStar, SequentialIB
from coterie.organize.comraf.graph import net_of
from coterie.organize.comraf.observed import LABELS, bound, told
from coterie.organize.comraf.wishes import Wishes


@pytest.fixture(scope="module")
def texts():
    found = corpus(200, 4, random_state=1)
    return linked(found.ids, found.links), np.asarray(found.truth["group"])


def some(truth, share=0.15, seed=0, **how):
    chosen = np.random.default_rng(seed).random(len(truth)) < share
    return Hints.of(
        len(truth), [str(t) if c else None for t, c in zip(truth, chosen, strict=True)], **how
    )


def test_the_tables_of_labels_are_who_is_labeled_and_what_labeled_members_hold(texts):
    links, truth = texts
    hints = some(truth)
    more, wishes = told(links, Wishes("MDC", n_groups=4), hints)
    own = more.between(MEMBERS, LABELS).counts.toarray()
    assert own.sum() == len(hints.known)
    assert (own.argmax(axis=1)[hints.known] == hints.labels[hints.known]).all()
    words = links.between(MEMBERS, "words").counts.toarray()
    met = more.between("words", LABELS).counts.toarray()
    for label in range(len(hints.names)):
        assert np.array_equal(met[:, label], words[hints.labels == label].sum(axis=0))
    assert wishes.observed == (LABELS,)
    net = net_of(more, wishes)
    betas = {net.called(edge): edge.beta for edge in net.edges}
    assert betas == {"members-words": 1.0, "members-labels": 1.0, "words-labels": 1.0}


@pytest.mark.parametrize(("weight", "expected"), [(None, 1.0), (0.3, 0.3), (0.0, 0.0)])
def test_tables_of_labels_weigh_what_is_said_by_any_rule(texts, weight, expected):
    links, truth = texts
    for rule in ("mass", "root", "one", "raw", "cap", {"members-words": 2.0}):
        net = MDC(n_groups=4, weights=rule).net_for(links, some(truth, label_weight=weight))
        main = next(edge.beta for edge in net.edges if net.called(edge) == "members-words")
        assert [edge.beta for edge in net.edges if net.nodes[edge.ends[1]].told] == [
            pytest.approx(expected * main)
        ] * 2
    named = MDC(n_groups=4, weights={"members-labels": 0.25}).net_for(
        links, some(truth, label_weight=weight)
    )
    assert next(edge.beta for edge in named.edges if named.called(edge) == "members-labels") == 0.25


def test_labels_are_only_tables_where_something_is_labeled(texts):
    links, truth = texts
    pairs = Hints.of(len(truth), together=[(0, 1)])
    assert told(links, Wishes("MDC"), pairs)[0] is links
    taken = Links({**links.tables, (MEMBERS, LABELS): links.between(MEMBERS, "words")})
    assert "given labels" in told(taken, Wishes("MDC"), some(truth))[0].populations


@pytest.mark.parametrize("scheme", ["intrinsic", "constrained", "seeded"])
@pytest.mark.parametrize(
    "organizer", [MDC(n_groups=4, runs=2), Comraf(n_groups=4, restarts=2), SequentialIB(n_groups=4)]
)
def test_every_scheme_finds_what_was_planted_and_places_new_members(texts, organizer, scheme):
    links, truth = texts
    found = organizer.set_params(random_state=0).fit(links, hints=some(truth, scheme=scheme))
    assert nmi(found.labels_, truth) > 0.9
    new = found.predict(links.take(np.arange(20)))
    assert (new == found.labels_[:20]).mean() > 0.8


def test_labels_of_noise_can_make_any_groups_with_enough_weight():
    draw = np.random.default_rng(0)
    links = Links.of(draw.poisson(1.0, (60, 40)))
    wanted = draw.integers(3, size=60)
    free = MDC(n_groups=3, runs=1, random_state=0).fit(links)
    held = MDC(n_groups=3, runs=1, random_state=0).fit(
        links, hints=Hints.of(60, wanted, label_weight=50.0)
    )
    assert nmi(free.labels_, wanted) < 0.5
    assert nmi(held.labels_, wanted) > 0.9


ORGANIZERS = [
    MDC(n_groups=4, runs=2),
    MDC(n_groups=4, runs=1, sample=60),
    Comraf(n_groups=4, restarts=2),
    Comraf(n_groups=4, restarts=2, schedule="reverse"),
    Comraf(n_groups=4, restarts=2, optimize="shuffled", polish="icm"),
    Comraf(n_groups={"members": 4, "words": 8}, inference="cliquewise", restarts=2),
    SequentialIB(n_groups=4, restarts=3),
]


@pytest.mark.parametrize("organizer", ORGANIZERS, ids=range(len(ORGANIZERS)))
def test_laws_are_kept_by_every_search(texts, organizer):
    links, truth = texts
    draw = np.random.default_rng(5)
    same = [
        tuple(draw.choice(np.flatnonzero(truth != truth[i]), 1)) + (i,) for i in (3, 50, 120)
    ]  # against the words
    apart = [
        tuple(draw.choice(np.flatnonzero(truth == t), 2, replace=False)) for t in np.unique(truth)
    ]
    hints = Hints.of(len(truth), together=same, apart=apart)
    found = organizer.set_params(random_state=1).fit(links, hints=hints)
    assert len(hints.broken(found.labels_)) == 0
    assert len(np.unique(found.labels_[found.labels_ >= 0])) == 4
    assert not any("not kept" in note for note in found.notes_)
    assert len(found.hierarchy_.cut(4).labels) == len(truth)
    assert found.runs_.shape[1] == len(truth)


@pytest.mark.parametrize(
    "organizer",
    [
        MDC(n_groups=2, runs=1),
        Comraf(n_groups={"members": 2, "columns": 3}, inference="cliquewise", restarts=2),
        SequentialIB(n_groups=2, restarts=2),
    ],
)
def test_laws_that_can_be_kept_are_kept_though_one_union_at_a_time_could_not(organizer):
    """A ring of six members of one topic, each apart from the next: two groups are enough, and unions run into a corner."""
    draw = np.random.default_rng(4)
    table = np.concatenate(
        [draw.poisson([3.0, 3.0, 0.2, 0.2], (12, 4)), draw.poisson([0.2, 0.2, 3.0, 3.0], (12, 4))]
    )
    ring = [(at, (at + 1) % 6) for at in range(6)]
    for seed in range(10):
        found = organizer.set_params(random_state=seed).fit(
            Links.of(table), hints=Hints.of(24, apart=ring)
        )
        assert len(Hints.of(24, apart=ring).broken(found.labels_)) == 0
        assert found.partition_.n_groups == 2


def test_laws_that_no_groups_can_keep_name_who_is_in_the_way():
    odd = [
        (at, (at + 1) % 5) for at in range(5)
    ]  # an odd ring needs three groups, and no three of it are all apart
    ids = [f"m{at}" for at in range(12)]
    table = np.random.default_rng(0).poisson(1.0, (12, 6))
    with pytest.raises(
        DataError, match=r"MDC: 'm\d' and 'm\d' could not be kept apart in 2 groups"
    ):
        MDC(n_groups=2, runs=1, random_state=0).fit(
            Links.of(table), hints=Hints.of(ids, apart=[(ids[a], ids[b]) for a, b in odd])
        )


def test_labels_as_laws_are_kept(texts):
    links, truth = texts
    wrong = np.full(len(truth), -1)
    draw = np.random.default_rng(2)
    chosen = draw.choice(len(truth), 30, replace=False)
    wrong[chosen] = draw.integers(4, size=30)  # labels that have nothing to do with the words
    found = MDC(n_groups=4, runs=2, random_state=0).fit(
        links, hints=Hints.of(len(truth), wrong, scheme="constrained")
    )
    for label in range(4):
        assert len(np.unique(found.labels_[wrong == label])) == 1
    assert len({int(found.labels_[wrong == label][0]) for label in range(4)}) == 4


def test_weighted_pairs_give_way_and_are_counted(texts):
    links, truth = texts
    pairs = [
        (i, j)
        for i, j in zip(np.flatnonzero(truth == 0)[:8], np.flatnonzero(truth == 1)[:8], strict=True)
    ]
    light = MDC(n_groups=4, runs=1, random_state=0).fit(
        links, hints=Hints.of(len(truth), together=pairs, pair_weight=1e-6)
    )
    assert "8 of 8 pairs are not kept." in light.notes_
    heavy = MDC(n_groups=4, runs=1, random_state=0).fit(
        links, hints=Hints.of(len(truth), together=pairs, pair_weight=1e3)
    )
    assert len(Hints.of(len(truth), together=pairs).broken(heavy.labels_)) == 0


def test_a_contracted_graph_has_the_sums_of_its_parts(texts):
    links, truth = texts
    hints = Hints.of(len(truth), together=[(0, 5), (5, 9)], apart=[(9, 1)])
    net = MDC(n_groups=4).net_for(links, hints)
    held = bound(net, hints, "MDC")
    rows = held.net.edges[0].counts.matrix.toarray()
    whole = net.edges[0].counts.matrix.toarray()
    assert len(held.net.nodes[0]) == len(truth) - 2
    assert np.array_equal(rows[0], whole[[0, 5, 9]].sum(axis=0))
    assert held.net.bonds.ties.tolist() == [-np.inf, -np.inf]


def test_the_same_bits_again_and_with_more_workers(texts):
    import coterie

    links, truth = texts
    hints = Hints.of(
        len(truth), {0: str(truth[0]), 7: str(truth[7])}, apart=[(0, 1)], together=[(2, 6)]
    )
    found = []
    for workers in (1, 2, 1):
        with coterie.using(n_jobs=workers):
            found.append(MDC(n_groups=4, random_state=3).fit(links, hints=hints).labels_.tobytes())
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize(
    ("hints", "kind", "words"),
    [
        (Hints.of(3, [0, 1, 2]), DataError, "the hints are on 3 members, and there are 200"),
        ({"labels": {}}, ParameterError, "hints must be Hints.of"),
        (
            Hints.of(200, np.arange(200) % 5, scheme="constrained"),
            DataError,
            "5 labels must be kept apart, and only 4 groups",
        ),
        (
            Hints.of(200, np.arange(200) % 5, scheme="seeded"),
            DataError,
            "5 labels cannot start in 4 groups",
        ),
        (
            Hints.of(200, np.full(200, "x"), scheme="constrained"),
            DataError,
            "the hints leave 1 parts",
        ),
        (Hints.of(200, together=[(0, 1)], apart=[(0, 1)]), DataError, "said to belong apart"),
        (
            Hints.of(200, apart=[(i, j) for i in range(6) for j in range(i)]),
            DataError,
            "belong apart from each other, which takes 6 groups, and only 4 groups were asked for",
        ),
    ],
)
def test_hints_that_cannot_be_used_are_one_sentence(texts, hints, kind, words):
    links, _ = texts
    with pytest.raises(kind, match=words):
        MDC(n_groups=4, runs=1, random_state=0).fit(links, hints=hints)


def test_organizers_without_hints_say_so(texts):
    links, truth = texts
    for organizer in (ComrafStar(n_groups=4), AgglomerativeIB(n_groups=4)):
        with pytest.raises(ParameterError, match=f"{type(organizer).__name__} takes no hints"):
            organizer.fit(links, hints=some(truth))


def test_one_label_for_all_is_left_out_and_said(texts):
    links, truth = texts
    hints = Hints.of(len(truth), {0: "x", 1: "x"})
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        MDC(n_groups=4, runs=1, random_state=0).fit(links, hints=hints)
    assert any("all 2 labels are 'x', which tells nothing here" in str(one.message) for one in said)
