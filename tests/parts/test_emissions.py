"""All families of emissions against scipy, hmmlearn and every path by name; and the promises of training."""

from __future__ import annotations

import numpy as np
import pytest
from tests.oracles import emissions as slow
from tests.oracles.emissions import bank_of, no_floors, seen

from coterie.core.errors import ParameterError
from coterie.parts.emissions import Floors, Normal, added, blank_normal, gaussians
from coterie.parts.hmm import Bank, forward_scores
from coterie.parts.hmm_training import train_bank
from coterie.parts.mixtures import Mixture, blank_mixture
from coterie.parts.symbols import blank_categorical, blank_counts


@pytest.mark.parametrize("missing", [0.0, 0.3])
@pytest.mark.parametrize("family", slow.FAMILIES)
def test_densities_are_those_of_the_definition(family, missing):
    bank = bank_of(family, 4, 2)
    laws = bank.emissions
    values, _ = seen(bank, [30], missing)
    if missing:
        values[7] = np.nan
    rows = laws.rows(values)
    owners = np.random.default_rng(0).integers(4, size=30)
    assert rows.shape == (30, 8)
    wanted = np.array(
        [[slow.density_of(laws, m)(k, x) for k in range(2) for m in range(4)] for x in values]
    )
    np.testing.assert_allclose(rows, wanted, rtol=1e-10, atol=1e-10)
    own = np.stack([wanted[np.arange(30), k * 4 + owners] for k in range(2)], axis=1)
    np.testing.assert_allclose(laws.own(values, owners), own, rtol=1e-10, atol=1e-10)
    one = laws.take(np.array([2]))
    np.testing.assert_allclose(
        one.own(values, np.zeros(30, dtype=np.int64)), wanted[:, [2, 6]], rtol=1e-10, atol=1e-10
    )
    if missing:
        assert np.abs(rows[7]).max() < 1e-15


@pytest.mark.parametrize("missing", [0.0, 0.3])
@pytest.mark.parametrize("family", slow.FAMILIES)
def test_likelihoods_are_those_of_every_path_by_name(family, missing):
    bank = bank_of(family, 2, 2)
    values, offsets = seen(bank, [1, 5, 4], missing)
    found = forward_scores(bank, values, offsets)
    for n in range(3):
        for m in range(2):
            sequence = values[offsets[n] : offsets[n + 1]]
            wanted = slow.total(
                bank.start[m], bank.transition[m], slow.density_of(bank.emissions, m), sequence
            )
            assert found[n, m] == pytest.approx(wanted, abs=1e-9)


@pytest.mark.parametrize("missing", [0.0, 0.3])
@pytest.mark.parametrize("family", slow.FAMILIES)
def test_a_round_is_that_of_every_path_by_name(family, missing):
    bank = bank_of(family, 2, 2)
    values, offsets = seen(bank, [5, 6, 5, 1, 6, 5], missing)
    if missing:
        values[2] = np.nan
    classes = np.array([0, 1, 0, 1, 1, 0])
    now, _ = train_bank(
        bank,
        values,
        offsets,
        classes,
        rounds=1,
        training="baum-welch",
        floors=no_floors(values.shape[1]),
    )
    for m in (0, 1):
        mine = [values[offsets[n] : offsets[n + 1]] for n in range(6) if classes[n] == m]
        density = slow.density_of(bank.emissions, m)
        shares = np.concatenate(
            [slow.shares(bank.start[m], bank.transition[m], density, part) for part in mine]
        )
        for name, wanted in slow.maximized(
            family, bank.emissions, m, np.concatenate(mine), shares
        ).items():
            np.testing.assert_allclose(
                now.emissions.arrays()[name][m], wanted, atol=1e-9, err_msg=name
            )


@pytest.mark.parametrize("missing", [0.0, 0.25])
@pytest.mark.parametrize("family", slow.FAMILIES)
def test_training_never_lowers_the_likelihood(family, missing):
    source = bank_of(family, 1, 3, seed=5)
    bank = bank_of(family, 2, 2, seed=9)
    values, offsets = seen(source, [80, 60, 90, 70], missing)
    _, outcome = train_bank(
        bank,
        values,
        offsets,
        np.array([0, 1, 0, 1]),
        rounds=25,
        training="baum-welch",
        floors=no_floors(values.shape[1]),
        tol=0.0,
    )
    history = np.array(outcome.history)
    assert len(history) >= 5
    assert history[-1] > history[0] + 1
    assert (np.diff(history) > -1e-8 * np.abs(history[0])).all(), np.diff(history).min()


@pytest.mark.parametrize(
    "family", ["diagonal", "spherical", "full", "tied", "mixture", "mixture-full"]
)
def test_values_far_from_zero_lose_nothing(family):
    """The same data about 0 and about a million: what is left over is the rounding of the values themselves."""
    near = bank_of(family, 2, 2)
    values, offsets = seen(near, [200, 150, 180], 0.1)
    values = np.round(values * 2**20) / 2**20  # so that the million can be added without rounding
    laws = near.emissions
    means = np.round(laws.means * 2**20) / 2**20
    near = Bank(near.start, near.transition, laws.with_arrays({**laws.arrays(), "means": means}))
    far = Bank(
        near.start, near.transition, laws.with_arrays({**laws.arrays(), "means": means + 1e6})
    )
    wanted = forward_scores(near, values, offsets)
    found = forward_scores(far, values + 1e6, offsets)
    np.testing.assert_allclose(found, wanted, rtol=1e-9)
    classes = np.array([0, 1, 0])
    settings = {"rounds": 10, "training": "baum-welch", "floor": 1e-6, "tol": 0.0}
    one, first = train_bank(near, values, offsets, classes, **settings)
    other, second = train_bank(far, values + 1e6, offsets, classes, **settings)
    np.testing.assert_allclose(second.history, first.history, rtol=1e-7)
    np.testing.assert_allclose(
        other.emissions.arrays()["spreads"], one.emissions.arrays()["spreads"], rtol=1e-5
    )


@pytest.mark.parametrize("n_models", [1, 3])
@pytest.mark.parametrize("form", ["diagonal", "full"])
def test_states_a_million_apart_lose_nothing(form, n_models):
    """No one center is near all states, so those far from it are done by their own differences."""
    rng = np.random.default_rng(0)
    means = np.tile(np.array([[0.0, 0.0], [1e6, 0.0], [0.0, -1e6]]), (n_models, 1, 1))
    laws = gaussians(means, np.ones(means.shape), form)
    frames = rng.normal(size=(400, 2))
    states = rng.integers(3, size=400)
    frames += means[0, states]
    wanted = np.array([slow.normal(x, means[0, k], np.eye(2)) for x, k in zip(frames, states)])
    np.testing.assert_allclose(
        laws.rows(frames)[np.arange(400), states * n_models], wanted, atol=1e-8
    )
    shares = np.eye(3)[states]
    better = laws.maximized(laws.sums(frames, np.zeros(400, dtype=np.int64), shares), no_floors(2))
    spreads = (
        better.spreads if form == "diagonal" else np.diagonal(better.spreads, axis1=2, axis2=3)
    )
    wanted = np.array([frames[states == k].var(axis=0) for k in range(3)])
    np.testing.assert_allclose(spreads[0], wanted, rtol=1e-8)
    np.testing.assert_array_equal(
        better.means[1:], means[1:]
    )  # models that saw nothing keep what they had


@pytest.mark.parametrize("family", slow.FAMILIES)
def test_a_state_that_is_not_seen_keeps_what_it_had(family):
    laws = slow.drawn_laws(family, 2, 3, 2)
    values = laws.drawn(0, np.zeros(20, dtype=np.int64), np.random.default_rng(0))
    shares = np.zeros((20, 3))
    shares[:, 1] = 1.0
    better = laws.maximized(
        laws.sums(values, np.zeros(20, dtype=np.int64), shares), Floors.of(values, 0.05)
    )
    for name, array in better.arrays().items():
        before = laws.arrays()[name]
        assert np.isfinite(array).all()
        np.testing.assert_array_equal(array[1], before[1])
        if not (family == "tied" and name == "spreads"):
            np.testing.assert_array_equal(array[0, [0, 2]], before[0, [0, 2]])
        assert not np.array_equal(array[0, 1], before[0, 1])


@pytest.mark.parametrize("family", slow.FAMILIES)
def test_sums_of_chunks_add_up(family):
    bank = bank_of(family, 3, 2)
    values, _ = seen(bank, [700], 0.1)
    rng = np.random.default_rng(0)
    owners = np.sort(rng.integers(3, size=700))
    shares = rng.dirichlet([1.0, 1.0], 700)
    whole = bank.emissions.sums(values, owners, shares)
    parts = added(
        [
            bank.emissions.sums(values[lo : lo + 100], owners[lo : lo + 100], shares[lo : lo + 100])
            for lo in range(0, 700, 100)
        ]
    )
    for name, array in whole.items():
        np.testing.assert_allclose(parts[name], array, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("family", slow.FAMILIES)
def test_models_can_be_taken_out_and_put_back(family):
    laws = slow.drawn_laws(family, 4, 2, 3)
    other = slow.drawn_laws(family, 2, 2, 3, seed=7)
    assert (laws.n_models, laws.n_states) == (4, 2)
    changed = laws.put(np.array([1, 3]), other)
    for name, array in changed.take(np.array([3, 0])).arrays().items():
        np.testing.assert_array_equal(array[0], other.arrays()[name][1])
        np.testing.assert_array_equal(array[1], laws.arrays()[name][0])


@pytest.mark.parametrize("family", slow.FAMILIES)
def test_frames_drawn_are_like_the_law(family):
    """Trained on frames drawn from it, a law comes back to itself."""
    laws = slow.drawn_laws(family, 2, 2, 2, seed=3)
    rng = np.random.default_rng(1)
    states = np.repeat([0, 1], 40_000)
    frames = laws.drawn(1, states, rng)
    better = laws.maximized(
        laws.sums(frames, np.ones(len(states), dtype=np.int64), np.eye(2)[states]), no_floors(2)
    )
    for name, array in better.arrays().items():
        np.testing.assert_allclose(array[1], laws.arrays()[name][1], rtol=0.05, atol=0.05)


@pytest.mark.parametrize(
    ("family", "free"),
    [
        ("diagonal", 12),
        ("spherical", 8),
        ("full", 18),
        ("tied", 12),
        ("mixture", 40),
        ("mixture-full", 58),
        ("categorical", 8),
        ("two alphabets", 12),
        ("counts", 6),
    ],
)
def test_free_parameters_are_counted(family, free):
    """Per state: means and variances (3 + 3), or covariances (6), of 3 values; of 3 components with 2 free weights."""
    assert slow.drawn_laws(family, 5, 2, 3).n_free == free


@pytest.mark.parametrize("form", ["diagonal", "spherical", "full", "tied"])
def test_a_value_that_never_changes_tells_nothing(form):
    rng = np.random.default_rng(0)
    frames = rng.normal(size=(60, 3)) * [1.0, 0.0, 1e-3] + [0.0, 7.1, 0.0]
    floors = Floors.of(frames, 0.05)
    blank = blank_normal(1, 2, frames, floors, form)
    shares = np.eye(2)[(frames[:, 0] > 0).astype(int)]
    laws = blank.maximized(blank.sums(frames, np.zeros(60, dtype=np.int64), shares), floors)
    rows = laws.rows(frames)
    assert np.isfinite(rows).all()
    if form != "spherical":  # one variance for all three
        spreads = np.diagonal(laws.spreads, axis1=2, axis2=3) if laws.square else laws.spreads
        np.testing.assert_allclose(spreads[..., 1], 1.0, rtol=1e-6)
        assert (spreads[..., 2] < 1e-5).all(), (
            "the floor of a constant value must not lift the others"
        )
        without = (
            Normal(laws.means[..., [0, 2]], laws.spreads[..., [0, 2]], form)
            if not laws.square
            else Normal(laws.means[..., [0, 2]], laws.spreads[..., [[0], [2]], [0, 2]], form)
        )
        np.testing.assert_allclose(
            np.diff(rows, axis=1), np.diff(without.rows(frames[:, [0, 2]]), axis=1), atol=1e-8
        )


@pytest.mark.parametrize("form", ["diagonal", "spherical", "full", "tied"])
def test_one_frame_per_model_gives_finite_numbers(form):
    frames = np.random.default_rng(0).normal(size=(5, 3))
    floors = Floors.of(frames, 0.05)
    blank = blank_normal(5, 2, frames, floors, form)
    owners = np.arange(5)
    laws = blank.maximized(blank.sums(frames, owners, np.tile([1.0, 0.0], (5, 1))), floors)
    assert np.isfinite(laws.own(frames, owners)).all()
    assert np.isfinite(laws.rows(frames)).all()
    np.testing.assert_allclose(laws.means[:, 0], frames, atol=1e-12)


def test_no_variance_falls_below_its_floor():
    frames = np.random.default_rng(0).normal(size=(200, 2)) * [1.0, 100.0]
    floors = Floors.of(frames, 0.05)
    np.testing.assert_allclose(floors.least, 0.05 * frames.var(axis=0), rtol=1e-12)
    np.testing.assert_allclose(floors.center, frames.mean(axis=0), atol=1e-12)
    shares = np.ones((2, 1))
    owners = np.zeros(2, dtype=np.int64)
    for form in ("diagonal", "spherical", "full", "tied"):
        blank = blank_normal(1, 1, frames, floors, form)
        laws = blank.maximized(blank.sums(frames[:2], owners, shares), floors)
        spreads = laws.spreads[0, 0]
        if form == "spherical":
            assert (spreads >= floors.least.mean() - 1e-9).all()
        elif form == "diagonal":
            assert (spreads >= floors.least).all()
        else:
            unit = spreads / np.sqrt(np.outer(floors.least, floors.least))
            assert np.linalg.eigvalsh(unit).min() >= 1 - 1e-9


def test_strange_forms_are_refused_in_a_sentence():
    frames = np.zeros((4, 2))
    floors = Floors.of(frames, 0.05)
    with pytest.raises(ParameterError, match="diagonal"):
        blank_normal(1, 2, frames, floors, "round")
    with pytest.raises(ParameterError, match="diagonal"):
        blank_mixture(1, 2, frames, floors, form="tied")
    with pytest.raises(ParameterError, match="n_components"):
        blank_mixture(1, 2, frames, floors, n_components=0)
    with pytest.raises(ParameterError, match="unknown"):
        blank_categorical(1, 2, frames, floors, unknown="maybe")
    with pytest.raises(ParameterError, match="n_symbols"):
        blank_categorical(1, 2, frames, floors, n_symbols=[3])


@pytest.mark.parametrize("missing", [0.0, 1.0])
def test_blank_laws_take_what_is_there(missing):
    """Before anything is seen all states are alike; columns of nothing but missing values give finite numbers too."""
    frames = np.random.default_rng(0).integers(0, 4, (30, 2)).astype(float)
    frames[:, 1] = np.where(np.random.default_rng(1).random(30) < missing, np.nan, frames[:, 1])
    floors = Floors.of(frames, 0.05)
    made = [
        blank_normal(2, 3, frames, floors, form)
        for form in ("diagonal", "spherical", "full", "tied")
    ]
    made += [
        blank_mixture(2, 3, frames, floors, n_components=2, form=form)
        for form in ("diagonal", "full")
    ]
    made += [blank_categorical(2, 3, frames, floors), blank_counts(2, 3, frames, floors)]
    for laws in made:
        rows = laws.rows(frames)
        assert rows.shape == (30, 6)
        assert np.isfinite(rows).all()
        np.testing.assert_allclose(rows, rows[:, :1] @ np.ones((1, 6)), atol=1e-12)


def test_mixtures_of_one_component_are_gaussians():
    for form in ("diagonal", "full"):
        laws = slow.drawn_laws(form, 3, 2, 4)
        mixed = Mixture(np.ones((3, 2, 1)), laws.means[:, :, None], laws.spreads[:, :, None], form)
        frames = np.random.default_rng(0).normal(size=(50, 4))
        np.testing.assert_allclose(mixed.rows(frames), laws.rows(frames), atol=1e-12)
        assert mixed.n_free == laws.n_free
