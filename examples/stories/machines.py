"""Machines: traces of a sensor, some of which go wrong; which kinds of going wrong are there, and is today's one of them?

You have some hundred short traces of one sensor and no list of faults. You want to see the kinds of behavior there are, and to
be told when a new trace is like none of them. Needs no extra: `pip install coterie`.

    python machines.py                  on generated traces
    python machines.py --data DIR       on the synthetic control charts of UCI, as DIR/sequences/SyntheticControl.npz
"""

from __future__ import annotations

import itertools
import warnings

import numpy as np
from story import Story, figure

import coterie
from coterie.collect.samples import sample
from coterie.core.findings import Lines
from coterie.show import lines, map


def main() -> None:
    story = Story("machines", __doc__)
    warnings.simplefilter("ignore")  # a shared model that would take more rounds is no news here
    traces, newer, kinds = sensors(story)

    # The first look: several representations of every trace, and a vote of models on them.
    first = coterie.explore(traces, **story.choices(k=4))
    story.say(*first.sentences(), place="first")
    story.picture("first", lines.draw(means_of(first)))

    # Two of its means look like several things laid over each other. So you ask for more groups, by the same vote, and by
    # what follows what: a model whose states all traces share says how each of them walks through the states.
    asked = len(first.findings.groups) + 2
    finer = coterie.explore(traces, **story.choices(asked, asked=True))
    found = coterie.explore(traces, compare="SSD", **story.choices(asked, asked=True))
    story.say(*found.sentences(), place="seen")
    story.picture("traces", lines.draw(means_of(found)))
    story.picture("map", map.draw(found.findings.map, found.partition, numbers=True))

    # New traces come in, and with them a fault that was never seen before.
    strange = [strange_trace(seed, traces) for seed in range(5)]
    placed = found.place([*newer, *strange])
    flagged = ~placed.fits

    ways = {
        "as coterie chooses": first,
        "the same, with more groups": finer,
        "what follows what (SSD)": found,
    }
    rows = [(way, len(one.findings.groups), *agreement(one, kinds)) for way, one in ways.items()]
    story.table(
        "ways",
        ("how", "groups", "agreement with the known kinds (NMI)", "found again on parts"),
        rows,
    )
    told = found.judge(kinds).breakdown
    story.table(
        "kinds",
        ("group", "traces", "mostly", "share"),
        [(at + 1, *row[1:]) for at, row in enumerate(told)],
    )
    story.say(
        f"Of {len(newer)} new traces of known kinds {int(flagged[: len(newer)].sum())} were said to fit nowhere.",
        f"Of {len(strange)} traces of a new kind {int(flagged[len(newer) :].sum())} were.",
        place="decided",
    )
    story.note(members=len(traces), kinds_number=len(set(kinds)))
    story.note(newer=len(newer), strange=len(strange))
    found.report(story.out / "report.html")
    story.end()


def means_of(found) -> Lines:
    """The mean trace of each group, as a picture; of traces of several values, the first one."""
    means = {f"group {group.label + 1}": group.spark[0] for group in found.findings.groups}
    steps = tuple(range(len(next(iter(means.values())))))
    return Lines("The mean trace of each group", steps, means, "place in the trace", "value")


def agreement(found, kinds: np.ndarray) -> tuple[str, str]:
    """With the kinds that were kept aside, and with groups found again on random parts of the traces."""
    return figure(found.judge(kinds).measures["nmi"]), figure(found.findings.evidence.stability)


def strange_trace(seed: int, traces: list[np.ndarray]) -> np.ndarray:
    """A trace that jumps to and fro at every other step, far from what is usual."""
    usual = np.concatenate(traces)
    jumps = np.sign(np.sin(2 * np.arange(60)))[:, None] * 1.5 * usual.std(axis=0)
    return (
        usual.mean(axis=0)
        + jumps
        + 0.3 * usual.std(axis=0) * np.random.default_rng(seed).normal(size=jumps.shape)
    )


def sensors(story: Story) -> tuple[list[np.ndarray], list[np.ndarray], np.ndarray]:
    """Traces (steps x values), newer ones, and the kind of each of the first, which no method sees."""
    folder = story.data("sequences")
    if folder is None:
        made = sample("traces", 50 if story.small else 150)
        view = made.view()
        kinds = np.asarray(made.truth["group"]).astype(str)
        n = 40 if story.small else 120
        values = view.values
        ends = view.offsets
    else:
        with np.load(folder / "SyntheticControl.npz", allow_pickle=False) as file:
            values = file["values"]
            kinds = file["labels"].astype(str)
            n = 240
            ends = np.concatenate([[0], np.cumsum(file["lengths"])])
    every = [values[begin:end] for begin, end in itertools.pairwise(ends)]
    order = np.random.default_rng(0).permutation(len(every))
    return (
        [every[at] for at in order[:n]],
        [every[at] for at in order[n : n + 60]],
        kinds[order[:n]],
    )


if __name__ == "__main__":
    main()
