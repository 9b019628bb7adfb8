"""The world of movies: the same for a seed, tables that fit each other, quality that shows in ratings and not in counts."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import kendalltau

from coterie.collect.worlds import movie_world, movies
from coterie.core.errors import ParameterError


def test_same_seed_same_world_and_tables_that_fit():
    one = movie_world(80, random_state=3)
    two = movie_world(80, random_state=3)
    other = movie_world(80, random_state=4)
    assert np.array_equal(one.seen, two.seen)
    assert not np.array_equal(one.seen, other.seen)
    links = one.collection.links
    plays = links["members", "actors"].counts
    led = links["members", "directors"].counts
    assert np.array_equal(links["actors", "directors"].counts.toarray(), (plays.T @ led).toarray())
    assert set(np.asarray(plays.sum(axis=1)).tolist()) <= {3.0, 4.0, 5.0, 6.0}
    assert (np.asarray(led.sum(axis=1)) == 1).all()
    assert plays.max() == 1
    assert {len(one.quality[name]) for name in ("actors", "directors")} == {300, 80}


def test_quality_shows_in_ratings_and_not_in_counts():
    world = movie_world(400, noise=0.3, random_state=0)
    assert kendalltau(world.seen, world.quality["members"]).statistic > 0.7
    assert (
        kendalltau(
            movie_world(400, noise=5.0).seen, movie_world(400, noise=5.0).quality["members"]
        ).statistic
        < 0.3
    )
    for name in ("actors", "directors"):
        many = np.asarray(world.collection.links["members", name].counts.sum(axis=0)).ravel()
        assert abs(kendalltau(many, world.quality[name]).statistic) < 0.2
    rating = np.array([float(value) for value in world.collection.cards["rating"]])
    assert rating.min() == 1.0
    assert rating.max() == 10.0
    assert kendalltau(rating, world.seen).statistic > 0.95


def test_movies_have_genres_and_sizes_are_checked():
    made = movies(60)
    assert len(made) == 60
    assert sorted(set(made.truth["group"])) == ["comedy", "drama", "thriller", "western"]
    with pytest.raises(
        ParameterError, match="n must be at least the number of groups, 4, and was 3"
    ):
        movies(3)
    with pytest.raises(
        ParameterError, match="at least 24 actors and 4 directors, and 10 and 80 were asked for"
    ):
        movie_world(50, actors=10)
