"""Findings made by hand for the tests: clear groups, none, many members, sequences, hostile strings."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.neighbors import NearestNeighbors

from coterie.core.findings import Evidence, Findings, Group, Overview, Step

TOPICS = (
    (
        "Road and rail",
        ("lane", "tunnel", "tram", "signal", "detour", "platform", "timetable", "bridge"),
    ),
    ("Harvest", ("barley", "orchard", "frost", "yield", "seed", "tractor", "barn", "irrigation")),
    (
        "Chamber music",
        ("quartet", "viola", "rehearsal", "bow", "adagio", "encore", "score", "cellist"),
    ),
    (
        "Night sky",
        ("nebula", "eclipse", "telescope", "orbit", "comet", "aperture", "meteor", "dome"),
    ),
    ("Bread", ("sourdough", "crust", "oven", "rye", "starter", "crumb", "flour", "proof")),
)
HOSTILE = (
    "<script>window.owned = 1</script>",
    "</script><img src=x onerror=window.owned=1>",
    "\"quotes\" 'and' & more",
    "line\u2028separator\u2029paragraph",
    "\u202eright to left override",
    "שלום עולם مرحبا بالعالم",
    "emoji 👩‍👩‍👧‍👦🏳️‍🌈",
    "id" * 2000,
    "null\x00bell\x07",
    "lone \ud800 surrogate",
    "<!-- comment --> $style ${data} %s {0}",
    "javascript:alert(1)",
    "",
    "   ",
)


def positions(rng: np.random.Generator, labels: np.ndarray, k: int, spread: float) -> np.ndarray:
    angle = 2 * np.pi * np.arange(max(k, 1)) / max(k, 1)
    middle = np.column_stack([np.cos(angle) * 1.35, np.sin(angle)]) * (5 if k > 1 else 0)
    return middle[np.maximum(labels, 0)] + rng.normal(0, spread, (len(labels), 2))


def confidences(where: np.ndarray, labels: np.ndarray, k: int) -> np.ndarray:
    middle = np.array([where[labels == g].mean(axis=0) for g in range(k)])
    far = np.sort(((where[:, None, :] - middle) ** 2).sum(axis=2), axis=1)
    return 1 - far[:, 0] / (far[:, 1] if k > 1 else far[:, 0].max() * 1.3)


def findings(
    n: int = 300, k: int = 5, *, structured: bool = True, seed: int = 0, **more: Any
) -> Findings:
    """A complete Findings of n members in k groups; `more` replaces any of its fields."""
    rng = np.random.default_rng(seed)
    labels = np.sort(rng.integers(0, k, n))
    where = positions(rng, labels, k, 1.15 if structured else 1.6)
    sure = confidences(where, labels, k)
    near = min(8, n - 1)
    distance, neighbors = NearestNeighbors(n_neighbors=near + 1).fit(where).kneighbors(where)
    members = np.sort(rng.choice(n, min(n, 240), replace=False))
    gap = np.sqrt(((where[members][:, None] - where[members][None]) ** 2).sum(axis=2))
    words = [TOPICS[int(g) % 5][1] for g in labels]
    ids = [f"letter-{i:05d}.eml" for i in range(n)]
    snippets = [
        "About the "
        + ", the ".join(rng.choice(words[i], 3, replace=False))
        + " and what came of it"
        for i in range(n)
    ]
    groups = []
    for g in range(k):
        mine = np.flatnonzero(labels == g)
        order = mine[np.argsort(-sure[mine], kind="stable")]
        name, terms = TOPICS[g % 5]
        groups.append(
            Group(
                label=g,
                name=name if k <= 5 else f"{name} {g // 5 + 1}",
                size=len(mine),
                confidence=float(sure[mine].mean()),
                typical=tuple(order[:6].tolist()),
                doubtful=tuple(order[::-1][:6].tolist()),
                telling={
                    "words": tuple(
                        (w, float(s))
                        for w, s in zip(terms, np.sort(rng.uniform(0.5, 4, 8))[::-1], strict=True)
                    ),
                    "correspondents": tuple(
                        (f"{w}@example.org", float(s))
                        for w, s in zip(terms[:5], (9, 7, 4, 2, 1), strict=True)
                    ),
                },
            )
        )
    ks = tuple(range(1, 13))
    null = tuple(float(0.24 - 0.008 * q) for q in ks)
    peak = tuple(
        v + (0.34 * np.exp(-0.5 * ((q - k) / 1.6) ** 2) if structured else 0.01)
        for q, v in zip(ks, null, strict=True)
    )
    complete = Findings(
        title="Letters of the reading society, 1998 to 2004",
        kind="mail",
        ids=ids,
        snippets=snippets,
        labels=labels,
        confidence=sure,
        map=where,
        neighbors=neighbors[:, 1:],
        nearness=np.exp(-distance[:, 1:]),
        matrix=np.exp(-(gap**2) / 18),
        matrix_members=members,
        groups=groups,
        evidence=Evidence(
            n_groups=k,
            chosen=True,
            structured=structured,
            p_value=0.01 if structured else 0.62,
            ks=ks,
            scores=peak,
            null_mean=null,
            null_sd=(0.02,) * len(ks),
            eigenvalues=tuple(
                float(1 - 0.02 * i) if i < k else float(0.55 / (i - k + 1.4)) for i in range(20)
            ),
            stability=0.95 if structured else float("nan"),
            verdict="strong" if structured else "none",
            best=k,
            strength=8.0 if structured else 0.4,
            n_nulls=99,
            null_models=("shuffled_words",),
        ),
        overview=Overview(
            noun="letters",
            members=n,
            n_groups=k,
            confidence=float(np.mean(sure)),
            borderline=int((sure < 0.5).sum()),
            alone=0,
        ),
        notes=("Skipped 3 files that are not mail: notes.pdf, thumbs.db, old/index.dat.",),
        cards={
            "year": [str(1998 + int(v)) for v in rng.integers(0, 7, n)],
            "from": [f"{w[i % 8]}@example.org" for i, w in enumerate(words)],
            "has attachment": [("no", "yes")[int(v)] for v in rng.integers(0, 2, n)],
        },
        curves={
            "objective per sweep": [(float(i), float(10 - 6 * np.exp(-i / 6))) for i in range(40)]
        },
        settings={
            "seed": 7,
            "n_groups": "auto",
            "represent": {"terms": {"min_df": 2}},
            "compare": "cosine",
        },
        steps=(
            Step("words"),
            Step("lsa", {"dimensions": 50}),
            Step("compared", {"method": "Cosine"}),
            Step("map"),
        ),
        command="coterie explore letters/ --seed 7 --out report.html",
        python='import coterie\n\nfindings = coterie.explore("letters/", seed=7)\nfindings.report("report.html")',
        versions={"coterie": "0.1.0", "python": "3.11.9", "numpy": "2.4.0"},
        seconds=12.6,
        created="2025-03-04T10:20:30+00:00",
    )
    return replace(complete, **more)


def hostile() -> Findings:
    """Every text of the findings is an attack or a nuisance."""
    base = findings(28, 2)
    many = [HOSTILE[i % len(HOSTILE)] for i in range(28)]
    groups = [
        replace(
            g,
            name=HOSTILE[i],
            telling={text: tuple((t, 1.0) for t in HOSTILE) for text in HOSTILE[:4]},
        )
        for i, g in enumerate(base.groups)
    ]
    return findings(
        28,
        2,
        title=HOSTILE[0] + HOSTILE[1],
        kind=HOSTILE[1],
        ids=many,
        snippets=many[::-1],
        groups=groups,
        overview=replace(base.overview, noun=HOSTILE[1]),
        notes=HOSTILE,
        steps=[Step("compared", {"method": text}) for text in HOSTILE],
        cards=dict.fromkeys(HOSTILE, many),
        curves={HOSTILE[1]: [(0, 1), (1, 2)]},
        settings={text: text for text in HOSTILE},
        command=HOSTILE[1],
        python=HOSTILE[0],
        versions={"coterie": HOSTILE[1]},
        created=HOSTILE[0],
    )


def sequences() -> Findings:
    """Three groups of sequences with mean traces in two dimensions."""
    base = findings(90, 3)
    t = np.linspace(0, 1, 50)
    groups = [
        replace(
            g,
            name=f"shape {g.label + 1}",
            telling={},
            spark=(
                tuple(np.sin(2 * np.pi * (g.label + 1) * t)),
                tuple(np.cos(3 * t * (g.label + 1))),
            ),
        )
        for g in base.groups
    ]
    return findings(90, 3, kind="sequences", groups=groups, title="Gait recordings")
