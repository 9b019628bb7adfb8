"""RepresentationVote: known groups of every modality, any order of rows, any workers, new members, other numbers of groups."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score
from tests.represent.test_mentions import tagged

from coterie.core.errors import DataError, ParameterError
from coterie.core.pictures import Pictures
from coterie.core.ragged import Ragged
from coterie.core.workplace import using
from coterie.organize import RepresentationVote
from coterie.organize.default_representations import default_representations, has_color
from coterie.organize.representation_vote import (
    distinct_rows,
    null_coordinates,
    null_sequences,
    principal,
    spaces_of,
)
from coterie.represent import Frames, Means, Paths, Quantiles, SpellingCounts, TrimSilence
from coterie.testing import promises

FEW = [Quantiles(), [Means(), Paths(points=5)]]


def waves(n: int = 45, seed: int = 0, *, ordered: bool = True) -> tuple[Ragged, np.ndarray]:
    """Slow waves, fast waves and noise, of unequal lengths and in two channels."""
    random = np.random.default_rng(seed)
    truth = random.permutation(np.arange(n) % 3)
    members = []
    for group in truth:
        t = np.arange(random.integers(40, 70))[:, None] + random.uniform(0, 30)
        base = (np.sin(t / 5), np.sin(t * 1.5), random.normal(size=t.shape))[group]
        level = 0.0 if ordered else 0.7 * group  # order says nothing of sets
        noise = 0.1 * random.normal(size=(len(t), 2))
        members.append(np.hstack([base + level, 2 * base - level]) + noise)
    return Ragged.of(members, ordered=ordered), truth


def signs(n: int = 30, seed: int = 0, *, tint: bool = False) -> tuple[Pictures, np.ndarray]:
    """Bars that stand, bars that lie, and crosses, here and there in noise; or patches of three colors."""
    random = np.random.default_rng(seed)
    truth = random.permutation(np.arange(n) % 3)
    found = []
    for group in truth:
        picture = random.integers(0, 30, size=(24, 24, 3))
        at = int(random.integers(9, 14))
        if tint:
            picture[:, :, group] += 150
        else:
            if group != 1:
                picture[4:20, at : at + 2] = 220
            if group != 0:
                picture[at : at + 2, 4:20] = 220
            picture = np.repeat(picture[:, :, :1], 3, axis=2)
        found.append(picture.astype(np.uint8))
    return Pictures.of(found), truth


def sounds(n: int = 24, seed: int = 0) -> tuple[Ragged, np.ndarray]:
    random = np.random.default_rng(seed)
    truth = random.permutation(np.arange(n) % 3)
    parts = []
    for group in truth:
        t = np.arange(random.integers(2000, 3000))
        base = (np.sin(t * 0.2), np.sin(t * 1.4), random.normal(size=len(t)))[group]
        parts.append(0.3 * base + 0.003 * random.normal(size=len(t)))
    offsets = np.concatenate([[0], np.cumsum([len(part) for part in parts])])
    return Ragged(np.concatenate(parts)[:, None], offsets, rate=8000.0), truth


MODALITIES = {
    "sequences": waves,
    "sets": lambda seed=0: waves(seed=seed, ordered=False),
    "sound": sounds,
    "gray": signs,
    "color": lambda seed=0: signs(seed=seed, tint=True),
}


@pytest.mark.parametrize("promise", promises(RepresentationVote(n_groups=3)), ids=str)
def test_promise(promise):
    promise()


@pytest.mark.parametrize("modality", MODALITIES)
def test_known_groups_are_found_in_any_order_and_new_members_placed(modality):
    members, truth = MODALITIES[modality]()
    found = RepresentationVote(n_groups=3, random_state=0).fit(members)
    assert adjusted_rand_score(truth, found.labels_) > 0.9
    order = np.random.default_rng(5).permutation(len(members))
    turned = RepresentationVote(n_groups=3, random_state=0).fit(members.take(order))
    assert adjusted_rand_score(turned.labels_, found.labels_[order]) == 1.0
    assert turned.agreement_ == found.agreement_
    assert np.array_equal(turned.partition_.confidence, found.partition_.confidence[order])
    assert np.mean(found.predict(members) == found.labels_) > 0.9
    more, more_truth = MODALITIES[modality](seed=9)
    assert adjusted_rand_score(more_truth, found.predict(more)) > 0.8
    assert np.allclose(found.memberships(more).sum(axis=1), 1.0)


def test_names_are_grouped_by_kind():
    text, truth = tagged(80)
    found = RepresentationVote(n_groups=2, random_state=0).fit(text)
    assert adjusted_rand_score(truth, found.labels_) > 0.8
    order = np.random.default_rng(5).permutation(80)
    turned = RepresentationVote(n_groups=2, random_state=0).fit(text.take(order))
    assert adjusted_rand_score(turned.labels_, found.labels_[order]) == 1.0
    assert {type(voter).__name__ for voter in found.voters_} == {"StudentMixture", "SequentialIB"}
    assert np.mean(found.predict(text) == found.labels_) > 0.9
    more, more_truth = tagged(60, seed=4)
    assert adjusted_rand_score(more_truth, found.predict(more)) > 0.8


def test_counts_are_grouped_by_the_sequential_bottleneck():
    text, truth = tagged(80)
    found = RepresentationVote(n_groups=2, representations=[SpellingCounts()], random_state=0).fit(
        text
    )
    assert len(found.voters_) == 4
    assert adjusted_rand_score(truth, found.labels_) > 0.8
    assert found.at(3).n_groups == 3
    with pytest.raises(ParameterError, match="n_groups must be given where all"):
        RepresentationVote(representations=[SpellingCounts()], random_state=0).fit(text)


def test_the_same_bits_for_any_workers():
    members, _ = waves()
    found = []
    for jobs in (1, 2):
        with using(n_jobs=jobs):
            fitted = RepresentationVote(n_groups=3, random_state=2).fit(members)
        found.append((fitted.labels_, fitted.partition_.confidence, *fitted.coordinates_))
    for one, other in zip(*found, strict=True):
        assert np.array_equal(one, other)


def test_another_number_of_groups_is_what_a_fit_gives():
    members, _ = waves()
    fitted = RepresentationVote(n_groups=3, representations=FEW, random_state=1).fit(members)
    for k in (2, 3, 4):
        alone = RepresentationVote(n_groups=k, representations=FEW, random_state=1).fit(members)
        assert np.array_equal(fitted.at(k).labels, alone.labels_)
    assert fitted.at(1).n_groups == 1
    with pytest.raises(DataError, match="n_groups is 46 and there are only 45 members"):
        fitted.at(46)


def corners(n: int = 60, seed: int = 0) -> tuple[Ragged, np.ndarray]:
    """Sets of points around the corners of a triangle with equal sides, each set a little off."""
    random = np.random.default_rng(seed)
    truth = random.permutation(np.arange(n) % 3)
    centers = np.array([[0.0, 0.0], [4.0, 0.0], [2.0, 3.5]])[truth]
    centers += 0.5 * random.normal(size=(n, 2))
    members = [center + random.normal(size=(20, 2)) for center in centers]
    return Ragged.of(members, ordered=False), truth


@pytest.mark.parametrize("representations", [None, [Means()]])
def test_the_number_of_groups_is_chosen_beyond_null_models(representations):
    members, truth = corners()
    fitted = RepresentationVote(representations=representations, random_state=0, max_groups=6).fit(
        members
    )
    assert fitted.candidates_.tolist() == [2, 3, 4, 5, 6]
    assert fitted.partition_.n_groups == fitted.candidates_[fitted.scores_.argmax()] == 3
    assert adjusted_rand_score(truth, fitted.labels_) > 0.9
    order = np.random.default_rng(1).permutation(len(members))
    turned = RepresentationVote(representations=representations, random_state=0, max_groups=6).fit(
        members.take(order)
    )
    assert np.array_equal(turned.scores_, fitted.scores_)
    few = RepresentationVote(random_state=0).fit(members.take(np.arange(5)))
    assert (len(few.candidates_), few.partition_.n_groups) == (0, 1)


def test_numbers_near_the_best_are_told_apart_by_the_voters():
    random = np.random.default_rng(5)  # a square, which can be cut into any number alike
    places = random.uniform(size=(90, 1, 2))
    members = Ragged.of([5 * place + 0.1 * random.normal(size=(20, 2)) for place in places])
    fitted = RepresentationVote(representations=FEW, random_state=0, max_groups=8).fit(members)
    near = np.flatnonzero(fitted.scores_ > fitted.excess_)
    assert len(near) > 1
    chosen = int(fitted.scores_.argmax())
    assert fitted.partition_.n_groups == fitted.candidates_[chosen]
    excess = fitted.scores_[chosen] - fitted.agreement_
    assert fitted.excess_ - 0.1 <= excess <= fitted.excess_ + 1e-12
    again = RepresentationVote(
        n_groups=fitted.partition_.n_groups, representations=FEW, random_state=0
    ).fit(members)
    assert np.array_equal(again.labels_, fitted.labels_)


def test_confidence_is_the_share_of_the_voters():
    members, _ = waves()
    fitted = RepresentationVote(n_groups=4, random_state=0).fit(members)
    shares = fitted.partition_.confidence * len(fitted.voters_)
    assert np.allclose(shares, np.round(shares))
    assert len(fitted.voters_) == len(fitted.coordinates_) * len(fitted.covariances_)
    assert 0.0 < fitted.agreement_ <= 1.0


def test_spaces_have_one_form():
    one, other, first = Means(), Quantiles(), TrimSilence()
    assert spaces_of([one, [one, other], (first, one), [(first, one), other]]) == [
        ((one,),),
        ((one,), (other,)),
        ((first, one),),
        ((first, one), (other,)),
    ]
    with pytest.raises(ParameterError, match="must be a list of representers"):
        spaces_of([])
    with pytest.raises(ParameterError, match="must hold representers, and held 'HOG'"):
        spaces_of(["HOG"])
    sound, _ = sounds()
    with pytest.raises(ParameterError, match="must end with one row per member"):
        RepresentationVote(representations=[Frames()], n_groups=2).fit(sound)


def test_axes_keep_all_of_a_few_dimensions_and_a_share_of_many():
    random = np.random.default_rng(0)
    few = random.normal(size=(50, 6))
    center, axes, coordinates = principal([few[:, :2], 100 * few[:, 2:]], 20)
    assert axes.shape == (6, 6)
    assert np.allclose(
        ([*few[:, :2].T, *(100 * few[:, 2:]).T] - center[:, None]).T @ axes, coordinates
    )
    assert coordinates.var(axis=0).sum() == pytest.approx(2.0)
    many = random.normal(size=(200, 40))
    assert principal([many], 20)[1].shape == (40, 20)
    low = many[:, :3] @ random.normal(size=(3, 40))
    assert principal([low], 20)[1].shape == (40, 3)


def test_rows_that_are_alike_have_one_number():
    blocks = [np.array([[1.0], [2.0], [1.0]]), np.array([[0.0], [0.0], [0.0]])]
    assert distinct_rows(blocks).tolist() == [0, 1, 0]


def test_the_null_model_keeps_covariances_within_and_between_spaces():
    random = np.random.default_rng(1)
    one = random.normal(size=(4000, 2)) @ np.array([[1.0, 0.6], [0.0, 0.8]])
    other = one + 0.5 * random.normal(size=(4000, 2))
    first, second = null_coordinates([one[:900], other[:900]], random)
    expected = np.cov(np.hstack([one, other]).T)
    assert np.allclose(np.cov(np.hstack([first, second]).T), expected, atol=0.2)


def test_drawn_sequences_keep_the_mean_the_covariances_and_the_lengths():
    random = np.random.default_rng(2)
    lengths = random.integers(30, 41, 400)
    members = Ragged.of([random.normal(size=(n, 2)).cumsum(axis=0) for n in lengths])
    drawn = null_sequences(members, random)
    assert drawn.ordered
    assert lengths.min() <= drawn.lengths.min()
    assert drawn.lengths.max() <= lengths.max()
    ends = [np.array([one[-1] for one in some]) for some in (members, drawn)]
    assert np.allclose(np.cov(ends[1].T), np.cov(ends[0].T), atol=8)
    middles = [np.array([one[len(one) // 2] for one in some]) for some in (members, drawn)]
    assert np.trace(np.cov(middles[1].T)) == pytest.approx(np.trace(np.cov(middles[0].T)), rel=0.3)


def test_random_walks_are_no_groups_beyond_walks_that_are_drawn():
    random = np.random.default_rng(0)
    walks = Ragged.of([random.normal(size=(70, 1)).cumsum(axis=0) for _ in range(160)])
    fitted = RepresentationVote(random_state=0, max_groups=5).fit(walks)
    assert fitted.excess_ < 0.15
    assert RepresentationVote(random_state=0, max_groups=5).fit(waves(60)[0]).excess_ > 0.5


def test_defaults_go_by_what_members_are():
    gray, _ = signs()
    tinted, _ = signs(tint=True)
    assert (has_color(gray), has_color(tinted)) == (False, True)
    assert "LabHistogram" in repr(default_representations(tinted).spaces)
    assert "LabHistogram" not in repr(default_representations(gray).spaces)
    assert default_representations(sounds()[0]).covariances == ("tied", "shrunk")


def test_members_of_another_kind_are_refused():
    members, _ = waves()
    fitted = RepresentationVote(n_groups=3, representations=FEW, random_state=0).fit(members)
    with pytest.raises(DataError, match="was fitted on sequences, and these members are sets"):
        fitted.predict(waves(ordered=False)[0])
    with pytest.raises(DataError, match="n_groups is 50 and there are only 45 members"):
        RepresentationVote(n_groups=50).fit(members)
