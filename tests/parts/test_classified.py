"""Tests of divergences by classifiers: the slow twin, known laws, agreement of new and fitted, refusals."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from tests.oracles import fdivergences as slow

from coterie import Ragged
from coterie.compare import LOSSES, Classified, divergence_of
from coterie.core.errors import DataError, ParameterError
from coterie.core.workplace import using
from coterie.parts.fdivergences import CATALOGUE, fdivergence
from coterie.parts.losses import Loss, information
from coterie.parts.risks.classifiers import affine_risks, folds_of, log_ratios, splits


def _sets(seed: int = 0, count: int = 4, low: int = 4, high: int = 14, dim: int = 2) -> Ragged:
    rng = np.random.default_rng(seed)
    return Ragged.of(
        [rng.normal(size=(rng.integers(low, high), dim)) + (i % 3) for i in range(count)],
        ordered=False,
    )


def _pair(n: int, m: float, seed: int = 0, dim: int = 2) -> Ragged:
    rng = np.random.default_rng(seed)
    return Ragged.of(
        [rng.normal(size=(n, dim)), rng.normal(size=(n, dim)) + np.eye(dim)[0] * m], ordered=False
    )


def test_folds_are_even_and_cover_all():
    fold = folds_of(11, 5, 3)
    assert np.bincount(fold).tolist() == [3, 2, 2, 2, 2]
    held = list(splits(np.zeros((3, 1)), np.zeros((7, 1)), 5, 0))
    assert len(held) == 3  # leave-one-out of the smaller set
    assert (sum(a.astype(int) for a, _ in held) == 1).all()
    assert (sum(b.astype(int) for _, b in held) == 1).all()


def test_logistic_is_that_of_scikit_learn():
    rng = np.random.default_rng(2)
    model = make_pipeline(StandardScaler(), LogisticRegression(tol=1e-10, max_iter=1000))
    for n, m, dim, gap in ((30, 20, 3, 1.0), (12, 12, 2, 20.0), (8, 9, 20, 2.0), (2, 3, 1, 1.0)):
        p = 3 * rng.normal(size=(n, dim)) + gap
        q = rng.normal(size=(m, dim))
        for ours, theirs in zip(
            log_ratios(p, q, "logistic", 5, 1), log_ratios(p, q, model, 5, 1), strict=True
        ):
            np.testing.assert_allclose(ours, theirs, atol=2e-6)


def test_risks_and_divergences_equal_the_slow_twin():
    model = GaussianNB()
    rows = _pair(14, 1.0, 3)
    risk = Classified(classifier=model, priors=31, folds=4, constants=False)
    seen = risk.look(rows, seed=8)
    p = rows[0][np.lexsort(rows[0].T)]
    q = rows[1][np.lexsort(rows[1].T)]
    way = []
    for first, second, turned in (
        (p, q, False),
        (q, p, True),
    ):  # the pair is taken in one order, whichever it came in
        curve = slow.cross_fitted(
            first, second, folds_of(14, 4, 8), folds_of(14, 4, 9), model, seen.priors
        )
        way.append(curve[::-1] if turned else curve)
    off = [float(np.abs(seen.risks[0, 1] - one).max()) for one in way]
    assert min(off) < 1e-12
    np.testing.assert_array_equal(seen.risks[1, 0], seen.risks[0, 1][::-1])
    gained = seen.priors * (1 - seen.priors) - way[int(np.argmin(off))]
    odds = np.log(seen.priors / (1 - seen.priors))
    for name in ("kl", "jeffreys", "hellinger"):
        scale = 4 / math.pi if name == "hellinger" else 1.0
        terms = [
            g * scale * slow.WEIGHTS[name](x) * x * (1 - x)
            for g, x in zip(gained, seen.priors, strict=True)
        ]
        expected = max(float(np.trapezoid(terms, odds)), 0.0)
        assert risk.divergences(seen, CATALOGUE[name])[0, 1] == pytest.approx(
            expected, rel=1e-9, abs=1e-12
        )
    assert risk.divergences(seen, CATALOGUE["triangular"])[0, 1] == pytest.approx(
        max(8 * gained[15], 0.0), rel=1e-9
    )


def test_affine_is_least_squares_with_weights():
    rng = np.random.default_rng(4)
    p = rng.normal(size=(60, 2)) + [1.0, 0.0]
    q = rng.normal(size=(50, 2))
    priors = np.array([0.1, 0.5, 0.8])
    found = affine_risks(p, q, priors, 5, 1)
    for prior, risk in zip(priors, found, strict=True):
        wrong = 0.0
        for mine, theirs in splits(p, q, 5, 1):
            n = (~mine).sum()
            m = (~theirs).sum()
            design = np.column_stack([np.concatenate([p[~mine], q[~theirs]]), np.ones(n + m)])
            root = np.sqrt(np.concatenate([np.full(n, prior / n), np.full(m, (1 - prior) / m)]))
            beta = np.linalg.lstsq(
                design * root[:, None], root * (np.arange(n + m) < n), rcond=None
            )[0]
            wrong += prior * ((1 - p[mine] @ beta[:2] - beta[2]) ** 2).sum() / len(p)
            wrong += (1 - prior) * ((q[theirs] @ beta[:2] + beta[2]) ** 2).sum() / len(q)
        assert risk == pytest.approx(
            wrong, rel=5e-3
        )  # the covariances are drawn a little towards the pooled one


def test_affine_gives_the_bound_of_two_moments():
    found = Classified(classifier="affine").look(_pair(1500, 1.0, 1))
    v = math.sqrt(5.0)
    bound = (
        2 / v * math.log((v + 1) / (v - 1))
    )  # J of equal covariances at Delta^2 = 1: 0.861 of the true 1
    assert Classified(classifier="affine").divergences(found, CATALOGUE["jeffreys"])[
        0, 1
    ] == pytest.approx(bound, abs=0.12)


@pytest.mark.parametrize(
    ("risk", "name"),
    [
        (Classified(), "jeffreys"),
        (Classified(loss="log"), "hellinger"),
        (Classified(loss="log"), "js"),
        (Classified(loss="zero-one"), "variational"),
        (Classified(loss="zero-one"), "js"),
        (Classified(classifier="svm"), "variational"),
    ],
)
def test_known_gaussians(risk, name):
    m = 1.5
    overlap = 2 * 0.5 * math.erfc(m / 2 / math.sqrt(2))
    x = np.linspace(-9, 11, 4001)
    p, q = (np.exp(-((x - c) ** 2) / 2) / math.sqrt(2 * math.pi) * 0.005 for c in (0.0, m))
    true = {"variational": 2 * (1 - overlap), "jeffreys": m * m}.get(name) or slow.defined(
        name, p, q
    )
    found = [
        risk.divergences(risk.look(_pair(400, m, seed)), CATALOGUE[name])[0, 1] for seed in range(3)
    ]
    assert np.mean(found) == pytest.approx(true, rel=0.2)
    same = [
        risk.divergences(risk.look(_pair(400, 0.0, seed)), CATALOGUE[name])[0, 1]
        for seed in range(3)
    ]
    assert np.mean(same) < 0.06 * true


def test_forecasting_the_prior_bounds_the_harm_of_a_bold_classifier():
    pair = _pair(20, 1.5, 2, dim=8)
    seen = Classified(classifier=GaussianNB()).look(pair)
    assert (seen.priors * (1 - seen.priors) - seen.risks[0, 1] < 0).any()
    with_it = Classified(classifier=GaussianNB()).divergences(seen, CATALOGUE["jeffreys"])[0, 1]
    without = Classified(classifier=GaussianNB(), constants=False).divergences(
        seen, CATALOGUE["jeffreys"]
    )[0, 1]
    assert (
        with_it > 1.01 * without > 0.0
    )  # what is lost at some priors is not set against what is gained at others


@pytest.mark.parametrize(
    "classifier",
    ["logistic", "knn", "svm", "affine", DecisionTreeClassifier(splitter="random"), Perceptron()],
)
def test_new_members_agree_and_neither_workers_nor_order_matter(classifier):
    sets = _sets()
    risk = Classified(classifier=classifier, priors=21)
    with using(n_jobs=1):
        seen = risk.look(sets, seed=3)
    with using(n_jobs=2):
        again = risk.look(sets, seed=3)
    np.testing.assert_array_equal(seen.risks, again.risks)
    np.testing.assert_array_equal(seen.risks, risk.look(sets, sets, seed=3).risks)
    rng = np.random.default_rng(1)
    mixed = Ragged.of([one[rng.permutation(len(one))] for one in sets], ordered=False)
    np.testing.assert_array_equal(seen.risks, risk.look(mixed, seed=3).risks)
    moved = risk.look(sets.take([3, 2, 0]), sets.take([1, 2]), seed=3)
    np.testing.assert_array_equal(moved.risks, seen.risks[np.ix_([3, 2, 0], [1, 2])])
    found = risk.divergences(seen, CATALOGUE["js"])
    assert (found == found.T).all()
    assert (np.diagonal(found) == 0).all()
    assert (found >= 0).all()
    assert found.max() > 0.01


def test_another_seed_draws_other_folds():
    risk = Classified(priors=11)
    assert not np.array_equal(risk.look(_sets(), seed=1).risks, risk.look(_sets(), seed=2).risks)


def test_kl_is_not_symmetric_and_turns_into_reverse_kl():
    rng = np.random.default_rng(0)
    sets = Ragged.of(
        [rng.normal(size=(40, 1)), 0.4 * rng.normal(size=(40, 1)) + 1.0], ordered=False
    )
    risk = Classified(classifier="knn")
    seen = risk.look(sets)
    kl, back = (risk.divergences(seen, CATALOGUE[name]) for name in ("kl", "reverse-kl"))
    np.testing.assert_allclose(kl, back.T, rtol=1e-9)
    assert kl[0, 1] != kl[1, 0]
    np.testing.assert_allclose(kl + back, risk.divergences(seen, CATALOGUE["jeffreys"]), rtol=1e-9)


def test_curve_at_other_priors_and_between():
    risk = Classified(loss="log")
    seen = risk.look(_sets())
    np.testing.assert_allclose(risk.curve(seen, 0, 1, seen.priors), seen.risks[0, 1], rtol=1e-12)
    fine = Classified(loss="log", priors=1201).look(_sets())
    np.testing.assert_allclose(risk.curve(seen, 0, 1, fine.priors), fine.risks[0, 1], atol=2e-4)
    assert (risk.curve(seen, 0, 1, np.array([1e-8])) < 1e-6).all()
    with pytest.raises(ParameterError, match="priors must lie"):
        risk.curve(seen, 0, 1, [0.0])


def test_kinks_of_ones_own_lie_between_priors():
    risk = Classified()
    seen = risk.look(_pair(60, 1.0))
    own = fdivergence(lambda t: np.maximum(t - 2.0, 0.0), "Test")
    third = np.array([1 / 3])
    gained = max(float(2 / 9 - risk.curve(seen, 0, 1, third)[0]), 0.0)
    assert risk.divergences(seen, own)[0, 1] == pytest.approx(3.0 * gained, rel=2e-2)


def test_refusals_name_the_member_the_loss_and_the_classifier():
    sets = Ragged.of([np.zeros((3, 1)), np.ones((1, 1)), np.ones((4, 1))], ordered=False)
    with pytest.raises(DataError, match="Divergence: member 1 has one vector only"):
        Classified().look(sets)
    for wrong, why in (
        (Classified(classifier="tree"), "classifier must be logistic"),
        (Classified(classifier=GaussianNB), "classifier must be logistic"),
        (Classified(classifier="svm", loss="square"), "loss must be zero-one"),
        (Classified(classifier=Perceptron(), loss="log"), "loss must be zero-one"),
        (Classified(classifier="affine", loss="log"), "judged by the square loss"),
        (Classified(loss="best"), "loss must be zero-one"),
        (Classified(loss=7), "loss must be zero-one"),
        (
            Classified(classifier="svm", loss=LOSSES["log"].costing(1, 2)),
            "zero-one or hinge and not log",
        ),
        (
            Classified(loss=Loss("bare", LOSSES["square"].least, LOSSES["square"].curve)),
            "no branches",
        ),
        (Classified(folds=1), "folds must be at least 2"),
    ):
        with pytest.raises(ParameterError, match=why):
            wrong.check_params()
    with pytest.raises(ParameterError, match="Test: chi2 with the square loss is infinite"):
        Classified().check_f(CATALOGUE["chi2"], "Test")
    with pytest.raises(ParameterError, match="Test: kl with the log loss is infinite"):
        Classified(loss="log").check_f(CATALOGUE["kl"], "Test")
    Classified(loss="zero-one").check_f(CATALOGUE["chi2"], "Test")


@pytest.mark.parametrize("loss", list(LOSSES))
@pytest.mark.parametrize("costs", [(1.0, 1.0), (2.0, 0.5)])
def test_losses_with_costs_come_near_what_known_laws_teach(loss, costs):
    x = np.linspace(-9, 11, 4001)
    p, q = (np.exp(-((x - c) ** 2) / 2) / math.sqrt(2 * math.pi) * 0.005 for c in (0.0, 1.5))
    judged = LOSSES[loss].costing(*costs)
    risk = Classified(loss=judged, constants=False)
    seen = [risk.look(_pair(400, 1.5, seed, dim=1)) for seed in range(3)]
    for i, j, laws in ((0, 1, (p, q)), (1, 0, (q, p))):
        true = information(judged, seen[0].priors, *(one / one.sum() for one in laws))
        found = np.mean([judged.risk(one.priors) - one.risks[i, j] for one in seen], axis=0)
        np.testing.assert_allclose(found, true, atol=0.03 * max(costs) * true.max() / 0.1)
    js = [risk.divergences(one, CATALOGUE["js"])[0, 1] for one in seen]
    assert np.mean(js) == pytest.approx(
        divergence_of(p / p.sum(), q / q.sum(), CATALOGUE["js"], judged), rel=0.2
    )


def test_costs_that_differ_are_not_symmetric_and_new_members_agree():
    sets = _sets(low=12, high=20)
    for classifier, loss in (("logistic", "square"), ("affine", "square"), ("svm", "hinge")):
        risk = Classified(classifier=classifier, loss=LOSSES[loss].costing(3.0, 1.0), priors=21)
        assert not risk.symmetric(CATALOGUE["js"])
        assert not risk.symmetric(CATALOGUE["kl"])
        seen = risk.look(sets, seed=3)
        found = risk.divergences(seen, CATALOGUE["js"])
        assert np.abs(found - found.T).max() > 1e-3
        np.testing.assert_array_equal(seen.risks, risk.look(sets, sets, seed=3).risks)
        equal = Classified(classifier=classifier, loss=LOSSES[loss].costing(2.0, 2.0), priors=21)
        plain = Classified(classifier=classifier, loss=loss, priors=21)
        assert equal.symmetric(CATALOGUE["js"])
        np.testing.assert_allclose(
            equal.look(sets, seed=3).risks, 2 * plain.look(sets, seed=3).risks, rtol=1e-10
        )


def test_costs_of_the_affine_function_move_its_prior():
    sets = _pair(40, 1.0)
    risk = Classified(classifier="affine", loss=LOSSES["square"].costing(3.0, 1.0))
    plain = Classified(classifier="affine", priors=1201)
    at, size = LOSSES["square"].costing(3.0, 1.0).shifted(risk.look(sets).priors)
    expected = size * plain.curve(plain.look(sets), 0, 1, at)
    np.testing.assert_allclose(risk.look(sets).risks[0, 1], expected, rtol=1e-3)


def test_hinge_is_twice_the_zero_one_loss_and_gives_the_same_divergence():
    sets = _pair(60, 1.0)
    hinge = Classified(loss="hinge")
    plain = Classified(loss="zero-one")
    np.testing.assert_allclose(hinge.look(sets).risks, 2 * plain.look(sets).risks, rtol=1e-12)
    for name in ("kl", "variational", "chi2"):
        found = hinge.divergences(hinge.look(sets), CATALOGUE[name])
        np.testing.assert_allclose(
            found, plain.divergences(plain.look(sets), CATALOGUE[name]), rtol=1e-9
        )


class _Nearer:
    """A classifier of a person's own: nothing of scikit-learn's, and no copy of itself."""

    def __init__(self, chances: bool) -> None:
        self.limit = None
        if chances:
            self.predict_proba = lambda X: np.stack(
                [1 - self.predict(X) * 0.6 - 0.2, self.predict(X) * 0.6 + 0.2], axis=1
            )

    def __deepcopy__(self, memo):
        return _Nearer(hasattr(self, "predict_proba"))

    def fit(self, X, y):
        assert self.limit is None  # trained once only
        self.limit = X[y == 0].mean(axis=0), X[y == 1].mean(axis=0)

    def predict(self, X):
        zero, one = (np.linalg.norm(X - m, axis=1) for m in self.limit)
        return (one < zero).astype(float)


@pytest.mark.parametrize("chances", [False, True])
def test_a_classifier_that_is_no_estimator_is_copied_whole(chances):
    risk = Classified(classifier=_Nearer(chances), priors=21)
    assert risk.judged.name == ("square" if chances else "zero-one")
    found = risk.divergences(risk.look(_pair(60, 2.0)), CATALOGUE["triangular"])[0, 1]
    assert 0.2 < found < 2.0
    assert risk.classifier.limit is None


class _Broken:
    def fit(self, X, y):
        raise RuntimeError("no luck\nat all")

    def predict(self, X):
        return np.zeros(len(X))


def test_failing_classifier_is_one_sentence_with_the_pair():
    with pytest.raises(
        DataError, match=r"the classifier failed on members 0 and 1: no luck at all\."
    ):
        Classified(classifier=_Broken()).look(_sets(count=2))


def test_notes_on_small_sets_and_very_different_sizes():
    rng = np.random.default_rng(0)
    sets = Ragged.of([rng.normal(size=(n, 1)) for n in (3, 80)], ordered=False)
    risk = Classified(priors=5)
    notes = risk.notes(risk.look(sets))
    assert "1 set has fewer vectors than folds=5" in notes[0]
    assert "3 to 80 vectors" in notes[1]
    seen = risk.look(_sets(low=8, high=10))
    assert risk.notes(seen) == []
    assert risk.notes(seen, CATALOGUE["kl"]) == []
    (note,) = risk.notes(seen, CATALOGUE["variational"])
    assert note.startswith("variational has no exact form in the square loss")
    assert Classified(loss="zero-one", priors=5).notes(seen, CATALOGUE["variational"]) == []


def test_constant_values_and_equal_sets_teach_nothing():
    sets = Ragged.of([np.ones((6, 2)), np.ones((6, 2)), np.ones((7, 2))], ordered=False)
    for name in ("logistic", "knn", "affine"):
        risk = Classified(classifier=name)
        found = risk.divergences(risk.look(sets), CATALOGUE["jeffreys"])
        assert found == pytest.approx(np.zeros((3, 3)), abs=1e-3), name
