"""Classified: divergences from how well any classifier tells two sets apart, on points that it was not trained on."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from coterie.core.errors import CoterieError, MemberError, ParameterError
from coterie.core.params import param
from coterie.core.ragged import Ragged
from coterie.core.workplace import fits, workplace
from coterie.parts.fdivergences import FDivergence, log_odds_rule
from coterie.parts.losses import LOSSES, Loss, form, loss_for
from coterie.parts.risks.classifiers import (
    affine_risks,
    check_classifier,
    gives_chances,
    log_ratios,
)
from coterie.parts.risks.role import Risk, induced_note, uneven
from coterie.parts.workers import Keep, in_order

_BLOCK = 16  # pairs of one piece of work; a constant, so that results never depend on the workplace


@dataclass(frozen=True, eq=False)
class Seen:
    """The held-out risk of every pair (rows, columns, priors) at priors of the row, even in log odds."""

    priors: np.ndarray
    risks: np.ndarray
    square: bool
    sizes: np.ndarray
    others: np.ndarray


class Classified(Risk):
    """What a classifier learns of two sets at every prior, from one cross-fitted model per pair.

    The chances that the model gives at the sizes of the sets are carried to every other prior by the odds ratio. A
    classifier that gives labels alone is judged by its errors. Held-out risk is too high rather than too low, so that the
    divergence is rather too small.
    """

    often: ClassVar[int] = 60

    classifier: Any = param(
        "logistic",
        "logistic, knn, svm, affine, or any classifier with fit and predict (or predict_proba).",
    )
    loss: Any = param(
        None,
        "Loss of a forecast, by name or as a Loss with costs; square unless the classifier gives labels alone.",
        choices=tuple(LOSSES),
    )
    folds: int = param(
        5, "Parts of which each in turn is held out; fewer for sets of fewer vectors.", ge=2
    )
    priors: int = param(121, "Priors at which the risk is taken.", ge=3)
    margin: float = param(
        1e-3, "Priors below this and above one less this are left out.", gt=0, lt=0.5
    )
    constants: bool = param(
        True, "Whether the prior itself is a forecast too, so that nothing is learned at worst."
    )

    def check_params(self) -> None:
        """Refuse a loss that the classifier cannot be judged by."""
        super().check_params()
        check_classifier(self.classifier, "Classified")
        loss = self.judged
        if loss.one is None or loss.zero is None:
            raise ParameterError(
                f"the loss {loss.name} has no branches to judge forecasts by.", owner="Classified"
            )
        if self.affine and loss.name != "square":
            raise ParameterError(
                f"the affine classifier is judged by the square loss, and loss was {loss.name!r}.",
                owner="Classified",
            )
        if (
            not self.affine
            and not gives_chances(self.classifier)
            and loss.name not in ("zero-one", "hinge")
        ):
            raise ParameterError(
                f"this classifier gives no chances, so that loss must be zero-one or hinge and not {loss.name}.",
                owner="Classified",
            )

    @property
    def affine(self) -> bool:
        """Whether the classifier is the affine function of least squares, which is fitted at every prior."""
        return isinstance(self.classifier, str) and self.classifier == "affine"

    @property
    def judged(self) -> Loss:
        """The loss in force."""
        usual = "square" if self.affine or gives_chances(self.classifier) else "zero-one"
        return loss_for(usual if self.loss is None else self.loss, "Classified")

    def look(
        self,
        rows: Ragged,
        cols: Ragged | None = None,
        learned: Any = None,
        *,
        seed: int = 0,
        owner: str = "Divergence",
    ) -> Seen:
        """Train on every pair of sets; a pair that comes again, in either order, gives the same."""
        self.check_params()
        here = _Sets(rows, owner)
        there = _Sets(rows if cols is None else cols, owner)
        priors = log_odds_rule(np.ones_like, self.priors + (self.priors + 1) % 2, self.margin)[0]
        back = cols is None and not self.judged.symmetric
        fits(
            len(here) * len(there) * len(priors) * 8,
            f"The risk curves of {len(here)} x {len(there)} sets",
            "take fewer priors",
        )
        risks = np.empty((len(here), len(there), len(priors)))
        risks[:] = self.judged.risk(priors)
        pairs = [
            (i, j)
            for i in range(len(here))
            for j in range(0 if back or cols is not None else i + 1, len(there))
        ]
        pairs = [(i, j) for i, j in pairs if here.marks[i] != there.marks[j]]
        blocks = [pairs[at : at + _BLOCK] for at in range(0, len(pairs), _BLOCK)]

        key = workplace().key("classifiers")

        keep = Keep.array(lambda block: f"{key}/{block[0][0]}-{block[0][1]}")

        def work(block: list[tuple[int, int]]) -> np.ndarray:
            return np.stack([self._told(here, there, i, j, priors, seed, owner) for i, j in block])

        made = in_order(work, blocks, "classifiers", size=len, travels=True, keep=keep)
        for block, found in zip(blocks, made, strict=True):
            for (i, j), risk in zip(block, found, strict=True):
                risks[i, j] = risk
                if cols is None and not back:
                    risks[j, i] = risk[::-1]
        return Seen(
            priors, risks, cols is None, rows.lengths, (rows if cols is None else cols).lengths
        )

    def _told(
        self, here: _Sets, there: _Sets, i: int, j: int, priors: np.ndarray, seed: int, owner: str
    ) -> np.ndarray:
        try:
            return self._risks(here, there, i, j, priors, seed)
        except CoterieError:
            raise
        except (
            Exception
        ) as error:  # whatever a person's own classifier raises, in one sentence with the pair
            why = " ".join(str(error).split()).rstrip(".")
            why = (why or type(error).__name__).replace("{", "{{").replace("}", "}}")
            raise MemberError(f"the classifier failed on {{}}: {why}", i, j, owner=owner) from error

    def _risks(
        self, here: _Sets, there: _Sets, i: int, j: int, priors: np.ndarray, seed: int
    ) -> np.ndarray:
        """The risk at priors of i; the models are those of the pair in one order, whichever it came in."""
        turned = here.marks[i] > there.marks[j]
        p, q = (there.points[j], here.points[i]) if turned else (here.points[i], there.points[j])
        loss = self.judged.turned if turned else self.judged
        if self.affine:
            at, size = loss.shifted(priors) if loss.costs != (1.0, 1.0) else (priors, 1.0)
            risk = size * affine_risks(p, q, at, self.folds, seed)
        else:
            risk = _judged(loss, *log_ratios(p, q, self.classifier, self.folds, seed), priors)
        return risk[::-1] if turned else risk

    def symmetric(self, f: FDivergence) -> bool:
        """Whether it is the same both ways: costs that differ make it another one."""
        return f.symmetric and self.judged.symmetric

    def check_f(self, f: FDivergence, owner: str) -> None:
        """Refuse a divergence that is infinite in the loss (chi2 in the square loss, kl in the log loss)."""
        self.check_params()
        form(f, self.judged, owner)

    def divergences(self, seen: Seen, f: FDivergence, *, owner: str = "Divergence") -> np.ndarray:
        """The sum of what is learned at every prior, by the weights of f in this loss; never below zero."""
        how = form(f, self.judged, owner)
        gained = self.judged.risk(seen.priors) - seen.risks
        if self.constants:
            gained = np.maximum(gained, 0.0)
        masses = log_odds_rule(how.weight, len(seen.priors), self.margin)[2]
        for prior, mass in how.atoms:
            masses += mass * _between(seen.priors, prior)
        found = np.maximum(gained @ masses, 0.0)
        if seen.square:
            np.fill_diagonal(found, 0.0)
            if self.symmetric(f):
                low = np.tril_indices(len(found), -1)
                found[low] = found.T[low]
        return np.asarray(found)

    def curve(self, seen: Seen, i: int, j: int, priors: Any) -> np.ndarray:
        """The held-out risk of row i and column j in the loss in force, at priors of the row.

        Between the priors that were looked at it lies on the line between them; beyond, the share of the least risk that
        is left is that at the last one.
        """
        at = np.asarray(priors, dtype=np.float64)
        if not ((at > 0) & (at < 1)).all():
            raise ParameterError(
                "priors must lie between 0 and 1, the ends left out.", owner="Classified"
            )
        share = seen.risks[i, j] / self.judged.risk(seen.priors)
        return np.asarray(np.interp(_odds(at), _odds(seen.priors), share) * self.judged.risk(at))

    def notes(self, seen: Seen, f: FDivergence | None = None) -> list[str]:
        """An f that is only induced, sets too small for the folds, and very different sizes."""
        found = induced_note(f, self.judged.name, f is None or form(f, self.judged).exact)
        small = int((seen.sizes < self.folds).sum())
        if small:
            has = "1 set has" if small == 1 else f"{small} sets have"
            found.append(
                f"{has} fewer vectors than folds={self.folds}, and fewer parts were held out in turn"
            )
        return found + uneven(np.concatenate([seen.sizes, seen.others]))


class _Sets:
    """The vectors of every set in an order of their own, and a mark by which equal sets are known."""

    def __init__(self, sets: Ragged, owner: str) -> None:
        if (sets.lengths < 2).any():
            raise MemberError(
                "{} has one vector only, and a classifier needs two",
                int(np.argmin(sets.lengths)),
                owner=owner,
                instead="take risk='nn'",
                parameter="risk",
            )
        self.points = [one[np.lexsort(one.T)] + 0.0 for one in sets]
        self.marks = [
            hashlib.blake2b(one.tobytes(), digest_size=16).digest() for one in self.points
        ]

    def __len__(self) -> int:
        return len(self.points)


def _judged(loss: Loss, of_p: np.ndarray, of_q: np.ndarray, priors: np.ndarray) -> np.ndarray:
    """The mean loss at every prior of chances that follow from log ratios and the prior."""
    from scipy.special import expit

    odds = _odds(priors) + np.log(
        loss.costs[0] / loss.costs[1]
    )  # the best forecast is the chance moved by the costs
    on_p = loss.losses(expit(np.add.outer(of_p, odds)))[0].mean(axis=0)
    on_q = loss.losses(expit(np.add.outer(of_q, odds)))[1].mean(axis=0)
    return np.asarray(priors * on_p + (1.0 - priors) * on_q)


def _odds(priors: np.ndarray) -> np.ndarray:
    return np.asarray(np.log(priors / (1.0 - priors)))


def _between(priors: np.ndarray, at: float) -> np.ndarray:
    """How much of an atom goes to each prior of the grid: all to the two beside it, by nearness; none beyond the ends."""
    odds = _odds(priors)
    place = float(np.log(at / (1.0 - at)))
    step = odds[1] - odds[0]
    return np.asarray(np.maximum(1.0 - np.abs(odds - place) / step, 0.0))
