"""Vectors beside members: found by both, told by words, kept in a run, opened again, added to."""

from __future__ import annotations

import json
from itertools import pairwise, product

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from sklearn.metrics import adjusted_rand_score

import coterie
from coterie.cli.main import door
from coterie.core.errors import DataError, ParameterError
from coterie.represent import word_vectors
from coterie.run.engine import load, resume
from coterie.run.questions import add
from coterie.run.replaying import replay
from coterie.run.store import Store
from coterie.workflows.request import ask, command_of
from tests.tiny_model import ANIMALS, VEHICLES, save_tiny, short_texts


def vectors_of(kinds, seed=0, apart=4.0):
    rows = np.random.default_rng(seed).normal(size=(len(kinds), 12))
    rows[np.arange(len(kinds)), kinds] += apart
    return rows


@pytest.fixture
def texts():
    return short_texts(80)


@pytest.fixture
def model(tmp_path):
    word_vectors.open_model.cache_clear()
    yield f"model2vec:{save_tiny(tmp_path / 'tiny')}"
    word_vectors.open_model.cache_clear()


def test_groups_by_both_are_named_by_words(texts):
    documents, kinds = texts
    found = coterie.explore(documents, vectors=vectors_of(kinds), k=2)
    assert adjusted_rand_score(kinds, found.labels) > 0.9
    known = {*ANIMALS, *VEHICLES}
    for group in found.findings.groups:
        assert set(group.name.split(", ")) <= known
        assert set(group.telling) == {"words"}
    codes = [step.code for step in found.findings.steps]
    assert "given_vectors" in codes
    assert "words_beside" in codes
    note = next(n for n in found.findings.notes if getattr(n, "code", "") == "vectors")
    assert note.values["dimension"] == 12


def test_neighbors_are_by_the_angle_between_vectors(texts):
    documents, kinds = texts
    rows = vectors_of(kinds)
    found = coterie.explore(documents, vectors=rows, k=2, nulls=0)
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    cosine = unit @ unit.T
    np.fill_diagonal(cosine, -2)
    assert np.array_equal(found.findings.neighbors[:, 0], cosine.argmax(axis=1))


def test_texts_that_share_no_word_are_grouped_by_vectors_alone():
    kinds = np.arange(60) % 2
    found = coterie.explore(
        [f"word{at}" for at in range(60)], vectors=vectors_of(kinds), k=2, nulls=0
    )
    assert adjusted_rand_score(kinds, found.labels) > 0.9


def test_a_person_can_ask_for_words_or_for_vectors_alone(texts):
    documents, kinds = texts
    rows = vectors_of(1 - kinds, seed=1)
    words = coterie.explore(documents, vectors=rows, view="text", k=2, nulls=0)
    plain = coterie.explore(documents, k=2, nulls=0, embed="none")
    assert np.array_equal(words.labels, plain.labels)
    alone = coterie.explore(documents, vectors=rows, view="vectors", k=2, nulls=0)
    assert adjusted_rand_score(kinds, alone.labels) > 0.9


def test_tables_named_beside_vectors_tell_them(tmp_path):
    kinds = np.arange(60) % 2
    np.save(tmp_path / "emb.npy", vectors_of(kinds))
    frame = pd.DataFrame(
        {"id": [f"m{at}" for at in range(60)], "weight": kinds * 5.0 + np.arange(60) / 60}
    )
    frame.to_csv(tmp_path / "names.csv", index=False)
    found = coterie.explore(tmp_path / "emb.npy", names=tmp_path / "names.csv", k=2, nulls=0)
    assert adjusted_rand_score(kinds, found.labels) > 0.9
    assert all(group.name.startswith("weight") for group in found.findings.groups)


def test_a_run_with_vectors_is_kept_opened_and_added_to(tmp_path, texts):
    documents, kinds = texts
    rows = vectors_of(kinds)
    np.save(tmp_path / "emb.npy", rows[:60])
    pd.DataFrame({"id": range(60), "text": documents[:60]}).to_csv(
        tmp_path / "texts.csv", index=False
    )
    store = Store(tmp_path / "store")
    found = coterie.explore(
        tmp_path / "texts.csv",
        text="text",
        vectors=tmp_path / "emb.npy",
        k=2,
        store=store,
        name="both",
    )
    again = load("both", store=store)
    assert np.array_equal(again.labels, found.labels)
    assert again.request.reading.vectors == str(tmp_path / "emb.npy")
    assert np.array_equal(again.collection.view("vectors").values, rows[:60])
    new = pd.DataFrame({"id": range(100, 120), "text": documents[60:]})
    new.to_csv(tmp_path / "new.csv", index=False)
    with pytest.raises(DataError, match="made with vectors beside its members") as error:
        add("both", str(tmp_path / "new.csv"), store=store)
    assert error.value.parameter == "vectors"
    np.save(tmp_path / "short.npy", rows[60:, :5])
    with pytest.raises(DataError, match="have 5 numbers, and those of the run 12"):
        add("both", str(tmp_path / "new.csv"), store=store, vectors=str(tmp_path / "short.npy"))
    np.save(tmp_path / "new.npy", rows[60:])
    placed = add("both", str(tmp_path / "new.csv"), store=store, vectors=str(tmp_path / "new.npy"))
    assert adjusted_rand_score(kinds, [*found.labels, *placed.labels]) > 0.9


def test_a_run_that_was_stopped_reads_its_vectors_again(tmp_path, texts):
    documents, kinds = texts
    np.save(tmp_path / "emb.npy", vectors_of(kinds))
    pd.DataFrame({"text": documents}).to_csv(tmp_path / "texts.csv", index=False)
    store = Store(tmp_path / "store")
    asked = ask(
        tmp_path / "texts.csv",
        text="text",
        vectors=tmp_path / "emb.npy",
        k=2,
        nulls=0,
        name="later",
    )
    from coterie.run.planned import plan_run

    run = plan_run(asked, store=store)
    done = resume(run.name, store=store)
    direct = coterie.explore(
        tmp_path / "texts.csv", text="text", vectors=tmp_path / "emb.npy", k=2, nulls=0
    )
    assert np.array_equal(done.labels, direct.labels)


def test_commands_say_the_same(tmp_path, texts):
    documents, kinds = texts
    np.save(tmp_path / "emb.npy", vectors_of(kinds))
    pd.DataFrame({"text": documents}).to_csv(tmp_path / "texts.csv", index=False)
    words = [
        "explore",
        str(tmp_path / "emb.npy"),
        "--names",
        str(tmp_path / "texts.csv"),
        "--text",
        "text",
    ]
    words += [
        "--k",
        "2",
        "--nulls",
        "0",
        "--embed",
        "none",
        "--store",
        str(tmp_path / "store"),
        "--progress",
        "silent",
    ]
    done = CliRunner().invoke(door, words)
    assert done.exit_code == 0, done.output
    run = Store(tmp_path / "store").open(None)
    assert run.request.reading.names == str(tmp_path / "texts.csv")
    for part in ("--names", "--embed none"):
        assert part in run.request.command
    labels = load(run.name, store=tmp_path / "store").labels
    assert adjusted_rand_score(kinds, labels) > 0.9
    asked = command_of("explore", ask("t.csv", vector="emb", k=3))
    assert asked == "coterie explore t.csv --vector emb --k 3 --seed 0"


def test_a_column_of_lists_beside_texts(tmp_path, texts):
    documents, kinds = texts
    rows = [
        {"text": text, "emb": row.tolist()}
        for text, row in zip(documents, vectors_of(kinds), strict=True)
    ]
    (tmp_path / "all.jsonl").write_text("\n".join(map(json.dumps, rows)))
    found = coterie.explore(tmp_path / "all.jsonl", text="text", vector="emb", k=2, nulls=0)
    assert adjusted_rand_score(kinds, found.labels) > 0.9
    assert all("x1" not in group.name for group in found.findings.groups)


def test_word_vectors_tie_texts_that_share_no_word(model):
    words = (*ANIMALS, *VEHICLES)
    documents = [f"{word} {other}" for word in words for other in ("near", "with", "of", "and")]
    kinds = np.repeat([0, 1], len(documents) // 2)
    plain = coterie.explore(documents, k=2, nulls=0, embed="none")
    found = coterie.explore(documents, k=2, nulls=0, embed=model)
    assert adjusted_rand_score(kinds, plain.labels) < 0.5
    assert adjusted_rand_score(kinds, found.labels) > 0.9
    step = next(step for step in found.findings.steps if step.code == "word_vectors")
    assert step.values["dimension"] == 8
    assert len(step.values["digest"]) == 64


def test_word_vectors_are_kept_with_a_run_and_place_new_texts(tmp_path, texts, model):
    documents, kinds = texts
    store = Store(tmp_path / "store")
    found = coterie.explore(documents[:60], k=2, nulls=0, embed=model, store=store, name="words")
    again = load("words", store=store)
    assert again.request.choices.embed == model
    later = again.analysis.pipeline.predict(coterie.read(documents[60:]).view())
    assert adjusted_rand_score(kinds, [*found.labels, *later]) > 0.8


def test_the_same_bits_for_any_number_of_workers(texts, model):
    documents, _ = texts
    found = []
    for n_jobs in (1, 3):
        with coterie.using(n_jobs=n_jobs):
            found.append(coterie.explore(documents, embed=model).findings)
    assert np.array_equal(found[0].labels, found[1].labels)
    assert found[0].evidence.scores == found[1].evidence.scores
    assert found[0].evidence.witnesses == found[1].evidence.witnesses
    assert np.array_equal(found[0].confidence, found[1].confidence)


def test_what_is_installed_is_used_unless_the_person_says_no(texts, model, monkeypatch):
    documents, _kinds = texts
    folder = model.removeprefix("model2vec:")
    named = coterie.explore(documents, k=2, nulls=0, embed=model)
    from coterie.represent import model_names
    from coterie.workflows.modalities import text

    monkeypatch.setattr(model_names, "is_installed", lambda: True)
    monkeypatch.setattr(model_names, "INSTALLED", f"model2vec:{folder}")
    monkeypatch.setattr(text, "is_installed", lambda: True)
    assert np.array_equal(coterie.explore(documents, k=2, nulls=0).labels, named.labels)
    words = coterie.explore(documents, k=2, nulls=0, embed="none")
    assert not any(step.code == "word_vectors" for step in words.findings.steps)


def test_where_words_find_nothing_vectors_of_words_are_suggested(monkeypatch):
    from coterie.workflows.modalities import text

    generator = np.random.default_rng(0)
    vocabulary = ["".join(letters) for letters in product("bdfg", "aeiou", "klm")]
    documents = [" ".join(generator.choice(vocabulary, 8)) for _ in range(60)]
    for there, wanted in ((False, True), (True, False)):
        monkeypatch.setattr(text, "is_installed", lambda there=there: there)
        found = coterie.explore(documents, embed="none")
        codes = [getattr(note, "code", "") for note in found.findings.notes]
        assert not found.findings.evidence.structured
        assert ("try_word_vectors" in codes) is wanted


def test_a_function_of_texts_makes_vectors(texts):
    documents, kinds = texts

    def encode(given):
        return np.array(
            [[sum(w in text for w in ANIMALS), sum(w in text for w in VEHICLES)] for text in given],
            float,
        )

    found = coterie.explore(documents, embed=encode, k=2, nulls=0)
    assert adjusted_rand_score(kinds, found.labels) > 0.9
    assert found.collection.view("vectors").dimension == 2


def test_edited_groups_are_found_again_in_other_texts_with_vectors(tmp_path, texts):
    documents, kinds = texts
    rows = vectors_of(kinds)
    store = Store(tmp_path / "store")
    found = coterie.explore(
        documents[:50], vectors=rows[:50], k=2, nulls=0, store=store, name="one"
    )
    pd.DataFrame({"id": range(100, 130), "text": documents[50:]}).to_csv(
        tmp_path / "new.csv", index=False
    )
    with pytest.raises(DataError, match="made with vectors beside its members"):
        replay("one", tmp_path / "new.csv", store=store, text="text")
    np.save(tmp_path / "new.npy", rows[50:])
    again = replay(
        "one", tmp_path / "new.csv", store=store, text="text", vectors=tmp_path / "new.npy"
    )
    assert adjusted_rand_score(kinds, [*found.labels, *again.labels]) > 0.8


def test_recordings_have_vectors_of_their_own(tmp_path):
    import wave

    kinds = np.arange(24) % 2
    generator = np.random.default_rng(0)
    (tmp_path / "birds").mkdir()
    (tmp_path / "emb").mkdir()
    rows = vectors_of(kinds)
    for at, row in enumerate(rows):
        with wave.open(str(tmp_path / "birds" / f"r{at}.wav"), "wb") as file:
            file.setnchannels(1)
            file.setsampwidth(2)
            file.setframerate(8000)
            file.writeframes((generator.normal(size=4000) * 3000).astype("<i2").tobytes())
        np.save(tmp_path / "emb" / f"r{at}.npy", np.array([row, row * 2]))  # two windows each
    found = coterie.explore(tmp_path / "birds", vectors=tmp_path / "emb", k=2, nulls=0)
    own = [int(member.split("r")[-1].split(".")[0]) % 2 for member in found.findings.ids]
    assert adjusted_rand_score(own, found.labels) > 0.9
    assert found.findings.overview.noun == "recordings"


def test_constraints_go_with_vectors(texts):
    documents, kinds = texts
    labels = {str(at): "ab"[kinds[at]] for at in range(8)}
    found = coterie.explore(
        documents, vectors=vectors_of(kinds), k=2, nulls=0, hints={"labels": labels}
    )
    assert adjusted_rand_score(kinds, found.labels) > 0.9


def test_vectors_are_one_of_several_views(texts):
    documents, kinds = texts
    found = coterie.explore(
        documents, vectors=vectors_of(kinds), views="text, vectors", k=2, nulls=0
    )
    assert adjusted_rand_score(kinds, found.labels) > 0.9
    assert all("words (text)" in group.telling for group in found.findings.groups)


def test_what_does_not_go_with_vectors_is_refused(texts):
    documents, kinds = texts
    rows = vectors_of(kinds)
    for choices, parameter in (
        ({"embed": "wordllama"}, "embed"),
        ({"embed": lambda some: rows}, "embed"),
        ({"segment": True}, "segment"),
        ({"compare": "Divergence"}, "compare"),
    ):
        with pytest.raises((DataError, ParameterError)) as error:
            coterie.explore(documents, vectors=rows, **choices)
        assert error.value.parameter == parameter


def test_vectors_alone_are_named_by_a_typical_member():
    kinds = np.arange(40) % 2
    rows = vectors_of(kinds)
    members = [{"id": f"m{at}", "emb": row.tolist()} for at, row in enumerate(rows)]
    found = coterie.explore(members, vector="emb", k=2, nulls=0)
    assert adjusted_rand_score(kinds, found.labels) > 0.8
    assert all(group.name.startswith("like m") for group in found.findings.groups)


def test_what_speaks_for_groups_are_vectors_beyond_shuffled_words(model):
    generator = np.random.default_rng(0)
    words = (*ANIMALS, *VEHICLES)
    mixed = [" ".join(generator.choice(words, 4)) for _ in range(80)]
    none = coterie.explore(mixed, embed=model).findings.evidence
    assert not none.structured
    assert none.witnesses["beyond_shuffled"] < 4
    apart = [f"{a} and {b}" for kind in (ANIMALS, VEHICLES) for a, b in pairwise(kind)]
    some = coterie.explore(apart * 3, embed=model).findings.evidence
    assert some.structured
    assert some.witnesses["beyond_shuffled"] > 4
