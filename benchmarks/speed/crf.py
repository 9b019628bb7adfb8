"""The CRF of SIC against python-crfsuite: one iteration, training on 5 % of the sentences and classifying the rest.

    python benchmarks/speed/crf.py [sentences]

Peer: python-crfsuite, averaged perceptron of 10 epochs (the fastest of its trainers), whole chains with null and in labels,
then its tagger on all other sentences; its attributes are made once, outside the clock, as ours are. The goal is the ratio of
the cost; that the similarities are as good is shown by the experiment sic-ner, with crfsuite's L-BFGS.
"""

from __future__ import annotations

import itertools
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pycrfsuite
from timing import race, report, sizes

from coterie.collect.mentions import plain, tagged_mentions
from coterie.compare.sic.chain import chains
from coterie.compare.sic.crf import CRF, Encoded
from coterie.core.random import stream

_SHARE = 0.05
_LABELS = 300
_EPOCHS = 10
_TURNS = 3


def task(data: Encoded, i: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Mentions trained on, their made-up labels (one per form), and all other mentions."""
    generator = stream(0, i)
    sentence = data.text.sentence_of()
    n = len(data.text.offsets) - 1
    chosen = np.isin(sentence, generator.permutation(n)[: max(2, round(_SHARE * n))])
    train = np.flatnonzero(chosen)
    forms, which = np.unique(data.text.forms()[train], return_inverse=True)
    return train, generator.integers(_LABELS, size=len(forms))[which], np.flatnonzero(~chosen)


def ours(crf: CRF, data: Encoded, given: tuple[np.ndarray, np.ndarray, np.ndarray]) -> None:
    train, labels, rest = given
    crf.apply(crf.train(data, train, labels, {}, stream(0)), data, rest)


def peer(taught: list[tuple[Any, Any]], rest: list[list[list[str]]]) -> None:
    trainer = pycrfsuite.Trainer(algorithm="ap", verbose=False)
    trainer.set_params({"max_iterations": _EPOCHS})
    for rows, names in taught:
        trainer.append(rows, names)
    with tempfile.TemporaryDirectory() as folder:
        trainer.train(str(Path(folder) / "model"))
        tagger = pycrfsuite.Tagger()
        with tagger.open(str(Path(folder) / "model")):
            for rows in rest:
                tagger.tag(rows)


def main() -> None:
    (sentences,) = sizes(full=(3900,), small=(800,))
    view = plain(tagged_mentions(sentences=sentences)).view("mentions")
    crf = CRF()
    data = crf.prepare(view)
    whole = CRF(learner="crfsuite").prepare(view)
    starts = whole.tokens.indptr
    ids = whole.tokens.indices.astype(str)
    rows = [ids[a:b].tolist() for a, b in itertools.pairwise(starts)]
    items = [rows[a:b] for a, b in itertools.pairwise(view.offsets)]
    tasks = [task(data, i) for i in range(_TURNS + 1)]
    taught = [list(chains(whole.text, whole.tokens, train, labels)) for train, labels, _ in tasks]
    used = [set(whole.text.sentence_of()[train].tolist()) for train, _, _ in tasks]
    rest = [[one for at, one in enumerate(items) if at not in mine] for mine in used]
    # every turn is another iteration, the same for both
    one = itertools.cycle(range(_TURNS + 1))
    other = itertools.cycle(range(_TURNS + 1))

    def theirs() -> None:
        i = next(other)
        peer(taught[i], rest[i])

    found = race(
        {"coterie": lambda: ours(crf, data, tasks[next(one)]), "python-crfsuite (ap)": theirs},
        _TURNS,
    )
    size = (
        f"{sentences} sentences, {len(view.tokens)} tokens, {len(tasks[0][0])} mentions trained on"
    )
    note = f"{_EPOCHS} rounds of training, then all other sentences tagged"
    report(
        found.row("crf", "one iteration", size, peer="python-crfsuite (ap)", goal=5.0, note=note)
    )


if __name__ == "__main__":
    main()
