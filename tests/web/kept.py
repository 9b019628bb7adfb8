"""Runs put into a store by hand: findings and a collection as they are, without any walk."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from coterie import Collection, Store
from coterie.core.findings import Findings
from coterie.run.stored import Run
from coterie.workflows.choices import Choices
from coterie.workflows.request import ExploreRequest
from tests.show import made


def kept(
    folder: Path,
    findings: Findings,
    collection: Collection | None = None,
    title: str = "made",
    **choices: Any,
) -> Run:
    """A finished run of these findings."""
    run = Store(folder).create(title, request=ExploreRequest(choices=Choices(**choices)))
    run.start()
    if collection is not None:
        run.save_collection(collection)
    run.save_findings(findings)
    run.finish()
    return run


def around(collection: Collection, k: int = 2) -> Findings:
    """Findings of k groups, evenly cut, for the members of a collection."""
    n = len(collection)
    base = made.findings(60, k)
    labels = np.arange(n) * k // n
    groups = [
        replace(
            group,
            size=int((labels == group.label).sum()),
            typical=(int(np.argmax(labels == group.label)),),
            doubtful=(),
        )
        for group in base.groups
    ]
    near = (np.arange(n)[:, None] + np.arange(1, min(n, 8))) % n
    return replace(
        base,
        ids=collection.ids,
        snippets=[f"line of {i}" for i in collection.ids],
        labels=labels,
        confidence=base.confidence[:n],
        map=base.map[:n],
        neighbors=near,
        nearness=np.linspace(0.9, 0.1, near.size).reshape(near.shape),
        matrix=base.matrix[:n, :n],
        matrix_members=np.arange(n),
        groups=groups,
        cards={},
    )
