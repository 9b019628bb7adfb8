"""Values of the parameters of a method: inside their declared range, on its edges, and just outside of it."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import strategies as st
from sklearn.naive_bayes import GaussianNB

from coterie.core.params import Param, params_of

# What keeps an example cheap, where a method has such a parameter; any of them may be drawn anew.
CHEAP: dict[str, Any] = {
    "max_iter": 4,
    "n_iterations": 6,
    "restarts": 1,
    "n_restarts": 2,
    "n_init": 1,
    "passes": 2,
    "runs": 1,
    "n_models": 2,
    "n_topics": 3,
    "n_themes": 3,
    "n_hidden": 4,
    "n_units": 4,
    "n_components": 2,
    "n_groups": 2,
    "n_columns": 3,
    "n_blobs": 4,
    "sweeps": 3,
    "max_rounds": 5,
    "max_groups": 5,
    "iterations": 2,
    "folds": 2,
    "min_words": 2,
    "min_df": 1,
    "patience": 2,
    "batch": 16,
    "random_state": 0,
    "length": 3,
}
CHEAP_OF: dict[str, dict[str, Any]] = {
    "SpherePacking": {"max_iter": 500},
    "Core": {"background": "uniform"},
    "TwoTask": {"unlabeled_weight": 0.1, "max_iter": 1},
    "NNTR": {"max_iter": 2},
    "Siamese": {"max_iter": 2},
    "Segmentation": {"window": 2},
    "ITCC": {"rounds": 3},
    "Integration": {"fewest": 2, "order": 1},
    "Blobs": {"rounds": 3, "columns": 2, "rows": 2},
    "RegionFeatures": {"columns": 2, "rows": 2},
    "Density": {"min_size": 2},
}
MOST: dict[str, int] = {
    "max_iter": 6,
    "n_iterations": 9,
    "restarts": 3,
    "passes": 4,
    "runs": 2,
    "n_models": 3,
    "trials": 3,
}
WIDE = frozenset(
    {
        "n_groups",
        "n_topics",
        "n_components",
        "neighbors",
        "min_df",
        "folds",
        "min_size",
        "scale",
        "keep",
        "max_groups",
    }
)


def _models() -> list[Any]:
    from coterie.models import GMM, HMM, Gaussian

    return [
        None,
        HMM(n_states=2, max_iter=3),
        GMM(n_components=2, max_iter=3),
        Gaussian(),
        Gaussian(covariance="full"),
    ]


def _risks() -> list[Any]:
    from coterie.compare import NN, Bound

    return ["nn", "wang", "bound", "logistic", "knn", "affine", NN(), Bound()]


def _unlike(rows: Any, cols: Any) -> Any:
    return np.abs(rows[:, None] - cols[None]).sum(axis=2)


def _broken(*_: Any) -> Any:
    return "no numbers"


_NONSENSE = [object(), "nonsense", -1, math.nan, {}, [], b"no", np.array([1, 2]), 10**400]
_PAIRS = [{"members-words": 2.0}, {("members", "words"): 0.0}]
_RULES = ["mass", "root", "one", "raw", "cap"]
_MANY = [1, 2, 3, {"members": 2}]
_FEW = [100, {"members": 2, "words": 2}, {"nobody": 2}, {"members": 0}, {}, "two", 1.5, [2]]
_DIVERGENCES = [
    "kl",
    "reverse-kl",
    "jeffreys",
    "js",
    "hellinger",
    "variational",
    "triangular",
    "chi2",
    "power:0.5",
]
_SHARED = [100, 0, -1, "some", 1.5, None]
_REGULAR = [1.0, 0.5, 0.1]
_ODD_REGULAR = [0.0, 1e-300, 1e300, "held-out", -1.0, math.nan, math.inf, "no", None]

# Parameters whose values no range tells: usual ones, and odd ones; by name, and by "Method.name" where a method has its own.
SPECIAL: dict[str, Callable[[], tuple[list[Any], list[Any]]]] = {
    "model": lambda: (_models(), ["nonsense", 3, object(), GaussianNB()]),
    "SSD.model": lambda: ([None, *_models()[1:2], "observed"], [*_models()[2:], "nonsense", 3]),
    "stop_words": lambda: (
        ["english", "none", ["water"], ("the", "of")],
        [[], "klingon", 3, [3], None],
    ),
    "PWCA.n_components": lambda: (["chance", "all", 1, 2], _SHARED),
    "KCCA.n_components": lambda: (["all", 1, 2], _SHARED),
    "CCA.n_components": lambda: (["all", 1, 2], _SHARED),
    "rank": lambda: ([None, "all", 2, 3], [1, 100, 0, -1, "some", 1.5]),
    "target_kind": lambda: (
        ["MFCC", "MFCC_0_D", "PLP_E", "LPC", "LPCEPSTRA", "FBANK_D_A_Z", "MFCC+PLP"],
        ["", "NOISE", "MFCC_Q", 3],
    ),
    "Frames.settings": lambda: ([None], [3, "nonsense"]),
    "Contexts.columns": lambda: ([("word",), None], [("tag",), (), ("nothing",), "word", 3]),
    "Attributes.columns": lambda: ([("word",), None], [("tag",), (), ("nothing",), "word", 3]),
    "Attributes.offsets": lambda: ([(0,), (-1, 1), (100,)], [(), ("a",), 3, (0.5,), (0, 0), None]),
    "Gower.weights": lambda: (
        [None, {}],
        [{"x0": 2.0}, {"c0": 0.0}, {"no": 1.0}, {"x0": -1.0}, {"x0": math.nan}, {"x0": "a"}, 3],
    ),
    "diverter": lambda: (
        [None],
        ["nearest", "tree", "hmm", "crf", GaussianNB(), GaussianNB, "nonsense", 3],
    ),
    "annotator": lambda: ([None], [3, "nonsense"]),
    "n_labels": lambda: ([None, 2, 3, (2, 4)], [1, (4, 2), (2,), "two", 1.5, (2.5, 3), (0, 0), ()]),
    "scoring": lambda: (["binary", "occurrence", "weighted", "em"], ["nonsense", 3, None]),
    "stop": lambda: ([None, 1e-5, 0.1], [0.0, -1.0, math.nan, "nonsense", True]),
    "most": lambda: ([(30, 10), (1, 1)], [(0, 1), (1,), (1.5, 2), "many", None, 3, (-1, -1)]),
    "references": lambda: ([None, [0], [0, 1]], [[], [0, 0], [100], [-1], ["a"], 3, [0.5]]),
    "Likelihood.models": lambda: (
        [None, 1, 2, 0.5, 1.0, "eigengap"],
        [0, -1, 100, "some", math.nan, 1.5],
    ),
    "metric": lambda: (
        ["euclidean", "cityblock", "cosine", "chebyshev", "sqeuclidean", _unlike],
        [_broken, "nonsense", 3, None],
    ),
    "f": lambda: (_DIVERGENCES, ["power:x", "power:nan", "no", 3, None, _broken]),
    "risk": lambda: (_risks(), ["nonsense", 3, None]),
    "SpherePacking.kernel": lambda: (
        ["gaussian", "laplacian", "linear", "polynomial"],
        [_unlike, _broken, "nonsense", 3, None],
    ),
    "MMD.kernel": lambda: (
        ["gaussian", "laplacian", "linear", "polynomial"],
        [_unlike, _broken, "nonsense", 3, None],
    ),
    "n_segments": lambda: ([None, 1, 2], [[1, 2, 1], [2], [0], 100, "two", [1.5], []]),
    "comparer": lambda: (_models()[:4], ["nonsense", 3]),
    "graph": lambda: (
        [None],
        ["members-words", [("members", "words")], "members-nobody", "nonsense", "", 3, []],
    ),
    "weights": lambda: (
        _RULES,
        [*_PAIRS, {"x": 1.0}, {"members-words": math.nan}, "nonsense", 3, None],
    ),
    "Terms.weights": lambda: (["binary", "tf", "tfidf", "tfidf_var", "bm25"], ["mass", 3]),
    "Contexts.weights": lambda: (["tf", "tfidf"], ["mass", 3]),
    "KMeans.weights": lambda: (["raw", "tfidf"], ["mass", 3]),
    "NearestRisk.weights": lambda: (["sets", "points"], ["mass", 3]),
    "Core.weights": lambda: (
        ["scaled", "one"],
        [{"words": 1.0}, {"nobody": 1.0}, {"words": -1.0}, {"words": math.nan}, 3, "no"],
    ),
    "Rankings.weights": lambda: (
        ["one", "mass"],
        [*_PAIRS, {"x": 1.0}, {"members-words": math.nan}, "nonsense", 3, None],
    ),
    "observed": lambda: (
        [()],
        [("words",), ["people"], {"words": [0, 1]}, ("nobody",), ("members",), 3, "words", None],
    ),
    "Rankings.observed": lambda: ([None, {}], _OBSERVED),
    "Comraf.schedule": lambda: (
        ["auto", "reverse"],
        ["members*2", "(members words)*2 members!", "nobody", "((", "", "members*0", 3],
    ),
    "upward": lambda: ([None, ("members",)], [["words"], "members", ("nobody",), 3, ()]),
    "first": lambda: (
        [None],
        [
            {},
            {"words": 2},
            {"people": 2},
            {"words": 100},
            {"nobody": 2},
            {"words": 0},
            {"words": "two"},
            3,
        ],
    ),
    "Comraf.n_groups": lambda: (_MANY, _FEW),
    "MDC.n_groups": lambda: (_MANY, _FEW),
    "ComrafStar.n_groups": lambda: (_MANY, _FEW),
    "size": lambda: (["auto", 1, 2, 3, 0.5], [100, 0, -1, 1.5, math.nan, "some", None, True]),
    "background": lambda: (
        ["uniform", {"x0": 3.0}],
        ["bundled", {"water": 1}, {}, {"x0": -1}, {"x0": math.nan}, {"x0": "a"}, 3, "no"],
    ),
    "pi": lambda: (["auto", "share", 0.5], [0.0, 1.0, 2.0, -1.0, math.nan, "nonsense", None]),
    "tau": lambda: (_REGULAR, _ODD_REGULAR),
    "kappa": lambda: (_REGULAR, _ODD_REGULAR),
    "random_state": lambda: (
        [0, 1, 2**31, np.int64(3)],
        [None, -1, 1.5, "seed", math.nan, 2**70, np.random.default_rng(0)],
    ),
}
_OBSERVED = [
    {"words": ["x0"]},
    {"columns": ["x1", "x0"]},
    {"members": [1.0, 2.0]},
    {"words": {"x0": 1.0}},
    {"nobody": []},
    {"words": []},
    {"words": ["x0", "x0"]},
    {"words": 3},
    {"columns": {"x0": math.nan}},
    3,
    "words",
]


def special(owner: str, name: str) -> tuple[list[Any], list[Any]]:
    """The values of a parameter that no range tells, if it is one of these: usual, and odd."""
    found = SPECIAL.get(f"{owner}.{name}", SPECIAL.get(name))
    return found() if found else ([], [])


def valid(info: Param) -> list[Any]:
    """Values that the declared range admits: all choices, the edges, and some between; few enough to stay cheap."""
    found: list[Any] = [*info.choices, info.default]
    if info.annotation == "bool" or "bool |" in info.annotation:
        found += [True, False]
    if "None" in info.annotation:
        found.append(None)
    kinds = {part.strip() for part in info.annotation.split("|")}
    low = info.ge if info.ge is not None else info.gt
    high = info.le if info.le is not None else info.lt
    if "int" in kinds and "float" not in kinds and low is not None:
        first = int(low) + (info.gt is not None)
        most = MOST.get(info.name, 12)
        found += [
            value
            for value in range(first, first + 4)
            if value <= most and (high is None or value <= high)
        ]
        found += [min(most, high) if high is not None else most] + (
            [100] if info.name in WIDE and high is None else []
        )
    if "float" in kinds:
        found += _between(info, low, high)
    return [
        value
        for value in found
        if not (
            isinstance(value, int)
            and not isinstance(value, bool)
            and value > MOST.get(info.name, 10**9)
        )
    ]


def _between(info: Param, low: float | None, high: float | None) -> list[float]:
    some = [0.1, 0.5, 0.9, 1.0, 2.0, 10.0]
    some += [value for value in (low, high) if value is not None]
    admitted = [
        value
        for value in some
        if (info.ge is None or value >= info.ge)
        and (info.gt is None or value > info.gt)
        and (info.le is None or value <= info.le)
        and (info.lt is None or value < info.lt)
    ]
    return [value for value in admitted if value <= MOST.get(info.name, math.inf)]


def invalid(info: Param) -> list[Any]:
    """Values just outside the range, and values of another type."""
    found: list[Any] = [*_NONSENSE]
    edges = ((info.ge, math.inf), (info.gt, math.inf), (info.le, -math.inf), (info.lt, -math.inf))
    if (
        "float" in info.annotation
    ):  # the last numbers within, which may still be too much for the arithmetic
        found += [math.nextafter(edge, toward) for edge, toward in edges if edge is not None]
    found += [1e-300, 1e300] if "float" in info.annotation else []
    for bound, step in ((info.ge, -1), (info.gt, 0), (info.le, 1), (info.lt, 0)):
        if bound is not None:
            found.append(type(bound)(bound + step))
    if info.ge is not None or info.gt is not None:
        found += [-math.inf, math.inf, 1.5, None, True, "3", 2 + 1j]
    return found


@st.composite
def settings_of(draw: Any, owner: type, odd: bool) -> dict[str, Any]:
    """Parameters of a method: cheap ones, up to two of them drawn anew within their range, and one outside where `odd`."""
    infos = {info.name: info for info in params_of(owner)}
    told = {
        name: value
        for name, value in (CHEAP | CHEAP_OF.get(owner.__name__, {})).items()
        if name in infos
    }
    if not infos:
        return told
    for name in draw(st.lists(st.sampled_from(sorted(infos)), max_size=2, unique=True)):
        told[name] = _pick(draw, special(owner.__name__, name)[0] or valid(infos[name]))
    if odd:
        name = draw(st.sampled_from(sorted(infos)))
        told[name] = _pick(draw, [*special(owner.__name__, name)[1], *invalid(infos[name])])
    return told


def _pick(draw: Any, values: list[Any]) -> Any:
    return values[draw(st.integers(0, len(values) - 1))]
