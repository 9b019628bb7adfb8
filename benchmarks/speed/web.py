"""The web page under load, and its map of 50,000 members in a real browser.

    python benchmarks/speed/web.py [--quick]

The times of 200 requests at once for pages of stored runs, over loopback, while a run computes in a worker (the bar is
300 ms at the 95th percentile), and beside it those of a page that does no work at all on the same server; and for a map of
50,000 members the first paint (the bar is 3 s), one lasso and the recoloring, as the page itself measures them. The second part
needs playwright and a Chromium (COTERIE_CHROMIUM).
"""

from __future__ import annotations

import asyncio
import importlib.util
import math
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import numpy as np
from timing import Row, quick, report

from coterie.core.collection import Collection
from coterie.core.table import Table
from coterie.run.engine import explore, load
from coterie.run.jobs import Jobs
from coterie.run.planned import plan_run
from coterie.run.store import Store
from coterie.workflows.request import ask

_AT_ONCE = 200
_ROUNDS = 5
_PAGES = ("", "/map", "/groups", "/groups/1", "/members/3", "/export", "/steer")
CHROMIUM = os.environ.get("COTERIE_CHROMIUM", "/usr/bin/chromium")


@contextmanager
def served(store: Path) -> Iterator[str]:
    """The page of a store in a process of its own."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [
        sys.executable,
        "-m",
        "coterie.cli.main",
        "serve",
        "--store",
        str(store),
        "--port",
        str(port),
        "--no-open",
    ]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(600):
            try:
                httpx.get(f"{address}/health", timeout=2)
                break
            except httpx.HTTPError:
                time.sleep(0.1)
        yield address
    finally:
        process.terminate()
        process.wait(15)


Wire = tuple[asyncio.StreamReader, asyncio.StreamWriter]


async def asked(wire: Wire, host: str, path: str) -> float:
    """Seconds until the whole answer is there; a client that costs little, for both share the cores."""
    reader, writer = wire
    begun = time.perf_counter()
    writer.write(f"GET {path} HTTP/1.1\r\nHost: {host}\r\nAccept: text/html\r\n\r\n".encode())
    head = await reader.readuntil(b"\r\n\r\n")
    status = head.split(b" ", 2)[1]
    length = head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0]
    await reader.readexactly(int(length))
    if status != b"200":
        raise SystemExit(f"{path} was answered with {status.decode()}")
    return time.perf_counter() - begun


async def rounds(address: str, pages: list[str], times: int) -> list[float]:
    """Rounds of 200 requests at the same time, by visitors who keep their connections as browsers do."""
    host = address.partition("//")[2]
    paths = [pages[number % len(pages)] for number in range(_AT_ONCE)]
    wires = [await asyncio.open_connection(*host.split(":"), limit=1 << 24) for _ in paths]
    found: list[float] = []
    for number in range(times + 1):
        taken = await asyncio.gather(
            *(asked(wire, host, path) for wire, path in zip(wires, paths, strict=True))
        )
        found += taken if number else []  # in the first round pages are made that are kept then
    for _, writer in wires:
        writer.close()
    return found


def said(name: str, seconds: list[float], limit: float | None = None, note: str = "") -> None:
    cuts = statistics.quantiles(seconds, n=100)
    note = f"median {1000 * cuts[49]:.0f} ms, most {1000 * max(seconds):.0f} ms{note}"
    size = f"95 of 100, {_AT_ONCE} at once while a run computes"
    report(Row("web", name, size, ours=1000 * cuts[94], unit="wall ms", limit=limit, note=note))


def under_load(folder: Path, short: bool) -> None:
    explore("sample:topics", store=folder, name="topics", nulls=2, max_k=9)
    explore("sample:mail", store=folder, name="mail", nulls=2, max_k=9)
    run = plan_run(ask("sample:topics", name="long", nulls=200, max_k=14), store=Store(folder))
    pages = [f"/runs/{name}{part}" for name in ("topics-1", "mail-1") for part in _PAGES]
    times = 1 if short else _ROUNDS
    with served(folder) as address:
        jobs = Jobs(folder)
        jobs.ask("walk", run.name, run.folder / "work" / "walk")
        while not jobs.live(jobs.of("walk", run.name) or sys.exit("there is no job")).get("tasks"):
            time.sleep(0.1)
        taken, none = (asyncio.run(rounds(address, asked, times)) for asked in (pages, ["/health"]))
        going = (jobs.of("walk", run.name) or sys.exit(1)).going
        note = f"; load {os.getloadavg()[0]:.1f}" + (
            "" if going else "; the run ended before the requests did"
        )
        said("pages of stored runs", taken, 300.0, note)
        said("a page that does no work", none)
        jobs.stop("walk", run.name)
        deadline = time.monotonic() + 60
        while (job := jobs.of("walk", run.name)) and job.going and time.monotonic() < deadline:
            time.sleep(0.1)


def large(folder: Path, n: int) -> str:
    """A finished run of many members: a small one is walked, and its members are said again with a little noise."""
    from dataclasses import replace

    small = explore("sample:blobs", store=folder, name="many", nulls=0, k=5)
    findings = load(small.run.name, store=folder).findings
    rng = np.random.default_rng(0)
    at = rng.integers(0, len(findings.ids), n)
    spread = np.ptp(np.asarray(findings.map), axis=0)
    groups = [
        replace(group, size=int((findings.labels[at] == group.label).sum()))
        for group in findings.groups
    ]
    many = replace(
        findings,
        ids=tuple(f"member-{i}" for i in range(n)),
        snippets=[findings.snippets[i] for i in at],
        groups=groups,
        labels=findings.labels[at],
        confidence=findings.confidence[at],
        map=np.asarray(findings.map)[at] + rng.normal(0, 0.02, (n, 2)) * spread,
        neighbors=findings.neighbors[at],
        nearness=findings.nearness[at],
        cards={},
        matrix=None,
        matrix_members=None,
    )
    run = Store(folder).open(small.run.name)
    run.save_collection(Collection(many.ids, {"table": Table(np.asarray(many.map), ("x", "y"))}))
    run.save_findings(many)
    return run.name


def on_the_map(folder: Path, n: int, times: int) -> None:
    if importlib.util.find_spec("playwright") is None or not Path(CHROMIUM).exists():
        report(
            Row(
                "web",
                "the map",
                f"{n} members",
                failed="there is no playwright or no Chromium here",
            )
        )
        return
    from playwright.sync_api import sync_playwright

    name = large(folder, n)
    args = [
        "--no-sandbox",
        "--disable-background-networking",
        "--disable-component-update",
        "--no-first-run",
    ]
    found: dict[str, list[float]] = {"first-paint": [], "lasso-ms": [], "recolor-ms": []}
    with served(folder) as address, sync_playwright() as session:
        browser = session.chromium.launch(executable_path=CHROMIUM, headless=True, args=args)
        for _ in range(times):
            context = browser.new_context(viewport={"width": 1280, "height": 900})
            page = context.new_page()
            page.goto(f"{address}/runs/{name}/map")
            page.wait_for_selector("#stage[data-ready]", timeout=60_000)
            _lasso(page)
            for color in ("confidence", "group"):
                page.select_option("#color", color)
                page.wait_for_timeout(300)
            for key, values in found.items():
                values.append(float(page.get_attribute("#stage", f"data-{key}") or "nan"))
            painter = page.get_attribute("#stage", "data-painter")
            context.close()
        browser.close()
    for key, values in found.items():
        name = key.removesuffix("-ms").replace("-", " ")
        limit = 3000.0 if key == "first-paint" else None
        note = f"{painter}; most {max(values):.0f} ms of {times}, the first visit makes the data"
        size = f"{n} members on the map, a browser without a screen"
        report(
            Row(
                "web",
                name,
                size,
                ours=statistics.median(values),
                unit="wall ms",
                limit=limit,
                note=note,
            )
        )


def _lasso(page: Any) -> None:
    page.check('input[value="lasso"]', force=True)
    box = page.locator("#over").bounding_box()
    x = box["x"] + box["width"] / 2
    y = box["y"] + box["height"] / 2
    r = box["height"] * 0.3
    page.mouse.move(x + r, y)
    page.mouse.down()
    for step in range(1, 41):
        page.mouse.move(
            x + r * math.cos(step * math.pi / 20), y + r * math.sin(step * math.pi / 20)
        )
    page.mouse.up()
    page.wait_for_timeout(500)


def main() -> None:
    if importlib.util.find_spec("fastapi") is None:
        report(Row("web", "pages of stored runs", failed="the extra coterie[web] is not installed"))
        return
    with tempfile.TemporaryDirectory() as folder:
        under_load(Path(folder) / "load", quick())
        on_the_map(Path(folder) / "map", 10_000 if quick() else 50_000, 1 if quick() else 5)


if __name__ == "__main__":
    main()
