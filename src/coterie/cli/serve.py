"""coterie serve: the web page over the store."""

from __future__ import annotations

import click

from coterie.cli.options import stored


@click.command("serve")
@stored
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=None,
    help="Port; 0 takes any free one.  [default: 8470 or the next]",
)
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="Address; any but this machine's own needs the printed token.",
)
@click.option("--open/--no-open", "opened", default=True, help="Open the page in the browser.")
@click.option(
    "--jobs",
    "at_once",
    type=click.IntRange(1, 64),
    default=1,
    show_default=True,
    help="Runs that work at the same time.",
)
@click.option(
    "--upload",
    type=click.IntRange(1, 1_000_000),
    default=2000,
    show_default=True,
    metavar="MB",
    help="Most of one upload.",
)
@click.option(
    "--name",
    "called",
    multiple=True,
    metavar="NAME",
    help="A further name this machine is reached by, with --host.",
)
def command(
    store: str | None,
    port: int | None,
    host: str,
    opened: bool,
    at_once: int,
    upload: int,
    called: tuple[str, ...],
) -> None:
    """Open a local page on the store: look at collections and runs, question them, and steer the next run.

    Everything stays on this machine: the page needs no network, and is served to this machine alone unless --host says otherwise.
    """
    from coterie.core.errors import need
    from coterie.run.stored import default_folder

    for library in ("fastapi", "uvicorn", "jinja2"):
        need(library, extra="web")
    import socket
    from pathlib import Path

    from coterie.web.serving import serve
    from coterie.web.settings import MEGA, Serving, is_loopback, new_token

    folder = Path(store).expanduser().absolute() if store else default_folder()
    local = is_loopback(host)
    token, names = (
        ("", ())
        if local
        else (new_token(), (socket.gethostname().lower(), *(one.lower() for one in called)))
    )
    serving = Serving(
        folder,
        host,
        8470 if port is None else port,
        token,
        upload=upload * MEGA,
        at_once=at_once,
        names=names,
    )
    serve(serving, open_browser=opened, port_given=port is not None, say=click.echo)
