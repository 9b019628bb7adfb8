"""What is kept of a run's newest state alone, and that no edit brings a second copy of what it does not change."""

from __future__ import annotations

from pathlib import Path

from coterie.run.steering import Steering
from coterie.web.desk import Desk
from coterie.web.keeping import Versions, found_mark
from coterie.web.settings import Serving
from coterie.web.standing import standing_of


def test_a_new_state_lets_the_older_ones_of_the_same_owner_go() -> None:
    kept = Versions(10)
    for owner in ("one", "other"):
        for what in ("a", "b"):
            assert kept.of(owner, 1, what, lambda what=what: f"{what}1") == f"{what}1"
    assert kept.of("one", 2, "a", lambda: "a2") == "a2"
    assert set(kept._values) == {("other", 1, "a"), ("other", 1, "b"), ("one", 2, "a")}
    assert kept.of("one", 2, "a", lambda: "never made") == "a2"


def test_an_edit_keeps_one_copy_of_members_and_lines(store: Path) -> None:
    desk = Desk(Serving(store))
    run = desk.finished("mail-1")
    mark = found_mark(run)
    before = standing_of(desk, run)
    lines = before.lines
    Steering(run.name, store).rename(1, "mine")
    after = standing_of(desk, run)
    assert after is not before
    assert found_mark(run) == mark
    assert after.found is before.found
    assert after.lines is lines
