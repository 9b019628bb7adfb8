"""Families of emissions by name: blank laws before training, laws from given numbers, and diagonal laws written as whole ones."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from coterie.core.errors import DataError, ParameterError
from coterie.core.ragged import Ragged
from coterie.parts.emissions import FORMS, Emissions, Floors, Normal, blank_normal
from coterie.parts.sequences import owner_of

FAMILIES = (*FORMS, "mixture", "categorical", "poisson")
WHOLE = ("full", "tied")  # forms with covariances between values


def blank(
    name: str,
    n_models: int,
    n_states: int,
    frames: np.ndarray,
    floors: Floors,
    n_components: int = 2,
    unknown: Any = "error",
) -> Emissions:
    """The laws of a family before anything is seen."""
    if name == "mixture":
        from coterie.parts.mixtures import blank_mixture

        return blank_mixture(n_models, n_states, frames, floors, n_components=n_components)
    if name == "categorical":
        from coterie.parts.symbols import blank_categorical

        return blank_categorical(n_models, n_states, frames, floors, unknown=unknown)
    if name == "poisson":
        from coterie.parts.symbols import blank_counts

        return blank_counts(n_models, n_states, frames, floors)
    form: Any = name
    return blank_normal(n_models, n_states, frames, floors, form=form)


def check_codes(members: Ragged, name: str, fitted: Emissions | None) -> None:
    """Refuse, naming the member and the step, what is no symbol or count; for a fitted model also symbols it does not know."""
    if name not in ("categorical", "poisson"):
        return
    values = np.where(np.isnan(members.values), 0.0, members.values)
    strange = (values < 0) | (values != np.floor(values))
    must = "whole numbers from 0"
    sizes = getattr(fitted, "sizes", None)
    unknown = getattr(fitted, "unknown", "error")
    if sizes is not None and unknown == "error" and not strange.any():
        strange = values >= np.array(sizes)
        must = f"the codes 0 to {', '.join(str(size - 1) for size in sizes)} of the fitted members"
    rows = np.asarray(strange.any(axis=1))
    if rows.any():
        who = owner_of(members, rows)
        at = int(np.argmax(rows))
        what, hint = (
            ("symbols", ", or unknown='extra' in HMM") if name == "categorical" else ("counts", "")
        )
        value = values[at][strange[at]][0]
        raise DataError(
            f"member {who} has {value:g} at step {at - int(members.offsets[who])}, and {what} are {must}; recode it, or put "
            f"NaN there{hint}.",
            owner="HMM",
        )


def given(
    n_states: int, normal: tuple[Any, Any, Any], probabilities: Any, rates: Any, form: str
) -> tuple[Emissions, str]:
    """Laws of one model from given numbers, normal = (means, covariances, weights), and the name of their family."""
    means, covariances, weights = normal
    if sum(value is not None for value in (means, probabilities, rates)) != 1 or (
        means is None
    ) != (covariances is None):
        raise ParameterError(
            "HMM.of takes means with covariances, or probabilities, or rates: one of the three."
        )
    if probabilities is not None:
        return given_symbols(n_states, probabilities), "categorical"
    if rates is not None:
        return given_counts(n_states, rates), "poisson"
    if weights is not None:
        return given_mixture(n_states, weights, means, covariances), "mixture"
    return given_normal(n_states, means, covariances, form), form


def given_normal(n_states: int, means: Any, covariances: Any, form: str) -> Emissions:
    """Gaussian states (one model) from means (K, d) and covariances in the shape of their form."""
    center = np.array(means, dtype=np.float64)
    spread = np.array(covariances, dtype=np.float64)
    if center.ndim != 2 or len(center) != n_states:
        raise ParameterError(
            f"means must be {n_states} states x values, and have the shape {center.shape}."
        )
    d = center.shape[1]
    shapes = {
        "diagonal": (n_states, d),
        "spherical": (n_states,),
        "full": (n_states, d, d),
        "tied": (d, d),
    }
    if form not in shapes:
        raise ParameterError(
            f"emissions must be {' | '.join(shapes)} for means and covariances, and was {form!r}."
        )
    if spread.shape != shapes[form]:
        raise ParameterError(
            f"covariances of {form} states must have the shape {shapes[form]}, and have {spread.shape}."
        )
    if form == "spherical":
        spread = np.repeat(spread[:, None], d, axis=1)
    if form == "tied":
        spread = np.repeat(spread[None], n_states, axis=0)
    least = np.linalg.eigvalsh(spread).min() if form in WHOLE else spread.min()
    if not (np.isfinite(center).all() and np.isfinite(spread).all() and least > 0):
        raise ParameterError(
            "means must be finite numbers, and covariances must be positive (definite)."
        )
    kind: Any = form
    return Normal(center[None], spread[None], kind)


def given_mixture(n_states: int, weights: Any, means: Any, covariances: Any) -> Emissions:
    """Mixture states (one model) from weights (K, C), means (K, C, d) and variances (K, C, d) or covariances (K, C, d, d)."""
    from coterie.parts.mixtures import Mixture

    shares = chances(weights, "weights", n_states)
    center = np.array(means, dtype=np.float64)
    spread = np.array(covariances, dtype=np.float64)
    if center.ndim != 3 or center.shape[:2] != shares.shape:
        raise ParameterError(
            f"means of mixtures must be states x components x values, and have the shape {center.shape}."
        )
    whole = (*center.shape, center.shape[2])
    if spread.shape not in (center.shape, whole):
        raise ParameterError(
            f"covariances of mixtures must have the shape {center.shape} or {whole}, and have {spread.shape}."
        )
    return Mixture(
        shares[None], center[None], spread[None], "full" if spread.ndim == 4 else "diagonal"
    )


def given_symbols(n_states: int, probabilities: Any) -> Emissions:
    """Categorical states (one model) of one column from probabilities (K, V)."""
    from coterie.parts.symbols import Categorical

    shares = chances(probabilities, "probabilities", n_states)
    return Categorical(shares[None], (shares.shape[1],))


def given_counts(n_states: int, rates: Any) -> Emissions:
    """Poisson states (one model) from rates (K, d)."""
    from coterie.parts.symbols import Counts

    means = np.array(rates, dtype=np.float64)
    if (
        means.ndim != 2
        or len(means) != n_states
        or not (np.isfinite(means).all() and (means > 0).all())
    ):
        raise ParameterError(
            f"rates must be {n_states} states x values, all above 0, and have the shape {means.shape}."
        )
    return Counts(means[None])


def chances(values: Any, name: str, n_rows: int) -> np.ndarray:
    """Rows of probabilities, checked: (n_rows, m), none negative, every row summing to one."""
    rows = np.array(values, dtype=np.float64)
    if rows.ndim != 2 or len(rows) != n_rows:
        raise ParameterError(
            f"{name} must have {n_rows} rows, one per state, and have the shape {rows.shape}."
        )
    if not (
        np.isfinite(rows).all()
        and (rows >= 0).all()
        and np.allclose(rows.sum(axis=1), 1.0, atol=1e-6)
    ):
        raise ParameterError(
            f"{name} must be probabilities: from 0 to 1, every row with the sum 1."
        )
    return rows / rows.sum(axis=1, keepdims=True)


def widened(laws: Emissions, form: str) -> Emissions:
    """Diagonal laws written as whole covariances, so that they can stand beside such in one bank."""
    found: Any = laws
    spreads = found.spreads
    whole = np.zeros((*spreads.shape, spreads.shape[-1]))
    at = np.arange(spreads.shape[-1])
    whole[..., at, at] = spreads
    wide: Emissions = replace(found, spreads=whole, form=form)
    return wide


def kept_states(laws: Emissions, states: np.ndarray) -> Emissions:
    """The laws of some of the states, in all models."""
    return laws.with_arrays({name: array[:, states] for name, array in laws.arrays().items()})


def spread_of(laws: Emissions) -> np.ndarray:
    """Variances (K, d) or covariances (K, d, d) of the states of the first model."""
    found: Any = laws
    return np.asarray(found.spreads[0])
