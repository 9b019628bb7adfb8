"""Product kernels of models against sums over all sequences and against integrals."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from tests.oracles import likelihoods as slow

import coterie.compare.product_kernel as module
import coterie.parts.products as products
from coterie import Ragged
from coterie.compare import ProductKernel
from coterie.compare.product_kernel import log_kernel
from coterie.core.errors import DataError, ParameterError
from coterie.models import GMM, HMM, Gaussian
from coterie.parts.emissions import Normal
from coterie.parts.hmm import Bank
from coterie.parts.mixtures import Mixture
from coterie.parts.products import log_products
from coterie.parts.symbols import Categorical, Counts
from coterie.testing import promises


def rows(rng: np.random.Generator, *shape: int) -> np.ndarray:
    found = rng.random(shape) + 0.05
    return found / found.sum(axis=-1, keepdims=True)


def symbol_bank(seed: int, n_models: int = 3, n_states: int = 2, n_symbols: int = 3) -> Bank:
    rng = np.random.default_rng(seed)
    laws = Categorical(rows(rng, n_models, n_states, n_symbols), (n_symbols,))
    return Bank(rows(rng, n_models, n_states), rows(rng, n_models, n_states, n_states), laws)


def parts(bank: Bank, m: int) -> tuple[np.ndarray, ...]:
    return bank.start[m], bank.transition[m], bank.emissions.probabilities[m]


def covariance(rng: np.random.Generator, d: int) -> np.ndarray:
    half = rng.normal(size=(d, d)) * 0.4
    return half @ half.T + np.diag(rng.random(d) + 0.4)


def sequences(seed: int, n: int = 8) -> Ragged:
    rng = np.random.default_rng(seed)
    return Ragged.of(
        [rng.normal(size=(int(rng.integers(6, 15)), 2)) + 4 * (i % 2) for i in range(n)]
    )


@pytest.mark.parametrize("length", [1, 3, 4])
def test_kernel_is_the_sum_over_all_sequences(length):
    a = symbol_bank(0, n_models=3)
    b = symbol_bank(1, n_models=2)
    found = np.exp(log_kernel(a, b, 1.0, length))
    for i in range(3):
        for j in range(2):
            assert found[i, j] == pytest.approx(
                slow.product_kernel(parts(a, i), parts(b, j), length), rel=1e-12
            )


@pytest.mark.parametrize("power", [0.5, 2.0])
def test_other_powers_take_paths_and_sequences_together(power):
    a = symbol_bank(2, n_models=2)
    found = np.exp(log_kernel(a, a, power, 3))
    assert found[0, 1] == pytest.approx(
        slow.path_kernel(parts(a, 0), parts(a, 1), 3, power), rel=1e-12
    )


def test_models_of_different_size_can_be_compared():
    a = symbol_bank(3, n_models=2, n_states=3)
    b = symbol_bank(4, n_models=2)
    assert np.exp(log_kernel(a, b, 1.0, 3))[1, 0] == pytest.approx(
        slow.product_kernel(parts(a, 1), parts(b, 0), 3), rel=1e-12
    )


def test_what_is_too_small_is_done_in_logarithms():
    far = np.array([[[0.0], [900.0]], [[70.0], [900.0]]])
    laws = Normal(far, np.ones((2, 2, 1)))
    links = np.repeat(np.array([[[0.5, 0.5], [0.0, 1.0]]]), 2, axis=0)
    bank = Bank(np.array([[1.0, 0.0], [1.0, 0.0]]), links, laws, "left-right")
    found = log_kernel(bank, bank, 1.0, 2)
    own = np.log(stats.norm.pdf(0, 0, np.sqrt(2)))
    other = -0.25 * 70**2 - 0.5 * np.log(4 * np.pi)
    assert found[0, 1] == pytest.approx(other + own + 2 * np.log(0.5), rel=1e-12)
    assert np.isfinite(found).all()


@pytest.mark.parametrize("power", [0.5, 1.0, 2.0])
@pytest.mark.parametrize("d", [1, 2])
@pytest.mark.parametrize("form", ["diagonal", "full"])
def test_gaussian_products_equal_quadrature(power, d, form, monkeypatch):
    monkeypatch.setattr(products, "_CELLS", 8)
    rng = np.random.default_rng(5)
    means = rng.normal(size=(2, 2, d))
    whole = np.array([[covariance(rng, d) for _ in range(2)] for _ in range(2)])
    diagonal = np.diagonal(whole, axis1=2, axis2=3)
    laws = Normal(means, whole if form == "full" else diagonal, form)
    found = np.exp(log_products(laws, laws, power))
    assert found.shape == (2, 2, 2, 2)
    spread = whole if form == "full" else np.einsum("mki,ij->mkij", diagonal, np.eye(d))
    expected = slow.gaussian_product(means[0, 1], spread[0, 1], means[1, 0], spread[1, 0], power)
    assert found[0, 1, 1, 0] == pytest.approx(expected, rel=1e-6)
    assert np.allclose(found, found.transpose(2, 3, 0, 1))


@pytest.mark.parametrize("form", ["diagonal", "full"])
def test_mixture_products_are_expected_likelihoods(form):
    rng = np.random.default_rng(6)
    spreads = np.array([[[covariance(rng, 2) for _ in range(2)]] for _ in range(2)])
    plain = np.diagonal(spreads, axis1=-2, axis2=-1)
    laws = Mixture(
        rows(rng, 2, 1, 2),
        rng.normal(size=(2, 1, 2, 2)),
        spreads if form == "full" else plain,
        form,
    )
    spreads = spreads if form == "full" else np.einsum("mkci,ij->mkcij", plain, np.eye(2))
    expected = sum(
        laws.weights[0, 0, i]
        * laws.weights[1, 0, j]
        * slow.gaussian_product(
            laws.means[0, 0, i], spreads[0, 0, i], laws.means[1, 0, j], spreads[1, 0, j], 1.0
        )
        for i in range(2)
        for j in range(2)
    )
    assert np.exp(log_products(laws, laws))[0, 0, 1, 0] == pytest.approx(expected, rel=1e-6)
    with pytest.raises(ParameterError, match="power=1 only"):
        log_products(laws, laws, 2.0)


def test_symbols_of_several_columns_are_independent():
    rng = np.random.default_rng(7)
    first = rows(rng, 2, 2, 3)
    second = rows(rng, 2, 2, 2)
    laws = Categorical(np.concatenate([first, second], axis=2), (3, 2))
    expected = sum(
        (first[0, 1, u] * second[0, 1, v]) ** 2.0 * (first[1, 0, u] * second[1, 0, v]) ** 2.0
        for u in range(3)
        for v in range(2)
    )
    assert np.exp(log_products(laws, laws, 2.0))[0, 1, 1, 0] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("power", [0.5, 1.0])
def test_products_of_counts_are_sums_over_counts(power):
    laws = Counts(np.array([[[0.5, 3.0]], [[4.0, 12.0]]]))
    x = np.arange(200)
    expected = np.prod(
        [
            np.sum((stats.poisson.pmf(x, p) * stats.poisson.pmf(x, q)) ** power)
            for p, q in ((0.5, 4.0), (3.0, 12.0))
        ]
    )
    assert np.exp(log_products(laws, laws, power))[0, 0, 1, 0] == pytest.approx(expected, rel=1e-10)
    with pytest.raises(ParameterError, match=r"power=1 and power=0\.5 only"):
        log_products(laws, laws, 2.0)


def test_states_of_different_kinds_are_refused():
    plain = Normal(np.zeros((1, 1, 2)), np.ones((1, 1, 2)))
    whole = Normal(np.zeros((1, 1, 2)), np.eye(2)[None, None], "full")
    with pytest.raises(DataError, match="of one form"):
        log_products(plain, whole)
    with pytest.raises(DataError, match="of one family"):
        log_products(plain, Counts(np.ones((1, 1, 2))))
    with pytest.raises(DataError, match="same symbols"):
        log_products(
            Categorical(np.ones((1, 1, 2)) / 2, (2,)), Categorical(np.ones((1, 1, 3)) / 3, (3,))
        )


@pytest.mark.parametrize("power", [0.5, 1.0, 2.0])
def test_normalized_kernel_is_at_most_one_and_distance_is_its_logarithm(power, monkeypatch):
    view = sequences(8)
    fitted = ProductKernel(power=power, length=4, random_state=0).fit(view)
    logs = log_kernel(fitted.bank_, fitted.bank_, power, 4)
    normalized = np.exp(logs - (np.diagonal(logs)[:, None] + np.diagonal(logs)) / 2)
    assert normalized.max() <= 1 + 1e-9
    off = ~np.eye(8, dtype=bool)
    np.testing.assert_allclose(fitted.affinity_.values[off], -np.log(normalized[off]), atol=1e-9)
    assert (np.diagonal(fitted.affinity_.values) == 0).all()
    monkeypatch.setattr(module, "_CELLS", 1)
    monkeypatch.setattr(module, "_BLOCK", 3)
    again = ProductKernel(power=power, length=4, random_state=0).fit(view)
    np.testing.assert_allclose(again.affinity_.values, fitted.affinity_.values, atol=1e-10)


@pytest.mark.parametrize("model", [Gaussian(), GMM(n_components=2)])
def test_without_states_it_is_the_expected_likelihood_of_single_steps(model):
    view = sequences(9)
    near, far = (
        ProductKernel(model=model, length=t, random_state=0).fit(view).affinity_.values
        for t in (1, 10)
    )
    assert np.array_equal(near, far)
    assert near[0, 2] < near[0, 1]


def test_identical_members_are_at_distance_zero_and_order_does_not_matter():
    view = sequences(10)
    twice = ProductKernel(random_state=1).fit(view.take([0, 1, 2, 0])).affinity_.values
    assert twice[0, 3] == pytest.approx(0.0, abs=1e-12)
    assert twice[0, 1] > 0.1
    turned = ProductKernel(random_state=1).fit(view.take([3, 2, 1, 0])).affinity_.values
    np.testing.assert_allclose(
        turned[::-1, ::-1], ProductKernel(random_state=1).fit(view[:4]).affinity_.values, atol=1e-8
    )


def test_wrong_width_and_wrong_model_are_named():
    fitted = ProductKernel(random_state=0).fit(sequences(11))
    with pytest.raises(DataError, match="3 values per step where the fitted ones have 2"):
        fitted.compare([np.ones((4, 3))])
    with pytest.raises(ParameterError, match="model must be a model"):
        ProductKernel(model="hmm").fit(sequences(11))


@pytest.mark.parametrize(
    "promise", promises(ProductKernel(model=HMM(n_states=3, emissions="full"))), ids=str
)
def test_promise(promise):
    promise()
