"""Requests that mean harm: each is refused with 4xx and a sentence, and not one byte of the store is another afterwards."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from coterie.web.security import CSRF_HEADER
from tests.web.raw import ask, spoken
from tests.web.serving import PORT, Visitor, server

CLIMBS = (
    "..%2f..%2fetc%2fpasswd",
    "%2e%2e/%2e%2e/etc/passwd",
    "%2e%2e%2fetc%2fpasswd",
    "..%252f..%252fetc%252fpasswd",
    "....//....//etc/passwd",
    "..%5c..%5cwindows%5cwin.ini",
    "..\\..\\x",
    "%2fetc%2fpasswd",
    "//etc/passwd",
    "%00",
    "x%00.html",
    "x%00.js",
    "%c0%ae%c0%ae%c0%af",
    "%e0%80%ae%e0%80%ae/",
    "%uff0e%uff0e/",
    "%ff%fe",
    "..;/",
    "~root",
    "~",
    "$HOME",
    "file:%2f%2f%2fetc%2fpasswd",
    "C:%5cx",
    "%0d%0aset-cookie:%20a=b",
    "%0a",
    "a" * 300,
    "a" * 4000,
    "%ed%a0%80",
    "%f0%9f%98%80",
    "*",
    "[x]",
    "%25",
    "%",
)
NAMES = (
    "index.sqlite",
    ".jobs",
    ".web-secret",
    "uploads",
    "index.sqlite-wal",
    ".lock",
    "run.json",
    "latest",
    "topics",
    "topics-",
    "TOPICS-1",
    "Topics-1",
    "topics-1.",
    "topics-1%20",
    "%20topics-1",
    "topics-1%00",
    "topics-1%0a",
    "topics-1%2f",
    "topics-1%2f..%2fmail-1",
    "topics%2d1%2f",
    "topics-01",
    "none-1",
    "null",
    "undefined",
    "0",
    "-1",
    "--",
    "-",
    "__class__",
    "{{7*7}}",
    "%24%7b7*7%7d",
    "%27%20OR%201=1--",
    "%3Cscript%3Ealert(1)%3C%2fscript%3E",
    "ⅰ",
    "t%CC%80",
    "elsewhere-1",
    "loop-1",
)
PATHS = (
    "../x.txt",
    "a/../../x.txt",
    "/etc/passwd",
    "//x",
    "C:/x.txt",
    "a\\..\\x",
    "\\\\host\\share",
    "",
    " ",
    ".",
    "..",
    "a/",
    "/",
    "a//b",
    "./a",
    "a/./b",
    "a\x00b",
    "a\nb",
    "a\rb",
    "\x7f",
    "con",
    "NUL.txt",
    "lpt1",
    "aux.csv",
    ".part-x",
    "x" * 999,
    "/".join("a" * 30),
    "é" * 150,
    "a.",
    "a ",
    " a",
    "a/..",
    "..a/../..",
    "out/x.txt",
    "out",
    "sub/out/x.txt",
    "\u0085",
)
NUMBERS = (
    "-1",
    "1e9",
    "NaN",
    "Infinity",
    "0x1",
    "9" * 30,
    "9" * 5000,
    "1.5",
    "",
    "%00",
    "abc",
    "99999999",
    "١",
    "1_000",
    "true",
)
BAD_JSON = (
    b"",
    b"{",
    b"}",
    b"null",
    b"[]",
    b"1",
    b'"x"',
    b"NaN",
    b"-Infinity",
    b"true",
    b"\xff\xfe",
    b"\x00",
    b"'a'",
    b"{'a': 1}",
    b'{"a" 1}',
    b"[" * 50_000,
    b'{"a":' * 50_000,
    b"1" * 6000,
    b'"\\ud800"',
    b"<x/>",
    b"a=b&c=d",
    b"--x\r\n\r\n--x--",
    b'{"a": 1e999}x',
    b"\x1f\x8b\x08\x00",
)


def bytes_of(store: Path) -> dict[str, str]:
    """Every file of a store with a mark of its bytes; what SQLite keeps beside its file for itself is left out."""
    found = {}
    for place, folders, names in os.walk(store):
        for name in [*names, *(f"{folder}/" for folder in folders)]:
            path = Path(place, name)
            if not name.startswith("index.sqlite-"):
                plain = path.is_file() and not path.is_symlink()
                found[str(path.relative_to(store))] = (
                    hashlib.sha256(path.read_bytes()).hexdigest() if plain else "other"
                )
    return found


@pytest.fixture(scope="module")
def besieged(looked: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visitor]:
    """A visitor of a store that has links out of it, and a collection that waits for files."""
    import shutil

    folder = tmp_path_factory.mktemp("hostile")
    store = Path(shutil.copytree(looked, folder / "store"))
    outside = folder / "outside"
    outside.mkdir()
    (outside / "run.json").write_text('{"name": "secret"}')
    (outside / "secret.txt").write_text("a secret")
    (store / "elsewhere-1").symlink_to(outside)
    (store / "loop-1").symlink_to(store / "loop-1")
    with Visitor(store) as visitor:
        made = visitor.change("/api/collections", {"name": "hostile"})
        assert made.status_code == 201, made.text
        visitor.id = made.json()["id"]
        place = store / "uploads" / visitor.id
        first = visitor.put(
            f"/api/uploads/{visitor.id}/files?path=sub/fine.txt",
            content=b"fine",
            headers={CSRF_HEADER: visitor.token()},
        )
        assert first.status_code == 200, first.text
        landed = next(place.rglob("fine.txt")).parent
        (landed / "out").symlink_to(outside)
        (landed.parent / "out").symlink_to(outside)
        visitor.outside = outside
        yield visitor


class Siege:
    """Counts what was asked, and keeps what was not refused."""

    def __init__(self, visitor: Visitor) -> None:
        self.visitor = visitor
        self.asked = 0
        self.wrong: list[Any] = []
        self.before = bytes_of(visitor.store.folder)
        self.beyond = bytes_of(visitor.outside)

    def send(self, method: str, path: str, **how: Any) -> httpx.Response | None:
        self.asked += 1
        token = {CSRF_HEADER: self.visitor.token(), **how.pop("headers", {})}
        try:
            answer = self.visitor.request(
                method, path, headers=token, follow_redirects=False, **how
            )
        except httpx.InvalidURL:
            return None
        if not 400 <= answer.status_code < 500:
            self.wrong.append(
                (answer.status_code, method, path[:90], str(how)[:80], answer.text[:80])
            )
        for secret in ("root:x:", "a secret", str(self.visitor.store.folder), "Traceback"):
            if secret in answer.text:
                self.wrong.append(("told", secret, path[:90]))
        return answer

    def over(self, least: int) -> None:
        """Everything was refused, nothing was changed, and it was many."""
        assert not self.wrong, "\n".join(map(str, self.wrong[:40]))
        after = bytes_of(self.visitor.store.folder)
        assert {
            name: after.get(name)
            for name in after.keys() | self.before.keys()
            if after.get(name) != self.before.get(name)
        } == {}
        assert bytes_of(self.visitor.outside) == self.beyond
        assert self.asked >= least


def calls(visitor: Visitor, *methods: str) -> list[tuple[str, str, dict[str, Any]]]:
    """Method, path and description of every call of the API."""
    described = visitor.get("/openapi.json").json()["paths"]
    return [
        (m.upper(), path, call)
        for path, found in described.items()
        for m, call in found.items()
        if m.upper() in methods
    ]


def filled(path: str, name: str = "topics-1", other: str = "1") -> str:
    path = path.replace("{name}", name).replace("{form}", "csv")
    while "{" in path:
        a, _, rest = path.partition("{")
        path = a + other + rest.partition("}")[2]
    return path


def test_climbing_out(besieged: Visitor) -> None:
    siege = Siege(besieged)
    for climb in CLIMBS:
        for place in (
            "/static/{}",
            "/runs/{}/map",
            "/api/runs/{}/state",
            "/runs/{}/export/labels.csv",
            "/media/topics-1/{}/0.png",
            "/media/{}/0/0.wav",
            "/api/collections/{}",
            "/collections/{}/x",
            "/runs/topics-1/members/{}",
            "/runs/topics-1/export/{}",
            "/x/{}",
        ):
            siege.send("GET", place.format(climb))
    for raw in (
        "/static/../app.py",
        "/static//base.js",
        "/runs/topics-1/../../.web-secret",
        "/runs/..",
        "/runs/../health",
        "/./health",
        "//health",
        "/health/",
        "/runs/topics-1/",
        "/runs/topics-1//map",
        "/api/runs/topics-1/./state",
        "/.web-secret",
        "/.jobs/",
        "/index.sqlite",
    ):
        siege.asked += 1
        answer = ask(besieged.app, raw, [("host", f"127.0.0.1:{PORT}")])
        if answer.status != 404:
            siege.wrong.append((answer.status, raw))
    siege.over(350)


def test_names_that_are_no_runs(besieged: Visitor) -> None:
    siege = Siege(besieged)
    every = calls(besieged, "GET", "POST", "PUT", "DELETE")
    for name in NAMES:
        for method, path, call in every:
            if path.startswith(("/api/runs/{name}", "/runs/{name}")) and not path.endswith(
                "/events"
            ):
                body = {"json": {}} if "requestBody" in call else {}
                siege.send(method, filled(path, name), **body)
        for page in (
            "",
            "/map",
            "/groups",
            "/steer",
            "/words",
            "/core",
            "/search",
            "/mates",
            "/export",
            "/report",
        ):
            siege.send("GET", f"/runs/{name}{page}")
    siege.over(500)


def test_numbers_that_are_none(besieged: Visitor) -> None:
    siege = Siege(besieged)
    for number in NUMBERS:
        for path in (
            "/runs/topics-1/members/{}",
            "/api/runs/topics-1/members/{}",
            "/runs/topics-1/groups/{}",
            "/api/runs/topics-1/groups/{}/members",
            "/media/topics-1/{}/0.png",
            "/media/topics-1/0/{}.png",
            "/api/runs/topics-1/map/columns/{}",
        ):
            if number or not path.endswith("{}"):
                siege.send("GET", path.format(number))
    siege.over(100)


def test_a_forged_form_changes_nothing_anywhere(besieged: Visitor) -> None:
    siege = Siege(besieged)
    for method, path, _ in calls(besieged, "POST", "PUT", "DELETE", "PATCH"):
        for name in ("topics-1", "mail-1", besieged.id):
            for forged in (
                {CSRF_HEADER: ""},
                {CSRF_HEADER: "0" * 64},
                {"origin": "http://evil.example"},
                {"sec-fetch-site": "cross-site"},
            ):
                answer = siege.send(method, filled(path, name), json={}, headers=forged)
                assert answer is not None
                assert answer.status_code == 403
    siege.over(150)


def test_a_foreign_host_sees_nothing(besieged: Visitor) -> None:
    siege = Siege(besieged)
    for method, path, _ in calls(besieged, "GET", "POST", "PUT", "DELETE"):
        for host in ("evil.example", f"evil.example:{PORT}", f"0.0.0.0:{PORT}"):
            answer = siege.send(method, filled(path), headers={"host": host})
            assert answer is not None
            assert answer.status_code == 421
            assert not answer.headers.get_list("access-control-allow-origin")
    siege.over(100)


def test_bodies_that_are_no_json(besieged: Visitor) -> None:
    siege = Siege(besieged)
    for method, path, call in calls(besieged, "POST", "PUT", "DELETE"):
        taken = call.get("requestBody", {})
        if taken.get("required") and "application/json" in taken["content"]:
            for body in BAD_JSON:
                siege.send(
                    method, filled(path), content=body, headers={"content-type": "application/json"}
                )
            for kind in (
                "text/plain",
                "application/xml",
                "application/x-www-form-urlencoded",
                "multipart/form-data; boundary=x",
                "",
            ):
                siege.send(
                    method,
                    filled(path),
                    content=b'{"a": NaN, "a": }',
                    headers={"content-type": kind},
                )
    siege.over(200)


ODD: tuple[Any, ...] = (
    None,
    True,
    -1,
    2**63,
    10**30,
    1.5,
    "",
    "x" * 100_000,
    "\x00",
    "<script>alert(1)</script>" * 99,
    [],
    [[]],
    {},
    {"$": 1},
    [None],
    [-1],
    [2**70],
    ["x"] * 9,
)


def test_values_of_the_wrong_kind(besieged: Visitor) -> None:
    """Every field of every body is filled with what it cannot be; what happens to fit must do no harm either."""
    siege = Siege(besieged)
    schemas = besieged.get("/openapi.json").json()["components"]["schemas"]
    for method, path, call in calls(besieged, "POST", "PUT"):
        content = call.get("requestBody", {}).get("content", {}).get("application/json", {})
        shape = schemas.get(content.get("schema", {}).get("$ref", "").rpartition("/")[2], {})
        for field in shape.get("properties", {}):
            for value in ODD:
                siege.asked += 1
                raw = json.dumps({**dict.fromkeys(shape.get("required", ())), field: value})
                answer = besieged.request(
                    method,
                    filled(path, "none-1"),
                    content=raw,
                    headers={CSRF_HEADER: besieged.token(), "content-type": "application/json"},
                )
                if answer.status_code >= 500:
                    siege.wrong.append((method, path, field, str(value)[:40]))
    made = besieged.get("/api/collections").json()
    for one in made:
        if one["id"] != besieged.id:
            besieged.change(f"/api/collections/{one['id']}", method="DELETE")
    assert siege.wrong == []
    assert siege.asked > 100


def test_wrong_ways_to_ask(besieged: Visitor) -> None:
    siege = Siege(besieged)
    paths = besieged.get("/openapi.json").json()["paths"]
    for path, found in paths.items():
        for method in (
            "GET",
            "POST",
            "PUT",
            "DELETE",
            "PATCH",
            "OPTIONS",
            "TRACE",
            "PROPFIND",
            "BREW",
        ):
            if method.lower() not in found and not (method == "GET" and path.endswith("/files")):
                siege.send(method, filled(path, "none-1"))
    for method in ("POST", "PUT", "DELETE", "PATCH", "TRACE"):
        for page in (
            "/runs",
            "/collections",
            "/runs/topics-1",
            "/runs/topics-1/map",
            "/static/base.js",
            "/docs",
            "/openapi.json",
            "/",
        ):
            siege.send(method, page)
    siege.over(200)


def test_files_that_would_lie_elsewhere(besieged: Visitor) -> None:
    siege = Siege(besieged)
    for path in PATHS:
        siege.send("PUT", f"/api/uploads/{besieged.id}/files", params={"path": path}, content=b"x")
    for name in (
        *NAMES[:8],
        "..",
        "%2e%2e",
        "..%2f..",
        besieged.id + "%00",
        besieged.id.upper() + "x",
        "topics-1",
    ):
        siege.send("PUT", f"/api/uploads/{name}/files", params={"path": "a.txt"}, content=b"x")
    siege.send("PUT", f"/api/uploads/{besieged.id}/files", content=b"x")
    siege.over(45)


def test_an_upload_beyond_its_limits_leaves_nothing(store: Path) -> None:
    with Visitor(store, upload=10_000, files=2) as visitor:
        name = visitor.change("/api/collections", {"name": "small"}).json()["id"]
        token = {CSRF_HEADER: visitor.token()}
        before = bytes_of(store)

        def pieces() -> Iterator[bytes]:
            for _ in range(50):
                yield b"x" * 1000

        assert (
            visitor.put(
                f"/api/uploads/{name}/files?path=a", content=pieces(), headers=token
            ).status_code
            == 413
        )
        assert {path: mark for path, mark in bytes_of(store).items() if not path.endswith("/")} == {
            path: mark for path, mark in before.items() if not path.endswith("/")
        }
        for path, status in (("a", 200), ("b", 200), ("c", 413), ("b", 200)):
            assert (
                visitor.put(
                    f"/api/uploads/{name}/files?path={path}", content=b"x", headers=token
                ).status_code
                == status
            ), path
        assert (
            visitor.put(
                f"/api/uploads/{name}/files?path=a", content=b"x" * 10_001, headers=token
            ).status_code
            == 413
        )


def test_looking_changes_nothing(besieged: Visitor) -> None:
    before = bytes_of(besieged.store.folder)
    for _, path, _ in calls(besieged, "GET"):
        if not path.endswith("/events"):
            for name in ("topics-1", "letters-1"):
                answer = besieged.get(filled(path, name))
                assert answer.status_code < 500, (path, answer.text[:200])
                assert besieged.head(filled(path, name)).status_code < 500
    assert bytes_of(besieged.store.folder) == before


def test_script_in_an_address_comes_back_as_text(besieged: Visitor) -> None:
    bad = "%22%3E%3Cscript%3Ealert(1)%3C/script%3E%3Cimg%20src=x%20onerror=alert(1)%3E"
    for path in (
        f"/runs?q={bad}",
        f"/runs/topics-1/search?q={bad}",
        f"/compare?first={bad}&second={bad}",
        f"/new?collection={bad}",
        f"/new?run={bad}",
        f"/{bad}",
        f"/runs/{bad}",
        f"/collections/{bad}",
        f"/runs/topics-1/map?painter={bad}",
        f"/runs/topics-1/groups?sort={bad}",
        f"/docs?{bad}",
        f"/runs/letters-1/mates?text={bad}",
    ):
        answer = besieged.get(path, headers={"accept": "text/html"})
        assert answer.status_code < 500, path
        assert "<script>alert" not in answer.text, path
        assert "<img src=x" not in answer.text, path


# ---- on the wire --------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with server(tmp_path_factory.mktemp("wire") / "store") as found:
        yield found


def test_bytes_that_are_no_requests(address: str) -> None:
    host = address.partition("//")[2].encode()
    good = b"Host: " + host + b"\r\n"
    for said in (
        b"\r\n\r\n",
        b"GET\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x00" * 60,
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\n" + good + good + b"\r\n",
        b"GET / HTTP/1.1\r\nHost: evil.example\r\n" + good + b"\r\n",
        b"GET / HTTP/1.0\r\n\r\n",
        b"GET http://evil.example/runs HTTP/1.1\r\n" + good + b"\r\n",
        b"GET http://evil.example/runs HTTP/1.1\r\nHost: evil.example\r\n\r\n",
        b"POST /api/collections HTTP/1.1\r\n"
        + good
        + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef",
        b"POST /api/collections HTTP/1.1\r\n"
        + good
        + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /x HTTP/1.1\r\n\r\n",
        b"POST /api/collections HTTP/1.1\r\n"
        + good
        + b"Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\nx",
        b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\n" + good + b"\r\n",
        b"GET / HTTP/1.1\r\n" + good + b"X-A: " + b"a" * 100_000 + b"\r\n\r\n",
        b"GET / HTTP/1.1\r\n" + good + b"".join(b"X-%d: a\r\n" % n for n in range(9000)) + b"\r\n",
        b"GET / HTTP/1.1\r\n" + good + b"X-A: a\x00b\r\n\r\n",
        b"GET / HTTP/1.1\r\n" + good + b" folded: x\r\n\r\n",
        b"GET /%00 HTTP/1.1\r\n" + good + b"\r\n",
        b"CONNECT evil.example:443 HTTP/1.1\r\n" + good + b"\r\n",
        b"TRACE / HTTP/1.1\r\n" + good + b"Cookie: a=b\r\n\r\n",
        b"* * *\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"GET / HTTP/1.1\r\n"
        + good
        + b"Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: eA==\r\nSec-WebSocket-Version: 13\r\n\r\n",
    ):
        answer = spoken(address, said)
        first = answer.split(b"\r\n")[0]
        assert (
            not answer
            or b" 4" in first
            or (b" 303 " in first and len(said) > 90_000)
            or (b" 303 " in first and b"websocket" in said)
        ), (said[:60], answer[:200])
        assert b"Traceback" not in answer
    assert httpx.get(f"{address}/health", timeout=10).status_code == 200


def test_a_connection_that_says_little_holds_up_nobody(address: str) -> None:
    import socket

    where = httpx.URL(address)
    slow = [socket.create_connection((where.host, where.port or 80), timeout=10) for _ in range(60)]
    try:
        for wire in slow:
            wire.sendall(b"POST /api/collections HTTP/1.1\r\nHost: ")
        assert httpx.get(f"{address}/health", timeout=10).status_code == 200
    finally:
        for wire in slow:
            wire.close()


def test_it_listens_on_this_machine_alone(address: str) -> None:
    port = httpx.URL(address).port
    lines = [
        line.split()
        for name in ("tcp", "tcp6")
        if Path(f"/proc/net/{name}").exists()
        for line in Path(f"/proc/net/{name}").read_text().splitlines()[1:]
    ]
    mine = {
        line[1].partition(":")[0]
        for line in lines
        if line[3] == "0A" and int(line[1].rpartition(":")[2], 16) == port
    }
    assert mine == {"0100007F"}


def test_duplicates_of_a_header_and_odd_bytes_in_them(besieged: Visitor) -> None:
    good = ("host", f"127.0.0.1:{PORT}")
    for more in (
        [good],
        [("origin", "a"), ("origin", "b")],
        [("content-length", "1"), ("content-length", "1")],
    ):
        assert ask(besieged.app, "/docs", [good, *more]).status == 400
    for name in (
        "accept",
        "cookie",
        "user-agent",
        "range",
        "if-none-match",
        "accept-encoding",
        "authorization",
        "x-http-method-override",
    ):
        for value in ("\x00", "\xff" * 100, "DELETE", "bytes=-1-,9" * 99, "a" * 20_000):
            assert ask(besieged.app, "/docs", [good, (name, value)]).status == 200
