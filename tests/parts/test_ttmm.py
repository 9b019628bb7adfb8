"""TTMM: its steps are those printed, its posteriors those of all themes and topics written out, and EM never falls."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from tests.oracles.themes import enumerated, printed_step

from coterie.core.workplace import using
from coterie.parts import ttmm
from coterie.parts.ttmm_training import until_still, until_worse


def drawn(seed: int, n: int = 12, m: int = 9, length: int = 15) -> sp.csr_array:
    """Documents of three kinds of words."""
    rng = np.random.default_rng(seed)
    laws = rng.dirichlet(np.full(m, 0.3), size=3)
    return sp.csr_array(
        np.array([rng.multinomial(length, laws[i % 3]) for i in range(n)], dtype=np.float64)
    )


def model(seed: int, themes: int, topics: int, words: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    return {
        "prior": rng.dirichlet(np.ones(themes)),
        "mixing": rng.dirichlet(np.ones(topics), size=themes),
        "words": np.ascontiguousarray(rng.dirichlet(np.ones(words), size=topics).T),
    }


def close(one: dict[str, np.ndarray], other: dict[str, np.ndarray], atol: float = 1e-13) -> None:
    for name, values in one.items():
        np.testing.assert_allclose(values, other[name], rtol=0, atol=atol, err_msg=name)


@pytest.mark.parametrize("sparse", [0.0, 2.0], ids=["all themes", "only those that matter"])
@pytest.mark.parametrize("smoothing", [0.0, 0.01])
def test_a_step_is_the_printed_one(monkeypatch, sparse: float, smoothing: float) -> None:
    monkeypatch.setattr(ttmm, "SPARSE", sparse)
    counts = drawn(0)
    state = model(1, 5, 3, 9)
    for _ in range(4):
        slow, value = printed_step(state, counts.toarray(), smoothing)
        state, ours = ttmm.step(ttmm.sheets(counts, 5), state, smoothing)
        close(state, slow)
        assert ours == pytest.approx(value, rel=1e-13)


@pytest.mark.parametrize("sparse", [0.0, 2.0])
def test_blocks_of_themes_and_pieces_of_documents_change_nothing(
    monkeypatch, sparse: float
) -> None:
    monkeypatch.setattr(ttmm, "SPARSE", sparse)
    # a whole block of themes and a part of one
    counts = drawn(2, n=260)
    state = model(3, 70, 4, 9)
    whole, value = ttmm.step(ttmm.sheets(counts, 70), state)
    monkeypatch.setattr(ttmm, "_HELD", 1)
    pieces = ttmm.sheets(counts, 70)
    assert [len(piece) for piece in pieces] == [256, 4]
    parts, same = ttmm.step(pieces, state)
    close(whole, parts)
    assert same == pytest.approx(value, rel=1e-14)
    slow, _ = printed_step(state, counts.toarray())
    close(whole, slow, 1e-12)


def test_long_rows_and_wide_blocks_are_multiplied_right() -> None:
    rng = np.random.default_rng(0)
    counts = sp.csr_array(rng.poisson(0.6, size=(20, 50)).astype(np.float64))
    state = model(4, 130, 3, 50)
    themes, fit = ttmm.posteriors(counts, state)
    logs = counts @ np.log(state["words"] @ state["mixing"].T) + np.log(state["prior"])
    np.testing.assert_allclose(fit, np.logaddexp.reduce(logs, axis=1), rtol=1e-13)
    np.testing.assert_allclose(themes, np.exp(logs - fit[:, None]), atol=1e-12)


@pytest.mark.parametrize("tokens", [[0], [0, 1, 1, 3], [2, 2, 2, 0, 3]], ids=str)
def test_posteriors_are_those_of_everything_written_out(tokens: list[int]) -> None:
    state = model(5, 3, 3, 4)
    counts = sp.csr_array(np.bincount(tokens, minlength=4)[None].astype(np.float64))
    slow = enumerated(state, tokens)
    themes, fit = ttmm.posteriors(counts, state)
    assert fit[0] == pytest.approx(np.log(slow["chance"]), abs=1e-12)
    np.testing.assert_allclose(themes[0], slow["themes"], atol=1e-12)
    np.testing.assert_allclose(ttmm.predictive(themes, state)[0], slow["predictive"], atol=1e-12)
    np.testing.assert_allclose(
        ttmm.token_share(counts, themes, state)[0], slow["token_share"], atol=1e-12
    )


def test_the_printed_formula_is_another_one() -> None:
    state = model(5, 3, 3, 4)
    counts = sp.csr_array(np.array([[1.0, 2.0, 0.0, 1.0]]))
    found = ttmm.printed(counts, state)[0]
    whole = np.prod(state["words"] ** counts.toarray().T, axis=0) * (
        state["prior"] @ state["mixing"]
    )
    np.testing.assert_allclose(found, whole / whole.sum(), atol=1e-13)
    themes, fit = ttmm.posteriors(counts, state)
    assert abs(whole.sum() / np.exp(fit[0]) - 1) > 0.1  # it is no probability of the model
    assert np.abs(found - ttmm.predictive(themes, state)[0]).max() > 0.01


def test_a_very_long_document_has_finite_values() -> None:
    state = model(6, 4, 3, 5)
    counts = sp.csr_array(np.array([[40_000.0, 30_000.0, 0.0, 20_000.0, 10_000.0]]))
    themes, fit = ttmm.posteriors(counts, state)
    for law in (
        themes,
        ttmm.predictive(themes, state),
        ttmm.token_share(counts, themes, state),
        ttmm.printed(counts, state),
    ):
        assert np.isfinite(law).all()
        assert law.sum() == pytest.approx(1.0, abs=1e-12)
    assert np.isfinite(fit).all()


def test_a_word_that_a_theme_cannot_give_goes_to_its_topics_and_one_that_none_can_breaks_nothing() -> (
    None
):
    state = {
        "prior": np.array([0.5, 0.5]),
        "mixing": np.eye(2),
        "words": np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]]),
    }
    counts = sp.csr_array(np.array([[2.0, 0.0, 1.0], [0.0, 0.0, 0.0]]))
    themes, fit = ttmm.posteriors(counts, state)
    np.testing.assert_allclose(themes, [[1.0, 0.0], [0.5, 0.5]])
    assert fit[1] == pytest.approx(0.0, abs=1e-15)
    np.testing.assert_allclose(ttmm.token_share(counts, themes, state), [[1.0, 0.0], [0.5, 0.5]])
    fresh, value = ttmm.step(ttmm.sheets(counts, 2), state)
    assert np.isfinite(value)
    assert all(np.isfinite(values).all() for values in fresh.values())


@pytest.mark.filterwarnings("ignore::coterie.core.errors.NotConverged")
@pytest.mark.parametrize("smoothing", [0.0, 0.01, 0.5])
def test_no_step_lowers_what_em_climbs_and_laws_stay_laws(smoothing: float) -> None:
    counts = drawn(7, n=40, m=12)
    for seed in range(5):
        begun = ttmm.start(counts, 6, 4, np.random.default_rng(seed))
        found = until_still(
            counts, begun, smoothing=smoothing, max_iter=60, tol=0.0 if seed else 1e-9
        )
        assert (np.diff(found.history) >= -1e-10 * np.abs(found.history[:-1])).all()
        assert found.history[-1] > found.history[0]
        for name, axis in (("prior", 0), ("mixing", 1), ("words", 0)):
            np.testing.assert_allclose(found.state[name].sum(axis=axis), 1.0, atol=1e-12)
            assert (found.state[name] >= 0).all()
    if smoothing:
        assert found.state["words"].min() > 0


def test_dead_themes_and_topics_keep_their_laws() -> None:
    counts = drawn(8)
    state = model(9, 3, 3, 9)
    state["prior"] = np.array([0.5, 0.5, 0.0])
    state["mixing"][:2] = [[0.5, 0.5, 0.0], [0.2, 0.8, 0.0]]
    fresh, value = ttmm.step(ttmm.sheets(counts, 3), state)
    assert np.isfinite(value)
    np.testing.assert_array_equal(fresh["mixing"][2], state["mixing"][2])
    np.testing.assert_array_equal(fresh["words"][:, 2], state["words"][:, 2])


def test_order_of_documents_themes_and_topics_does_not_matter() -> None:
    counts = drawn(10)
    state = model(11, 4, 3, 9)
    fresh, value = ttmm.step(ttmm.sheets(counts, 4), state)
    rows = np.random.default_rng(0).permutation(12)
    themes = np.array([2, 0, 3, 1])
    topics = np.array([1, 2, 0])
    turned = {
        "prior": state["prior"][themes],
        "mixing": state["mixing"][themes][:, topics],
        "words": state["words"][:, topics],
    }
    found, same = ttmm.step(
        ttmm.sheets(counts[rows], 4), {k: np.ascontiguousarray(v) for k, v in turned.items()}
    )
    assert same == pytest.approx(value, rel=1e-13)
    close(
        found,
        {
            "prior": fresh["prior"][themes],
            "mixing": fresh["mixing"][themes][:, topics],
            "words": fresh["words"][:, topics],
        },
    )


def test_workers_change_no_bit(monkeypatch) -> None:
    monkeypatch.setattr(ttmm, "_LIGHT", 0)
    counts = drawn(12, n=60)
    state = model(13, 150, 4, 9)
    found = []
    for workers in (1, 2):
        with using(n_jobs=workers):
            fresh, value = ttmm.step(ttmm.sheets(counts, 150), state, 0.01)
            share = ttmm.token_share(counts, ttmm.posteriors(counts, fresh)[0], fresh)
        found.append([value, share.tobytes(), *(fresh[name].tobytes() for name in sorted(fresh))])
    assert found[0] == found[1]


def test_documents_held_out_end_em_and_choose_the_state() -> None:
    # two collections that share no law
    counts = drawn(14, n=30, m=20, length=12)
    others = drawn(15, n=30, m=20, length=12)
    begun = ttmm.start(counts, 10, 6, np.random.default_rng(0))
    found = until_worse(counts, others, begun, smoothing=0.01, max_iter=100, tol=1e-6)
    assert found.converged
    assert len(found.held) == len(found.history) < 100
    reached = ttmm.posteriors(others, found.state)[1].sum() / others.sum()
    start = ttmm.posteriors(others, begun)[1].sum() / others.sum()
    assert reached == pytest.approx(max([*found.held, start]), abs=1e-9)
    assert found.held[-1] < reached
