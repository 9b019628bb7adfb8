"""The gate: every request passes here first; foreign hosts, wrong tokens, forged forms and huge bodies go no further.

It is plain ASGI, in front of everything else, and answers by itself with 4xx where a request may not pass.
"""

from __future__ import annotations

import hashlib
import hmac
import html
import ipaddress
import os
import secrets
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, quote, urlencode

from starlette.exceptions import HTTPException

from coterie.core.errors import StoreError
from coterie.run.bundle import make_folder
from coterie.web.settings import Serving

SESSION = "coterie_session"
ACCESS = "coterie_access"
CSRF_HEADER = "x-csrf-token"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; media-src 'self'; "
    "connect-src 'self'; font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}
_BARE = (
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>coterie</title></head>'
    "<body><main><h1>coterie</h1><p>{sentence}</p></main></body></html>"
)
_ELSEWHERE = "This request comes from another page."
_SAFE = ("GET", "HEAD", "OPTIONS")
_ONCE = ("host", "origin", "content-length", CSRF_HEADER)  # headers that may come once only
_LONGEST = 15  # digits of a length
_UPLOADS = "/api/uploads/"  # files below this are counted by the one who takes them


class Gate:
    """Checks of host, token, origin, CSRF and size around an application; gives every visitor a session cookie."""

    def __init__(self, app: Any, serving: Serving) -> None:
        self.app = app
        self.serving = serving
        self.secret = _secret(serving.store)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            elif scope["type"] == "websocket":
                await send({"type": "websocket.close", "code": 1008})
            return
        lines = [
            (key.decode("latin-1").lower(), value.decode("latin-1"))
            for key, value in scope["headers"]
        ]
        headers = dict(lines)
        cookies = _cookies("; ".join(value for key, value in lines if key == "cookie"))
        if any(sum(key == one for key, _ in lines) > 1 for one in _ONCE):
            await _answer(send, 400, "A header came twice that may come once only.")
            return
        session = cookies.get(SESSION, "")
        fresh = not _well_formed(session)
        session = secrets.token_urlsafe(18) if fresh else session
        refused = self._refused(scope, headers, cookies, session, fresh)
        if refused is not None:
            await _answer(send, *refused, readable="text/html" in headers.get("accept", ""))
            return
        entering = self._entering(scope)
        if entering is not None:
            await _answer(
                send,
                303,
                "",
                [("location", entering), ("set-cookie", _cookie(ACCESS, self.serving.token))],
            )
            return
        scope["state"] = {**scope.get("state", {}), "csrf": self.csrf(session)}
        limited = receive if _uploads(scope) else _Limited(receive, self.serving.body)
        begun = False

        async def passed(message: Any) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = True
                said = {key.lower() for key, _ in message["headers"]}
                more = [
                    (k.encode(), v.encode()) for k, v in HEADERS.items() if k.encode() not in said
                ]
                if b"cache-control" not in said:
                    more.append((b"cache-control", b"no-store"))
                if fresh:
                    more.append((b"set-cookie", _cookie(SESSION, session).encode()))
                message = {**message, "headers": [*message["headers"], *more]}
            await send(message)

        try:
            await self.app(scope, limited, passed)
        except _TooLarge as error:
            if begun:
                raise
            await _answer(send, error.status_code, error.detail)

    def csrf(self, session: str) -> str:
        """The token that forms of this session carry; the same after the server was started again."""
        return hmac.new(
            self.secret, session.encode("latin-1", "replace"), hashlib.sha256
        ).hexdigest()

    def _refused(
        self,
        scope: Any,
        headers: dict[str, str],
        cookies: dict[str, str],
        session: str,
        fresh: bool,
    ) -> tuple[int, str] | None:
        """Why a request may not pass: a status and a sentence."""
        if not self._known_host(headers.get("host", "")):
            return 421, "This name of a host is not one this server is called by."
        if self.serving.token and not self._allowed(scope, headers, cookies):
            return (
                401,
                "This page needs its token: open the address that was printed when the server was started.",
            )
        site = headers.get("sec-fetch-site", "same-origin")
        if (
            scope["method"] in _SAFE
        ):  # another page may lead here, and may not ask behind a person's back
            led = headers.get("sec-fetch-mode", "navigate") == "navigate" and not scope[
                "path"
            ].startswith("/api/")
            return None if site in ("same-origin", "none") or led else (403, _ELSEWHERE)
        origin = headers.get("origin", "")
        if origin and origin != "null" and not self._known_host(origin.partition("://")[2]):
            return 403, _ELSEWHERE
        if site not in ("same-origin", "none"):
            return 403, _ELSEWHERE
        given = headers.get(CSRF_HEADER, "")
        if fresh or not hmac.compare_digest(
            given.encode("latin-1"), self.csrf(session).encode("latin-1")
        ):
            return 403, "This form is out of date; load the page again."
        length = headers.get("content-length", "0")
        if not length.isascii() or not length.isdigit() or len(length) > _LONGEST:
            return 400, "The length of this request is not a number."
        if not _uploads(scope) and int(length) > self.serving.body:
            return 413, _LARGE
        return None

    def _known_host(self, host: str) -> bool:
        """Whether the host of a request is ours: against pages that point a name of theirs at this machine."""
        name, _, port = (
            host.rpartition(":") if not host.endswith("]") and ":" in host else (host, "", "")
        )
        name = (name or host).strip("[]").lower()
        if port and port != str(self.serving.port):
            return False
        if not port and self.serving.port not in (80,):
            return False
        if name in (
            "127.0.0.1",
            "localhost",
            "::1",
            self.serving.host.lower(),
            *self.serving.names,
        ):
            return True
        try:  # a number is no name that could be pointed elsewhere
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return not self.serving.local

    def _allowed(self, scope: Any, headers: dict[str, str], cookies: dict[str, str]) -> bool:
        given = [cookies.get(ACCESS, "")]
        kind, _, value = headers.get("authorization", "").partition(" ")
        given.append(value.strip() if kind.lower() == "bearer" else "")
        given.append(_asked(scope).get("token", [""])[0])
        expected = self.serving.token.encode()
        return any(hmac.compare_digest(one.encode("utf-8", "replace"), expected) for one in given)

    def _entering(self, scope: Any) -> str | None:
        """Where a visit with the token in its address goes on, without it."""
        asked = _asked(scope)
        if not self.serving.token or scope["method"] != "GET" or "token" not in asked:
            return None
        rest = urlencode(
            [(key, value) for key, values in asked.items() if key != "token" for value in values]
        )
        path = "/" + quote(scope["path"].lstrip("/\\"), safe="/~")
        return f"{path}?{rest}" if rest else path


_LARGE = "This is larger than a request may be."


class _TooLarge(HTTPException):
    """More bytes came than were allowed."""

    def __init__(self) -> None:
        super().__init__(413, _LARGE)


class _Limited:
    """A body that may not grow beyond its limit, whatever its header says."""

    def __init__(self, receive: Any, most: int) -> None:
        self.receive = receive
        self.left = most

    async def __call__(self) -> Any:
        message = await self.receive()
        if message["type"] == "http.request":
            self.left -= len(message.get("body", b""))
            if self.left < 0:
                raise _TooLarge
        return message


def _asked(scope: Any) -> dict[str, list[str]]:
    try:
        return parse_qs(scope.get("query_string", b"").decode("latin-1"), max_num_fields=50)
    except ValueError:
        return {}


def _cookies(header: str) -> dict[str, str]:
    """Names and values as they were sent; ours hold nothing that would be quoted."""
    pairs = (part.strip().partition("=") for part in header.split(";"))
    return {name: value for name, _, value in pairs}


def _cookie(name: str, value: str) -> str:
    return f"{name}={value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=31536000"


def _uploads(scope: Any) -> bool:
    """Whether the body is a file that is sent here: streamed to its place, and counted there."""
    return (
        scope["method"] == "PUT"
        and scope["path"].startswith(_UPLOADS)
        and scope["path"].endswith("/files")
    )


def _well_formed(session: str) -> bool:
    return 16 <= len(session) <= 64 and all(
        c.isascii() and (c.isalnum() or c in "-_") for c in session
    )


async def _answer(
    send: Any,
    status: int,
    sentence: str,
    headers: list[tuple[str, str]] | None = None,
    *,
    readable: bool = False,
) -> None:
    """A sentence of the gate itself: as JSON, or as a bare page where a person reads it."""
    import json

    body = json.dumps({"detail": sentence}).encode() if sentence else b""
    if readable and sentence:
        body = _BARE.format(sentence=html.escape(sentence)).encode()
    kind = "text/html; charset=utf-8" if readable else "application/json"
    every = {
        "content-type": kind,
        "content-length": str(len(body)),
        "cache-control": "no-store",
        **HEADERS,
    }
    lines = [*every.items(), *(headers or [])]
    await send(
        {
            "type": "http.response.start",
            "status": status,
            "headers": [(k.encode(), v.encode()) for k, v in lines],
        }
    )
    await send({"type": "http.response.body", "body": body})


def _secret(store: Path) -> bytes:
    """The key of the forms' tokens, made once and kept in the store for its owner alone."""
    make_folder(store)
    place = store / ".web-secret"
    try:
        made = os.open(place, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    except FileExistsError:
        found = place.read_bytes()
        if len(found) == 32:
            return found
        raise StoreError(
            "The key of the page in the store is damaged; remove the file .web-secret there."
        ) from None
    except OSError as error:
        raise StoreError(
            f"The store cannot be written ({error.strerror}); the page needs to keep its key there."
        ) from error
    with os.fdopen(made, "wb") as file:
        file.write(secrets.token_bytes(32))
    return place.read_bytes()
