"""The promises of an estimator as checks, for our tests and for other people's classes.

from coterie.testing import promises
@pytest.mark.parametrize("promise", promises(MyComparer()), ids=str)
def test_promise(promise): promise()
"""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from coterie.core.affinity import Affinity, Dense, Graph
from coterie.core.errors import CoterieError
from coterie.core.links import Links
from coterie.core.params import params_of
from coterie.core.partition import Partition
from coterie.core.pictures import Pictures
from coterie.core.ragged import Ragged
from coterie.core.random import stream
from coterie.core.table import Table
from coterie.core.text import TaggedText, Text
from coterie.core.views import Views
from coterie.core.workplace import using
from coterie.parts.pairwise import dense, graph, similarity

_WORDS = (
    ("river", "water", "bank", "boat", "fish", "stream", "flood", "bridge"),
    ("piano", "music", "song", "note", "choir", "violin", "tune", "concert"),
    ("engine", "wheel", "motor", "brake", "gear", "road", "fuel", "driver"),
)


@dataclass(frozen=True)
class Promise:
    """One promise of one estimator; call it, and it raises AssertionError when the promise is broken."""

    name: str
    estimator: Any
    check: Callable[[Any], None]

    def __call__(self) -> None:
        self.check(clone(self.estimator))

    def __str__(self) -> str:
        return f"{type(self.estimator).__name__}-{self.name}"


def promises(estimator: Any) -> Iterator[Promise]:
    """All promises that apply to this estimator, by what it takes and gives."""
    checks: list[Callable[[Any], None]] = [
        parameters_declared,
        constructor_only_stores,
        refuses_bad_parameters,
        fit_returns_self,
    ]
    checks += [
        argument_untouched,
        same_seed_same_bits,
        workers_change_nothing,
        survives_pickle,
        one_sentence_for_nonsense,
    ]
    gives = getattr(estimator, "gives", None)
    if gives is Affinity:
        checks += [affinity_is_square, new_members_agree]
    elif gives is Partition:
        checks += [known_groups_found, places_new_members]
    elif hasattr(estimator, "transform"):
        checks += [transform_agrees]
    for check in checks:
        yield Promise(check.__name__, estimator, check)


def sample_for(estimator: Any, *, seed: int = 0) -> tuple[Any, np.ndarray]:
    """A small collection of three known groups in the form the estimator takes, and the groups."""
    truth = np.repeat(np.arange(3), 12)
    generator = stream(seed, 11)
    points = (
        generator.normal(size=(36, 4)) * 0.3
        + np.array([[0, 0, 9, 1], [9, 0, 0, 2], [0, 9, 0, 3]])[truth]
    )
    takes = getattr(estimator, "takes", Table)
    if getattr(estimator, "sound", False):
        lengths = generator.integers(800, 1600, size=36)
        waves = [
            np.sin((truth[i] + 1) * np.arange(n) / 4) + 0.01 * generator.normal(size=n)
            for i, n in enumerate(lengths)
        ]
        return Ragged(
            0.3 * np.concatenate(waves)[:, None],
            np.concatenate([[0], np.cumsum(lengths)]),
            rate=8000.0,
        ), truth
    if takes is TaggedText:
        words = [
            [
                *generator.choice(_WORDS[t], size=2),
                f"name{i % 9}",
                *generator.choice(_WORDS[t], size=2),
            ]
            for i, t in enumerate(truth)
        ]
        first = np.arange(36) * 5 + 2
        return TaggedText(
            np.array(words).ravel(), np.arange(37) * 5, np.stack([first, first + 1], axis=1)
        ), truth
    if takes is Links:
        all_words = [word for topic in _WORDS for word in topic]
        counts = np.array(
            [
                [np.sum(generator.choice(_WORDS[t], size=20) == word) for word in all_words]
                for t in truth
            ]
        )
        return Links.of({("members", "words"): counts}), truth
    if takes is Views:
        turned = points @ generator.normal(size=(4, 5)) + 0.1 * generator.normal(size=(36, 5))
        return Views.of({"first": points, "second": turned}), truth
    if takes is Pictures:
        tints = np.array([[200, 80, 60], [60, 180, 90], [70, 90, 210]])[truth, None, None]
        return Pictures.of(tints + generator.integers(-20, 21, size=(36, 16, 24, 3))), truth
    if takes is Text:
        parts = 3 if getattr(estimator, "paragraphs", False) else 1
        pick = [[generator.choice(_WORDS[t], size=20) for _ in range(parts)] for t in truth]
        return Text(
            tuple("\n\n".join(" ".join(map(str, words)) for words in own) for own in pick)
        ), truth
    if takes is Ragged:
        lengths = generator.integers(8, 16, size=36)
        return Ragged.of(
            [points[i] + generator.normal(size=(n, 4)) * 0.2 for i, n in enumerate(lengths)]
        ), truth
    if takes is Affinity:
        gaps = np.sqrt(((points[:, None] - points[None]) ** 2).sum(-1))
        return Dense(gaps, "distance"), truth
    return np.abs(points), truth


def parameters_declared(estimator: Any) -> None:
    """Every constructor parameter is declared with param(): a sentence that ends in a full stop, and a valid default."""
    declared = {info.name: info for info in params_of(type(estimator))}
    assert set(estimator.get_params(deep=False)) == set(declared), (
        "a constructor parameter is not declared with param()"
    )
    for info in declared.values():
        assert info.sentence.rstrip().endswith("."), (
            f"{info.name}: its sentence does not end in a full stop"
        )
        info.check(info.default, type(estimator).__name__)


def constructor_only_stores(estimator: Any) -> None:
    """The constructor computes nothing: what goes in is what get_params gives, and nothing is learned yet."""
    fresh = type(estimator)(**estimator.get_params(deep=False))
    assert not [name for name in vars(fresh) if name.endswith("_") and not name.startswith("_")], (
        "the constructor learned something"
    )
    assert repr(fresh) == repr(estimator)


def refuses_bad_parameters(estimator: Any) -> None:
    """A parameter outside its range is refused by name when fit starts."""
    data, truth = sample_for(estimator)
    for info in params_of(type(estimator)):
        bad = _outside(info)
        if bad is None:
            continue
        wrong = clone(estimator).set_params(**{info.name: bad})
        try:
            _fit(wrong, data, truth)
        except CoterieError as error:
            assert info.name in str(error), f"the sentence does not name {info.name}: {error}"
        else:
            raise AssertionError(f"{info.name}={bad!r} was accepted")


def _outside(info: Any) -> Any:
    if info.ge is not None:
        return info.ge - 1
    if info.gt is not None:
        return info.gt
    if info.le is not None:
        return info.le + 1
    return "no such choice" if info.choices else None


def fit_returns_self(estimator: Any) -> None:
    """fit gives the estimator back."""
    data, truth = sample_for(estimator)
    assert _fit(estimator, data, truth) is estimator


def argument_untouched(estimator: Any) -> None:
    """fit changes no argument and no parameter."""
    data, truth = sample_for(estimator)
    before = copy.deepcopy(data)
    settings = repr(estimator)
    _fit(estimator, data, truth)
    assert repr(estimator) == settings, "fit changed a parameter"
    assert _bytes(before) == _bytes(data), "fit changed its argument"


def same_seed_same_bits(estimator: Any) -> None:
    """Two fits with one seed give the same bits."""
    data, truth = sample_for(estimator)
    one, two = (_learned(_fit(_seeded(estimator), data, truth)) for _ in range(2))
    assert one == two


def workers_change_nothing(estimator: Any) -> None:
    """One worker and two give the same bits."""
    data, truth = sample_for(estimator)
    with using(n_jobs=1):
        one = _learned(_fit(_seeded(estimator), data, truth))
    with using(n_jobs=2):
        two = _learned(_fit(_seeded(estimator), data, truth))
    assert one == two


def survives_pickle(estimator: Any) -> None:
    """A fitted estimator is the same after pickle."""
    data, truth = sample_for(estimator)
    fitted = _fit(_seeded(estimator), data, truth)
    assert _learned(pickle.loads(pickle.dumps(fitted))) == _learned(fitted)


def one_sentence_for_nonsense(estimator: Any) -> None:
    """Something that is no data at all is refused by one of our sentences."""
    try:
        estimator.fit(object())
    except (CoterieError, TypeError, ValueError) as error:
        assert str(error), "the error says nothing"
    else:
        raise AssertionError("nonsense was accepted")


def affinity_is_square(estimator: Any) -> None:
    """The affinity of members x members is square, finite, and symmetric when it says so."""
    data, _ = sample_for(estimator)
    found = estimator.fit(data).affinity_
    assert found.shape == (36, 36)
    assert found.kind in ("similarity", "distance")
    values = found.block(slice(0, 36), slice(0, 36))
    assert not np.isnan(values).any()
    if found.symmetric:
        assert np.allclose(values, values.T, equal_nan=True)


def new_members_agree(estimator: Any) -> None:
    """Comparing the fitted members as if they were new gives the fitted affinity (graphs and diagonals aside).

    Where the class says that it does not agree to the bit (`agrees`), the nearest member must still be of the same group.
    """
    data, truth = sample_for(estimator)
    fitted = _seeded(estimator).fit(data)
    again = fitted.compare(data)
    assert again.shape == (36, 36)
    if isinstance(fitted.affinity_, Graph):
        return
    off = ~np.eye(36, dtype=bool)
    if not getattr(estimator, "agrees", True):
        sign = 1.0 if again.kind == "similarity" else -1.0
        nearest = np.argmax(np.where(off, sign * dense(again).values, -np.inf), axis=1)
        assert np.mean(truth[nearest] == truth) >= 0.9, (
            "a member compared as a new one is near other groups"
        )
        return
    assert np.allclose(dense(again).values[off], dense(fitted.affinity_).values[off], atol=1e-7)


def transform_agrees(estimator: Any) -> None:
    """transform of the fitted members is what fit_transform gave, one row each."""
    data, _ = sample_for(estimator)
    first = _seeded(estimator).fit_transform(data)
    second = _seeded(estimator).fit(data).transform(data)
    assert first.shape[0] == 36
    assert np.allclose(_plain(first), _plain(second), atol=1e-7)


def known_groups_found(estimator: Any) -> None:
    """Three well separated groups are found, from a distance and from a neighbor graph."""
    data, truth = sample_for(estimator)
    forms = [data, graph(similarity(data), 8)] if isinstance(data, Affinity) else [data]
    for form in forms:
        fitted = _grouped(estimator)
        try:
            labels = fitted.fit(form).labels_
        except CoterieError:
            assert isinstance(form, Graph), "a plain affinity was refused"
            continue
        together = labels[:, None] == labels[None, :]
        assert np.array_equal(together, truth[:, None] == truth[None, :]), (
            f"{type(form).__name__}: the known groups were not found"
        )


def places_new_members(estimator: Any) -> None:
    """New members near a group are placed in it, from their affinity to the fitted members, or from their own counts."""
    data, _ = sample_for(estimator)
    fitted = _grouped(estimator).fit(data)
    if isinstance(data, Affinity):
        queries = Affinity.of(
            data.block(slice(0, 36, 5), slice(0, 36)) + (0.01 if data.kind == "distance" else 0.0),
            kind=data.kind,
            symmetric=False,
        )
        assert np.array_equal(fitted.predict(queries), fitted.labels_[::5])
    if isinstance(data, Links):
        assert np.array_equal(fitted.predict(data.take(np.arange(0, 36, 5))), fitted.labels_[::5])


def _fit(estimator: Any, data: Any, truth: np.ndarray) -> Any:
    """Fit, with the known groups as labels where the method needs labels."""
    return (
        estimator.fit(data, truth)
        if estimator.__sklearn_tags__().target_tags.required
        else estimator.fit(data)
    )


def _grouped(estimator: Any) -> Any:
    fitted = _seeded(estimator)
    if "n_groups" in fitted.get_params(deep=False):
        fitted.set_params(n_groups=3)
    return fitted


def _seeded(estimator: Any) -> Any:
    fresh = clone(estimator)
    return (
        fresh.set_params(random_state=3)
        if "random_state" in fresh.get_params(deep=False)
        else fresh
    )


def _plain(values: Any) -> np.ndarray:
    if isinstance(values, Ragged):
        return values.values
    return np.asarray(values.toarray() if hasattr(values, "toarray") else values)


def _learned(estimator: Any) -> bytes:
    """The bytes of what a fit learned: groups, affinity, or the transformed sample."""
    if hasattr(estimator, "partition_"):
        return estimator.labels_.tobytes()
    data, _ = sample_for(estimator)
    if hasattr(estimator, "affinity_"):
        return dense(estimator.affinity_).values.tobytes()
    given = estimator.transform(data) if hasattr(estimator, "transform") else estimator.scores(data)
    return _plain(given).tobytes()


def _bytes(data: Any) -> bytes:
    if isinstance(data, Dense):
        return data.values.tobytes()
    if isinstance(data, Ragged):
        return data.values.tobytes() + data.offsets.tobytes()
    if isinstance(data, Links):
        return b"".join(
            table.counts.data.tobytes() + table.counts.indices.tobytes()
            for table in data.tables.values()
        )
    if isinstance(data, Views):
        return b"".join(data[name].values.tobytes() + data.seen[name].tobytes() for name in data)
    if isinstance(data, Pictures):
        return data.pixels.tobytes() + data.sizes.tobytes()
    if isinstance(data, TaggedText):
        return data.tokens.tobytes() + data.offsets.tobytes() + data.spans.tobytes()
    return "".join(data).encode() if isinstance(data, Text) else np.asarray(data).tobytes()
