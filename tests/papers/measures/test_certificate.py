"""Certificates against counting and simulation; members that were fitted are refused, and empty clusters certify nothing."""

from __future__ import annotations

import json

import numpy as np
import pytest

from coterie.core.errors import DataError, ParameterError
from coterie.show.lines import draw
from coterie_papers.measures.certificate import QUANTILES, certify
from coterie_papers.measures.fitted_rows import content_ids, fitted_again
from coterie_papers.measures.pac_bayes import binary_kl, budget
from tests.oracles import mates as slow


def views(seed, n, noise=0.3, names=("x", "y"), width=4):
    rng = np.random.default_rng(seed)
    shared = rng.normal(size=(n, width))
    return {name: shared + noise * rng.normal(size=shared.shape) for name in names}


@pytest.mark.parametrize("names", [("x", "y"), ("x", "y", "z")])
def test_every_candidate_is_counted_as_one_by_one(names):
    fitted = views(0, 60, names=names)
    held = views(1, 50, names=names)
    found = certify(fitted, held)
    told = {one.name: one for one in found.clusters}
    assert len(told) + found.dropped == 4 * 2 * len(QUANTILES)
    lists = [[list(given[name]) for name in names] for given in (fitted, held)]
    for name, sign, q in (
        ("component 2 above its 70% point", 1, 0.7),
        ("component 1 below its 20% point", -1, 0.8),
    ):
        risk, chance, inside = slow.candidate(*lists, int(name.split()[1]) - 1, sign, q)
        assert (told[name].risk, told[name].chance, told[name].coverage) == pytest.approx(
            (risk, chance, inside), abs=1e-12
        )


@pytest.mark.parametrize("by", ["risk", "ratio"])
def test_the_bounds_are_those_of_the_theorem_at_half_delta(by):
    found = certify(views(0, 200), views(1, 400), delta=0.1, by=by)
    weights = [one.weight for one in found.clusters]
    assert sum(weights) == pytest.approx(1)
    assert found.risk == pytest.approx(sum(one.weight * one.risk for one in found.clusters))
    assert found.coverage == pytest.approx(sum(one.weight * one.coverage for one in found.clusters))
    assert found.chance == pytest.approx(sum(one.weight * one.chance for one in found.clusters))
    assert found.divergence == pytest.approx(slow.kl(weights, len(weights)), abs=1e-9)
    allowed = budget(found.divergence, 400, 0.05)
    assert binary_kl(found.risk, found.bound) == pytest.approx(allowed, abs=1e-9)
    assert binary_kl(found.coverage, found.coverage_bound) == pytest.approx(allowed, abs=1e-9)
    assert found.coverage_bound < found.coverage
    assert found.risk < found.bound < found.chance
    assert found.tells


def test_the_smallest_bound_and_the_smallest_beside_chance():
    fitted = views(0, 200)
    held = views(1, 400)
    risk = certify(fitted, held)
    ratio = certify(fitted, held, by="ratio")
    assert risk.bound <= ratio.bound
    assert ratio.bound / ratio.chance <= risk.bound / risk.chance
    ratios = [one.ratio for one in risk.clusters]
    assert ratios == sorted(ratios)
    top = [one.weight for one in risk.top(3)]
    assert top == sorted((one.weight for one in risk.clusters), reverse=True)[:3]


def test_more_members_bring_a_lower_bound_and_unrelated_views_none():
    fitted = views(0, 300)
    bounds = [certify(fitted, views(1, n)).bound for n in (60, 300, 1500)]
    assert bounds == sorted(bounds, reverse=True)
    held = views(1, 400)
    held["y"] = held["y"][np.random.default_rng(0).permutation(400)]
    for by in ("risk", "ratio"):
        found = certify(fitted, held, by=by)
        assert not found.tells
        assert "not below chance" in " ".join(found.sentences())


def test_the_bound_covers_the_true_risk_in_simulation():
    """The true risks are those on very many members; at delta = 0.2 at most a fifth of the certificates may fail."""
    fitted = views(0, 100, width=3)
    everyone = views(99, 60_000, width=3)
    truth = {one.name: one for one in certify(fitted, everyone).clusters}
    held = 0
    for seed in range(60):
        found = certify(fitted, views(100 + seed, 80, width=3), delta=0.2)
        risk = sum(one.weight * truth[one.name].risk for one in found.clusters)
        coverage = sum(one.weight * truth[one.name].coverage for one in found.clusters)
        held += risk <= found.bound and coverage >= found.coverage_bound
    assert held >= 48


def test_fitted_members_are_refused_even_after_rounding():
    fitted = views(0, 60)
    held = views(1, 50)
    again = {
        name: np.vstack([rows, fitted[name][[5, 7]] * (1 + 1e-14)]) for name, rows in held.items()
    }
    assert fitted_again(fitted, again).tolist() == [-1] * 50 + [5, 7]
    with pytest.raises(
        DataError,
        match="member 50 was fitted, or looks exactly like fitted member 5 in every view; leave it out, and 1",
    ):
        certify(fitted, again)
    half = {"x": again["x"], "y": np.vstack([held["y"], held["y"][:2]])}
    certify(fitted, half)  # the same in one view only
    with pytest.raises(
        DataError,
        match="member 0 was fitted: its id, 'b', is that of a fitted member; leave it out",
    ):
        certify(
            fitted, held, ids=([f"f{i}" for i in range(59)] + ["b"], ["b", *map(str, range(49))])
        )
    with pytest.raises(
        DataError, match="ids must name 60 fitted and 50 held-out members, and name 2 and 50"
    ):
        certify(fitted, held, ids=(["a", "b"], list(range(50))))


def test_contents_name_members():
    import scipy.sparse as sp

    rows = np.array([[0.0, 2.0], [1.0, 0.0], [0.0, 2.0]])
    dense = content_ids({"x": rows})
    sparse = content_ids({"x": sp.csr_array(rows)})
    for found in (dense, sparse):
        assert found[0] == found[2] != found[1]
    assert content_ids({"x": rows[:1], "y": ["a"]}) != content_ids({"x": rows[:1], "y": ["b"]})
    with pytest.raises(DataError, match="'x' has 3, 'y' has 1"):
        content_ids({"x": rows, "y": ["a"]})


def test_clusters_as_candidates():
    rng = np.random.default_rng(0)
    before = rng.integers(3, size=200)
    after = rng.integers(3, size=300)
    other = np.where(rng.random(300) < 0.1, rng.integers(3, size=300), after)
    ids = (range(200), range(200, 500))
    found = certify(
        {"x": before, "y": before}, {"x": after, "y": other}, candidates="clusters", ids=ids
    )
    assert {one.name for one in found.clusters} == {"cluster 0", "cluster 1", "cluster 2"}
    told = next(one for one in found.clusters if one.name == "cluster 1")
    assert told.risk == pytest.approx(np.mean((after == 1) != (other == 1)))
    assert found.tells
    with pytest.raises(DataError, match="give ids"):
        certify({"x": before, "y": before}, {"x": after, "y": other}, candidates="clusters")


def test_empty_clusters_are_dropped_or_weigh_nothing():
    fitted = views(0, 100)
    held = views(1, 200)
    assert certify(fitted, held, quantiles=(0.5, 0.995)).dropped == 8
    small = {
        name: rows / 100 for name, rows in held.items()
    }  # as where a model fits its own members far more closely
    with pytest.raises(DataError, match="let members that were not fitted fix the candidates"):
        certify(fitted, small, quantiles=(0.9,))
    with pytest.raises(DataError, match="None of the 8 candidate clusters holds 2% to 98%"):
        certify(fitted, held, quantiles=(0.999,))


def test_what_is_said_and_drawn():
    found = certify(views(0, 100), views(1, 200))
    text = found.to_text(2)
    assert "of 200 members that were not fitted contradict the chosen clusters" in text
    assert "With 95% confidence" in text
    assert text.count("component") == 2
    plain = json.loads(json.dumps(found.record()))
    assert plain["bound"] == found.bound
    assert set(plain["power"]) == {"x", "y"}
    said = "explanatory power, the share of members in a cluster drawn by the weights, is "
    said += (
        f"{100 * found.power['x']:.1f}% by view 'x' and {100 * found.power['y']:.1f}% by view 'y'."
    )
    assert said in text
    assert said in found.picture().sentence
    assert 'class="chart lines"' in draw(found.picture())


def test_bad_input_is_one_sentence():
    fitted = views(0, 60)
    held = views(1, 50)
    with pytest.raises(DataError, match="at least 8 pairs"):
        certify(fitted, views(1, 7))
    for delta in (0, 1, 1.5, 2.5, float("nan"), "x"):
        with pytest.raises(ParameterError, match="delta must lie between 0 and 1, and was"):
            certify(fitted, held, delta=delta)
    with pytest.raises(DataError, match="View 'x' of the fitted members has no members"):
        certify({name: rows[:0] for name, rows in fitted.items()}, held)
    with pytest.raises(DataError, match="View 'x' of the fitted members has no components"):
        certify(
            {name: rows[:, :0] for name, rows in fitted.items()},
            {name: rows[:, :0] for name, rows in held.items()},
        )
    words = {name: np.full((20, 2), "a") for name in fitted}
    with pytest.raises(DataError, match="View 'x' of the fitted members must hold numbers"):
        certify(words, words)
    mixed = {"x": np.array(["a", "b"] * 10), "y": np.arange(20) % 2}
    with pytest.raises(DataError, match="named alike"):
        certify(mixed, mixed, candidates="clusters", ids=(range(20), range(20, 40)))
    odd = {name: np.array([None, 1] * 10, dtype=object) for name in "xy"}
    with pytest.raises(DataError, match="named by whole numbers or by words"):
        certify(odd, odd, candidates="clusters", ids=(range(20), range(20, 40)))
    with pytest.raises(ParameterError, match="candidates must be one of components, clusters"):
        certify(fitted, held, candidates="groups")
    with pytest.raises(ParameterError, match="by must be one of risk, ratio"):
        certify(fitted, held, by="luck")
    with pytest.raises(ParameterError, match="quantiles must lie between 0 and 1"):
        certify(fitted, held, quantiles=(0.5, 1.0))
    with pytest.raises(DataError, match="same two or more views"):
        certify({"x": fitted["x"]}, {"x": held["x"]})
    with pytest.raises(DataError, match="same components"):
        certify(fitted, {name: rows[:, :3] for name, rows in held.items()})
    with pytest.raises(DataError, match="must be members x components"):
        certify({name: rows[:, 0] for name, rows in fitted.items()}, held)
    with pytest.raises(DataError, match="held-out members have 49 and 50 rows"):
        certify(fitted, {"x": held["x"], "y": held["y"][:49]})
    held["y"][4, 1] = np.inf
    with pytest.raises(
        DataError, match="View 'y' of the held-out members is not finite at member 4"
    ):
        certify(fitted, held)
