"""The HMM diverter: what it draws, what it learns from made-up labels, and SIC on sequences with known kinds."""

from __future__ import annotations

import json

import numpy as np
import pytest

from coterie import Ragged
from coterie.compare import SIC
from coterie.compare.sic.hmm import HMM
from coterie.compare.sic.steps import steps_of
from coterie.core.errors import DataError, ParameterError
from coterie.core.random import stream
from coterie.core.workplace import using
from coterie.judge import retrieval

NAMES = (
    "mfcc:c1",
    "mfcc:c0",
    "mfcc:E",
    "mfcc:c1_D",
    "mfcc:c0_D",
    "mfcc:E_D",
    "plp:c1",
    "plp:c1_D",
    "plp:c1_A",
)


def glides(n: int = 48, seed: int = 0, shift: float = 0.0) -> tuple[Ragged, np.ndarray]:
    """Four kinds of glides in two values, of different tempo, some with a constant shift of each sequence."""
    rng = np.random.default_rng(seed)
    kinds = np.arange(n) % 4
    turns = [(0, 3, 0), (3, 0, 3), (0, 0, 3), (3, 3, 0)]
    members = []
    for kind in kinds:
        length = int(rng.integers(9, 20))
        line = np.interp(np.linspace(0, 2, length), [0, 1, 2], turns[kind])
        members.append(
            np.stack([line, line[::-1]], axis=1)
            + 0.4 * rng.normal(size=(length, 2))
            + shift * rng.normal(size=2)
        )
    return Ragged.of(members), kinds


def named(names: tuple[str, ...] = NAMES, n: int = 12) -> Ragged:
    rng = np.random.default_rng(1)
    offsets = np.arange(0, 8 * n + 1, 8)
    return Ragged(rng.normal(size=(8 * n, len(names))), offsets, True, names)


def found(sic: SIC, kinds: np.ndarray) -> float:
    return retrieval(sic.affinity_, kinds, missing="last").mean_ap


def test_sic_with_models_finds_the_kinds():
    sequences, kinds = glides()
    fitted = SIC(diverter=HMM(), n_iterations=25, stop=None, random_state=0).fit(sequences)
    assert found(fitted, kinds) > 0.8
    assert found(fitted, np.random.default_rng(0).permutation(kinds)) < 0.5, (
        "labels that mean nothing are found too"
    )


def test_hmm_is_what_sequences_get():
    sequences, _ = glides(24)
    by_itself = SIC(n_iterations=5, stop=None, random_state=3).fit(sequences).codes_.labels
    np.testing.assert_array_equal(
        by_itself,
        SIC(diverter="hmm", n_iterations=5, stop=None, random_state=3).fit(sequences).codes_.labels,
    )


def test_same_bits_for_any_number_of_workers():
    sequences, _ = glides(24)
    rows = []
    for workers in (1, 3):
        with using(n_jobs=workers):
            rows.append(
                SIC(diverter=HMM(topology="either"), n_iterations=12, stop=None, random_state=1)
                .fit(sequences)
                .codes_.labels
            )
    np.testing.assert_array_equal(*rows)


def test_duplicates_always_get_one_code():
    sequences, _ = glides(24)
    twice = sequences.take(np.concatenate([np.arange(24), [3]]))
    codes = SIC(diverter=HMM(), n_iterations=20, stop=None, random_state=0).fit(twice).codes_
    same, both = codes.pairs(np.array([3]), np.array([24]))
    assert both.sum() > 3
    assert (same == both).all()


def test_normalizing_takes_a_shift_away():
    sequences, kinds = glides(shift=8.0)
    plain = SIC(diverter=HMM(deltas=False), n_iterations=25, stop=None, random_state=0).fit(
        sequences
    )
    normal = SIC(
        diverter=HMM(deltas=False, normalize="mean"), n_iterations=25, stop=None, random_state=0
    ).fit(sequences)
    assert found(normal, kinds) > found(plain, kinds) + 0.2
    steps = steps_of(sequences, "mean-variance", False)
    first = steps.values[: steps.offsets[1]]
    np.testing.assert_allclose(first.mean(axis=0), 0.0, atol=1e-12)
    np.testing.assert_allclose(first.std(axis=0), 1.0)


def test_draws_are_plain_values_in_their_range():
    sequences, _ = glides(24)
    data = HMM().prepare(sequences)
    drawn = [HMM(n_states=(2, 4), topology="either").draw(data, stream(0, i)) for i in range(60)]
    assert {d["n_states"] for d in drawn} == {2, 3, 4}
    assert {d["topology"] for d in drawn} == {"left-right", "skips"}
    assert {d["order"] for d in drawn} == {0, 1, 2}
    assert {len(data.columns(d)) for d in drawn} == {2, 4, 6}
    assert json.loads(json.dumps(drawn)) == drawn
    by_length = {HMM().draw(data, stream(0, i))["n_states"] for i in range(60)}
    assert by_length == {4, 5, 6}, "the median length is near 14"
    assert HMM(n_states=7).draw(data, stream(0, 0))["n_states"] == 7


def test_groups_are_read_off_the_names():
    data = HMM().prepare(named())
    assert data.values.shape[1] == len(NAMES), "slopes are there, and none are added"
    seen = set()
    for i in range(200):
        chosen = tuple(NAMES[j] for j in data.columns(HMM().draw(data, stream(2, i))))
        seen.add(chosen)
        assert len({name.split(":")[0] for name in chosen}) == 1, "one family at a time"
        assert any(name.endswith(":c1") for name in chosen), "values are always there"
    assert ("mfcc:c1",) in seen
    assert ("mfcc:c1", "mfcc:E", "mfcc:c1_D", "mfcc:E_D") in seen
    assert ("plp:c1", "plp:c1_D", "plp:c1_A") in seen
    assert not any("mfcc:c0_D" in chosen and "mfcc:c0" not in chosen for chosen in seen)


def test_names_that_only_look_like_energy_are_values():
    data = HMM(deltas=False).prepare(named(("TEMPERATURE", "sensor_0", "logE"), n=4))
    assert data.base.tolist() == ["static", "static", "energy"]


def test_only_slopes_can_be_drawn_from_when_nothing_else_is_there():
    data = HMM().prepare(named(("E", "c1_D"), n=4))
    for i in range(20):
        assert len(data.columns(HMM().draw(data, stream(0, i)))) > 0


def test_all_columns_and_no_slopes():
    sequences, _ = glides(8)
    assert HMM(features="all").draw(HMM().prepare(sequences), stream(0)).keys() == {
        "n_states",
        "topology",
    }
    assert HMM(deltas=False).prepare(sequences).values.shape[1] == 2
    ramp = HMM().prepare(Ragged.of([np.arange(10.0)])).values
    np.testing.assert_allclose(ramp[2:-2, 1], 1.0)
    np.testing.assert_allclose(ramp[4:-4, 2], 0.0, atol=1e-12)


def test_sets_of_vectors_get_one_state():
    rng = np.random.default_rng(0)
    kinds = np.arange(40) % 2
    sets = Ragged.of(
        [rng.normal(size=(rng.integers(3, 9), 2)) + 4 * kind for kind in kinds], ordered=False
    )
    fitted = SIC(diverter=HMM(), n_iterations=15, stop=None, random_state=0).fit(sets)
    assert {record["drawn"]["n_states"] for record in fitted.codes_.records} == {1}
    assert found(fitted, kinds) > 0.8
    shuffled = Ragged.of([rng.permutation(member) for member in sets], ordered=False)
    again = SIC(diverter=HMM(), n_iterations=15, stop=None, random_state=0).fit(shuffled)
    np.testing.assert_array_equal(fitted.codes_.labels, again.codes_.labels)


def test_new_members_are_like_the_fitted_ones_of_their_kind():
    sequences, kinds = glides()
    fitted = SIC(diverter=HMM(), n_iterations=25, stop=None, random_state=0).fit(sequences)
    new, their = glides(8, seed=9)
    near = fitted.compare(new).block(slice(0, 8), slice(0, 48))
    assert (kinds[np.nanargmax(near, axis=1)] == their).mean() > 0.7
    with pytest.raises(DataError):
        fitted.compare(Ragged.of([np.ones((5, 3))]))


@pytest.mark.parametrize("n", [4, 6, 12])
def test_small_collections_have_a_similarity(n):
    sequences, _ = glides(n)
    codes = SIC(diverter=HMM(), n_iterations=12, stop=None, random_state=0).fit(sequences).codes_
    assert codes.n_tested.max() > 0


def test_labels_follow_the_number_of_sequences():
    assert HMM().label_range(160) == (20, 40)
    assert HMM().label_range(237) == (20, 40)
    assert HMM().label_range(5400) == (108, 216)
    assert HMM().label_range(24) == (3, 6)
    assert HMM().label_range(2) == (2, 2)


def test_reasons_name_the_column_that_tells():
    rng = np.random.default_rng(0)
    names = ("noise", "pitch")
    labels = np.arange(20) % 2
    members = [
        np.stack([rng.normal(size=9), rng.normal(size=9) + 6 * label], axis=1) for label in labels
    ]
    view = Ragged(np.concatenate(members), np.arange(0, 181, 9), True, names)
    diverter = HMM(features="all")
    data = diverter.prepare(view)
    model = diverter.train(
        data, np.arange(20), labels, {"n_states": 2, "topology": "left-right"}, stream(0)
    )
    told = diverter.reasons(model, data, np.array([1, 3, 5]))
    assert told[0][0] == "pitch"
    assert told[0][1] > 5 * abs(dict(told)["noise"])
    assert {word for word, _ in told} == {
        f"{name}{how}" for name in names for how in ("", ", its slope", ", its bend")
    }
    assert [weight for _, weight in told] == sorted((weight for _, weight in told), reverse=True)
    assert "value 1" in dict(
        diverter.reasons(model, diverter.prepare(Ragged(view.values, view.offsets)), np.array([0]))
    )


@pytest.mark.parametrize("training", ["viterbi", "baum-welch"])
@pytest.mark.parametrize("decide", ["viterbi", "forward"])
@pytest.mark.parametrize("topology", ["left-right", "skips", "ergodic"])
def test_every_way_learns_labels_that_mean_something(training, decide, topology):
    sequences, kinds = glides(40)
    diverter = HMM(training=training, decide=decide, topology=topology, n_states=3)
    data = diverter.prepare(sequences)
    model = diverter.train(
        data, np.arange(0, 20), kinds[:20], diverter.draw(data, stream(0)), stream(1)
    )
    assert (diverter.apply(model, data, np.arange(20, 40)) == kinds[20:]).mean() > 0.8


def test_refusals_name_the_member():
    good = np.ones((4, 1))
    with pytest.raises(DataError, match="Member 1 has no frames"):
        HMM().prepare(Ragged.of([good, np.ones((0, 1)), good]))
    with pytest.raises(DataError, match="Member 2 has no number for value 1 in frame 3"):
        HMM().prepare(Ragged.of([good, good, np.array([[1.0], [2.0], [3.0], [np.nan]])]))
    with pytest.raises(ParameterError, match="n_states"):
        SIC(diverter=HMM(n_states=(4, 2))).fit(Ragged.of([good] * 5))
    with pytest.raises(ParameterError, match="topology"):
        SIC(diverter=HMM(topology="ring")).fit(Ragged.of([good] * 5))
