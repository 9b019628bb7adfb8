"""The gate: who may ask, by which name, with which token, and what every answer carries."""

from __future__ import annotations

import hmac
import re
import stat
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from coterie.core.errors import StoreError
from coterie.web import security
from coterie.web.app import make_app
from coterie.web.security import ACCESS, CSRF_HEADER, HEADERS, SESSION, Gate
from coterie.web.settings import Serving, is_loopback, new_token
from tests.web.raw import Answer, ask
from tests.web.serving import PORT, Visitor

HOST = ("host", f"127.0.0.1:{PORT}")
TOKEN = "a-token-that-was-printed-once"
PAGES = ("/collections", "/runs", "/compare", "/docs", "/new")
OF_RUN = (
    "",
    "/map",
    "/groups",
    "/groups/1",
    "/steer",
    "/words",
    "/core",
    "/search",
    "/mates",
    "/export",
    "/members/0",
)


async def echo(scope: Any, receive: Any, send: Any) -> None:
    """An application that reads everything and says what it was told."""
    body = b""
    more = True
    while more:
        message = await receive()
        body = body + message.get("body", b"")
        more = message.get("more_body", False)
    await send(
        {
            "type": "http.response.start",
            "status": 200,
            "headers": [(b"content-type", b"text/plain")],
        }
    )
    await send(
        {"type": "http.response.body", "body": f"{len(body)} {scope['state']['csrf']}".encode()}
    )


@pytest.fixture
def gate(tmp_path: Path) -> Gate:
    return Gate(echo, Serving(tmp_path, port=PORT, body=1000))


@pytest.fixture
def guarded(tmp_path: Path) -> Gate:
    return Gate(
        echo, Serving(tmp_path, host="0.0.0.0", port=PORT, token=TOKEN, names=("workshop.lan",))
    )


def session(gate: Gate, *more: tuple[str, str]) -> tuple[str, str]:
    """A session's cookie and the token of its forms."""
    answer = ask(gate, "/", [HOST, *more])
    assert answer.status == 200, answer.text
    found = re.match(rf"{SESSION}=([^;]+);", answer.all("set-cookie")[0])
    assert found
    return found[1], answer.text.split()[1]


def change(
    gate: Gate, *headers: tuple[str, str], path: str = "/api/x", method: str = "POST", chunks=(b"",)
) -> Answer:
    return ask(gate, path, [HOST, *headers], method, chunks)


# ---- host ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "LocalHost", "[::1]"])
def test_names_of_this_machine_are_known(gate: Gate, host: str) -> None:
    assert ask(gate, "/", [("host", f"{host}:{PORT}")]).status == 200


FOREIGN = [
    "",
    " ",
    ":",
    f":{PORT}",
    "evil.example",
    f"evil.example:{PORT}",
    f"127.0.0.1.evil.example:{PORT}",
    f"localhost.evil.example:{PORT}",
    f"evil.example:{PORT}@127.0.0.1",
    f"127.0.0.1:{PORT}@evil.example",
    f"127.0.0.1@evil.example:{PORT}",
    f"user@127.0.0.1:{PORT}",
    "127.0.0.1",
    "localhost",
    "127.0.0.1:",
    "127.0.0.1:80",
    f"127.0.0.1:0{PORT}",
    f"127.0.0.1:{PORT}1",
    f"127.0.0.1:{PORT} ",
    f"127.0.0.1:{PORT},evil.example",
    f"127.0.0.1:{PORT}/x",
    f"0.0.0.0:{PORT}",
    f"[::]:{PORT}",
    f"[::ffff:127.0.0.1]:{PORT}",
    f"127.1:{PORT}",
    f"2130706433:{PORT}",
    f"0x7f000001:{PORT}",
    f"0177.0.0.1:{PORT}",
    f"192.168.1.7:{PORT}",
    f"[fe80::1]:{PORT}",
    f"localhost.:{PORT}",
    f"localhost\x00:{PORT}",
    f"l\xf6calhost:{PORT}",
    f"xn--lcalhost-n4a:{PORT}",
    f"*:{PORT}",
    f"[]:{PORT}",
    f"http://127.0.0.1:{PORT}",
    f"127.0.0.1:{PORT}#",
    "a" * 5000,
    f"{'a.' * 3000}:{PORT}",
    f"127.0.0.1:{PORT}\tevil",
    "127.0.0.1:٨٤٧٠".encode().decode("latin-1"),
]


@pytest.mark.parametrize("host", FOREIGN, ids=range(len(FOREIGN)))
def test_a_foreign_name_is_refused_whatever_it_looks_like(gate: Gate, host: str) -> None:
    """A page elsewhere may point a name of its own at this machine; the name betrays it."""
    for method in ("GET", "HEAD", "OPTIONS", "POST", "TRACE"):
        answer = ask(gate, "/", [("host", host)], method)
        assert answer.status == 421, (method, answer.text)
        assert answer.all("set-cookie") == []


def test_no_host_two_hosts_and_names_given_elsewhere(gate: Gate) -> None:
    assert ask(gate, "/", []).status == 421
    assert ask(gate, "/", [HOST, HOST]).status == 400
    assert ask(gate, "/", [("host", "evil.example"), HOST]).status == 400
    for header in (
        "x-forwarded-host",
        "forwarded",
        "x-host",
        "x-original-host",
        "x-forwarded-for",
        "x-real-ip",
    ):
        assert ask(gate, "/", [("host", "evil.example"), (header, HOST[1])]).status == 421


def test_a_usual_port_need_not_be_named(tmp_path: Path) -> None:
    gate = Gate(echo, Serving(tmp_path, port=80))
    assert ask(gate, "/", [("host", "127.0.0.1")]).status == 200
    assert ask(gate, "/", [("host", "")]).status == 421
    assert ask(gate, "/", [("host", "evil.example")]).status == 421


def test_another_address_is_known_by_its_numbers_and_by_names_that_were_given(
    guarded: Gate,
) -> None:
    knows = ("authorization", f"Bearer {TOKEN}")
    for host, status in (
        ("192.168.1.7", 200),
        ("workshop.lan", 200),
        ("[fe80::1]", 200),
        ("evil.example", 421),
        ("workshop.lan.evil.example", 421),
    ):
        assert ask(guarded, "/", [("host", f"{host}:{PORT}"), knows]).status == status


# ---- the token ----------------------------------------------------------------------------------------------------


def test_loopback_alone_needs_no_token() -> None:
    assert [is_loopback(h) for h in ("127.0.0.1", "127.8.9.1", "::1", "localhost")] == [True] * 4
    foreign = (
        "0.0.0.0",
        "::",
        "",
        "192.168.1.7",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "evil",
    )
    assert [is_loopback(h) for h in foreign] == [False] * len(foreign)
    assert len({new_token() for _ in range(50)}) == 50
    assert min(len(new_token()) for _ in range(50)) >= 32


@pytest.mark.parametrize(
    "given",
    [
        [],
        [("authorization", "Bearer ")],
        [("authorization", TOKEN)],
        [("authorization", f"Basic {TOKEN}")],
        [("authorization", f"Bearer {TOKEN}x")],
        [("authorization", f"Bearer {TOKEN[:-1]}")],
        [("authorization", f"Bearer {TOKEN.upper()}")],
        [("authorization", "Bearer \xff\xfe")],
        [("cookie", f"{ACCESS}=")],
        [("cookie", f'{ACCESS}="{TOKEN}"')],
        [("cookie", f"x={TOKEN}")],
        [("cookie", f"{ACCESS}={TOKEN}x")],
        [("cookie", f"{ACCESS.upper()}={TOKEN}")],
        [("cookie", f"{ACCESS}{TOKEN}")],
        [("cookie", f"{ACCESS}=wrong; {ACCESS}=wronger")],
        [("x-token", TOKEN)],
        [("token", TOKEN)],
        [("referer", f"http://x/?token={TOKEN}")],
        [("cookie", "\x00" * 300)],
        [("cookie", ";=;=;" * 2000)],
        [("cookie", f"{ACCESS}={'a' * 9000}")],
        [("cookie", '"' + "\\" * 8000)],
    ],
)
def test_who_does_not_have_it_stays_outside(guarded: Gate, given: list[tuple[str, str]]) -> None:
    answer = ask(guarded, "/", [HOST, *given])
    assert answer.status == 401
    assert answer.all("set-cookie") == []
    assert TOKEN not in answer.text


@pytest.mark.parametrize(
    "query",
    [
        "token=",
        "token",
        "token=x",
        f"Token={TOKEN}",
        f"x={TOKEN}",
        f"token=x&token={TOKEN}",
        f"token={TOKEN}%00",
        "token=%ff%fe",
        f"{'a=1&' * 60}token={TOKEN}",
        f"token[]={TOKEN}",
        f"token={TOKEN}%20",
    ],
)
def test_a_wrong_token_in_the_address(guarded: Gate, query: str) -> None:
    assert ask(guarded, f"/?{query}", [HOST]).status == 401


def test_the_token_in_the_address_becomes_a_cookie_and_leaves_the_address(guarded: Gate) -> None:
    answer = ask(guarded, f"/runs?q=a%20b&token={TOKEN}&at=2", [HOST])
    assert answer.status == 303
    assert answer.one("location") == "/runs?q=a+b&at=2"
    cookie = answer.one("set-cookie")
    assert cookie.startswith(f"{ACCESS}={TOKEN};")
    assert {"HttpOnly", "SameSite=Strict", "Path=/"} <= {part.strip() for part in cookie.split(";")}
    assert "Domain" not in cookie
    assert ask(guarded, "/runs", [HOST, ("cookie", f"{ACCESS}={TOKEN}")]).status == 200
    assert ask(guarded, "/runs", [HOST, ("authorization", f"Bearer {TOKEN}")]).status == 200
    assert answer.one("referrer-policy") == "no-referrer"
    assert answer.one("cache-control") == "no-store"


@pytest.mark.parametrize(
    "path",
    [
        "//evil.example/",
        "/\\evil.example/",
        "///evil.example",
        "/%5cevil.example",
        "/%0d%0aset-cookie:%20a=b",
        "/%2f%2fevil.example",
        "/\\/evil.example",
        "/é",
        "/%00",
        "/%ed%a0%80",
    ],
)
def test_coming_in_leads_nowhere_else(guarded: Gate, path: str) -> None:
    where = ask(guarded, f"{path.encode().decode('latin-1')}?token={TOKEN}", [HOST]).one("location")
    assert where.startswith("/")
    assert not where.startswith(("//", "/\\"))
    assert where.isascii()
    assert where.isprintable()


def test_a_change_with_the_token_still_needs_the_forms_token(guarded: Gate) -> None:
    knows = ("authorization", f"Bearer {TOKEN}")
    assert change(guarded, knows).status == 403
    assert change(guarded, knows, path=f"/api/x?token={TOKEN}").status == 403
    cookie, csrf = session(guarded, knows)
    assert (
        change(guarded, knows, ("cookie", f"{SESSION}={cookie}"), (CSRF_HEADER, csrf)).status == 200
    )
    assert change(guarded, ("cookie", f"{SESSION}={cookie}"), (CSRF_HEADER, csrf)).status == 401


def test_secrets_are_compared_in_constant_time(
    guarded: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared: list[tuple[bytes, bytes]] = []

    def digest(a: bytes, b: bytes) -> bool:
        compared.append((a, b))
        return hmac.compare_digest(a, b)

    monkeypatch.setattr(
        security,
        "hmac",
        type(
            "Watched", (), {"compare_digest": staticmethod(digest), "new": staticmethod(hmac.new)}
        ),
    )
    knows = ("authorization", f"Bearer {TOKEN}")
    cookie, _ = session(guarded, knows)
    change(guarded, knows, ("cookie", f"{SESSION}={cookie}"), (CSRF_HEADER, "x" * 64))
    assert (TOKEN.encode(), TOKEN.encode()) in compared
    assert compared[-1][0] == b"x" * 64


# ---- sessions and forged forms ------------------------------------------------------------------------------------


def test_a_visitor_gets_a_session_that_scripts_cannot_read(gate: Gate) -> None:
    answer = ask(gate, "/", [HOST])
    parts = {part.strip() for part in answer.one("set-cookie").split(";")}
    assert {"HttpOnly", "SameSite=Strict", "Path=/"} <= parts
    cookie, _ = session(gate)
    assert ask(gate, "/", [HOST, ("cookie", f"{SESSION}={cookie}")]).all("set-cookie") == []
    assert session(gate)[0] != session(gate)[0]


@pytest.mark.parametrize(
    "cookie",
    [
        "",
        "short",
        "a" * 65,
        "a" * 20 + "!",
        "é" * 20,
        '"' + "a" * 20 + '"',
        "a" * 20 + " b",
        "\x00" * 20,
    ],
)
def test_a_session_that_was_never_given_is_replaced(gate: Gate, cookie: str) -> None:
    assert (
        ask(gate, "/", [HOST, ("cookie", f"{SESSION}={cookie}")])
        .one("set-cookie")
        .startswith(f"{SESSION}=")
    )


@pytest.mark.parametrize(
    "method", ["POST", "PUT", "DELETE", "PATCH", "TRACE", "CONNECT", "post", "BREW", "PROPFIND"]
)
def test_every_change_needs_the_token_of_its_session(gate: Gate, method: str) -> None:
    cookie, csrf = session(gate)
    other, theirs = session(gate)
    mine = ("cookie", f"{SESSION}={cookie}")
    assert csrf != theirs
    for forged in (
        [],
        [mine],
        [(CSRF_HEADER, csrf)],
        [mine, (CSRF_HEADER, theirs)],
        [mine, (CSRF_HEADER, "")],
        [mine, (CSRF_HEADER, csrf.upper())],
        [mine, (CSRF_HEADER, f" {csrf}")],
        [mine, (CSRF_HEADER, "\xff")],
        [mine, ("x-xsrf-token", csrf)],
        [mine, ("cookie", f"csrf={csrf}")],
        [("cookie", f"{SESSION}=; {SESSION}={other}"), (CSRF_HEADER, csrf)],
    ):
        assert change(gate, *forged, method=method).status == 403, forged
    assert (
        change(gate, mine, path=f"/api/x?csrf={csrf}&x-csrf-token={csrf}", method=method).status
        == 403
    )
    assert change(gate, mine, (CSRF_HEADER, csrf), (CSRF_HEADER, "x"), method=method).status == 400
    assert change(gate, mine, (CSRF_HEADER, csrf), method=method).status == 200


@pytest.mark.parametrize(
    "page",
    [
        ("origin", "http://evil.example"),
        ("origin", f"http://evil.example:{PORT}"),
        ("origin", "http://127.0.0.1:9999"),
        ("origin", "http://127.0.0.1"),
        ("origin", f"http://127.0.0.1:{PORT}.evil.example"),
        ("origin", "x"),
        ("origin", "file://"),
        ("origin", f"http://127.0.0.1:{PORT}@evil.example"),
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-site", "same-site"),
        ("sec-fetch-site", ""),
        ("sec-fetch-site", "same-origin, cross-site"),
    ],
)
def test_another_page_cannot_change_anything_even_with_the_token(
    gate: Gate, page: tuple[str, str]
) -> None:
    cookie, csrf = session(gate)
    answer = change(gate, ("cookie", f"{SESSION}={cookie}"), (CSRF_HEADER, csrf), page)
    assert answer.status == 403
    assert (
        ask(gate, "/", [HOST, page]).status == 200
    )  # looking is what the browser itself keeps apart


def test_our_own_page_may(gate: Gate) -> None:
    cookie, csrf = session(gate)
    mine = (("cookie", f"{SESSION}={cookie}"), (CSRF_HEADER, csrf))
    for origin in (f"http://127.0.0.1:{PORT}", f"http://localhost:{PORT}", f"http://[::1]:{PORT}"):
        assert (
            change(gate, *mine, ("origin", origin), ("sec-fetch-site", "same-origin")).status == 200
        )


def test_forms_live_on_when_the_server_is_started_again_and_not_in_another_store(
    tmp_path: Path,
) -> None:
    first = Gate(echo, Serving(tmp_path / "a", port=PORT))
    cookie, csrf = session(first)
    mine = (("cookie", f"{SESSION}={cookie}"), (CSRF_HEADER, csrf))
    assert change(Gate(echo, Serving(tmp_path / "a", port=PORT)), *mine).status == 200
    assert change(Gate(echo, Serving(tmp_path / "b", port=PORT)), *mine).status == 403


def test_the_key_is_for_its_owner_alone_and_a_damaged_one_is_a_sentence(tmp_path: Path) -> None:
    Gate(echo, Serving(tmp_path, port=PORT))
    key = tmp_path / ".web-secret"
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    assert len(key.read_bytes()) == 32
    key.write_bytes(b"short")
    with pytest.raises(StoreError, match=r"remove the file \.web-secret"):
        Gate(echo, Serving(tmp_path, port=PORT))


# ---- bodies -------------------------------------------------------------------------------------------------------


def test_bodies_are_limited_by_what_is_said_and_by_what_comes(gate: Gate) -> None:
    cookie, csrf = session(gate)
    mine = (("cookie", f"{SESSION}={cookie}"), (CSRF_HEADER, csrf))
    assert change(gate, *mine, ("content-length", "1000"), chunks=[b"x" * 1000]).text.startswith(
        "1000 "
    )
    assert change(gate, *mine, ("content-length", "1001")).status == 413
    assert change(gate, *mine, chunks=[b"x" * 300] * 4).status == 413  # no length at all
    assert change(gate, *mine, ("content-length", "5"), chunks=[b"x" * 1001]).status == 413  # a lie
    assert ask(gate, "/", [HOST], "GET", [b"x" * 1001]).status == 413


@pytest.mark.parametrize(
    "length",
    [
        "",
        "-1",
        "+5",
        "1e3",
        "0x10",
        " 5",
        "5 ",
        "٣".encode().decode("latin-1"),
        "5,5",
        "9" * 16,
        "9" * 5000,
        "NaN",
        "²".encode("latin-1").decode("latin-1"),
    ],
)
def test_a_length_that_is_none(gate: Gate, length: str) -> None:
    cookie, csrf = session(gate)
    answer = change(
        gate, ("cookie", f"{SESSION}={cookie}"), (CSRF_HEADER, csrf), ("content-length", length)
    )
    assert answer.status == 400


def test_only_files_that_are_sent_may_be_larger(gate: Gate) -> None:
    cookie, csrf = session(gate)
    mine = (("cookie", f"{SESSION}={cookie}"), (CSRF_HEADER, csrf))
    large = [b"x" * 5000]
    assert (
        change(gate, *mine, path="/api/uploads/u1/files?path=a", method="PUT", chunks=large).status
        == 200
    )
    assert (
        change(gate, *mine, path="/api/uploads/u1/files", method="POST", chunks=large).status == 413
    )
    assert (
        change(gate, *mine, path="/api/uploads/u1/done", method="PUT", chunks=large).status == 413
    )
    assert (
        change(
            gate, *mine, path="/api/runs?x=/api/uploads/u1/files", method="PUT", chunks=large
        ).status
        == 413
    )


def test_a_body_that_is_too_large_is_413_through_the_whole_application(visitor: Visitor) -> None:
    def pieces():
        yield b'{"name": "'
        for _ in range(30):
            yield b"x" * 100_000
        yield b'"}'

    headers = {CSRF_HEADER: visitor.token(), "content-type": "application/json"}
    answer = visitor.post("/api/collections", content=pieces(), headers=headers)
    assert answer.status_code == 413
    assert "larger" in answer.json()["detail"]


# ---- what every answer carries ------------------------------------------------------------------------------------


def shown(looking: Visitor) -> list[str]:
    found = [*PAGES]
    for record in looking.store.runs():
        found += [f"/runs/{record.name}{part}" for part in OF_RUN]
    return found


def test_every_answer_has_the_headers(looking: Visitor) -> None:
    for path in (
        *shown(looking)[:16],
        "/static/base.js",
        "/static/house.css",
        "/openapi.json",
        "/health",
        "/nowhere",
        "/api/nowhere",
        "/api/runs",
    ):
        answer = looking.get(path, headers={"accept": "text/html"})
        for name, value in HEADERS.items():
            assert answer.headers.get_list(name) == [value], (path, name)
        assert "server" not in answer.headers
        assert answer.headers["cache-control"] == (
            "no-cache" if path.startswith("/static") else "no-store"
        ), path
    for answer in (
        ask(Gate(echo, Serving(looking.store.folder, port=PORT)), "/", [("host", "x")]),
    ):
        assert {name: answer.one(name) for name in HEADERS} == HEADERS


def test_the_policy_forbids_what_is_written_into_a_page() -> None:
    policy = HEADERS["content-security-policy"]
    assert "unsafe" not in policy
    assert "*" not in policy
    assert "http" not in policy
    for rule in (
        "default-src 'none'",
        "script-src 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
        "form-action 'self'",
        "connect-src 'self'",
    ):
        assert rule in policy


class Inline(HTMLParser):
    """Finds what the policy would stop, and what would be fetched from elsewhere."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.open: str = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {key: value or "" for key, value in attrs}
        self.found += [f"{tag} {key}" for key in given if key.startswith("on") or key == "style"]
        for key in ("src", "href", "action", "formaction", "poster", "data", "srcset"):
            value = given.get(key, "").strip().lower()
            if value.startswith(("javascript:", "vbscript:")) or (
                tag != "a" and value.startswith(("http:", "https:", "//"))
            ):
                self.found.append(f"{tag} {key}={value[:60]}")
        if tag == "style" or (
            tag == "script" and "src" not in given and given.get("type") != "application/json"
        ):
            self.found.append(tag)
        if tag in ("iframe", "object", "embed", "base") and "sandbox" not in given:
            self.found.append(tag)
        if tag == "form" and given.get("method", "").lower() == "post":
            self.found.append("form post")


def test_no_page_has_anything_inline(looking: Visitor) -> None:
    seen = 0
    for path in shown(looking):
        answer = looking.get(path, headers={"accept": "text/html"})
        assert answer.status_code < 500, path
        reader = Inline()
        reader.feed(answer.text)
        assert reader.found == [], path
        assert str(looking.store.folder) not in answer.text, path
        seen += answer.status_code == 200
    assert seen >= 30


def test_templates_never_call_data_safe() -> None:
    folder = Path(security.__file__).parent / "templates"
    for path in folder.glob("*.html"):
        text = path.read_text()
        literal = re.sub(
            r"""'[^'{}]*'\s*\|\s*safe""", "", text
        )  # words of the template itself may be
        assert not re.findall(r"\|\s*safe", literal), path.name
        assert "autoescape false" not in text, path.name
        assert not re.findall(r"\son[a-z]+\s*=", text), path.name
        assert not re.findall(r"""\s[\w-]+=\{\{""", text), f"{path.name}: a value without quotes"


def test_scripts_never_make_markup_of_data() -> None:
    folder = Path(security.__file__).parent / "static"
    for path in folder.glob("*.js"):
        text = path.read_text()
        for word in (
            "eval(",
            "new Function",
            "document.write",
            "outerHTML =",
            "insertAdjacentHTML",
            'setTimeout("',
            "http://",
            "https://",
        ):
            found = [
                line
                for line in text.splitlines()
                if word in line and "http://www.w3.org/" not in line
            ]
            assert not found, (path.name, found)
        assert text.startswith("// @ts-check"), path.name


def test_an_error_shows_no_place_of_this_machine(visitor: Visitor) -> None:
    for path in (
        "/runs/none-1",
        "/api/runs/none-1/state",
        "/api/collections/none",
        "/static/none.js",
    ):
        answer = visitor.get(path, headers={"accept": "text/html"})
        assert answer.status_code == 404
        assert str(visitor.store.folder) not in answer.text
    answer = visitor.change(
        "/api/collections", {"source": str(visitor.store.folder / "nowhere" / "x.csv")}
    )
    assert str(visitor.store.folder) not in answer.text


def test_web_sockets_are_refused(tmp_path: Path) -> None:
    import asyncio

    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    asyncio.run(
        make_app(Serving(tmp_path, port=PORT))(
            {"type": "websocket", "path": "/", "headers": []}, None, send
        )
    )
    assert sent == [{"type": "websocket.close", "code": 1008}]
