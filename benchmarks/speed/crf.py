"""The CRF of SIC against python-crfsuite: one iteration, training on 5 % of the sentences and classifying the rest.

    python benchmarks/speed/crf.py [sentences] [iterations]

Peer: python-crfsuite, averaged perceptron of 10 epochs (the fastest of its trainers), whole chains with null and in labels,
then its tagger on all other sentences; its attributes are made once, outside the clock, as ours are. Both in one process
with one thread, CPU seconds (the machine is shared). The bar is the ratio; that the similarities are as good is shown by
the experiment sic-ner, with crfsuite's L-BFGS.
"""

from __future__ import annotations

import itertools
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pycrfsuite

from coterie.collect.mentions import plain, tagged_mentions
from coterie.compare.sic.chain import chains
from coterie.compare.sic.crf import CRF, Encoded
from coterie.core.random import stream

_SHARE, _LABELS, _EPOCHS = 0.05, 300, 10


def task(data: Encoded, i: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Mentions trained on, their made-up labels (one per form), and all other mentions."""
    generator, sentence = stream(0, i), data.text.sentence_of()
    n = len(data.text.offsets) - 1
    chosen = np.isin(sentence, generator.permutation(n)[: max(2, round(_SHARE * n))])
    train = np.flatnonzero(chosen)
    forms, which = np.unique(data.text.forms()[train], return_inverse=True)
    return train, generator.integers(_LABELS, size=len(forms))[which], np.flatnonzero(~chosen)


def ours(crf: CRF, data: Encoded, i: int) -> float:
    train, labels, rest = task(data, i)
    begun = time.process_time()
    crf.apply(crf.train(data, train, labels, {}, stream(0)), data, rest)
    return time.process_time() - begun


def peer(data: Encoded, items: list[list[list[str]]], i: int) -> float:
    train, labels, _ = task(data, i)
    taught = list(chains(data.text, data.tokens, train, labels))
    used = set(data.text.sentence_of()[train].tolist())
    begun = time.process_time()
    trainer = pycrfsuite.Trainer(algorithm="ap", verbose=False)
    trainer.set_params({"max_iterations": _EPOCHS})
    for rows, names in taught:
        trainer.append(rows, names)
    with tempfile.TemporaryDirectory() as folder:
        trainer.train(str(Path(folder) / "model"))
        tagger = pycrfsuite.Tagger()
        with tagger.open(str(Path(folder) / "model")):
            for sentence, rows in enumerate(items):
                if sentence not in used:
                    tagger.tag(rows)
    return time.process_time() - begun


def main() -> None:
    sentences = int(sys.argv[1]) if len(sys.argv) > 1 else 3900
    iterations = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    view = plain(tagged_mentions(sentences=sentences)).view("mentions")
    crf = CRF()
    data, whole = crf.prepare(view), CRF(learner="crfsuite").prepare(view)
    starts, ids = whole.tokens.indptr, whole.tokens.indices.astype(str)
    rows = [ids[a:b].tolist() for a, b in itertools.pairwise(starts)]
    items = [rows[a:b] for a, b in itertools.pairwise(view.offsets)]
    ours(crf, data, 0)
    mine = [ours(crf, data, i) for i in range(iterations)]
    theirs = [peer(whole, items, i) for i in range(iterations)]
    trained = len(task(data, 0)[0])
    print(f"{len(view)} mentions in {sentences} sentences, {trained} trained on, {len(view.tokens)} tokens: ", end="")
    print(f"crfsuite ap {np.median(theirs):.2f} s, coterie {np.median(mine):.3f} s per iteration, ", end="")
    print(f"ratio {np.median(theirs) / np.median(mine):.1f} (bar: at least 5)")


if __name__ == "__main__":
    main()
