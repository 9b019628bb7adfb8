"""The core of a pool: pilot numbers, sizes asked for and learned, several tables, new members, edges, and promises."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from coterie import Cooccurrence
from coterie.collect.planted import pool, pool_background
from coterie.core.errors import DataError, ParameterError
from coterie.core.links import Links
from coterie.organize import Core
from coterie.organize.core_of import METHODS
from coterie.testing import promises

GENERAL = pool_background()
POOLS = {topics: pool(topics=topics, random_state=7) for topics in (0, 12)}


def right(found: Core, topics: int) -> float:
    return float((POOLS[topics].truth["group"][found.labels_ == 0] == 0).mean())


def small(seed: int = 0, n: int = 60) -> tuple[np.ndarray, np.ndarray]:
    """Counts of 60 members, of whom the first 20 share the last 8 of 40 columns."""
    counts = np.random.default_rng(seed).poisson(0.2, size=(n, 40))
    counts[:20, 32:] += 2
    return counts, np.arange(n) < 20


@pytest.mark.parametrize(
    ("form", "plain", "structured"),
    [
        ({"method": "occc"}, 0.98, 0.86),
        ({"method": "ltb"}, 0.97, 0.93),
        ({"method": "ltb", "pi": 0.1}, 0.98, 0.93),
        ({"method": "ltb", "pi": 0.5}, 0.98, 0.77),
        ({"method": "kl"}, 0.95, 0.63),
        ({"method": "min-entropy"}, 0.34, 0.67),
        ({"method": "ocib", "random_state": 0}, 0.08, 0.62),
    ],
    ids=str,
)
def test_accuracies_are_those_of_the_pilot(form, plain: float, structured: float) -> None:
    for topics, want in ((0, plain), (12, structured)):
        found = Core(size=350, background=GENERAL, **form).fit(POOLS[topics])
        assert right(found, topics) == pytest.approx(want, abs=0.11)
        assert found.size_ == 350


def test_other_norms_of_occc_stand_structured_noise_less() -> None:
    for topics, least in ((0, 0.7), (12, 0.9)):
        form = {"method": "occc", "size": 350, "background": GENERAL, "binary": False}
        own, length, plain = (
            right(Core(norm=norm, **form).fit(POOLS[topics]), topics)
            for norm in ("relevant", "length", "none")
        )
        assert own > least
        assert (length > 0.9 and plain > 0.9) if topics == 0 else (length < 0.75 and plain < 0.75)


def test_occc_is_flat_over_a_threefold_range_of_relevant_words_and_ltb_over_starts() -> None:
    found = [
        right(Core(method="occc", relevant=m, size=350, background=GENERAL).fit(POOLS[0]), 0)
        for m in (2500, 5000, 7500)
    ]
    assert max(found) - min(found) < 0.05
    found = [
        right(Core(method="ltb", pi=pi, size=350, background=GENERAL).fit(POOLS[0]), 0)
        for pi in (0.1, 0.5, 0.9)
    ]
    assert max(found) - min(found) < 0.05


@pytest.mark.parametrize("share", [0.1, 0.35, 0.6])
def test_the_size_is_learned(share: float) -> None:
    made = pool(600, share=share, random_state=3)
    found = Core().fit(made)
    assert found.size_ / 600 == pytest.approx(share, abs=0.05)
    assert (made.truth["group"][found.labels_ == 0] == 0).mean() > 0.95


def test_what_is_learned() -> None:
    found = Core(method="occc", size=0.3).fit(POOLS[0])
    assert found.size_ == 300
    assert np.array_equal(np.sort(found.ranking_.top(300)), found.partition_.members(0))
    assert (np.diff(found.scores_[found.ranking_.order]) <= 0).all()
    assert found.posterior_ is None
    assert found.background_.startswith("Bundled counts of English words, which know")
    assert found.telling_["words"] == found.words_
    values = [value for _, value in found.words_]
    assert values == sorted(values, reverse=True)
    assert found.relevant_ > 100
    assert Core(method="kl", size=0.3).fit(POOLS[0]).relevant_ is None


def test_ltb_has_probabilities_and_the_words_of_its_topic() -> None:
    found = Core(size=350, background=GENERAL).fit(POOLS[0])
    assert ((found.posterior_ >= 0) & (found.posterior_ <= 1)).all()
    assert found.partition_.confidence[found.labels_ < 0] == pytest.approx(
        1 - found.posterior_[found.labels_ < 0]
    )
    link = POOLS[0].links["members", "words"]
    core = POOLS[0].truth["group"] == 0
    inside, outside = (
        np.asarray(link.counts[np.flatnonzero(rows)].sum(axis=0)).ravel() for rows in (core, ~core)
    )
    place = {word: j for j, word in enumerate(link.cols)}
    best = [place[word] for word, _ in found.words_[:30]]
    assert (inside[best] > 3 * outside[best]).mean() > 0.9


@pytest.mark.parametrize("method", METHODS)
def test_members_are_placed_as_they_were_fitted(method: str) -> None:
    counts, core = small()
    found = Core(method=method, size=20, background="uniform", random_state=0).fit(counts)
    assert found.score_members(counts) == pytest.approx(found.scores_, abs=1e-12)
    placed = found.predict(counts)
    assert (placed[found.labels_ == 0] == 0).all()
    assert (
        found.scores_[placed != found.labels_] == found.threshold_
    ).all()  # equal ones are all placed in it
    if method in ("ltb", "kl", "ocib"):
        assert core[found.labels_ == 0].mean() > 0.8


def test_new_members_are_found_by_the_names_of_their_columns() -> None:
    counts, _ = small()
    names = [f"w{j}" for j in range(40)]
    ids = [str(i) for i in range(60)]
    found = Core(size=20, background="uniform").fit(
        Links.of({("members", "words"): Cooccurrence(counts, ids, names)})
    )
    turned = np.column_stack([counts[:, ::-1], np.full(60, 9)])
    new = Links.of({("members", "words"): Cooccurrence(turned, ids, [*names[::-1], "unknown"])})
    assert np.array_equal(found.predict(new), found.labels_)
    nothing = np.zeros((2, 40), dtype=int)
    nothing[0, 35] = 1
    few = Links.of({("members", "words"): Cooccurrence(nothing, ["a", "b"], names)})
    assert found.score_members(few)[1] == pytest.approx(
        np.log(20 / 40)
    )  # what is known before any word
    assert found.predict(few)[1] == -1
    with pytest.raises(DataError, match="share no column"):
        found.predict(
            Links.of(
                {("members", "words"): Cooccurrence(counts, ids, [f"v{j}" for j in range(40)])}
            )
        )


class TestSeveralTables:
    def links(self) -> Links:
        one = small(0)[0]
        other = small(1)[0]
        one[:10, 32:] -= 2  # half of the core is told by the other table only
        other[10:20, 32:] -= 2
        return Links.of(
            {("members", "a"): one, ("b", "members"): other.T, ("a", "c"): np.ones((40, 2))}
        )

    @pytest.mark.parametrize("method", ["ltb", "kl"])
    def test_both_tell(self, method: str) -> None:
        links = self.links()
        core = small()[1]
        found = Core(method=method, size=20, background="uniform").fit(links)
        both = core[found.labels_ == 0].mean()
        alone = core[
            Core(method=method, size=20, background="uniform", weights={"a": 1}).fit(links).labels_
            == 0
        ].mean()
        assert both > alone if method == "ltb" else both >= alone
        assert np.array_equal(found.predict(links), found.labels_)
        assert set(found.telling_) == {"a", "b"}
        assert found.posterior_ is None
        assert any("a-c: not a table of 'members'" in note for note in found.notes_)

    def test_a_scale_changes_nothing_unless_asked_for(self) -> None:
        links = self.links()
        scaled = Core(method="kl", size=20, background="uniform").fit(links)
        plain = Core(method="kl", size=20, background="uniform", weights="one").fit(links)
        even = Core(method="kl", size=20, background="uniform", weights={"a": 1, "b": 1}).fit(links)
        assert np.array_equal(scaled.scores_, even.scores_)
        assert not np.allclose(scaled.scores_, plain.scores_)

    def test_weights_are_checked(self) -> None:
        for weights, said in (
            ({"z": 1}, "weights name 'z'"),
            ({"a": -1}, "that of 'a' was -1"),
            ({"a": 0}, "all weights are 0"),
        ):
            with pytest.raises(ParameterError, match=said):
                Core(size=20, background="uniform", weights=weights).fit(self.links())


class TestEdges:
    @pytest.mark.parametrize("size", [60, 61, 0.999])
    def test_a_core_leaves_someone_out(self, size: float) -> None:
        with pytest.raises(DataError, match="a core leaves at least one"):
            Core(size=size).fit(small()[0])

    @pytest.mark.parametrize("size", [0, -1, 1.5, "large", True, float("nan")])
    def test_sizes_that_are_none(self, size) -> None:
        with pytest.raises(ParameterError, match="size must be"):
            Core(size=size).fit(small()[0])

    @pytest.mark.parametrize("method", METHODS)
    def test_empty_members_are_never_in_the_core(self, method: str) -> None:
        counts, _ = small()
        counts[[0, 40]] = 0
        form = {"relevant": 39} if method == "occc" else {}
        found = Core(method=method, size=30, background="uniform", random_state=0, **form).fit(
            counts
        )
        assert found.labels_[[0, 40]].tolist() == [-1, -1]
        assert any("2 of 60 members have no word that counts" in note for note in found.notes_)
        nothing = (
            np.log(0.5 / 0.5) if method == "ltb" else -np.inf
        )  # the odds of 30 of 60, or no score
        assert found.scores_[[0, 40]].tolist() == [nothing, nothing]
        assert found.score_members(counts)[[0, 40]].tolist() == [nothing, nothing]
        assert found.predict(counts)[[0, 40]].tolist() == [-1, -1]

    def test_nothing_is_never_in_the_core_even_where_the_odds_of_the_core_are_high(self) -> None:
        counts, _ = small()
        counts[40] = 0
        found = Core(size=57, background="uniform").fit(counts)
        assert found.scores_[40] == pytest.approx(np.log(57 / 3))
        assert found.scores_[40] > found.threshold_
        assert found.predict(counts)[40] == -1

    def test_fewer_members_can_be_scored_than_asked_for(self) -> None:
        counts, _ = small()
        counts[30:] = 0
        found = Core(size=40, background="uniform").fit(counts)
        assert found.size_ == 30
        assert any("A core of 40 was wanted" in note for note in found.notes_)

    def test_equal_scores_are_taken_in_order_and_noted(self) -> None:
        found = Core(method="kl", size=2, background="uniform", min_df=1).fit(np.ones((5, 3)))
        assert found.labels_.tolist() == [0, 0, -1, -1, -1]
        assert any("3 members outside the core score as high" in note for note in found.notes_)

    def test_members_without_any_word_are_no_equals(self) -> None:
        counts = np.vstack([np.eye(3), np.eye(3), np.zeros((15, 3))])
        for method in ("ltb", "kl"):
            found = Core(method=method, size=3, background="uniform", min_df=1).fit(counts)
            assert [note for note in found.notes_ if "as high as" in note] == [
                "3 members outside the core score as high as its last one; of equal ones the first were taken."
            ]
        found = Core(method="kl", size=5, background="uniform", min_df=1).fit(counts)
        assert any(
            note.startswith("1 member outside the core scores as high") for note in found.notes_
        )

    @pytest.mark.parametrize(
        ("form", "said"),
        [
            (
                {"method": "ltb", "relevant": 5},
                "relevant was set to 5 and changes nothing with ltb",
            ),
            (
                {"method": "kl", "norm": "none"},
                "norm was set to 'none' and changes nothing with kl",
            ),
            ({"method": "occc", "pi": 0.5}, "pi was set to 0.5 and changes nothing with occc"),
            (
                {"method": "ltb", "kernel": "rbf"},
                "kernel was set to 'rbf' and changes nothing with ltb",
            ),
            (
                {"method": "ocib", "iterations": 9},
                "iterations was set to 9 and changes nothing with ocib and a size that is given",
            ),
        ],
    )
    def test_what_would_change_nothing_is_refused(self, form, said: str) -> None:
        with pytest.raises(ParameterError, match=said):
            Core(size=20, **form).fit(small()[0])

    @pytest.mark.filterwarnings("ignore")
    def test_a_learned_size_uses_iterations_and_words_use_the_background(self) -> None:
        counts, _ = small()
        learned = Core(method="kl", iterations=9, background="uniform")
        learned.fit(counts)
        assert learned.sized(20).fit(counts).size_ == 20
        assert learned.sized("auto").iterations == 9
        names = [f"x{j}" for j in range(40)]
        lists = [
            {name: 9.0 if j < 20 else 1.0 for j, name in enumerate(names[::step])}
            for step in (1, -1)
        ]
        one, other = (
            Core(method="ocib", size=20, background=known, random_state=0).fit(counts)
            for known in lists
        )
        assert np.array_equal(one.labels_, other.labels_)
        assert one.words_ != other.words_

    @pytest.mark.filterwarnings("ignore")
    @pytest.mark.parametrize(
        ("n", "said"), [(2, "the best one was taken"), (8, "the two best were taken")]
    )
    def test_what_is_taken_where_there_is_no_core_is_what_is_said(self, n: int, said: str) -> None:
        counts = np.random.default_rng(0).permuted(np.tile([1, 1, 0, 0], (n, 1)), axis=1)
        found = Core(min_df=1, background={f"x{j}": 5 for j in range(4)}).fit(counts)
        assert found.size_ == min(n - 1, 2)
        assert not found.stands_out_
        assert any(said in note for note in found.notes_)
        assert Core(size=1, min_df=1, background="uniform").fit(counts).stands_out_

    def test_rare_columns_do_not_count(self) -> None:
        with pytest.raises(DataError, match="nothing is with 3 or more members"):
            Core().fit(np.eye(5))

    def test_no_word_more_frequent_than_in_general_is_warned_of(self) -> None:
        counts = np.ones((6, 4))
        with pytest.warns(UserWarning, match="no word is more frequent"):
            found = Core(method="occc", size=2, background="uniform").fit(counts)
        assert found.relevant_ == 1
        assert any("No word" in note or "no word" in note for note in found.notes_)

    def test_words_that_are_not_english_are_warned_of_once(self) -> None:
        with pytest.warns(UserWarning, match="know 0 of the [34]. columns") as caught:
            Core(size=20).fit(small()[0])
        assert len(caught) == 1
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            Core(size=20, method="ocib").fit(small()[0])  # needs no background

    def test_raw_counts_or_presence(self) -> None:
        counts, _ = small()
        there = Core(method="kl", size=20, background="uniform").fit(counts)
        assert np.array_equal(
            there.scores_,
            Core(method="kl", size=20, background="uniform", binary=False).fit(counts > 0).scores_,
        )
        raw = Core(method="kl", size=20, background="uniform", binary=False).fit(counts)
        assert not np.allclose(there.scores_, raw.scores_)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "promise", [p for method in METHODS for p in promises(Core(method=method))], ids=str
)
def test_promise(promise) -> None:
    promise()
