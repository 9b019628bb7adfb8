"""State-space dynamics: against sums over all paths, its variants, its policies, and collections whose answer is known."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pytest
from tests.oracles import ssd as slow
from tests.oracles.hmm import Model

from coterie import Ragged
from coterie.compare import SSD, dynamics
from coterie.compare.shared_models import Tried, first_guess
from coterie.core.affinity import Graph, Lazy
from coterie.core.errors import DataError, NotConverged, ParameterError
from coterie.core.workplace import using
from coterie.judge import clustering_error
from coterie.models import GMM, HMM
from coterie.organize import Spectral
from coterie.parts import pairwise
from coterie.parts.pairwise import dense, graph

STAY = np.array([[0.6, 0.4], [0.4, 0.6]])
MOVE = np.array([[0.4, 0.6], [0.6, 0.4]])


def chains(n: int, mean: int, seed: int) -> tuple[Ragged, np.ndarray]:
    """Two classes of the same two Gaussian states, one of which stays a little more than it moves, the other less."""
    random = np.random.default_rng(seed)
    truth = np.arange(n) % 2
    found = []
    for kind in truth:
        length = int(random.integers(int(0.6 * mean), int(1.4 * mean) + 1))
        moves = random.random(length) > (STAY, MOVE)[kind][0, 0]
        states = (random.integers(2) + np.cumsum(moves)) % 2
        found.append(3.0 * states[:, None] + random.normal(size=(length, 1)))
    return Ragged.of(found), truth


@pytest.fixture(scope="module")
def short() -> tuple[Ragged, SSD]:
    """Six short sequences and what one shared model of two states makes of them."""
    random = np.random.default_rng(5)
    sequences = Ragged.of(
        [
            random.normal(size=(n, 2)) + 2 * (i % 2) * (np.arange(n) % 2)[:, None]
            for i, n in enumerate([5, 4, 6, 2, 5, 4])
        ]
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotConverged)
        return sequences, SSD(n_states=2, n_models=2, random_state=1).fit(sequences)


def slow_steps(fitted: SSD, sequences: Ragged, at: int) -> tuple[list[np.ndarray], np.ndarray]:
    model = fitted.models_[at]
    twin = Model(model.start_, model.transition_, model.means_, model.covariances_)
    return [slow.expected_steps(twin, sequence) for sequence in sequences], model.transition_


def refitted(fitted: SSD, sequences: Ragged, **changes: object) -> SSD:
    """The same shared models, compared in another way."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return SSD(**{**fitted.get_params(deep=False), **changes}).fit(sequences)


def test_equals_the_sum_over_all_paths(short):
    sequences, fitted = short
    expected = np.zeros((6, 6))
    for at in range(2):
        steps, common = slow_steps(fitted, sequences, at)
        rows = [slow.rows_of(one, common) for one in steps]
        assert np.allclose(fitted.transitions_[at], rows, atol=1e-10)
        expected += [[slow.by_rows(a, b) / 2 for b in rows] for a in rows]
    found = dense(fitted.affinity_).values
    assert np.allclose(found, expected, atol=1e-9)
    assert (np.diagonal(found) == 0).all()
    assert np.array_equal(found, found.T)
    assert found[0, 1] > 0.01


def test_the_affinity_of_rows_is_a_kernel(short):
    _, fitted = short
    roots = fitted.affinity_.rows[0]
    assert np.linalg.eigvalsh(roots @ roots.T).min() > -1e-12
    assert np.allclose(np.square(roots).sum(axis=1), 1.0)


@pytest.mark.parametrize(
    "variant", ["joint", "stationary", "diffusion", "self-transition-free", "fisher"]
)
def test_variants_equal_their_definitions(short, variant):
    sequences, fitted = short
    other = refitted(fitted, sequences, variant=variant, steps=3)
    expected = np.zeros((6, 6))
    for at in range(2):
        steps, common = slow_steps(fitted, sequences, at)
        rows = [slow.rows_of(one, common) for one in steps]
        states = fitted.models_[at].posterior(sequences)
        laws = {
            "joint": [one / one.sum() for one in steps],
            "stationary": [
                slow.stationary(one, seen.sum(axis=0))
                for one, seen in zip(rows, states, strict=True)
            ],
            "fisher": [
                slow.fisher(one, common, len(s)) for one, s in zip(steps, sequences, strict=True)
            ],
            "diffusion": [r @ r @ r for r in rows],
            "self-transition-free": [slow.without_stays(one)[0] for one in steps],
        }[variant]
        for i, a in enumerate(laws):
            for j, b in enumerate(laws):
                if variant == "fisher":
                    expected[i, j] += float(np.linalg.norm(a - b)) / 2
                elif variant in ("joint", "stationary"):
                    expected[i, j] += slow.far(slow.affinity(a, b)) / 2
                else:
                    expected[i, j] += slow.by_rows(a, b) / 2
    assert np.allclose(
        dense(other.affinity_).values, expected, atol=1e-4 if variant == "stationary" else 1e-7
    )


def test_many_steps_of_diffusion_are_the_stationary_law():
    sequences, _ = chains(12, 60, seed=9)
    settings = {"n_states": 3, "n_models": 2, "random_state": 1, "model": HMM(max_iter=200)}
    with pytest.warns(UserWarning, match="take fewer steps"):
        mixed = SSD(variant="diffusion", steps=10_000, **settings).fit(sequences)
    still = SSD(variant="stationary", **settings).fit(sequences)
    assert np.allclose(dense(mixed.affinity_).values, dense(still.affinity_).values, atol=1e-7)
    assert dense(still.affinity_).values.max() > 1e-3


def test_stationary_laws_of_periodic_and_of_split_chains():
    turning = np.array([[0.0, 1.0], [1.0, 0.0]])
    apart = np.array([[0.5, 0.5, 0.0], [0.5, 0.5, 0.0], [0.0, 0.0, 1.0]])
    assert np.allclose(dynamics.stationary(turning[None], np.array([[0.9, 0.1]])), 0.5)
    assert np.allclose(
        dynamics.stationary(apart[None], np.array([[0.6, 0.0, 0.2]])), [[0.375, 0.375, 0.25]]
    )


def test_sources_with_the_same_symbols_in_another_order_are_told_apart():
    members = [
        np.tile([1.0, 0.0], 20 + i) if i % 2 else np.tile([1.0, 1.0, 0.0, 0.0], 10 + i)
        for i in range(10)
    ]
    fitted = SSD(model="observed").fit(Ragged.of(members))
    found = dense(fitted.affinity_).values
    same = (np.arange(10)[:, None] - np.arange(10)) % 2 == 0
    assert found[same].max() < 0.01
    assert found[~same].min() > 0.3
    assert fitted.models_ == []
    steps = [slow.symbol_steps([int(v) for v in member], 2) for member in members[:2]]
    assert np.isclose(found[0, 1], slow.by_rows(*(slow.rows_of(one, one) for one in steps)))


def test_repeated_frames_count_for_nothing_without_stays():
    random = np.random.default_rng(2)
    members = [random.integers(0, 4, size=40).astype(float) for _ in range(5)]
    both = Ragged.of([*members, *(np.repeat(member, 2) for member in members)])
    free = dense(SSD(model="observed", variant="self-transition-free").fit(both).affinity_).values
    plain = dense(SSD(model="observed").fit(both).affinity_).values
    twins = np.arange(5), np.arange(5) + 5
    assert np.allclose(free[twins], 0.0, atol=1e-12)
    assert plain[twins].min() > 0.05
    assert free[0, 1] > 0.05


def test_rows_that_nobody_visits():
    members = Ragged.of(
        [np.tile([0.0, 1.0, 1.0], 5), np.tile([0.0, 1.0], 8), np.tile([2.0, 3.0], 6)]
    )
    policies = {
        rows: dense(SSD(model="observed", rows=rows).fit(members).affinity_).values
        for rows in ("exact", "zero", "union")
    }
    a = slow.symbol_steps([0, 1, 1] * 5, 4)
    b = slow.symbol_steps([0, 1] * 8, 4)
    a = slow.rows_of(a, np.zeros((4, 4)))
    b = slow.rows_of(b, np.zeros((4, 4)))
    assert np.isclose(policies["union"][0, 1], slow.by_rows(a, b, [0, 1]))
    assert np.isclose(policies["zero"][0, 1], slow.by_rows(a, b, [0, 1], 4))
    assert np.array_equal(policies["exact"], policies["union"])
    assert np.allclose(policies["union"][0, 2], -np.log(1e-12)), (
        "walks without a common state are as far as can be"
    )


def test_hidden_rows_of_states_hardly_visited():
    random = np.random.default_rng(3)
    low = [random.normal(size=(12, 1)) for _ in range(6)]
    high = [random.normal(size=(12, 1)) + 50 for _ in range(6)]
    sequences = Ragged.of([*low, *high])
    model = HMM(max_iter=20)
    found = {
        rows: SSD(n_states=4, n_models=1, rows=rows, model=model, random_state=0).fit(sequences)
        for rows in ("exact", "zero", "union")
    }
    far = {rows: dense(one.affinity_).values for rows, one in found.items()}
    assert found["exact"].empty_rows_ == 0
    assert np.allclose(far["union"][0, 6:], -np.log(1e-12)), "no state is visited by both"
    assert far["zero"][0, 1:6].min() > far["union"][0, 1:6].max(), (
        "states of the others count as rows that do not agree"
    )
    assert far["exact"][0, 1:6].max() < far["zero"][0, 1:6].min(), (
        "rows hardly visited are alike within a class"
    )


def test_dynamics_are_found_where_only_dynamics_differ():
    sequences, truth = chains(40, 150, seed=1)
    model = HMM(max_iter=30)

    def error(**settings: object) -> float:
        fitted = SSD(n_states=4, random_state=0, model=model, **settings).fit(sequences)
        labels = (
            Spectral(n_groups=2, scale="eigengap", random_state=0)
            .fit(dense(fitted.affinity_))
            .labels_
        )
        return clustering_error(labels, truth)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert error(n_models=1) <= 0.1
        assert error(n_models=3) <= 0.1
        assert error(n_models=1, variant="stationary") >= 0.25, (
            "both classes use their states alike"
        )
        assert error(n_models=1, variant="diffusion", steps=64) >= 0.25


def test_new_members_get_the_rows_of_fitted_ones():
    sequences, _ = chains(20, 30, seed=2)
    for variant in ("transitions", "stationary", "joint", "self-transition-free"):
        fitted = SSD(n_states=3, n_models=2, variant=variant, random_state=4, model=HMM(max_iter=5))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NotConverged)
            fitted.fit(sequences)
        again = fitted.compare(sequences.take([3, 0, 7]))
        assert again.shape == (3, 20)
        assert not again.own
        assert np.allclose(
            dense(again).values, dense(fitted.affinity_).values[[3, 0, 7]], atol=1e-10
        )
    with pytest.raises(DataError, match="2 values per step where the fitted ones have 1"):
        fitted.compare(Ragged.of([np.ones((4, 2))]))


def test_workers_seeds_and_pickles():
    sequences, _ = chains(24, 30, seed=3)
    made = SSD(n_states=3, n_models=3, random_state=7, model=HMM(max_iter=5))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotConverged)
        with using(n_jobs=1):
            one = dense(made.fit(sequences).affinity_).values
        with using(n_jobs=2):
            two = dense(made.fit(sequences).affinity_).values
        fewer = SSD(n_states=3, n_models=2, random_state=7, model=HMM(max_iter=5)).fit(sequences)
        seeded = SSD(n_states=3, n_models=3, model=HMM(max_iter=5, random_state=7)).fit(sequences)
    assert np.array_equal(one, two)
    assert np.array_equal(made.transitions_[1], fewer.transitions_[1]), (
        "a model does not depend on how many there are"
    )
    assert np.array_equal(dense(seeded.affinity_).values, one)
    assert np.array_equal(dense(pickle.loads(pickle.dumps(made)).affinity_).values, one)


def test_a_sequence_of_one_step_is_far_from_all():
    sequences, _ = chains(10, 30, seed=4)
    cut = Ragged.of([*sequences, [[0.5]], [[2.5]]])
    for variant in ("transitions", "stationary", "joint", "self-transition-free", "diffusion"):
        fitted = SSD(n_states=2, n_models=2, variant=variant, steps=1, random_state=0)
        with pytest.warns(
            UserWarning, match="2 of 12 members, the first at position 10, have no transitions"
        ):
            fitted.fit(cut)
        found = dense(fitted.affinity_).values
        off = ~np.eye(12, dtype=bool)
        assert np.allclose(found[10:][off[10:]], -np.log(1e-12))
        assert found[:10, :10].max() < 10
        assert (np.diagonal(found) == 0).all()
        with pytest.warns(UserWarning, match="1 of 1 members"):
            assert np.allclose(dense(fitted.compare(Ragged.of([[[0.5]]]))).values, -np.log(1e-12))


def test_missing_values_and_constant_channels():
    sequences, truth = chains(30, 100, seed=6)
    values = np.hstack([sequences.values, np.full_like(sequences.values, 4.0)])
    values[::7, 0] = np.nan
    fitted = SSD(n_states=2, n_models=1, random_state=0).fit(sequences.with_values(values))
    found = dense(fitted.affinity_)
    assert np.isfinite(found.values).all()
    labels = Spectral(n_groups=2, scale="eigengap", random_state=0).fit(found).labels_
    assert clustering_error(labels, truth) <= 0.2
    symbols = Ragged.of([[0.0, 1.0, np.nan, 1.0, 0.0], [0.0, 1.0, 0.0]])
    assert SSD(model="observed").fit(symbols).transitions_[0][0].tolist() == [
        [0.0, 1.0],
        [1.0, 0.0],
    ]


def test_the_number_of_states_is_looked_for():
    sequences, _ = chains(20, 100, seed=7)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted = SSD(n_models=1, random_state=0, model=HMM(max_iter=30)).fit(sequences)
    choice = fitted.choice_
    sizes = [row.n_states for row in choice.tried]
    assert first_guess(20, len(sequences.values)) == 11
    assert set(sizes[:3]) == {11, 5, 2}, (
        "halved as long as the criterion falls: the process has two states"
    )
    assert choice.n_states == fitted.models_[0].n_states <= 4
    assert fitted.occupancy_[0].min() >= 0.1 / choice.n_states
    assert next(row for row in choice.tried if row.n_states == choice.n_states).idle == 0
    assert choice.tried[sizes.index(2)].aic == pytest.approx(
        fitted_aic(sequences, choice.tried[sizes.index(2)]), rel=1e-3
    )


def fitted_aic(sequences: Ragged, row: Tried) -> float:
    """The criterion of another model of that size."""
    return HMM(n_states=row.n_states, random_state=5).fit(sequences).aic(sequences)


def test_neighbors_of_many_are_found_without_all_pairs_at_once(monkeypatch):
    random = np.random.default_rng(8)
    sequences = Ragged.of(random.integers(0, 5, size=(500, 12, 1)).astype(float))
    fitted = SSD(model="observed").fit(sequences)
    assert isinstance(fitted.affinity_, Lazy)

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("all pairs were asked for at once")

    monkeypatch.setattr(pairwise, "dense", refuse)
    with using(memory="7MB"):
        near = graph(fitted.affinity_, 5)
    assert isinstance(near, Graph)
    assert near.values.nnz == 2500
    row = fitted.affinity_.block(slice(3, 4), slice(0, 500))[0]
    row[3] = np.inf
    assert np.allclose(
        np.sort(near.values[[3]].toarray()[0][near.values[[3]].toarray()[0] > 0]), np.sort(row)[:5]
    )


def test_what_a_report_shows(short):
    sequences, fitted = short
    curves = fitted.curves()
    assert [v for _, v in curves["Log-likelihood of shared model 1"]] == fitted.models_[0].history_
    strips = fitted.strips([4, 0], ["e", "a"])
    assert strips.names == ("e", "a")
    assert np.array_equal(strips.pieces[1].per_step(), fitted.models_[0].decode(sequences)[0][0])
    grids = fitted.grids(np.array([0, 0, 1, 1, 1, -1]), ["first", "second"])
    assert [grid.title for grid in grids] == ["Transitions in first", "Transitions in second"]
    assert np.allclose(grids[0].values, fitted.transitions_[0][:2].mean(axis=0))
    assert grids[0].rows == ()
    observed = SSD(model="observed").fit(Ragged.of([[7.0, 9.0, 7.0], [9.0, 9.0]]))
    assert observed.grids(np.array([0, 0]), ["all"])[0].columns == ("7", "9")


@pytest.mark.parametrize(
    ("settings", "members", "said"),
    [
        ({"model": GMM()}, [[1.0, 2.0]], "model must be an HMM"),
        ({"model": "seen"}, [[1.0, 2.0]], "model must be observed"),
        ({"model": "observed", "n_states": 3}, [[1.0, 2.0]], "n_states must be None"),
        ({"variant": "walks"}, [[1.0, 2.0]], "variant must be transitions"),
        ({"n_states": 1}, [[1.0, 2.0]], "n_states must be"),
    ],
)
def test_what_does_not_fit_is_refused(settings, members, said):
    with pytest.raises(ParameterError, match=said):
        SSD(**settings).fit(Ragged.of(members))


def test_bad_members_are_named():
    with pytest.raises(DataError, match="these members are sets"):
        SSD().fit(Ragged.of([[1.0, 2.0], [2.0, 1.0]], ordered=False))
    with pytest.raises(DataError, match="member 1 is empty"):
        SSD().fit(Ragged(np.ones((3, 1)), np.array([0, 3, 3])))
    with pytest.raises(DataError, match="one symbol per step"):
        SSD(model="observed").fit(Ragged.of([np.ones((3, 2))]))
    fitted = SSD(model="observed").fit(Ragged.of([[0.0, 1.0], [1.0, 1.0]]))
    with pytest.raises(DataError, match="member 1 has the symbol 4"):
        fitted.compare(Ragged.of([[0.0, 1.0], [1.0, 4.0]]))
