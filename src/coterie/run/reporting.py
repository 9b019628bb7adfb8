"""The report as a file: there whole or not at all, and a full disk is one clear sentence."""

from __future__ import annotations

from pathlib import Path

from coterie.core.findings import Findings
from coterie.run.atomic import AGAIN, make_folder, write_bytes
from coterie.show.report import render


def write_report(findings: Findings, path: str | Path, *, then: str = AGAIN) -> Path:
    """Write the HTML report; `then` says how to go on when it cannot be written. The path is given back."""
    target = Path(path)
    make_folder(target.parent, then=then)
    write_bytes(target, render(findings).encode("utf-8", "replace"), then=then)
    return target
