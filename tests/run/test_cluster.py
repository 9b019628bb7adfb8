"""A Dask cluster of three processes on this machine: the same bytes as here, workers may die, data travels once."""

from __future__ import annotations

import asyncio
import threading
import time
import warnings
from pathlib import Path

import numpy as np
import pytest

from tests.cli.running import coterie as command
from tests.run.workers import Farm, farm

pytest.importorskip("distributed")

import coterie
from coterie.collect.samples import sample
from coterie.compare import Likelihood
from coterie.compare.sic import SIC
from coterie.core.errors import ClusterError, DataError, Interrupted, NotConverged, ParameterError
from coterie.core.workplace import Silent, using, workplace
from coterie.organize import MDC, Comraf
from coterie.parts.pairwise import pairwise
from coterie.parts.workers import _Begun, in_order
from coterie.run import cluster as module
from coterie.run.cluster import Cluster
from coterie.run.stored import Pieces


@pytest.fixture(scope="module")
def three(tmp_path_factory: pytest.TempPathFactory):
    with farm(tmp_path_factory.mktemp("farm"), 3) as found:
        yield found


@pytest.fixture(scope="module")
def joined(three: Farm):
    cluster = Cluster.at(three.address)
    cluster.client.wait_for_workers(3, timeout=60)
    yield cluster
    cluster.close()


@pytest.fixture(autouse=True)
def at_once(monkeypatch) -> None:
    """Nothing is tried here first: a task that was begun here counts as not done when it is looked at for the first time."""
    real = _Begun.done

    def later(begun: _Begun, until: float = 0.0) -> bool:
        if begun not in looked_at:
            looked_at.append(begun)
            return False
        return real(begun, until)

    looked_at: list[_Begun] = []
    monkeypatch.setattr("coterie.parts.workers._SOON", -1.0)
    monkeypatch.setattr(_Begun, "done", later)


def _sic(iterations: int = 40) -> bytes:
    found = SIC(diverter="hmm", n_iterations=iterations, stop=None, random_state=0).fit(
        sample("traces", 60).view()
    )
    return found.codes_.labels.tobytes()


def _likelihood() -> bytes:
    return np.asarray(
        Likelihood(random_state=0).fit(sample("traces", 300).view()).affinity_.values
    ).tobytes()


def _restarts() -> bytes:
    counts = np.random.default_rng(0).poisson(0.3, (150, 60))
    found = MDC(n_groups=4, restarts=5, random_state=0).fit(counts)
    return found.labels_.tobytes() + np.float64(found.objective_).tobytes()


def _shards() -> bytes:
    counts = np.random.default_rng(0).poisson(0.3, (500, 200))
    found = Comraf(n_groups=4, optimize="sharded", restarts=1, random_state=0).fit(counts)
    return found.labels_.tobytes() + np.float64(found.objective_).tobytes()


def _graph() -> bytes:
    from coterie.parts.pairwise import graph

    rows = np.random.default_rng(0).normal(size=(1200, 5))
    return graph(coterie.compare.Euclidean().fit(rows).affinity_, 7).values.data.tobytes()


def _em() -> bytes:
    from coterie.models import HMM

    found = HMM(n_states=3, random_state=0, max_iter=3).fit(sample("traces", 80).view())
    return b"".join(np.asarray(value).tobytes() for value in found.bank_.arrays().values())


@pytest.mark.parametrize(
    "work", [_sic, _likelihood, _restarts, _shards, _graph, _em], ids=lambda work: work.__name__[1:]
)
@pytest.mark.filterwarnings("ignore::coterie.core.errors.NotConverged")
def test_the_same_bytes_as_here(joined: Cluster, work, monkeypatch) -> None:
    monkeypatch.setattr("coterie.parts.hmm_training._WORTH", 0.0)
    monkeypatch.setattr("coterie.parts.hmm_training._FAR", 0.0)
    monkeypatch.setattr("coterie.parts.moves._SHARD", 64)
    here = work()
    before = joined.n_sent
    with coterie.using(cluster=joined):
        assert work() == here
    assert joined.n_sent > before


def test_workers_that_are_killed_change_nothing(three: Farm, joined: Cluster) -> None:
    here = _sic(400)
    with three.disturbed(joined.client, every=2.5) as moments, coterie.using(cluster=joined):
        for _ in range(
            4
        ):  # until some were killed in the midst of it, however fast this machine is
            assert _sic(400) == here
            if len(moments) >= 3:
                break
    assert moments
    joined.client.wait_for_workers(3, timeout=60)


def test_data_is_placed_once(joined: Cluster) -> None:
    rows = np.random.default_rng(0).normal(size=(2**17, 4))  # 4 MB

    def work(at: int) -> float:
        time.sleep(0.02)
        return float(rows[at].sum())

    before = joined.bytes_placed
    with coterie.using(cluster=joined):
        for _ in range(3):
            assert list(in_order(work, list(range(20)), "", travels=True)) == [
                work(at) for at in range(20)
            ]
    assert rows.nbytes <= joined.bytes_placed - before < 1.1 * rows.nbytes


def test_results_that_wait_for_their_turn_keep_to_a_share_of_the_memory() -> None:
    spread = module._Round(None, None, iter(()))
    spread.sent = {"first": module._Sent(0, None, None)}
    spread.last = 10
    with using(memory="40MB"):
        assert spread._room(4)  # nothing is known of their size
        spread.largest = 2_000_000
        assert not spread._room(4)  # 20 MB may come back before the first, of 10 that may wait
        spread.last = 5
        assert spread._room(4)


def test_sums_there_have_the_bits_of_here(joined: Cluster) -> None:
    rows = np.random.default_rng(0).normal(size=20_000)

    def work(at: int) -> tuple[float, np.ndarray]:
        time.sleep(0.02)
        return float(rows.sum()), rows[at:]

    with coterie.using(cluster=joined):
        found = list(in_order(work, list(range(4)), "", travels=True))
    assert [total for total, _ in found] == [float(rows.sum())] * 4
    assert [float(part.sum()) for _, part in found] == [
        float(rows[at:].copy().sum()) for at in range(4)
    ]
    assert all(part.flags.aligned for _, part in found)


def test_two_that_do_the_same_work_with_other_tasks_get_their_own_results(
    three: Farm, joined: Cluster
) -> None:
    def work(index: int, task: str) -> str:
        time.sleep(0.1)
        return f"{task}{index}"

    other = Cluster.at(three.address)
    try:
        one, two = (
            crew.spread(work, iter([(at, name) for at in range(6)]))
            for crew, name in ((joined, "a"), (other, "b"))
        )
        found = [next(one), next(two), *one, *two]  # both under way at once
    finally:
        other.close()
    assert sorted(finished.result for finished in found) == [
        f"{name}{at}" for name in "ab" for at in range(6)
    ]


def test_what_cannot_be_sent_is_one_sentence(joined: Cluster) -> None:
    lock = threading.Lock()

    def work(at: int) -> bool:
        time.sleep(0.02)
        return lock.locked()

    with (
        coterie.using(cluster=joined),
        pytest.raises(
            ClusterError,
            match=r"^This work cannot be sent to the cluster at tcp.*pickle.*; run it without\.$",
        ),
    ):
        list(in_order(work, [0, 1, 2], "", travels=True))


def test_clients_that_cannot_be_used_are_refused(three: Farm) -> None:
    from distributed import Client

    client = Client(three.address, set_as_default=False)
    client.close()
    with (
        pytest.raises(ClusterError, match="Client given is not connected"),
        coterie.using(cluster=client),
    ):
        pass

    async def awaited() -> None:
        async with Client(three.address, asynchronous=True, set_as_default=False) as other:
            with pytest.raises(ParameterError, match="asynchronous=False"):
                Cluster.at(other)

    asyncio.run(awaited())


def test_a_task_that_ends_its_workers_is_given_up(joined: Cluster, monkeypatch) -> None:
    from distributed import KilledWorker

    monkeypatch.setattr(module, "_DEADLY", 3)
    round_ = module._Round(joined, _nothing, iter(()))
    round_.placed = joined.placed(_nothing)
    round_._submit(7, None)
    with pytest.raises(
        ClusterError,
        match=r"that takes up task 7 dies; give the workers more memory, or fewer threads each",
    ):
        for _ in range(10):
            (sent,) = round_.sent.values()
            round_.sent.clear()
            round_.lost = 0  # others are done meanwhile
            round_._again(sent, KilledWorker(sent.future.key, None, 4))
    assert sent.deaths == 3


def _nothing(index: int, task: None) -> None:
    return None


def test_errors_and_warnings_come_back_as_they_are(joined: Cluster) -> None:
    def work(at: int) -> int:
        time.sleep(0.02)
        if at == 3:
            raise DataError("Row 3 is not a number.")
        warnings.warn(f"at {at}", NotConverged, stacklevel=2)
        return at

    with coterie.using(cluster=joined):
        with (
            pytest.raises(DataError, match=r"^Row 3 is not a number\.$"),
            warnings.catch_warnings(),
        ):
            warnings.simplefilter("ignore")
            list(in_order(work, list(range(6)), "", travels=True))
        with pytest.warns(NotConverged, match="at 2"):
            assert list(in_order(work, [0, 1, 2], "", travels=True)) == [0, 1, 2]


def test_workers_write_into_what_they_are_given_and_keep_to_one_thread(joined: Cluster) -> None:
    rows = np.zeros((2**14, 8))

    def work(at: int) -> tuple[bool, int, bool]:
        import threadpoolctl

        time.sleep(0.02)
        most = max((pool["num_threads"] for pool in threadpoolctl.threadpool_info()), default=1)
        return rows.flags.writeable, most, workplace().crew is None and workplace().workers == 1

    with coterie.using(cluster=joined):
        assert set(in_order(work, list(range(4)), "", travels=True)) == {(True, 1, True)}


class _Stops(Silent):
    """Asks for a stop after so many steps."""

    def __init__(self, after: int) -> None:
        self.left = after

    def begin(self, name: str, total: int | None) -> _Stops:
        return self

    def advance(self, steps: int = 1) -> None:
        self.left -= steps

    def wants_stop(self) -> bool:
        return self.left <= 0


def test_what_came_back_is_kept_here_and_goes_on_without_the_cluster(
    joined: Cluster, tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.setattr("coterie.parts.workers.WORTH", -1.0)
    rows = np.random.default_rng(0).normal(size=(1500, 3))
    calls: list[int] = []

    def tile(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        calls.append(1)
        return a @ b.T

    whole = pairwise(tile, rows, kind="similarity").values
    every = len(calls)
    with (
        coterie.using(cluster=joined),
        using(keeper=Pieces(tmp_path)),
        pytest.raises(Interrupted),
        using(watch=_Stops(2)),
    ):
        pairwise(tile, rows, kind="similarity")
    kept = len(Pieces(tmp_path))
    assert kept >= 2
    calls.clear()
    with using(keeper=Pieces(tmp_path), n_jobs=1):
        assert pairwise(tile, rows, kind="similarity").values.tobytes() == whole.tobytes()
    assert len(calls) == every - kept


def test_the_command_line_joins_a_cluster(three: Farm, tmp_path: Path) -> None:
    np.save(tmp_path / "rows.npy", sample("blobs", 60).view().values)
    for name, more in (("here", []), ("there", ["--cluster", three.address])):
        words = [
            "explore",
            str(tmp_path / "rows.npy"),
            "--store",
            str(tmp_path / name),
            "--progress",
            "silent",
            "--nulls",
            "2",
        ]
        found = command(*words, *more)
        assert found.code == 0, found.err
    files = [
        next((tmp_path / name).glob("*/labels.csv")).read_bytes() for name in ("here", "there")
    ]
    assert files[0] == files[1]


def test_no_scheduler_is_one_sentence(monkeypatch) -> None:
    from distributed import Client

    monkeypatch.setattr("coterie.run.joining._WAIT", 0.5)
    begun = time.monotonic()
    before = set(Client._instances)
    with (
        pytest.raises(
            ClusterError,
            match=r"No Dask scheduler answers at 'tcp://127.0.0.1:9' .* start one with: dask scheduler$",
        ),
        coterie.using(cluster="tcp://127.0.0.1:9"),
    ):
        pass
    assert time.monotonic() - begun < 20
    assert (
        set(Client._instances) <= before
    )  # no client that would be closed by whoever collects it, for seconds


@pytest.mark.parametrize(
    "given",
    [3, ["tcp://127.0.0.1:9"], object(), "", "here", "10.0.0.1", "foo://x:1", "/no/file.json"],
)
def test_what_is_no_cluster_is_refused(given) -> None:
    with (
        pytest.raises(ParameterError, match="cluster must be the address of a Dask scheduler"),
        coterie.using(cluster=given),
    ):
        pass


def test_a_cluster_without_workers_is_one_sentence(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(module, "_WAIT", 2.0)
    with (
        farm(tmp_path, 0) as empty,
        pytest.raises(ClusterError, match="has no workers; start some with: dask worker tcp://"),
    ):
        Cluster.at(empty.address)


def test_workers_of_another_version_are_refused(three: Farm, monkeypatch) -> None:
    monkeypatch.setattr(coterie, "__version__", "9.9")
    with pytest.raises(
        ClusterError, match=r"has coterie .* where this process has 9\.9, and results would differ"
    ):
        Cluster.at(three.address)


def test_a_scheduler_that_dies_ends_it_in_one_sentence(tmp_path: Path) -> None:
    from distributed import Client

    def work(at: int) -> int:
        time.sleep(0.2)
        return at

    with farm(tmp_path, 1) as one, Client(one.address, timeout=3, set_as_default=False) as client:
        client.wait_for_workers(1, timeout=60)
        with coterie.using(cluster=client):
            coming = in_order(work, list(range(100)), "", travels=True)
            assert next(coming) == 0
            one.scheduler.kill()
            begun = time.monotonic()
            with pytest.raises(
                ClusterError,
                match=r"^The scheduler of the cluster at tcp.* is gone; start it and go on with",
            ):
                list(coming)
            assert time.monotonic() - begun < 30


def test_workers_that_all_die_end_it_in_one_sentence(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(module, "_ALONE", 1.5)
    with farm(tmp_path, 1) as one, coterie.using(cluster=one.address):

        def work(at: int) -> int:
            time.sleep(0.2)
            return at

        coming = in_order(work, list(range(100)), "", travels=True)
        assert next(coming) == 0
        one.workers[0].kill()
        with pytest.raises(
            ClusterError, match="has no workers left; start workers and go on with coterie resume"
        ):
            list(coming)
