"""The topic of the week: calendar weeks, the tail that is left out, a core for each, and dates of every form."""

from __future__ import annotations

import datetime as dt
import warnings

import numpy as np
import pytest

from coterie import Cooccurrence, using
from coterie.collect import read
from coterie.core.errors import DataError, ParameterError
from coterie.core.links import MEMBERS, Links
from coterie.organize import Core
from coterie.workflows.weeks import dates_in, days_of, weeks

_FIRST = dt.date(2024, 1, 1)  # a Monday


def stream(n_weeks: int = 3, each: int = 40, topics: int = 5, tail: int = 0, random: int = 0):
    """Weeks in which 16 of 40 members share the topic of the week's number; the words of other topics are spread."""
    rng = np.random.default_rng(random)
    counts = []
    days = []
    truth = []
    for week in range(n_weeks + (tail > 0)):
        size = each if week < n_weeks else tail
        for at in range(size):
            own = at < 0.4 * size
            topic = week % topics if own else int(rng.integers(topics, topics + 20))
            row = rng.poisson(0.15, size=25 * 12).astype(float)
            row[topic * 12 : topic * 12 + 12] += rng.poisson(1.0, 12)
            counts.append(row)
            days.append(_FIRST + dt.timedelta(weeks=week, days=at % 7 if week < n_weeks else 0))
            truth.append(own)
    ids = [f"m{at}" for at in range(len(days))]
    table = Cooccurrence(np.array(counts), ids, [f"t{j // 12}w{j % 12}" for j in range(25 * 12)])
    return days, Links({(MEMBERS, "words"): table}), np.array(truth)


@pytest.mark.parametrize("background", ["rest", "uniform"])
def test_every_week_has_its_own_core(background):
    days, links, truth = stream()
    found = weeks(days, links, core=Core(method="ltb", pi=0.5, size=16), background=background)
    assert [week.begins for week in found] == [_FIRST + dt.timedelta(weeks=at) for at in range(3)]
    for at, week in enumerate(found):
        assert len(week.members) == 40
        assert len(week.core) == 16
        assert truth[week.core].mean() > 0.8
        assert all(word.startswith(f"t{at}w") for word, _ in week.words[:3])
        assert (
            week.sentence
            == f"Week of {week.begins}: 16 of 40 members share a topic ({week.title})."
        )


def test_the_incomplete_tail_is_left_out_and_said():
    days, links, _ = stream(tail=15)
    with pytest.warns(
        UserWarning,
        match="week of 2024-01-22 is the last and not complete; its 15 members were left out",
    ):
        found = weeks(days, links, core=Core(size=5), background="uniform")
    assert len(found) == 3
    assert max(int(week.members.max()) for week in found) == 119


def test_a_stream_without_weekends_has_a_whole_last_week():
    days, links, _ = stream()
    early = [day - dt.timedelta(days=max(0, day.weekday() - 4)) for day in days]
    assert len(weeks(early, links, core=Core(size=5), background="uniform")) == 3


def test_weeks_may_have_sizes_of_their_own_and_may_be_too_small():
    days, links, _ = stream()
    sizes = {_FIRST: 3, _FIRST + dt.timedelta(weeks=1): 0.5}
    found = weeks(days, links, core=Core(size=16), sizes=sizes, background="uniform")
    assert [len(week.core) for week in found] == [3, 20, 16]
    few = weeks(days, links, core=Core(size=16), background="uniform", least=41)
    assert [len(week.core) for week in few] == [0, 0, 0]
    assert few[0].sentence == "Week of 2024-01-01: 40 members, too few to look for a core."


def test_a_week_without_a_core_says_why():
    days, links, _ = stream()
    found = weeks(days, links, core=Core(size=16, min_df=41), background="uniform")
    assert len(found[0].core) == 0
    assert found[0].note.startswith("nothing is with 41 or more members")


def test_order_of_members_does_not_matter():
    days, links, _ = stream()
    shuffled = np.random.default_rng(1).permutation(len(days))
    one = weeks(days, links, core=Core(size=16), background="rest")
    other = weeks(
        [days[at] for at in shuffled], links.take(shuffled), core=Core(size=16), background="rest"
    )
    for a, b in zip(one, other, strict=True):
        assert set(a.core.tolist()) == set(shuffled[b.core].tolist())


def test_dates_of_every_form():
    day = dt.date(2024, 2, 29)
    given = [
        "2024-02-29",
        "2024-02-29T23:59:00+05:00",
        day,
        dt.datetime(2024, 2, 29, 8),
        np.datetime64("2024-02-29"),
        "Thu, 29 Feb 2024 10:00:00 +0000",
    ]
    assert days_of(given).tolist() == [19782] * 6
    for wrong in ("soon", "", None, "29/02/2024", np.datetime64("NaT")):
        with pytest.raises(DataError, match="the date of member 1 is"):
            days_of(["2024-02-29", wrong])
    with pytest.raises(DataError, match="1 dates for 2 members"):
        days_of(["2024-02-29"], 2)


def test_dates_are_found_in_columns_and_cards(tmp_path):
    rows = [
        f'm{at},2024-01-{at + 1:02d},"a long text with many words that is number {at} of a few of them here"'
        for at in range(9)
    ]
    (tmp_path / "news.csv").write_text("\n".join(["id,day,body", *rows]))
    collection = read(tmp_path / "news.csv")
    assert days_of(dates_in(collection, "day")).tolist() == list(range(19723, 19732))
    with pytest.raises(DataError, match=r"no column of dates 'when'; it has day"):
        dates_in(collection, "when")


def test_filters_of_warnings_are_as_they_were_whatever_the_workers():
    days, links, _ = stream(n_weeks=8)
    before = list(warnings.filters)
    for _ in range(3):
        with using(n_jobs=4):
            weeks(days, links, core=Core(size=16))
        assert list(warnings.filters) == before


def test_a_week_without_a_core_says_so():
    rng = np.random.default_rng(0)
    ids = [f"m{at}" for at in range(60)]
    counts = np.zeros((60, 12))
    for row in counts:
        row[rng.choice(12, 6, replace=False)] = 1
    links = Links({(MEMBERS, "words"): Cooccurrence(counts, ids, [f"w{j}" for j in range(12)])})
    (found,) = weeks([_FIRST] * 60, links, background="uniform")
    assert found.sentence == "Week of 2024-01-01: no core stands out among 60 members."
    assert len(found.core) == 0
    assert found.title == "no topic"


def test_settings_that_change_nothing_are_refused_once_and_sizes_of_weeks_are_not():
    days, links, _ = stream()
    with pytest.raises(ParameterError, match="relevant was set to 9 and changes nothing with ltb"):
        weeks(days, links, core=Core(size=16, relevant=9))
    found = weeks(
        days, links, core=Core(method="occc", iterations=7), sizes={_FIRST: 5}, background="uniform"
    )
    assert len(found[0].core) == 5
