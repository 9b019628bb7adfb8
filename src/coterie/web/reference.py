"""The reference of the API: a page made from its own OpenAPI description, without any network."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from coterie.web.pages import page, render

router = APIRouter()


@router.get("/docs", include_in_schema=False)
async def reference(request: Request) -> Response:
    described: dict[str, Any] = request.app.openapi()

    def make() -> str:
        calls = [
            {
                "path": path,
                "method": method.upper(),
                "words": call.get("description") or call.get("summary", ""),
                "call": call,
            }
            for path, methods in sorted(described["paths"].items())
            for method, call in methods.items()
        ]
        return render("reference.html", title="API", here="docs", calls=calls)

    return await page(request, ("docs",), make)
