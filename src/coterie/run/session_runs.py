"""A session made a run of its own: the groups a person came to are what is known of the members, and all else is found anew."""

from __future__ import annotations

from typing import Any

from coterie.core.errors import DataError
from coterie.organize.comraf.interactive import Session
from coterie.run.engine import Exploration, lay_down, open_run, ready, resume
from coterie.run.sessions import Sitting
from coterie.run.steered import Carried
from coterie.run.stored import Run
from coterie.workflows.hinted import GUIDED
from coterie.workflows.request import Refit, check_name, choose


def prepared(run: Run, session: Session, name: str | None = None) -> Run:
    """The run of the same members with the groups of a session as hints, laid down and not walked yet."""
    check_name(name)
    state = session.state
    if not state.doc_cluster:
        raise DataError("Nothing is clustered yet, and there is nothing to make a run of.")
    used = sorted(set(state.doc_cluster.values()))
    before = run.request
    choices = before.choices.to_json() | {"k": len(used)}
    if choices.get("organize") and str(choices["organize"]).partition("(")[0].strip() not in GUIDED:
        choices["organize"] = None  # it would take no hints
    request = before.but(
        choices=choose(choices),
        name=name,
        command=f"coterie steer {run.called}",
        origin=Refit(run=run.name, by="session"),
    )
    carried = Carried(session.labels, {at: state.group_names[at] for at in used})
    hints = {"labels": {one: state.group_names[at] for one, at in state.doc_cluster.items()}}
    members = ready(run.collection(), request, hints, carried)
    return lay_down(
        members, run.folder.parent, name or run.name.rpartition("-")[0] or None, carried
    )


def as_run(
    run: Run | str | None = None, *, store: Any = True, name: str | None = None
) -> Exploration:
    """The session of a run, made a run of its own and walked."""
    found = run if isinstance(run, Run) else open_run(run, store)
    return resume(prepared(found, Sitting(found).session(), name).name, store=found.folder.parent)
