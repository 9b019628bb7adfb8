"""CRF: the constrained chain falls apart into one maximum entropy choice per mention; training, decoding, reasons."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression
from tests.oracles.crf import best_sequence, marginals, penalized_loss

from coterie import TaggedText
from coterie.collect.mentions import plain, tagged_mentions
from coterie.compare import SIC
from coterie.compare.sic.chain import Edges, chains, decoded, neighbors_of
from coterie.compare.sic.crf import CRF, maxent
from coterie.core.errors import ParameterError
from coterie.core.random import stream
from coterie.judge import retrieval

# labels 0, 1, 2 are made-up classes
NULL = 3
IN = 4


def text_of(sentences: list[list[str]], spans: list[tuple[int, int]]) -> TaggedText:
    tokens = np.array([word for words in sentences for word in words])
    offsets = np.concatenate([[0], np.cumsum([len(words) for words in sentences])])
    return TaggedText(tokens, offsets, np.array(spans))


# a b[M] c | d[M d] e[M] | f[M] g[M] h[M] | i
SENTENCES = [["a", "b", "c"], ["d", "D", "e"], ["f", "g", "h"], ["i"]]
SPANS = [(1, 2), (3, 5), (5, 6), (6, 7), (7, 8), (8, 9)]


def allowed_of(text: TaggedText) -> list[list[int]]:
    allowed = [[NULL] for _ in text.tokens]
    for first, end in text.spans:
        allowed[first] = [0, 1, 2]
        for at in range(first + 1, end):
            allowed[at] = [IN]
    return allowed


@pytest.mark.parametrize("seed", range(5))
def test_constrained_field_is_one_choice_per_mention(seed: int) -> None:
    """Without weights between made-up classes the best path and all marginals are those of independent mentions."""
    text = text_of(SENTENCES, SPANS)
    generator = stream(seed)
    state = generator.normal(size=(len(text.tokens), 5))
    pair = generator.normal(size=(5, 5))
    allowed = allowed_of(text)
    classes = {0, 1, 2}
    before, after = neighbors_of(text)
    firsts = text.spans[:, 0]
    enter = np.zeros((4, 3))
    leave = np.zeros((4, 3))
    enter[1] = pair[NULL, :3]
    enter[2] = pair[IN, :3]
    leave[1] = pair[:3, NULL]
    leave[2] = pair[:3, IN]
    own = state[firsts, :3] + enter[before] + leave[after]
    soft = np.exp(own) / np.exp(own).sum(axis=1, keepdims=True)
    for a, b in zip(text.offsets[:-1], text.offsets[1:], strict=True):
        here = (firsts >= a) & (firsts < b)
        path, _ = best_sequence(state[a:b], pair, allowed[a:b], classes)
        assert [path[at - a] for at in firsts[here]] == own[here].argmax(axis=1).tolist()
        chance = marginals(state[a:b], pair, allowed[a:b], classes)
        assert np.allclose(chance[firsts[here] - a, :3], soft[here])
        assert np.allclose(chance[firsts[here] - a, 3:], 0)


@pytest.mark.parametrize("seed", range(5))
def test_chain_is_decoded_as_by_trying_everything(seed: int) -> None:
    """With weights between classes too (crfsuite learns them where mentions stand side by side)."""
    text = text_of(SENTENCES, SPANS)
    generator = stream(seed, 1)
    state = generator.normal(size=(len(text.tokens), 5))
    pair = 2 * generator.normal(size=(5, 5))
    enter = np.zeros((4, 3))
    leave = np.zeros((4, 3))
    enter[1] = pair[NULL, :3]
    enter[2] = pair[IN, :3]
    leave[1] = pair[:3, NULL]
    leave[2] = pair[:3, IN]
    found = decoded(
        state[text.spans[:, 0], :3], *neighbors_of(text), Edges(enter, leave, pair[:3, :3])
    )
    allowed = allowed_of(text)
    slow = []
    for a, b in zip(text.offsets[:-1], text.offsets[1:], strict=True):
        path, _ = best_sequence(state[a:b], pair, allowed[a:b])
        slow += [path[at - a] for at in text.spans[:, 0] if a <= at < b]
    assert found.tolist() == slow


def test_maxent_reaches_the_optimum_of_logistic_regression() -> None:
    generator = stream(3)
    rows = sp.csr_array((generator.random((40, 60)) < 0.15).astype(float))
    codes = generator.integers(6, size=40)
    codes[:6] = np.arange(6)
    ours = maxent(rows, codes, c2=0.25, max_iterations=500)
    peer = LogisticRegression(C=2.0, fit_intercept=False, tol=1e-10, max_iter=5000).fit(
        rows, codes
    )  # C = 1 / (2 c2)
    assert np.allclose(ours, peer.coef_.T, atol=2e-3)
    dense = rows.toarray()
    least = penalized_loss(dense, codes, ours, 0.25)
    assert least <= penalized_loss(dense, codes, peer.coef_.T, 0.25) + 1e-4
    for _ in range(5):
        moved = ours + 0.01 * generator.normal(size=ours.shape)
        assert penalized_loss(dense, codes, moved, 0.25) > least


def test_maxent_takes_equal_rows_and_rows_without_attributes() -> None:
    rows = sp.csr_array(np.array([[1.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 0]]))
    weights = maxent(rows, np.array([0, 0, 1, 2]), c2=0.1, max_iterations=50)
    assert np.isfinite(weights).all()
    assert (rows @ weights).argmax(axis=1)[:3].tolist() == [0, 0, 1]
    assert np.isfinite(maxent(sp.csr_array((3, 2)), np.array([0, 1, 2]), 0.1, 5)).all()


def _trained(learner: str = "maxent", **settings) -> tuple[CRF, object, object, np.ndarray]:
    view = plain(tagged_mentions(sentences=60, random_state=1)).view()
    crf = CRF(learner=learner, **settings)
    data = crf.prepare(view)
    members = np.flatnonzero(view.sentence_of() < 15)
    model = crf.train(data, members, view.forms()[members] % 7, {}, stream(0))
    return crf, data, model, members


@pytest.mark.parametrize("learner", ["maxent", "crfsuite"])
def test_training_mentions_get_their_labels_back(learner: str) -> None:
    if learner == "crfsuite":
        pytest.importorskip("pycrfsuite")
    crf, data, model, members = _trained(learner, max_iterations=100)
    wanted = data.text.forms()[members] % 7
    assert (crf.apply(model, data, members) == wanted).mean() > 0.95
    every = crf.apply(model, data, np.arange(len(data.text.spans)))
    assert set(np.unique(every)) <= set(np.unique(wanted))  # never null or in
    assert (crf.apply(model, data, np.array([50, 20])) == every[[50, 20]]).all()
    again = _trained(learner, max_iterations=100)[2]
    assert (again.values == model.values).all()


def test_both_learners_agree_on_most_mentions() -> None:
    pytest.importorskip("pycrfsuite")
    crf, data, model, members = _trained(max_iterations=100, c2=1.0)
    chain, whole, trained, _ = _trained("crfsuite", max_iterations=100, c2=1.0)
    rest = np.setdiff1d(np.arange(len(data.text.spans)), members)
    same = crf.apply(model, data, rest) == chain.apply(trained, whole, rest)
    assert same.mean() > 0.6  # seven labels: one in seven by chance


def test_sentences_are_cut_at_mentions_without_a_label() -> None:
    text = text_of([["a", "b", "c", "d", "D", "e"]], [(1, 2), (3, 5)])
    tokens = sp.csr_array(np.eye(6))
    assert [names for _, names in chains(text, tokens, np.array([0]), np.array([7]))] == [
        ["null", "7", "null"],
        ["null"],
    ]
    whole = list(chains(text, tokens, np.array([0, 1]), np.array([7, 2])))
    assert whole == [([[str(t)] for t in range(6)], ["null", "7", "null", "2", "in", "null"])]


def test_new_mentions_use_the_known_attributes() -> None:
    crf, data, model, _ = _trained()
    new = plain(tagged_mentions(sentences=30, random_state=1)).view()
    seen = crf.prepare(new, like=data)
    assert seen.matrix.shape == (len(new.spans), data.matrix.shape[1])
    assert (
        seen.matrix != data.matrix[: len(new.spans)]
    ).nnz == 0  # the same sentences, generated again
    strange = TaggedText(
        np.array(["Xyzzy", "q"]),
        np.array([0, 2]),
        np.array([[0, 1]]),
        {"pos": np.array(["?", "?"]), "bio": np.array(["B", "O"])},
    )
    assert crf.prepare(strange, like=data).matrix.shape == (1, data.matrix.shape[1])
    assert len(crf.apply(model, crf.prepare(strange, like=data), np.array([0]))) == 1
    with pytest.raises(ParameterError, match="The text has no column 'pos'"):
        crf.prepare(TaggedText(strange.tokens, strange.offsets, strange.spans), like=data)


def test_reasons_are_attributes_in_words() -> None:
    crf, data, model, members = _trained()
    said = crf.apply(model, data, np.arange(len(data.text.spans)))
    forms = data.text.forms()
    first = int(members[0])
    twin = next((int(m) for m in range(len(forms)) if m != first and said[m] == said[first]), None)
    assert twin is not None
    found = crf.reasons(model, data, np.array([first, twin]))
    weights = [weight for _, weight in found]
    assert weights == sorted(weights, reverse=True)
    assert all(weight > 0 for weight in weights)
    for words, _ in found:
        column = data.known[words]
        assert data.matrix[[first]].toarray()[0, column] == 1
        assert data.matrix[[twin]].toarray()[0, column] == 1
    own = dict(crf.reasons(model, data, np.array([first, first])))
    assert any(words.startswith("word is '") for words in own)


def test_sic_over_mentions_and_over_forms() -> None:
    made = tagged_mentions(cue=1.0, sentences=150, random_state=0)
    fitted = SIC(diverter=CRF(), n_iterations=40, random_state=0, stop=None).fit(made.view())
    assert (
        retrieval(fitted.affinity_, made.truth["type"], missing="last").mean_ap > 0.3
    )  # about 0.18 by chance
    forms = made.view().by_form()
    by_form = SIC(diverter=CRF(), n_iterations=10, random_state=0, stop=None).fit(forms)
    assert by_form.affinity_.shape == (len(forms), len(forms))


def test_other_views_are_refused() -> None:
    with pytest.raises(ParameterError, match="CRF classifies TaggedText"):
        SIC(diverter=CRF()).fit(np.ones((5, 2)))
