"""coterie doctor: is everything well with the installation, the machine and the store."""

from __future__ import annotations

import click

from coterie.cli.options import stored

_COLOURS = {"ok": "green", "note": "yellow", "wrong": "red"}


@click.command("doctor")
@stored
@click.option("--json", "as_json", is_flag=True, help="Print what was found as JSON.")
def command(store: str | None, as_json: bool) -> None:
    """Look at the installation, the machine and the store, and say what is wrong and what to do.

    Every line is ok, note (it works, with something to know) or wrong. Ends with status 1 when something is wrong. Nothing is
    changed, in the store or elsewhere.
    """
    from coterie.run.doctor import examine

    if as_json:
        import json
        from dataclasses import asdict

        lines = list(examine(store))
        good = not any(line.state == "wrong" for line in lines)
        click.echo(json.dumps({"ok": good, "lines": [asdict(line) for line in lines]}, indent=1))
    else:
        lines = []
        for line in examine(store):
            lines.append(line)
            click.echo(
                f"{click.style(f'{line.state:<6}', fg=_COLOURS[line.state])} {line.area:<10} {line.sentence}"
            )
            if line.todo:
                click.echo(f"{'':<17} {line.todo}")
        wrong = sum(line.state == "wrong" for line in lines)
        said = {0: "Nothing is wrong.", 1: "One thing is wrong."}.get(
            wrong, f"{wrong} things are wrong."
        )
        click.echo(f"\n{click.style(said, bold=True)}")
    click.get_current_context().exit(int(any(line.state == "wrong" for line in lines)))
