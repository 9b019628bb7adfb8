"""The door `coterie`: commands are loaded when named, errors are one sentence, nothing heavy is imported for --help."""

from __future__ import annotations

import importlib
import sys
import warnings
from typing import Any

import click

ENTRY_POINTS = "coterie.commands"  # the group in which other distributions name their commands
# where a command is, and what it does; a name with no dot is a distribution that brings it by an entry point
COMMANDS: dict[str, tuple[str, str]] = {
    "explore": (
        "coterie.cli.explore",
        "Read a folder or file, group its members, store the run and write the report.",
    ),
    "cluster": (
        "coterie.cli.cluster",
        "Group members with what you know: a few labels, pairs that belong together or apart.",
    ),
    "steer": (
        "coterie.cli.steer",
        "Change the groups of a run by hand, or cluster by words that you name.",
    ),
    "replay": ("coterie.cli.replay", "Find the groups you made again in other data."),
    "core": (
        "coterie.cli.core",
        "Find the members that share one topic among others that do not, and what tells them.",
    ),
    "rerank": (
        "coterie.cli.rerank",
        "Put the results that share one topic first, and keep the order otherwise.",
    ),
    "categorize": (
        "coterie.cli.categorize",
        "Give the labels of some members to all others, and say how well that works.",
    ),
    "search": (
        "coterie.cli.search",
        "Find the members that answer a query, with the words around what was asked.",
    ),
    "mates": (
        "coterie.cli.mates",
        "Find the mates of members across views: translations, captions, and how well that works.",
    ),
    "compare": (
        "coterie.cli.compare",
        "Say how far the groups of two runs agree, which of them live on, and who moved.",
    ),
    "compare-systems": (
        "coterie.cli.compare_systems",
        "Say which of several systems is better, by how much, and whether that is more than luck.",
    ),
    "report": ("coterie.cli.report", "Write (again) the HTML report of a run and say where it is."),
    "runs": ("coterie.cli.runs", "List the stored runs."),
    "resume": ("coterie.cli.resume", "Go on with a run that was interrupted, where it stood."),
    "add": ("coterie.cli.add", "Place new members into a stored run without renaming its groups."),
    "neighbors": ("coterie.cli.neighbors", "Show the members nearest to one member of a run."),
    "explain": (
        "coterie.cli.explain",
        "Say why two members, or the members of a group, are alike.",
    ),
    "judge": ("coterie.cli.judge", "Measure a run against a column of truth."),
    "divergence": (
        "coterie.cli.divergence",
        "Say how far apart the rows of two files are, and test whether they differ.",
    ),
    "methods": (
        "coterie.cli.methods",
        "List the methods, or print what one takes, gives and can be told.",
    ),
    "reproduce": (
        "coterie-papers",
        "Run a published experiment and print the paper's numbers beside ours.",
    ),
    "serve": (
        "coterie.cli.serve",
        "Open a local web page on the store: look at runs, question them, steer the next one.",
    ),
    "doctor": (
        "coterie.cli.doctor",
        "Look at the installation, the machine and the store, and say what is wrong.",
    ),
    "demo": ("coterie.cli.demo", "Explore real data that is already on this machine."),
}


class Door(click.Group):
    """A group of commands that imports a command's file only when that command is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        where, _ = COMMANDS[cmd_name]
        if "." not in where:
            return load_from_distribution(cmd_name, where)
        command: click.Command = importlib.import_module(where).command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, sentence) for name, (_, sentence) in COMMANDS.items()])

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            import difflib

            near = difflib.get_close_matches(args[0], COMMANDS, n=2)
            hint = f" Did you mean {' or '.join(near)}?" if near else ""
            raise click.UsageError(f"There is no command '{args[0]}'.{hint}", ctx)
        return super().resolve_command(ctx, args)


def load_from_distribution(name: str, distribution: str) -> click.Command:
    """The command that another distribution brings; where it is not installed, the sentence says how to install it."""
    from importlib.metadata import entry_points

    for entry in entry_points(group=ENTRY_POINTS, name=name):
        command: click.Command = entry.load()
        return command

    from coterie.core.errors import MissingExtra

    folder = distribution.removeprefix("coterie-")
    raise MissingExtra(
        f"`coterie {name}` comes with {distribution}, which is not installed; bring it with: pip install {distribution} "
        f"(from a clone: pip install -e {folder})."
    )


_SAID: set[str] = set()  # warnings told in this process
_INTERRUPTED = "Interrupted; what was finished is kept (coterie runs, coterie resume)."


@click.group(
    cls=Door, context_settings={"help_option_names": ["-h", "--help"]}, invoke_without_command=True
)
@click.option("--version", is_flag=True, help="Print the version and end.")
@click.option(
    "--install-completion",
    type=click.Choice(["bash", "zsh", "fish"]),
    help="Print the line that turns on completion.",
)
@click.pass_context
def door(ctx: click.Context, version: bool, install_completion: str | None) -> None:
    """Give coterie a pile of unlabeled things; it learns how alike they are, groups them, and shows you the groups.

    \b
    Begin with:   coterie explore PATH      (or: coterie demo)
    """
    if version:
        from coterie import __version__

        click.echo(f"coterie {__version__}")
    elif install_completion:
        click.echo(_completion_line(install_completion))
    elif ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def _completion_line(shell: str) -> str:
    if shell == "fish":
        return "_COTERIE_COMPLETE=fish_source coterie | source"
    return f'eval "$(_COTERIE_COMPLETE={shell}_source coterie)"'


def main() -> None:
    """Run the command line; a mistake of the user is one sentence and exit status 2, never a traceback."""
    from coterie.run.progress import status, terminable

    try:
        with warnings.catch_warnings(), terminable():
            warnings.showwarning = _note  # type: ignore[assignment]
            code = door.main(standalone_mode=False, prog_name="coterie")
        sys.exit(code if isinstance(code, int) else 0)
    except click.exceptions.Abort as error:
        if isinstance(
            error.__cause__, KeyboardInterrupt
        ):  # click's word for it; without a cause it is a question refused
            click.echo(str(error.__cause__) or _INTERRUPTED, err=True)
        sys.exit(status())
    except click.ClickException as error:
        click.echo(_usage(error), err=True)
        sys.exit(error.exit_code)
    except KeyboardInterrupt as error:
        click.echo(str(error) or _INTERRUPTED, err=True)
        sys.exit(status())
    except Exception as error:
        _say(error, status())


def _note(message: Warning | str, category: type[Warning], *where: object) -> None:
    """A warning as one line, once; what a person at a terminal can do with it is in its sentence, not in a line of code."""
    said = " ".join(str(message).split())
    if said not in _SAID:
        _SAID.add(said)
        click.echo(click.style(f"note: {said}", dim=True), err=True)


def _usage(error: click.ClickException) -> str:
    """A wrong word on the command line in one line, with where to read on."""
    words = " ".join(error.format_message().split()).rstrip(".")
    where = (
        error.ctx.command_path if isinstance(error, click.UsageError) and error.ctx else "coterie"
    )
    return f"coterie: {words}" + ("" if words.endswith("?") else f"; see: {where} --help")


def _options() -> dict[str, str]:
    """The options of the command that was named, by their own names and by those of their parameters."""
    name = next((word for word in sys.argv[1:] if word in COMMANDS), None)
    command = door.get_command(click.Context(door), name) if name else None
    found = {}
    for one in command.params if command else []:
        if isinstance(one, click.Option) and one.name:
            option = max(one.opts, key=len)
            found[one.name] = found[option.lstrip("-").replace("-", "_")] = option
    return found


def _say(error: Exception, interrupted: int) -> None:
    from coterie.core.errors import CoterieError, Interrupted

    if isinstance(error, BrokenPipeError):
        sys.exit(0)
    if isinstance(error, MemoryError):
        click.echo(
            "coterie: There is not enough memory for this; give fewer members, or a method that keeps less.",
            err=True,
        )
    elif isinstance(error, CoterieError):
        from coterie.cli.say import say_error

        click.echo(f"coterie: {say_error(error, _options() if error.parameter else {})}", err=True)
    elif isinstance(error, OSError) and error.strerror:
        click.echo(f"coterie: {error.strerror}: '{error.filename or 'the disk'}'.", err=True)
    else:
        raise error
    sys.exit(interrupted if isinstance(error, Interrupted) else 2)


if __name__ == "__main__":
    main()
