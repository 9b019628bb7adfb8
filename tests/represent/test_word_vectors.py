"""WordVectors: means against a slow twin, folders and names of models, the same bits, and sentences for what cannot be."""

from __future__ import annotations

import hashlib
import re

import numpy as np
import pytest
from tests.oracles import word_vectors as slow
from tests.tiny_model import WORDS, save_tiny, short_texts

import coterie
from coterie.core.errors import DataError, MissingExtra, ParameterError
from coterie.represent import WordVectors
from coterie.represent import word_vectors as module


@pytest.fixture
def folder(tmp_path):
    module.open_model.cache_clear()
    yield save_tiny(tmp_path / "tiny")
    module.open_model.cache_clear()


def test_a_text_is_the_weighted_mean_of_its_tokens(folder):
    from safetensors.numpy import load_file

    texts, _ = short_texts()
    texts[3] = "nothing known here at all, but a Cat and a cat"
    table = load_file(folder / "model.safetensors")["embeddings"].astype(np.float64)
    vectors = {word: table[at] for at, word in enumerate(WORDS) if word != "[UNK]"}
    tokens = [re.findall(r"\w+|[^\w\s]+", text.lower()) for text in texts]
    found = WordVectors(model=f"model2vec:{folder}", smoothing=0.05).fit_transform(texts)
    np.testing.assert_allclose(found, slow.weighted_means(tokens, vectors, 0.05), rtol=1e-6)


def test_new_texts_weigh_by_the_fitted_ones_and_unknown_ones_are_zero(folder):
    model = WordVectors(model=f"model2vec:{folder}").fit(["cat dog", "cat boat"])
    rows = model.transform(["cat dog", "qqq zzz", ""])
    assert np.array_equal(rows[0], model.transform(["cat dog"])[0])
    assert not rows[1:].any()
    assert model.represent(["cat"]).shape == (1, 8)


def test_rows_do_not_depend_on_the_others_or_their_order(folder):
    texts, _ = short_texts(1200)
    model = WordVectors(model=f"model2vec:{folder}").fit(texts)
    rows = model.transform(texts)
    order = np.random.default_rng(0).permutation(len(texts))
    assert np.array_equal(model.transform([texts[at] for at in order]), rows[order])
    again = WordVectors(model=f"model2vec:{folder}").fit([texts[at] for at in order])
    assert np.array_equal(again.shares_, model.shares_)


def test_weights_are_known_by_their_hash(folder):
    model = WordVectors(model=f"model2vec:{folder}").fit(["cat", "dog"])
    both = (folder / "model.safetensors").read_bytes() + (folder / "tokenizer.json").read_bytes()
    assert model.digest_ == hashlib.sha256(both).hexdigest()
    save_tiny(folder, seed=1)
    module.open_model.cache_clear()
    with pytest.raises(DataError, match="other weights"):
        model.transform(["cat"])


def test_weights_and_mappings_of_model2vec_are_applied(tmp_path):
    factors = np.linspace(0.5, 2.0, len(WORDS)).astype(np.float32)
    turned = np.arange(len(WORDS), dtype=np.int64)[::-1].copy()
    plain = save_tiny(tmp_path / "plain")
    other = save_tiny(tmp_path / "other", weights=factors, mapping=turned)
    rows = WordVectors(model=f"model2vec:{plain}").fit_transform([WORDS[-1 - WORDS.index("cat")]])
    changed = WordVectors(model=f"model2vec:{other}").fit_transform(["cat"])
    np.testing.assert_allclose(changed, rows * factors[WORDS.index("cat")], rtol=1e-6)


def test_a_name_is_looked_for_in_the_cache_and_nothing_is_fetched(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setenv("FASTEMBED_CACHE_PATH", str(tmp_path / "fast"))
    module.open_model.cache_clear()
    with pytest.raises(DataError, match=r"not on this machine.*nothing is fetched"):
        WordVectors(model="somebody/tiny").fit(["cat"])
    save_tiny(tmp_path / "hub" / "models--somebody--tiny" / "snapshots" / "abc")
    assert WordVectors(model="somebody/tiny").fit_transform(["cat"]).shape == (1, 8)


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda at: (at / "model.safetensors").write_bytes(b"none"), "damaged or holds no tensors"),
        (lambda at: (at / "model.safetensors").unlink(), "no file model.safetensors"),
        (lambda at: (at / "tokenizer.json").write_text("{}"), "is no tokenizer"),
        (lambda at: (at / "tokenizer.json").unlink(), "no file tokenizer.json"),
    ],
)
def test_a_spoilt_folder_is_one_sentence(folder, spoil, said):
    spoil(folder)
    with pytest.raises(DataError, match=said):
        WordVectors(model=f"model2vec:{folder}").fit(["cat"])


def test_what_names_no_model_is_refused_before_anything_is_read(tmp_path):
    for words in ("word2vec:here", "model2vec:", " "):
        with pytest.raises(ParameterError) as error:
            coterie.explore(["one", "two", "three"], embed=words)
        assert error.value.parameter == "embed"
    with pytest.raises(ParameterError) as error:
        coterie.explore(["one", "two", "three"], download=True)
    assert error.value.parameter == "download"
    with pytest.raises(DataError, match="There is no folder"):
        WordVectors(model=f"model2vec:{tmp_path / 'away'}").fit(["cat"])


def test_without_the_package_the_extra_is_named(monkeypatch):
    monkeypatch.setattr(module, "is_installed", lambda: False)
    module.open_model.cache_clear()
    with pytest.raises(MissingExtra, match=r"coterie\[embed\]"):
        WordVectors().fit(["cat"])


def test_a_network_is_the_mean_of_its_last_states(folder):
    onnx = pytest.importorskip("onnx")
    pytest.importorskip("onnxruntime")
    from safetensors.numpy import load_file

    table = load_file(folder / "model.safetensors")["embeddings"]
    (folder / "model.safetensors").unlink()
    real, whole, make = onnx.TensorProto.FLOAT, onnx.TensorProto.INT64, onnx.helper
    graph = make.make_graph(
        [make.make_node("Gather", ["table", "input_ids"], ["last"])],
        "states",
        [make.make_tensor_value_info("input_ids", whole, ["n", "t"])],
        [make.make_tensor_value_info("last", real, ["n", "t", table.shape[1]])],
        [make.make_tensor("table", real, table.shape, table.ravel())],
    )
    net = make.make_model(graph, opset_imports=[make.make_opsetid("", 13)], ir_version=8)
    onnx.save(net, folder / "model.onnx")
    rows = WordVectors(model=f"onnx:{folder}").fit_transform(["cat dog", "cat", ""])
    np.testing.assert_allclose(rows[0], table[[1, 2]].mean(axis=0), rtol=1e-6)
    np.testing.assert_allclose(rows[1], table[1], rtol=1e-6)
    assert not rows[2].any()


def test_shuffled_copies_keep_all_tokens_and_the_lengths(folder):
    texts, _ = short_texts(40)
    texts[7] = ""
    model = WordVectors(model=f"model2vec:{folder}", smoothing=1e6).fit(texts)
    rows = model.transform(texts)
    one, other = model.transform_shuffled(texts, 2, random_state=0)
    assert not np.allclose(one, rows)
    assert not np.allclose(one, other)
    lengths = np.array([len(text.split()) for text in texts])
    assert not one[7].any()
    np.testing.assert_allclose(lengths @ one, lengths @ rows, rtol=1e-6)  # nearly equal weights
    again = model.transform_shuffled(texts, 2, random_state=0)
    assert np.array_equal(again[1], other)
