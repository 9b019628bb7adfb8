"""All families of emissions against hmmlearn: likelihoods with given numbers, and one round of training without priors."""

from __future__ import annotations

import numpy as np
import pytest
from tests.oracles import emissions as slow
from tests.oracles.emissions import bank_of, no_floors, seen

from coterie.parts.hmm import Bank, forward_scores
from coterie.parts.hmm_training import train_bank


def peer_of(family: str, bank: Bank, m: int):
    """The same model in hmmlearn, priors switched off, one iteration."""
    peers = pytest.importorskip("hmmlearn.hmm")
    laws = bank.emissions
    k = bank.n_states
    once = {"init_params": "", "n_iter": 1, "tol": -np.inf, "implementation": "scaling"}
    if family in ("diagonal", "spherical", "full", "tied"):
        kind = {"diagonal": "diag"}.get(family, family)
        peer = peers.GaussianHMM(
            k, covariance_type=kind, covars_prior=0.0, covars_weight=1.0, min_covar=0.0, **once
        )
        peer.n_features = laws.dim
        peer.means_ = laws.means[m]
        spreads = laws.spreads[m]
        peer.covars_ = {"spherical": spreads[..., 0], "tied": spreads[0]}.get(family, spreads)
    elif family.startswith("mixture"):
        kind = "diag" if family == "mixture" else "full"
        peer = peers.GMMHMM(k, laws.n_components, covariance_type=kind, min_covar=0.0, **once)
        peer.n_features = laws.dim
        peer.weights_ = laws.weights[m]
        peer.means_ = laws.means[m]
        peer.covars_ = laws.spreads[m]
        peer._init_covar_priors()
        peer._fix_priors_shape()
        peer._init = lambda *_: None  # nothing is begun anew
    elif family == "categorical":
        peer = peers.CategoricalHMM(k, n_features=5, **once)
        peer.emissionprob_ = laws.probabilities[m]
    else:
        peer = peers.PoissonHMM(k, **once)
        peer.n_features = laws.dim
        peer.lambdas_ = laws.rates[m]
    peer.startprob_ = bank.start[m]
    peer.transmat_ = bank.transition[m]
    return peer


PEERS = [family for family in slow.FAMILIES if family != "two alphabets"]


@pytest.mark.parametrize("family", PEERS)
def test_likelihoods_equal_hmmlearn(family):
    bank = bank_of(family, 3, 4)
    values, offsets = seen(bank, [40, 1, 90])
    found = forward_scores(bank, values, offsets)
    whole = values.astype(np.int64) if family in ("categorical", "counts") else values
    for m in range(3):
        peer = peer_of(family, bank, m)
        for n in range(3):
            assert found[n, m] == pytest.approx(
                peer.score(whole[offsets[n] : offsets[n + 1]]), abs=1e-8
            )


@pytest.mark.parametrize("family", PEERS)
def test_a_round_equals_hmmlearn(family):
    bank = bank_of(family, 2, 3)
    values, offsets = seen(bank, [60, 50, 70, 40])
    classes = np.array([0, 1, 0, 1])
    now, _ = train_bank(
        bank,
        values,
        offsets,
        classes,
        rounds=1,
        training="baum-welch",
        floors=no_floors(values.shape[1]),
    )
    whole = values.astype(np.int64) if family in ("categorical", "counts") else values
    for m in (0, 1):
        mine = [whole[offsets[n] : offsets[n + 1]] for n in range(4) if classes[n] == m]
        peer = peer_of(family, bank, m)
        peer.fit(np.concatenate(mine), [len(part) for part in mine])
        np.testing.assert_allclose(now.start[m], peer.startprob_, atol=1e-8)
        np.testing.assert_allclose(now.transition[m], peer.transmat_, atol=1e-8)
        for name, wanted in peer_numbers(family, peer, bank, now, m).items():
            np.testing.assert_allclose(
                now.emissions.arrays()[name][m], wanted, atol=1e-8, err_msg=name
            )


def peer_numbers(family: str, peer, bank: Bank, now: Bank, m: int) -> dict[str, np.ndarray]:
    if family == "categorical":
        return {"probabilities": peer.emissionprob_}
    if family == "counts":
        return {"rates": peer.lambdas_}
    if family.startswith(
        "mixture"
    ):  # hmmlearn takes its covariances about the old means: more by the square of the step
        step = now.emissions.means[m] - bank.emissions.means[m]
        more = step**2 if family == "mixture" else step[..., :, None] * step[..., None, :]
        return {"weights": peer.weights_, "means": peer.means_, "spreads": peer.covars_ - more}
    spreads = np.broadcast_to(
        peer._covars_, now.emissions.spreads[m].shape
    )  # tied: one for all states
    return {"means": peer.means_, "spreads": spreads}
