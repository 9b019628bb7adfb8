"""The experiments on newsgroups, mail and schedules, on small stand-ins: cleaning, what gives lists away, rows, and resuming."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from coterie.core.workplace import using
from coterie_papers import comraf_mail, comraf_newsgroups, comraf_schedules, text_data
from coterie_papers.experiment import Ledger, Trial
from coterie_papers.text_data import PEOPLE, SUBJECTS, WORDS, Lists, news_text

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
_GROUPS = {
    "alt.hats": "brim felt crown ribbon milliner",
    "rec.tea": "leaf kettle brew saucer oolong",
    "sci.bees": "hive queen honey drone comb",
}
_LISTS = ("hat-users", "tea-talk", "bees")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Postings and messages about hats, tea and bees, in the form and the place of the real ones."""
    rng = np.random.default_rng(0)
    root = tmp_path_factory.mktemp("data")
    news = {"split": [], "label": [], "id": [], "text": []}
    mail = {name: [] for name in ("id", "spam", "list", "sender", "to", "cc", "subject", "body")}
    common = ["time", "people", "know", "think", "good", "thing", "year", "work"]
    for at, (group, kinds) in enumerate(_GROUPS.items()):
        for i in range(24):
            said = " ".join([*rng.choice(kinds.split(), 8), *rng.choice(common, 6), "the", "q"])
            news["split"].append("train")
            news["label"].append(group)
            news["id"].append(str(i))
            news["text"].append(
                f"From: x{i}@y.org\nSubject: Re: {said.split()[0]}\nLines: 3\n\n{said}\n{'M' * 60}\n"
            )
            name = _LISTS[at]
            footer = f"-- \nThe {_LISTS[at]} list, see http://lists.org/{_LISTS[at]}\nleave by {_LISTS[at]}-request@lists.org"
            mail["id"].append(f"{at}-{i}")
            mail["spam"].append(0)
            mail["list"].append(name)
            mail["sender"].append(f"P <p{at}{i % 6}+{i}@y.org>")
            mail["to"].append(f"{name}@lists.org")
            mail["cc"].append(f"p{at}{(i + 1) % 6}@y.org" if i % 2 else None)
            mail["subject"].append(f"Re: [{name.upper()}] {said.split()[1]} again")
            mail["body"].append(f"{said}\n{footer}\n")
    for spam, name in (
        (1, "bees"),
        (0, ""),
        (0, "tiny"),
    ):  # spam, a message of no list, and a list of one
        for column, value in {
            "id": f"{spam}{name}",
            "spam": spam,
            "list": name,
            "body": "win win win",
        }.items():
            mail[column].append(value)
        for column in ("sender", "to", "cc", "subject"):
            mail[column].append("x@y.org")
    for place, file, table in (
        (text_data.NEWS, text_data.NEWS_FILE, news),
        (text_data.MAIL, text_data.MAIL_FILE, mail),
    ):
        (root / place).mkdir()
        pq.write_table(pa.table(table), root / place / file)
    return root


@pytest.fixture
def few(monkeypatch):
    monkeypatch.setattr(text_data, "MAIL_LEAST", 10)


class Remembering(dict):
    """A keeper in memory."""

    def put(self, key, arrays):
        self[key] = {name: np.asarray(value) for name, value in arrays.items()}

    def get(self, key):
        return dict(self[key]) if key in self else None


def test_of_a_posting_the_subject_and_lines_of_text_are_left():
    text = (
        "From: a@b.c\nSubject: On hats\n and brims\nOrganization: Z\n\nfirst\n\n"
        + "x" * 51
        + "\n"
        + "x" * 50
        + "\n"
        + "word " * 20
    )
    assert news_text(text) == "On hats\n and brims\nfirst\n\n" + "x" * 50 + "\n" + "word " * 20
    assert news_text("no header at all") == ""


def test_newsgroups_are_cleaned_and_a_part_is_the_same_again(folder):
    whole = text_data.newsgroups(Trial(1, True, folder), Ledger())
    words = whole.links.ids[WORDS]
    assert len(whole.truth) == 72
    assert {"hive", "kettle", "time"} <= set(words)
    assert not {"the", "q", "re", "lines", "org", "m" * 60} & set(
        words
    )  # stop words, letters, headers, rulers
    assert whole.n_groups == 3
    part = text_data.newsgroups(Trial(1, True, folder), Ledger(), 30)
    again = text_data.newsgroups(Trial(2, False, folder), Ledger(), 30)
    assert part.links.ids["members"] == again.links.ids["members"]
    assert len(part.truth) == 30
    assert all(
        name.startswith(group)
        for name, group in zip(part.links.ids["members"], part.truth, strict=True)
    )


def test_nothing_that_names_a_list_is_left_in_mail(folder, few):
    tied = text_data.mail(Trial(1, True, folder), Ledger())
    assert set(tied.truth) == set(_LISTS)
    assert len(tied.truth) == 72  # no spam, no message without a list, no small list
    words, people, subjects = (set(tied.links.ids[name]) for name in (WORDS, PEOPLE, SUBJECTS))
    named = {"hat", "users", "tea", "talk", "bees", "hatusers", "teatalk"}
    assert not named & (words | subjects)
    assert not {"list", "lists", "leave", "see"} & words  # the footer recurs
    assert "again" not in subjects  # in every subject of a list
    assert people == {
        f"p{at}{i}@y.org" for at in range(3) for i in range(6)
    }  # neither lists nor tags of addresses
    assert {"hive", "kettle", "time"} <= words
    assert subjects
    assert subjects <= {word for kinds in _GROUPS.values() for word in kinds.split()}


def test_what_recurs_in_one_list_is_a_pattern_and_what_is_rare_is_not():
    bodies = [f"> mine {i}\nshared 4{i}: a@b.c\nalone {'abcdefgh'[i]}" for i in range(8)]
    lists = Lists.of(
        ["ants"] * 8,
        [["ann@ants.org", "bob@x.org"], ["bot-daemon@x.org"], *[["eve@x.org"]] * 6],
        ["[Ants] hi"] * 8,
        bodies,
    )
    assert lists.body(bodies[1]).split() == ["alone", "b"]
    assert lists.body("see http://x.org/ants or www.ants.org and a@ants.org [ants]").split() == [
        "see",
        "or",
        "and",
    ]
    assert lists.people(["ann@ants.org", "bob@x.org", "bot-daemon@x.org", "eve@x.org"]) == [
        "bob@x.org"
    ]
    assert "ants" in lists.names
    assert lists.subject_words == {"hi"}


def test_comparisons_of_runs_use_the_error_of_the_difference():
    high = np.array([60.0, 62.0])
    low = np.array([58.0, 60.0])
    assert text_data.slack(high, low) == pytest.approx(np.sqrt(2.0))
    assert text_data.above(high, low)
    assert not text_data.above(high, low + 1)
    assert text_data.not_below(low + 1, high)
    assert not text_data.not_below(low, high + 1)
    assert not text_data.far_above(high, low)
    assert text_data.far_above(high + 3, low)
    assert text_data.slack(high[:1], low[:1]) == 0.0


def test_newsgroups_fill_their_table(folder, monkeypatch):
    monkeypatch.setattr(comraf_newsgroups, "_QUICK_PART", 40)
    monkeypatch.setattr(comraf_newsgroups, "_COLUMNS", 5)
    ledger = Ledger()
    comraf_newsgroups.run(Trial(2, True, folder), ledger)
    whole = {
        row.method: row
        for row in ledger.rows
        if row.measure == text_data.MICRO and "72" in row.data
    }
    assert set(whole) == {*comraf_newsgroups.methods(True), "MDC + raw"}
    assert whole["MDC"].paper == 69.5
    assert whole["MDC"].ours > 90  # three kinds that share few words
    assert whole["random"].ours < 60
    assert {row.method for row in ledger.rows if "40" in row.data} == {
        "aIB",
        "k-means, counts",
        "sIB",
        "MDC",
    }
    assert [text.text[:3] for text in ledger.relations] == [
        "R1:",
        "R1:",
        "R2:",
        "R2:",
        "R2:",
        "R2:",
        "R3:",
        "R4:",
        "the",
    ]
    assert np.allclose(ledger.pictures[0].values.sum(axis=1), 1)
    assert all(np.isfinite(row.ours) for row in ledger.rows)


def test_a_run_that_goes_on_makes_no_finished_trial_again(folder, monkeypatch):
    tied = text_data.newsgroups(Trial(1, True, folder), Ledger())
    keeper = Remembering()
    made = []

    def method(tied, seed):
        made.append(seed)
        return {"labels": np.arange(len(tied.truth)) % 3}

    for _ in range(2):
        with using(keeper=keeper):
            runs = comraf_newsgroups._runs(Trial(3, True, folder), tied, "thing", method)
    assert made == [0, 1, 2]
    assert all(run["seconds"] >= 0 for run in runs)
    with using(keeper=keeper):
        comraf_newsgroups._runs(Trial(4, True, folder), tied, "thing", method)
    assert made == [0, 1, 2, 3]  # the fourth seed alone is new


def test_mail_fills_its_table(folder, few, monkeypatch):
    monkeypatch.setattr(comraf_mail, "_COARSE", {WORDS: 6, PEOPLE: 4, SUBJECTS: 4})
    ledger = Ledger()
    comraf_mail.run(Trial(1, True, folder), ledger)
    micro = {
        row.method: row
        for row in ledger.rows
        if row.measure == text_data.MICRO and "messages" in row.data
    }
    assert set(micro) == {"random", *comraf_mail.CASES}
    assert micro["3, weights one"].paper == pytest.approx(58.16)
    assert micro["3, default"].ours > 90
    people = [row for row in ledger.rows if "correspondents" in row.data]
    assert [row.method for row in people] == ["people in 3 clusters", "people in 6 clusters"]
    assert people[0].ours > 90
    assert [text.text[:3] for text in ledger.relations] == ["R2:"] * 2 + ["tab"] + ["R5:"] * 6 + [
        "fig"
    ] * 4 + ["R6:"] * 6


def test_noise_keeps_its_counts_and_people_have_their_list(folder, few):
    tied = text_data.mail(Trial(1, True, folder), Ledger())
    noisy = comraf_mail.with_noise(tied).links
    before = noisy.tables["members", PEOPLE].counts
    after = noisy.tables["members", comraf_mail.NOISE].counts
    assert np.array_equal(before.sum(axis=0), after.sum(axis=0))
    assert (before != after).nnz > 0
    assert comraf_mail.lists_of_people(tied).tolist() == [
        _LISTS[int(name[1])] for name in tied.links.ids[PEOPLE]
    ]


def test_schedules_fill_their_table_and_curves(folder, few, monkeypatch):
    monkeypatch.setattr(comraf_schedules, "PASSES", (0.25, 1.0, 2.0, 4.0))
    fewer = {
        name: settings
        for name, settings in comraf_schedules.VARIANTS.items()
        if not name.startswith(("6", "bal"))
    }
    monkeypatch.setattr(comraf_schedules, "VARIANTS", fewer)
    ledger = Ledger()
    comraf_schedules.run(Trial(1, True, folder), ledger)
    data = sorted({row.data for row in ledger.rows})
    assert len(data) == 2
    for name in data:
        methods = {row.method for row in ledger.rows if row.data == name}
        assert methods >= {*comraf_schedules.VARIANTS, "0.25 passes", "4 passes, shuffled"}
    assert len(ledger.pictures) == 4
    curve = ledger.pictures[0]
    assert curve.x[0] == 3.0
    auto = next(
        row for row in ledger.rows if row.method == "auto" and row.measure == text_data.MICRO
    )
    assert curve.lines["auto"][0] == pytest.approx(
        auto.ours
    )  # at the number of classes it is the accuracy
    assert len(ledger.relations) == 8


def test_without_data_they_say_so(tmp_path, monkeypatch):
    monkeypatch.delenv("COTERIE_DATA", raising=False)
    for module, count in ((comraf_newsgroups, 1), (comraf_mail, 1), (comraf_schedules, 2)):
        found = module.EXPERIMENT.conduct(seeds=1, quick=True, folder=tmp_path)
        assert found.rows == []
        assert len(found.skipped) == count
