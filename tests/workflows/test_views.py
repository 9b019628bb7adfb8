"""Several views at once: shared groups are found and told in every view, and what is not shared is no group."""

from __future__ import annotations

import numpy as np
import pytest

from coterie import Collection, Table, Text
from coterie.collect.samples import sample
from coterie.core.errors import DataError, ParameterError
from coterie.core.workplace import using
from coterie.judge import adjusted_rand
from coterie.messages.exploration import describe_steps, summarize
from coterie.represent import PWCA
from coterie.workflows.choices import Choices
from coterie.workflows.explore import analyse
from coterie.workflows.modalities.text import guess_language
from coterie.workflows.modalities.views import chosen_views, seen_again
from coterie.workflows.view_space import SeenViews, SharedSpace, represented
from coterie.workflows.view_tables import ViewTables

BOTH = ["north", "south"]


@pytest.fixture(scope="module")
def letters() -> Collection:
    return sample("letters_in_two_languages", 120)


@pytest.fixture(scope="module")
def walked(letters):
    return analyse(letters, Choices(views=BOTH, nulls=2))


def blobs(n: int = 160, k: int = 4, seed: int = 0, shuffled: bool = False) -> Collection:
    """Two tables in which the same (or, shuffled, unrelated) groups lie apart."""
    rng = np.random.default_rng(seed)
    groups = rng.integers(k, size=n)
    views = {}
    for at, name in enumerate(("one", "two")):
        rows = 4 * rng.normal(size=(k, 12))[groups] + rng.normal(size=(n, 12))
        views[name] = Table.of(rows[rng.permutation(n)] if shuffled and at else rows)
    return Collection([f"m{i}" for i in range(n)], views, truth={"group": groups})


def test_shared_groups_are_found_and_told_in_every_view(walked, letters) -> None:
    findings = walked.findings
    assert walked.views == ("north", "south")
    assert len(findings.groups) == 6
    assert adjusted_rand(findings.labels, letters.truth["group"]) > 0.95
    for group in findings.groups:
        assert {"words (north)", "words (south)"} <= set(group.telling)
        assert group.name.split(", ")[0] == group.telling["words (north)"][0][0]
    said = " ".join(summarize(findings))
    assert "The views north and south share 5 components by more than chance" in said
    assert "Both views by themselves put" in said
    (name, curve), *_ = findings.curves.items()
    assert name == "Consensus of the views by component"
    assert findings.axes[name].name == "component"
    assert 0 < findings.axes[name].chance < 1
    assert curve[0][0] == 1.0
    assert all(0 <= value <= 1 for _, value in curve)
    assert any("PWCA" in sentence for sentence in describe_steps(findings.steps))


def test_groups_that_the_views_do_not_share_are_none() -> None:
    findings = analyse(blobs(100, shuffled=True), Choices(views="all", nulls=2)).findings
    assert len(findings.groups) == 1
    assert not findings.evidence.structured
    assert any(
        sentence.startswith("The views share no component by more than chance")
        for sentence in summarize(findings)
    )
    assert not any("by themselves put" in sentence for sentence in summarize(findings))
    shared = analyse(blobs(100), Choices(views="all", nulls=2)).findings
    assert len(shared.groups) == 4
    assert shared.evidence.structured


def test_one_shared_cloud_is_no_structure() -> None:
    rng = np.random.default_rng(3)
    hidden = rng.normal(size=(120, 3))
    views = {
        name: Table.of(hidden @ rng.normal(size=(3, 15)) + rng.normal(size=(120, 15)))
        for name in "ab"
    }
    findings = analyse(
        Collection([str(i) for i in range(120)], views), Choices(views="all", nulls=4)
    ).findings
    assert len(findings.groups) == 1
    assert not findings.evidence.structured


def test_tables_and_texts_together(letters) -> None:
    rng = np.random.default_rng(0)
    rows = 5 * rng.normal(size=(6, 8))[letters.truth["group"]] + rng.normal(size=(len(letters), 8))
    mixed = Collection(letters.ids, {"text": letters.view("north"), "sizes": Table.of(rows)})
    findings = analyse(mixed, Choices(views=["text", "sizes"], k=6, nulls=0)).findings
    assert adjusted_rand(findings.labels, letters.truth["group"]) > 0.9
    assert {"words (text)", "columns (sizes)"} <= set(findings.groups[0].telling)


def test_the_space_is_that_of_pwca(letters) -> None:
    seen = SeenViews({name: letters.view(name) for name in BOTH})
    space = SharedSpace().fit(seen)
    tables = {name: represented(seen.views[name], name)[1] for name in BOTH}
    method = PWCA(n_components=50, rank=150).fit(tables)
    for name in BOTH:
        factors = method.transform_view(name, tables[name])[:, : space.n_features_out_]
        np.testing.assert_allclose(space.factors(name, seen.views[name]), factors, atol=1e-8)
    mean = np.mean([space.factors(name, seen.views[name]) for name in BOTH], axis=0)
    np.testing.assert_allclose(
        space.transform(seen), mean / np.linalg.norm(mean, axis=1, keepdims=True)
    )
    np.testing.assert_array_equal(
        space.transform(seen.views["north"]), space.transform_view("north", seen.views["north"])
    )
    assert space.known(Text.of(["zzz", letters.view("north")[0]])).tolist() == [False, True]  # type: ignore[index]
    with pytest.raises(DataError, match="no view 'west' in this run; it has north, south"):
        space.factors("west", seen.views["north"])


def test_the_same_bits_for_any_number_of_workers() -> None:
    found = []
    for jobs in (1, 2):
        with using(n_jobs=jobs):
            found.append(analyse(blobs(90), Choices(views="all", nulls=2)).findings)
    np.testing.assert_array_equal(found[0].map, found[1].map)
    np.testing.assert_array_equal(found[0].labels, found[1].labels)
    assert repr(found[0].evidence) == repr(found[1].evidence)


def test_new_members_may_lack_a_view(walked, letters) -> None:
    part = letters.take(range(12))
    name, seen = seen_again(part, walked.view, walked.views)
    assert name == "north"
    here = walked.pipeline.predict(seen)
    south = Collection(part.ids, {"south": part.view("south")})
    other, alone = seen_again(south, walked.view, walked.views)
    assert other == "south"
    assert (walked.pipeline.predict(alone) == here).mean() > 0.9
    with pytest.raises(
        DataError, match="made on the views north and south, and the new members have text"
    ):
        seen_again(Collection(["a"], {"text": Text.of(["x"])}), walked.view, walked.views)


def test_the_language_of_a_view() -> None:
    assert (
        guess_language(
            Text.of(["der Hund und die Katze sind in dem Haus", "das ist ein Text über den Wald"])
        )
        == "german"
    )
    assert (
        guess_language(
            Text.of(["the dog and the cat are in the house", "this is a text about the wood"])
        )
        == "english"
    )
    assert guess_language(Text.of(["kitpu salo mirek", "lomi katru"])) == "none"
    assert guess_language(Text.of(["12 34", "5"])) == "none"


@pytest.mark.parametrize(
    ("choices", "said"),
    [
        ({"views": ["north", "west"]}, "has no view 'west'; it has north, south"),
        ({"views": ["north"]}, "at least two views"),
        ({"views": BOTH, "view": "north"}, "say one of the two"),
        ({"views": BOTH, "segment": True}, "does not go with views"),
        ({"views": BOTH, "organize": "Comraf"}, "Comraf groups members by links"),
        ({"views": BOTH, "compare": "SSD"}, "SSD does not compare coordinates"),
        ({"views": []}, "there is none"),
    ],
)
def test_what_cannot_be_is_one_sentence(letters, choices, said) -> None:
    with pytest.raises((DataError, ParameterError), match=said) as error:
        analyse(letters, Choices(**choices))
    assert "\n" not in str(error.value)


def test_all_needs_two_views(letters) -> None:
    one = Collection(letters.ids, {"north": letters.view("north")})
    with pytest.raises(DataError, match="at least two views, and 'collection' has north"):
        chosen_views(one, Choices(views="all"))


def test_members_that_lack_a_view_lie_where_the_others_put_them(letters) -> None:
    views = {name: letters.view(name) for name in BOTH}
    space = SharedSpace().fit(SeenViews(views))
    south = Text(("", *views["south"].documents[1:6]))  # type: ignore[union-attr]
    some = SeenViews({"north": views["north"].take(range(6)), "south": south})
    placed = space.transform(some)
    np.testing.assert_allclose(
        placed[0], space.transform_view("north", views["north"].take([0]))[0]
    )
    np.testing.assert_allclose(placed[1:], space.transform(SeenViews(views).take(range(1, 6))))
    assert space.said(some)["south"].tolist() == [False, True, True, True, True, True]
    gaps = SharedSpace().fit(
        SeenViews({"north": views["north"], "south": Text(("", *views["south"].documents[1:]))})
    )  # type: ignore[union-attr]
    assert np.isfinite(
        gaps.transform(SeenViews(views))
    ).all()  # members that lack a view are learned from as far as they are seen


def test_one_of_several_views_is_said(letters) -> None:
    notes = analyse(letters, Choices(k=6, nulls=0, compare="Chord")).findings.notes
    assert "Walked on 'north' alone; views north south groups by both." in notes
    chosen = analyse(letters, Choices(k=6, nulls=0, view="south")).findings.notes
    assert not any("alone" in note for note in chosen)


def test_all_views_are_analyzed_where_nobody_says_otherwise(letters) -> None:
    walked = analyse(letters, Choices(k=6, nulls=0))
    assert walked.views == ("north", "south")
    assert [step.code for step in walked.findings.steps][:2] == ["views", "pwca"]
    assert adjusted_rand(walked.findings.labels, letters.truth["group"]) > 0.95
    assert analyse(letters, Choices(k=6, nulls=0, view="south")).views == ()
    same = Collection(
        letters.ids, {"north": letters.view("north"), "same": Table.of(np.ones((len(letters), 2)))}
    )
    assert chosen_views(same, Choices()) == ()  # nothing in 'same' tells members apart


def test_the_report_has_texts_and_disagreements(walked) -> None:
    findings = walked.findings
    assert findings.cards["in south"][0]
    assert not any(
        len(word) == 1 for group in findings.groups for word, _ in group.telling["words (south)"]
    )


def test_one_letter_tells_nothing() -> None:
    words = ["sea x", "sea x boat x", "hill y", "hill y tree y"] * 5
    both = Collection([str(i) for i in range(20)], {"one": Text.of(words), "two": Text.of(words)})
    findings = analyse(both, Choices(views="all", k=2, nulls=0)).findings
    told = {word for group in findings.groups for word, _ in group.telling["words (one)"]}
    assert {"sea", "hill"} <= told
    assert not {"x", "y"} & told
    assert any("hold the same for 100% of the members" in note for note in findings.notes)


def test_unrelated_views_without_nulls_do_not_contradict_themselves() -> None:
    said = " ".join(
        summarize(analyse(blobs(100, shuffled=True), Choices(views="all", nulls=0)).findings)
    )
    assert said.startswith("No group structure was found")
    assert "null collections" not in said
    assert "best separated cut" not in said


def test_pictures_and_captions_as_tables() -> None:
    scenes = sample("scenes", 40)
    seen = SeenViews({name: scenes.view(name) for name in ("caption", "pictures")})
    tables = ViewTables(random_state=0)
    made = tables.fit_transform(seen)
    assert made["caption"].sparse
    assert made["pictures"].shape[1] <= 20
    again = tables.transform(seen)
    np.testing.assert_allclose(again["pictures"].values, made["pictures"].values, atol=1e-8)
    assert (again["caption"].values != made["caption"].values).nnz == 0
    order = np.random.default_rng(0).permutation(40)
    turned = ViewTables(random_state=0).fit_transform(seen.take(order))
    np.testing.assert_allclose(turned["pictures"].values, made["pictures"].values[order], atol=1e-8)


def test_columns_beside_texts_are_not_taken_for_a_view(letters) -> None:
    mixed = Collection(
        letters.ids,
        {"text": letters.view("north"), "columns": Table.of(np.eye(6)[letters.truth["group"]])},
    )
    assert chosen_views(mixed, Choices()) == ()
    assert chosen_views(mixed, Choices(views="all")) == ("text", "columns")
