"""Pictures and pages: the report of an exploration, and small pictures of maps, matrices, trees and timelines."""

from __future__ import annotations

from coterie.show.report import render, verdict, write

__all__ = ["render", "verdict", "write"]
