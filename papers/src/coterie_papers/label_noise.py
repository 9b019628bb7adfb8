"""Wrong labels: how much accuracy is lost when some of few labels are wrong, by the weight that labels have."""

from __future__ import annotations

import numpy as np

from coterie.core.findings import Lines
from coterie_papers.experiment import Experiment, Ledger, Trial
from coterie_papers.few_labels import Told, accuracy_of
from coterie_papers.text_data import MICRO, NEWS, newsgroups

NAME = "label-noise"
# documents
_QUICK = 600
_PART = 4000
_SHARE = 0.2  # of the documents that are labeled
_WRONG = (0.0, 0.1, 0.2, 0.3)
_WEIGHTS = (1.0, 0.3, 0.1, 0.03)
_CAREFUL = 0.3  # the weight where labels may be wrong
_LOSS = 5.0  # points


def run(trial: Trial, ledger: Ledger) -> None:
    """Shares of wrong labels x weights of labels, accuracy on the unlabeled documents."""
    tied = newsgroups(trial, ledger, _QUICK if trial.quick else _PART)
    if tied is None:
        return
    where = f"{NAME}/{'quick' if trial.quick else 'whole'}"
    data = f"{tied.name}, {_SHARE:.0%} labeled"
    measure = f"{MICRO}, unlabeled"
    none = accuracy_of(where, tied, None, trial.seeds, shown=Told(_SHARE), runs=2)
    ledger.add("no labels", measure, data, none.tolist())
    found: dict[float, list[np.ndarray]] = {}
    for weight in _WEIGHTS:
        for wrong in _WRONG:
            told = Told(_SHARE, weight=weight, wrong=wrong)
            values = accuracy_of(where, tied, told, trial.seeds, runs=2)
            found.setdefault(weight, []).append(values)
            ledger.add(f"weight {weight:g}, {wrong:.0%} wrong", measure, data, values.tolist())
    for weight, runs in found.items():
        losses = [float((runs[0] - other).mean()) for other in runs[1:]]
        lost = ", ".join(f"{loss:.1f}" for loss in losses)
        text = f"with weight {weight:g} labels of which 10, 20, 30% are wrong cost less than {_LOSS:g} points ({lost})"
        if weight == _CAREFUL:
            ledger.relate(f"R11: {text}", max(losses) < _LOSS)
            worst = float((runs[-1] - none).mean())
            ledger.relate(
                f"labels of which 30% are wrong are still better than none, with weight {weight:g}",
                worst > 0,
            )
        else:
            ledger.add(f"weight {weight:g}", "most points lost to wrong labels", data, max(losses))
    curves = {
        f"weight {weight:g}": [float(values.mean()) for values in runs]
        for weight, runs in found.items()
    }
    curves["no labels"] = [float(none.mean())] * len(_WRONG)
    ledger.draw(
        Lines(
            f"Wrong labels: {data}",
            tuple(100 * wrong for wrong in _WRONG),
            {name: tuple(values) for name, values in curves.items()},
            "share of the labels that are wrong, %",
            measure,
        )
    )


EXPERIMENT = Experiment(
    name=NAME,
    title="Wrong labels: what they cost, by the weight that labels have",
    work="Comraf",
    table="figure 5.2 f",
    needs=(NEWS,),
    minutes=25,
    seeds=8,
    run=run,
)
