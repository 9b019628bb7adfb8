"""Papers and packages tied to two weak populations: what a tree of them brings, and what the edge between the two adds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from coterie.collect.planted import papers
from coterie.core.links import MEMBERS
from coterie.organize.comraf.estimator import Comraf
from coterie_papers.experiment import Experiment, Ledger, Trial
from coterie_papers.linked_data import (
    BOTH,
    CITED,
    CORA,
    DEBIAN,
    NEEDED,
    PEOPLE,
    TITLES,
    WORDS,
    Way,
    cora,
    debian,
    here,
    tied_of,
    tried,
    with_both,
)
from coterie_papers.text_data import above, far_above, hasty, not_below, said

NAME = "comraf-papers"
# table 4.7 of the thesis: 4887 papers of ten venues, which are not public; our data stand in for them
PAPER = {"titles": 38.8, "citations": 40.7, "tree": 55.0, "loopy": 61.4, "abstracts": 63.9}
# papers made
_PAPERS = 1500
_QUICK = 500
_HASTY = 800  # papers and packages of a quick run


def tree(*beside: str) -> tuple[tuple[str, str], ...]:
    """The members in the middle."""
    return tuple((MEMBERS, name) for name in beside)


def loopy(*beside: str) -> tuple[tuple[str, str], ...]:
    """The members in the middle, and an edge between the first two populations."""
    return (*tree(*beside), (beside[0], beside[1]))


def two_views(one: str, other: str, paper: Mapping[str, float] = PAPER) -> dict[str, Way]:
    """Two populations: each alone, together as one table, as a tree and with the third edge, by weights; and by default."""
    pair = (one, other)
    return {
        "titles": Way((one,), kind=Comraf, paper=paper.get("titles")),
        other: Way((other,), kind=Comraf, paper=paper.get("citations")),
        "side by side": Way((BOTH,), kind=Comraf),
        "tree": Way(pair, {"graph": tree(*pair)}, Comraf, paper.get("tree")),
        "tree, weights one": Way(
            pair, {"graph": tree(*pair), "weights": "one"}, Comraf, paper.get("tree")
        ),
        "loopy": Way(pair, {"graph": loopy(*pair)}, Comraf, paper.get("loopy")),
        "loopy, weights one": Way(
            pair, {"graph": loopy(*pair), "weights": "one"}, Comraf, paper.get("loopy")
        ),
        "titles, MDC": Way((one,)),
        f"{other}, MDC": Way((other,)),
        "tree, MDC": Way(pair, {"graph": tree(*pair)}),
        "loopy, MDC": Way(pair, {"graph": loopy(*pair)}),
    }


def strong_view(words: str, *beside: str, paper: Mapping[str, float] = PAPER) -> dict[str, Way]:
    """A strong population (all words) alone, the others alone, and all together, with either weights; and by default."""
    ways = {words: Way((words,), kind=Comraf, paper=paper.get("abstracts"))}
    ways |= {name: Way((name,), kind=Comraf, paper=paper.get(name)) for name in beside}
    for count in range(1, len(beside) + 1):
        names = (words, *beside[:count])
        ways[" + ".join(names)] = Way(names, {"graph": tree(*names)}, Comraf)
        ways[" + ".join(names) + ", weights one"] = Way(
            names, {"graph": tree(*names), "weights": "one"}, Comraf
        )
        ways[" + ".join(names) + ", MDC"] = Way(names, {"graph": tree(*names)})
    first = (words, beside[0])
    ways[" + ".join(first) + ", loopy"] = Way(first, {"graph": loopy(*first)}, Comraf)
    return ways | {f"{name}, MDC": Way((name,)) for name in (words, *beside)}


def run(trial: Trial, ledger: Ledger) -> None:
    """Generated papers, papers of Cora, packages of Debian."""
    size = _QUICK if trial.quick else _PAPERS
    drawn = [
        replace(tied_of(papers(size, random_state=seed)), name="generated papers")
        for seed in range(trial.seeds)
    ]
    made = [with_both(one, (WORDS, CITED)) for one in drawn]
    micro = tried(trial, ledger, NAME, made, two_views(WORDS, CITED))
    _weak(ledger, "generated papers", micro, CITED, must=True)
    for data, read, title, other in (
        (CORA, cora, "Cora", (CITED,)),
        (DEBIAN, debian, "Debian", (NEEDED, PEOPLE)),
    ):
        folder = here(trial, ledger, data, title)
        if folder is None:
            continue
        tied = with_both(hasty(trial, read(folder), _HASTY), (TITLES, other[0]))
        paper = PAPER if data == CORA else {}  # packages are no papers
        strong = tried(trial, ledger, NAME, [tied], strong_view(WORDS, *other, paper=paper))
        _strong(ledger, title, strong, other)
        if not trial.quick:
            views = two_views(TITLES, other[0], paper)
            weak = strong | tried(
                trial,
                ledger,
                NAME,
                [tied],
                {name: views[name] for name in views if name not in strong},
            )
            _weak(ledger, f"{title}, weak views", weak, other[0], must=False)
            _one(ledger, title, strong[WORDS], weak, other[0])


def _weak(
    ledger: Ledger, data: str, micro: Mapping[str, np.ndarray], second: str, must: bool
) -> None:
    """R7: a tree is above either population alone; the third edge adds 5 points (planted) or does no harm (real)."""
    for kind in ("", ", MDC"):
        names = tuple(f"{name}{kind}" for name in ("tree", "titles", second, "loopy"))
        whole, one, other, looped = (micro[name] for name in names)
        text = f"R7, {data}: the tree is above either population alone ({said(micro, *names[:3])})"
        ledger.relate(text, above(whole, one) and above(whole, other))
        if must:
            text = f"R7, {data}: the loopy graph is at least 5 points above the tree ({said(micro, names[3], names[0])})"
            ledger.relate(text, far_above(looped, whole))
        else:
            text = f"R7, {data}: the loopy graph is not below the tree ({said(micro, names[3], names[0])})"
            ledger.relate(text, not_below(looped, whole))


def _one(
    ledger: Ledger, data: str, words: np.ndarray, weak: Mapping[str, np.ndarray], second: str
) -> None:
    """R7: one strong population is above whatever is made of two weak ones."""
    micro = {
        f"all {WORDS}": words,
        **{name: weak[name] for name in ("titles", second, "tree", "loopy")},
    }
    text = f"R7, {data}: all {WORDS} alone are above titles, {second}, and both together"
    ledger.relate(
        f"{text} ({said(micro, *micro)})",
        all(above(words, other) for other in list(micro.values())[1:]),
    )


def _strong(
    ledger: Ledger, data: str, micro: Mapping[str, np.ndarray], beside: tuple[str, ...]
) -> None:
    """Words and the other populations together are above each of them alone, and no population does harm."""
    pair = f"{WORDS} + {beside[0]}"
    for kind in ("", ", MDC"):
        names = tuple(f"{name}{kind}" for name in (pair, WORDS, beside[0]))
        text = f"{data}: {WORDS} and {beside[0]} together are above either alone ({said(micro, *names)})"
        ledger.relate(text, all(above(micro[names[0]], micro[name]) for name in names[1:]))
        before = names[0]
        for count in range(2, len(beside) + 1):
            more = " + ".join((WORDS, *beside[:count])) + kind
            text = f"R5, {data}: {beside[count - 1]} as one more population do no harm ({said(micro, more, before)})"
            ledger.relate(text, not_below(micro[more], micro[before]))
            before = more


EXPERIMENT = Experiment(
    name=NAME,
    title="Papers and packages: words, citations, dependencies and people, clustered together",
    work="Comraf",
    table="table 4.7",
    needs=(CORA, DEBIAN),
    minutes=98,
    seeds=8,
    run=run,
    beside="paper, on other papers",
)
