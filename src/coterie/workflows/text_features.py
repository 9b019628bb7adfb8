"""Texts as rows of numbers by the name of a representation: weighted words, or directions and topics learned without labels."""

from __future__ import annotations

from typing import Any

from coterie.core.collection import Collection
from coterie.core.errors import DataError, ParameterError

FEATURES = ("auto", "tfidf", "counts", "lsa", "plsa", "lda", "ttmm")
MEANING = {
    "tfidf": "words weighted by TFIDF",
    "counts": "counts of words",
    "lsa": "{k} directions of latent semantic analysis",
    "plsa": "{k} topics of PLSA",
    "lda": "{k} topics of LDA",
    "ttmm": "{k} topics of TTMM",
    "columns": "the columns of the table",
}
DIMENSIONS = 50
_FEW = 0.1  # share of labeled texts up to which directions learned from all texts are taken


def chosen(features: str, kind: str, share: float, classifier: str) -> str:
    """The representation of that name; of "auto", what suits the kind of data, the classifier and how many are labeled."""
    if features not in FEATURES:
        raise ParameterError(
            f"features must be one of {', '.join(FEATURES)}, and was {features!r}."
        )
    if kind == "table":
        if features != "auto":
            raise ParameterError(
                f"features='{features}' is a representation of texts, and the members are rows of a table."
            )
        if classifier == "bayes":
            raise ParameterError(
                "Naive Bayes takes counts, and the columns of a table are no counts; take another classifier."
            )
        return "columns"
    if classifier == "bayes" and features == "lsa":
        raise ParameterError(
            "Naive Bayes takes counts, and the directions of lsa go below 0; take other features, such as counts, or another "
            "classifier."
        )
    if features != "auto":
        return features
    if classifier == "bayes":
        return "counts"
    return "lsa" if share <= _FEW else "tfidf"


def featured(
    collection: Collection, view: str | None, features: str, seed: int = 0
) -> tuple[Any, str]:
    """Rows of numbers of all members, learned without labels, and what they are in words."""
    seen = collection.view(view)
    if features == "columns":
        from coterie.represent.scaling import Scaling

        if seen.modality != "table":
            raise DataError(f"The members of '{collection.name}' are no rows of a table.")
        return Scaling().fit_transform(seen), MEANING[features]
    if seen.modality != "text":
        raise DataError(
            f"Texts or a table can be categorized, and '{collection.name}' is of the kind {collection.kind}."
        )
    from coterie.represent.terms import Terms

    least = 2 if len(seen) > 20 else 1
    if features in ("tfidf", "counts"):
        return Terms(weights="tf" if features == "counts" else "tfidf", min_df=least).fit_transform(
            seen
        ), MEANING[features]
    terms = Terms(weights="tfidf" if features == "lsa" else "tf", min_df=least).fit(seen)
    table = terms.represent(seen)
    k = max(2, min(DIMENSIONS, min(table.shape) // 2))
    return _learned(features, k, len(seen), seed).fit_transform(table), MEANING[features].format(
        k=k
    )


def _learned(features: str, k: int, n: int, seed: int) -> Any:
    if features == "lsa":
        from coterie.represent.lsa import LSA

        return LSA(n_components=k, random_state=seed)
    if features == "plsa":
        from coterie.represent.plsa import PLSA

        return PLSA(n_topics=k, early_stopping=True, random_state=seed)
    if features == "lda":
        from coterie.represent.lda import LDA

        return LDA(n_topics=k, random_state=seed)
    from coterie.represent.ttmm import TTMM

    return TTMM(n_topics=k, n_themes=min(2 * k, n), random_state=seed)
