"""Many at once while a run computes: every one of 200 requests is answered, and none waits for the work."""

from __future__ import annotations

import asyncio
import shutil
import time
from pathlib import Path

import httpx
import pytest

from coterie import Store
from coterie.run.jobs import Jobs
from tests.planning import plan
from tests.waiting import until
from tests.web.processes import Caller, Served

PAGES = (
    "/runs",
    "/runs/topics-1",
    "/runs/topics-1/map",
    "/runs/topics-1/groups",
    "/runs/topics-1/groups/1",
    "/runs/mail-1",
    "/runs/mail-1/groups",
    "/runs/topics-1/members/3",
    "/runs/topics-1/export",
    "/runs/traces-1",
    "/api/runs",
    "/api/runs/topics-1/map.bin",
    "/api/runs/topics-1/members/3",
    "/runs/mixed-1/steer",
    "/collections",
    "/compare?first=topics-1&second=mail-1",
)
_LONGEST = 20.0  # seconds; how fast it is, is said by benchmarks/speed/web.py


async def together(address: str, paths: list[str]) -> list[tuple[str, int, float]]:
    """All of these at the same time: path, status and seconds of each."""
    limits = httpx.Limits(max_connections=len(paths))
    async with httpx.AsyncClient(base_url=address, timeout=60, limits=limits) as visitors:

        async def one(path: str) -> tuple[str, int, float]:
            begun = time.perf_counter()
            answer = await visitors.get(path, headers={"accept": "text/html"})
            return path, answer.status_code, time.perf_counter() - begun

        return list(await asyncio.gather(*(one(path) for path in paths)))


def test_two_hundred_at_once_while_a_run_computes(
    looked: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = Path(shutil.copytree(looked, tmp_path / "store"))
    run = plan(
        "sample:topics", store=Store(store), name="long", organize="Spectral", nulls=900, max_k=9
    )
    with Served(store) as served:
        visitor = Caller(served.address)
        statuses = {
            path: visitor.get(path, headers={"accept": "text/html"}).status_code for path in PAGES
        }
        assert set(statuses.values()) <= {200, 404, 422}, (
            statuses
        )  # a comparison of runs that share nobody is refused
        assert sum(status == 200 for status in statuses.values()) >= len(PAGES) - 1
        assert visitor.change(f"/api/runs/{run.name}/resume").status_code == 200
        jobs = Jobs(store)
        until(lambda: (job := jobs.of("walk", run.name)) and jobs.live(job).get("tasks"))
        found = asyncio.run(
            together(served.address, [PAGES[number % len(PAGES)] for number in range(200)])
        )
        assert visitor.get(f"/api/runs/{run.name}/state").json()[
            "going"
        ]  # it was at work all the time
        visitor.change(f"/api/runs/{run.name}/pause")
        until(lambda: not visitor.get(f"/api/runs/{run.name}/state").json()["going"])
    assert [(path, status) for path, status, _ in found if status != statuses[path]] == []
    seconds = sorted(taken for _, _, taken in found)
    with capsys.disabled():
        print(
            f"\n  200 at once while a run computes: median {1000 * seconds[100]:.0f} ms, p95 {1000 * seconds[190]:.0f} ms"
        )
    assert seconds[190] < _LONGEST
