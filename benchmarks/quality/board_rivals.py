"""The rivals of the board: what people do by hand with well-known libraries, on the same rows.

A rival of the mode `k` is given the number of classes; one of the mode `free` chooses its own. Peers that are not
installed leave the list (`pip install 'coterie[bench]'` brings them).
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

Labels = np.ndarray
MOST = 30  # groups that a rival looks at where it chooses their number
PIXELS = 32  # edge of the pictures that are compared pixel by pixel


# ---- members as rows ----------------------------------------------------------------------------------------------


def texts_of(collection: Any) -> list[str]:
    """The text of each member; several texts are joined."""
    views = [view for view in collection.views.values() if hasattr(view, "documents")]
    return [" ".join(str(view.documents[i]) for view in views) for i in range(len(collection))]


def tfidf(collection: Any) -> Any:
    """Words by tf-idf, as scikit-learn counts them."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    n = len(collection)
    return TfidfVectorizer(
        sublinear_tf=True, min_df=2 if n > 50 else 1, max_df=0.5 if n > 50 else 1.0
    ).fit_transform(texts_of(collection))


def lsa(collection: Any, seed: int) -> np.ndarray:
    """Fifty directions of tf-idf, of length one."""
    return few_directions(tfidf(collection), seed)


def few_directions(counts: Any, seed: int) -> np.ndarray:
    """Fifty directions of sparse rows, of length one."""
    from sklearn.decomposition import TruncatedSVD
    from sklearn.preprocessing import normalize

    dimensions = min(50, min(counts.shape) - 1)
    return normalize(TruncatedSVD(dimensions, random_state=seed).fit_transform(counts))


def table_rows(collection: Any) -> np.ndarray:
    """Numbers as z-scores, categories one-hot, missing values at the median; sparse tables as 50 directions."""
    from sklearn.decomposition import TruncatedSVD
    from sklearn.preprocessing import StandardScaler

    parts = []
    for view in collection.views.values():
        if view.sparse:
            dimensions = min(50, min(view.shape) - 1)
            parts.append(TruncatedSVD(dimensions, random_state=0).fit_transform(view.values))
            continue
        values = np.array(view.values, dtype=np.float64)
        numbers = values[:, view.numeric]
        if numbers.shape[1]:
            middle = np.nan_to_num(np.nanmedian(numbers, axis=0))
            parts.append(
                StandardScaler().fit_transform(np.where(np.isnan(numbers), middle, numbers))
            )
        for column in view.categorical:
            codes = np.nan_to_num(values[:, column], nan=-1).astype(np.int64) + 1
            parts.append(np.eye(codes.max() + 1)[codes])
    return np.concatenate(parts, axis=1)


def moments(collection: Any) -> np.ndarray:
    """Of each sequence or set the mean and the covariances of its values, as z-scores."""
    from sklearn.preprocessing import StandardScaler

    view = collection.view()
    rows = []
    for at in range(len(collection)):
        values = np.nan_to_num(np.asarray(view[at], dtype=np.float64))
        values = values.reshape(len(values), -1)
        upper = np.triu_indices(values.shape[1])
        spread = np.cov(values.T, bias=True).reshape(values.shape[1], values.shape[1])[upper]
        rows.append(np.concatenate([values.mean(axis=0), spread]))
    return StandardScaler().fit_transform(np.array(rows))


def means(collection: Any) -> np.ndarray:
    """Of each set its mean."""
    from sklearn.preprocessing import StandardScaler

    view = collection.view()
    rows = [
        np.nan_to_num(np.asarray(view[at], dtype=np.float64)).mean(axis=0)
        for at in range(len(collection))
    ]
    return StandardScaler().fit_transform(np.array(rows))


def cepstra(collection: Any) -> np.ndarray:
    """Of each recording the means and spreads of 13 MFCC and of their steps, as z-scores."""
    from sklearn.preprocessing import StandardScaler

    from coterie.represent import Frames

    frames = Frames().fit_transform(collection.view())
    rows = []
    for at in range(len(collection)):
        values = np.asarray(frames[at], dtype=np.float64)[:, :13]
        steps = np.diff(values, axis=0) if len(values) > 1 else np.zeros((1, values.shape[1]))
        rows.append(
            np.concatenate([values.mean(0), values.std(0), np.abs(steps).mean(0), steps.std(0)])
        )
    return StandardScaler().fit_transform(np.nan_to_num(np.array(rows)))


def small_pictures(collection: Any) -> list[Any]:
    """Every picture at 32 x 32 pixels, in color, on white."""
    from PIL import Image

    from coterie.core.pictures import Pictures

    view = next(one for one in collection.views.values() if isinstance(one, Pictures))
    found = []
    for at in range(len(collection)):
        pixels = np.asarray(view[at])
        if pixels.dtype != np.uint8:
            pixels = (255 * np.clip(pixels, 0, 1)).astype(np.uint8)
        picture = Image.fromarray(pixels if pixels.ndim == 2 else pixels[..., :3]).convert("RGB")
        found.append(picture.resize((PIXELS, PIXELS), Image.Resampling.BILINEAR))
    return found


def pixels(collection: Any) -> np.ndarray:
    """The pixels of small pictures."""
    return np.array(
        [np.asarray(one, dtype=np.float64).ravel() / 255 for one in small_pictures(collection)]
    )


def colors_and_gradients(collection: Any) -> np.ndarray:
    """Of each picture a histogram of its colors and one of the directions of its edges, as z-scores."""
    from sklearn.preprocessing import StandardScaler

    rows = []
    for picture in small_pictures(collection):
        hue = np.asarray(picture.convert("HSV"), dtype=np.float64) / 255
        colors = [np.histogram(hue[..., c], bins=8, range=(0, 1))[0] for c in range(3)]
        gray = np.asarray(picture.convert("L"), dtype=np.float64) / 255
        down, right = np.gradient(gray)
        edges, _ = np.histogram(
            np.arctan2(down, right), bins=8, range=(-np.pi, np.pi), weights=np.hypot(down, right)
        )
        rows.append(np.concatenate([*colors, edges]))
    return StandardScaler().fit_transform(np.array(rows, dtype=np.float64))


def surroundings(collection: Any) -> Any:
    """Of each name in tagged text the words of the name and of two places around it, counted."""
    from sklearn.feature_extraction.text import CountVectorizer

    view = collection.view()
    bags = []
    for start, end in view.spans:
        sentence = int(np.searchsorted(view.offsets, start, side="right")) - 1
        first, last = view.offsets[sentence], view.offsets[sentence + 1]
        near = view.tokens[max(first, start - 2) : min(last, end + 2)]
        bags.append(" ".join(map(str, near)).lower())
    return CountVectorizer(token_pattern=r"\S+").fit_transform(bags)


# ---- groups of rows -----------------------------------------------------------------------------------------------


def kmeans(rows: Any, k: int, seed: int) -> Labels:
    """k-means with ten starts."""
    from sklearn.cluster import KMeans

    return KMeans(k, n_init=10, random_state=seed).fit_predict(rows)


def kmeans_by_silhouette(rows: Any, seed: int) -> Labels:
    """k-means with the number of groups whose silhouette is greatest."""
    from sklearn.metrics import silhouette_score

    best, found = -2.0, np.zeros(rows.shape[0], dtype=np.int64)
    for k in range(2, min(MOST, rows.shape[0] - 1) + 1):
        labels = kmeans(rows, k, seed)
        score = silhouette_score(
            rows, labels, sample_size=min(rows.shape[0], 2000), random_state=seed
        )
        if score > best:
            best, found = score, labels
    return found


def mixture(rows: np.ndarray, k: int, seed: int, shape: str = "full") -> Labels:
    """A Gaussian mixture."""
    from sklearn.mixture import GaussianMixture

    return GaussianMixture(
        k, covariance_type=shape, n_init=3, reg_covar=1e-3, random_state=seed
    ).fit_predict(rows)


def umap_hdbscan(rows: Any, seed: int, metric: str = "euclidean") -> Labels:
    """UMAP to five dimensions and HDBSCAN, as BERTopic sets them; strays go to the nearest group."""
    from sklearn.cluster import HDBSCAN
    from sklearn.neighbors import KNeighborsClassifier
    from umap import UMAP

    n = rows.shape[0]
    places = UMAP(
        n_neighbors=min(15, n - 1), n_components=5, min_dist=0.0, metric=metric, random_state=seed
    ).fit_transform(rows)
    labels = HDBSCAN(min_cluster_size=max(5, min(n // 50, 50))).fit_predict(places)
    inside = labels >= 0
    if inside.any() and not inside.all():
        nearest = KNeighborsClassifier(1).fit(places[inside], labels[inside])
        labels[~inside] = nearest.predict(places[~inside])
    return labels


def medoids(distances: np.ndarray, k: int, seed: int) -> Labels:
    """k-medoids by alternation, the best of ten starts."""
    random = np.random.default_rng(seed)
    best, found = np.inf, np.zeros(len(distances), dtype=np.int64)
    for _ in range(10):
        centers = random.choice(len(distances), k, replace=False)
        for _ in range(50):
            labels = distances[:, centers].argmin(axis=1)
            moved = centers.copy()
            for g in range(k):
                inside = np.flatnonzero(labels == g)
                if len(inside):
                    moved[g] = inside[distances[np.ix_(inside, inside)].sum(axis=0).argmin()]
            if (moved == centers).all():
                break
            centers = moved
        cost = distances[:, centers].min(axis=1).sum()
        if cost < best:
            best, found = cost, distances[:, centers].argmin(axis=1)
    return found


def gower_medoids(collection: Any, k: int, seed: int) -> Labels:
    """Gower's distance and k-medoids."""
    from coterie.compare import Gower
    from coterie.parts.pairwise import dense

    return medoids(dense(Gower().fit(collection.view()).affinity_).values, k, seed)


def warped_medoids(collection: Any, k: int, seed: int) -> Labels:
    """Dynamic time warping by dtaidistance and k-medoids."""
    from dtaidistance import dtw_ndim
    from sklearn.preprocessing import StandardScaler

    view = collection.view()
    series = [
        np.nan_to_num(np.asarray(view[at], dtype=np.float64)) for at in range(len(collection))
    ]
    scale = StandardScaler().fit(np.concatenate(series))
    series = [scale.transform(one) for one in series]
    window = max(
        5, int(0.1 * max(map(len, series))) + max(map(len, series)) - min(map(len, series))
    )
    distances = dtw_ndim.distance_matrix_fast(series, window=window)
    distances[~np.isfinite(distances)] = np.nanmax(distances[np.isfinite(distances)])
    return medoids(distances, k, seed)


def factors(collection: Any, k: int, seed: int) -> Labels:
    """Non-negative factors of tf-idf; a member belongs to its largest."""
    from sklearn.decomposition import NMF

    return (
        NMF(k, init="nndsvda", random_state=seed, max_iter=400)
        .fit_transform(tfidf(collection))
        .argmax(axis=1)
    )


def sequential_ib(collection: Any, k: int, seed: int) -> Labels:
    """Our own SequentialIB alone, on counts of words."""
    from sklearn.feature_extraction.text import CountVectorizer

    from coterie.organize import SequentialIB

    n = len(collection)
    counts = CountVectorizer(min_df=2 if n > 50 else 1, max_df=0.5 if n > 50 else 1.0)
    return (
        SequentialIB(n_groups=k, random_state=seed)
        .fit(counts.fit_transform(texts_of(collection)))
        .labels_
    )


def average_linkage(rows: Any, k: int) -> Labels:
    """Average linkage of cosines."""
    from sklearn.cluster import AgglomerativeClustering
    from sklearn.metrics.pairwise import cosine_distances

    return AgglomerativeClustering(k, metric="precomputed", linkage="average").fit_predict(
        cosine_distances(rows)
    )


# ---- the list -----------------------------------------------------------------------------------------------------

Rival = Callable[[Any, Any, int], Labels]  # collection, k (None where it is chosen), seed

_TEXT: dict[tuple[str, str], Rival] = {
    ("k", "k-means on TF-IDF + LSA"): lambda c, k, seed: kmeans(lsa(c, seed), k, seed),
    ("k", "NMF"): factors,
    ("k", "SequentialIB alone"): sequential_ib,
    ("free", "silhouette k-means on LSA"): lambda c, k, seed: kmeans_by_silhouette(
        lsa(c, seed), seed
    ),
    ("free", "UMAP + HDBSCAN"): lambda c, k, seed: umap_hdbscan(lsa(c, seed), seed, "cosine"),
}
_TABLE: dict[tuple[str, str], Rival] = {
    ("k", "k-means"): lambda c, k, seed: kmeans(table_rows(c), k, seed),
    ("k", "Gaussian mixture"): lambda c, k, seed: mixture(table_rows(c), k, seed),
    ("k", "Gaussian mixture, tied"): lambda c, k, seed: mixture(table_rows(c), k, seed, "tied"),
    ("k", "Gower + medoids"): gower_medoids,
    ("free", "silhouette k-means"): lambda c, k, seed: kmeans_by_silhouette(table_rows(c), seed),
    ("free", "UMAP + HDBSCAN"): lambda c, k, seed: umap_hdbscan(table_rows(c), seed),
}
_SEQUENCES: dict[tuple[str, str], Rival] = {
    ("k", "moments + k-means"): lambda c, k, seed: kmeans(moments(c), k, seed),
    ("k", "DTW + medoids"): warped_medoids,
    ("free", "moments + silhouette k-means"): lambda c, k, seed: kmeans_by_silhouette(
        moments(c), seed
    ),
    ("free", "UMAP + HDBSCAN"): lambda c, k, seed: umap_hdbscan(moments(c), seed),
}
_SETS: dict[tuple[str, str], Rival] = {
    ("k", "means + k-means"): lambda c, k, seed: kmeans(means(c), k, seed),
    ("k", "moments + k-means"): lambda c, k, seed: kmeans(moments(c), k, seed),
    ("free", "means + silhouette k-means"): lambda c, k, seed: kmeans_by_silhouette(means(c), seed),
    ("free", "UMAP + HDBSCAN"): lambda c, k, seed: umap_hdbscan(means(c), seed),
}
_AUDIO: dict[tuple[str, str], Rival] = {
    ("k", "MFCC statistics + k-means"): lambda c, k, seed: kmeans(cepstra(c), k, seed),
    ("free", "MFCC statistics + silhouette k-means"): lambda c, k, seed: kmeans_by_silhouette(
        cepstra(c), seed
    ),
    ("free", "UMAP + HDBSCAN"): lambda c, k, seed: umap_hdbscan(cepstra(c), seed),
}
_PICTURES: dict[tuple[str, str], Rival] = {
    ("k", "pixels + k-means"): lambda c, k, seed: kmeans(pixels(c), k, seed),
    ("k", "colors and gradients + k-means"): lambda c, k, seed: kmeans(
        colors_and_gradients(c), k, seed
    ),
    ("free", "colors and gradients + silhouette k-means"): lambda c, k, seed: kmeans_by_silhouette(
        colors_and_gradients(c), seed
    ),
    ("free", "pixels + silhouette k-means"): lambda c, k, seed: kmeans_by_silhouette(
        pixels(c), seed
    ),
    ("free", "UMAP + HDBSCAN"): lambda c, k, seed: umap_hdbscan(pixels(c), seed),
}
_TAGGED: dict[tuple[str, str], Rival] = {
    ("k", "bag of words + average linkage"): lambda c, k, seed: average_linkage(surroundings(c), k),
    ("free", "bag of words + silhouette k-means"): lambda c, k, seed: kmeans_by_silhouette(
        few_directions(surroundings(c), seed), seed
    ),
    ("free", "UMAP + HDBSCAN"): lambda c, k, seed: umap_hdbscan(
        few_directions(surroundings(c), seed), seed, "cosine"
    ),
}
_VIEWS: dict[tuple[str, str], Rival] = {
    ("k", "k-means on all columns"): lambda c, k, seed: kmeans(table_rows(c), k, seed),
    ("free", "silhouette k-means on all columns"): lambda c, k, seed: kmeans_by_silhouette(
        table_rows(c), seed
    ),
    ("free", "UMAP + HDBSCAN"): lambda c, k, seed: umap_hdbscan(table_rows(c), seed),
}
RIVALS = {
    "text": _TEXT,
    "mail": _TEXT,
    "slashed": _TEXT,
    "table": _TABLE,
    "sequences": _SEQUENCES,
    "sets": _SETS,
    "audio": _AUDIO,
    "pictures": _PICTURES,
    "tagged": _TAGGED,
    "views": _VIEWS,
}
_NEEDS = {"UMAP + HDBSCAN": "umap", "DTW + medoids": "dtaidistance"}


def names(kind: str, mode: str) -> Sequence[str]:
    """The rivals for a kind of data in a mode, those that can be run here."""
    return [
        name
        for needed, name in RIVALS[kind]
        if needed == mode
        and (name not in _NEEDS or importlib.util.find_spec(_NEEDS[name]) is not None)
    ]


def group(name: str, collection: Any, k: int | None, seed: int, kind: str) -> Labels:
    """The groups of a rival of this kind of data; in the mode `free` k is None."""
    mode = "free" if k is None else "k"
    return np.asarray(RIVALS[kind][mode, name](collection, k, seed), dtype=np.int64)
