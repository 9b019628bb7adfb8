"""All experiments one after another: each failure is one line, a table at the end, and a stopped run goes on where it was."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from coterie.cli.say import cut, table

if TYPE_CHECKING:
    from coterie_papers.experiment import Experiment, Result
    from coterie_papers.results import Results

_LINE = 160  # letters of a reason
_BROKE = "broke with"


@dataclass(frozen=True)
class Course:
    """Which experiments of a run over all of them are done, kept in a file until the last one is."""

    place: Path
    asked: dict[str, Any]

    def done(self) -> dict[str, list[str]]:
        """What is done, by experiment, where the file is of a run with the same settings."""
        try:
            told = json.loads(self.place.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return (
            dict(told["done"]) if isinstance(told, dict) and told.get("asked") == self.asked else {}
        )

    def add(self, done: dict[str, list[str]]) -> None:
        """Note what is done."""
        from coterie.run.bundle import make_folder, write_text

        make_folder(self.place.parent)
        write_text(self.place, json.dumps({"asked": self.asked, "done": done}, indent=1))

    def end(self) -> None:
        """All are done: the next run begins anew."""
        self.place.unlink(missing_ok=True)


def run_all(
    results: Results, run_one: Callable[[Experiment], Result], asked: dict[str, Any]
) -> None:
    """Run every experiment, tell each in a line, and all in a table; status 1 where one of them broke.

    `asked` are the settings: a run over all goes on where one with the same settings was stopped.
    """
    from coterie_papers import experiments

    course = Course(results.folder / ".all", asked)
    done = course.done()
    every = experiments.every()
    if done:
        click.echo(f"Going on: {len(done)} of {len(every)} were done before.")
    for at, experiment in enumerate(every, 1):
        if experiment.name in done:
            continue
        line = _one(experiment, run_one, results)
        click.echo(
            f"{at:>2} of {len(every)}  {experiment.name}: {', '.join(word for word in line if word)}"
        )
        done[experiment.name] = line
        course.add(done)
    click.echo()
    click.echo(
        table(["experiment", "how", "hold", "fail", "time"], [[name, *done[name]] for name in done])
    )
    ran = sum(line[0] == "run" for line in done.values())
    red = sum(int(line[2] or 0) for line in done.values())
    fail = "1 relation fails" if red == 1 else f"{red} relations fail"
    click.echo(f"\n{ran} of {len(every)} were run; {fail}. They are kept in: {results.folder}")
    course.end()
    if any(line[0].startswith(_BROKE) for line in done.values()):
        raise click.exceptions.Exit(1)


def _one(
    experiment: Experiment, run_one: Callable[[Experiment], Result], results: Results
) -> list[str]:
    """Run one and keep it; how it went, how many relations hold and fail, and how long it took."""
    from coterie.core.errors import CoterieError, Interrupted
    from coterie_papers import page

    begun = time.perf_counter()
    try:
        result = run_one(experiment)
    except Interrupted:
        raise
    except CoterieError as error:
        return [_short(str(error)), "", "", ""]
    except Exception as error:  # one that breaks must not keep the others from running
        return [_short(f"{_BROKE} {type(error).__name__}: {error}"), "", "", ""]
    place = results.keep(result)
    page.write(experiment, result, place.with_suffix(".html"))
    spent = time.perf_counter() - begun
    return ["run", str(result.held), str(len(result.relations) - result.held), f"{spent:,.0f} s"]


def _short(sentence: str) -> str:
    return cut(" ".join(sentence.split()), _LINE)
