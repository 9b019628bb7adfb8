"""What a run may hold: a registry of classes and functions by stable id, and the fields each class declares.

A stored file names a class by its id, never by its module, so that classes may be renamed and moved: change the place
beside the id. Only ids of the registry are loaded, and only fields that the class declares are set:

- the fields of a dataclass, and the parameters that `param()` declares;
- annotations of the class that end in `_`: what `fit` learns;
- names in `stored_fields`, where something else is needed.

What a class lists in `transient` is made again when it is needed, and never stored. When fields change their meaning,
add a function to `UPGRADES` that turns the older fields into the newer ones; the version of the class counts them.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib
import inspect
import numbers
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from coterie.core.errors import DataError, StoreError, VersionError
from coterie.core.params import Settings, annotations_of, kind_of, params_of

Fields = dict[str, Any]

CLASSES: dict[str, str] = {
    # Members, results and what lies between them (core)
    "affinity-condensed": "coterie.core.affinity:Condensed",
    "affinity-dense": "coterie.core.affinity:Dense",
    "affinity-graph": "coterie.core.affinity:Graph",
    "affinity-lazy": "coterie.core.affinity:Lazy",
    "axis": "coterie.core.findings:Axis",
    "cluster": "coterie.core.findings:Cluster",
    "collection": "coterie.core.collection:Collection",
    "cooccurrence": "coterie.core.links:Cooccurrence",
    "duplicates": "coterie.core.findings:Duplicates",
    "evidence": "coterie.core.findings:Evidence",
    "findings": "coterie.core.findings:Findings",
    "grid": "coterie.core.findings:Grid",
    "group": "coterie.core.findings:Group",
    "group-level": "coterie.core.findings:GroupLevel",
    "hierarchy": "coterie.core.partition:Hierarchy",
    "hints": "coterie.core.hints:Hints",
    "links": "coterie.core.links:Links",
    "meeting": "coterie.core.findings:Meeting",
    "naming": "coterie.core.findings:Naming",
    "overview": "coterie.core.findings:Overview",
    "partition": "coterie.core.partition:Partition",
    "pictures": "coterie.core.pictures:Pictures",
    "population": "coterie.core.findings:Population",
    "remark": "coterie.core.findings:Remark",
    "unstructured": "coterie.core.findings:Unstructured",
    "ragged": "coterie.core.ragged:Ragged",
    "ranking": "coterie.core.partition:Ranking",
    "segments": "coterie.core.findings:Segments",
    "segmented-sequence": "coterie.core.partition:Segmentation",
    "shared-views": "coterie.core.findings:SharedViews",
    "step": "coterie.core.findings:Step",
    "strips": "coterie.core.findings:Strips",
    "table": "coterie.core.table:Table",
    "tagged-text": "coterie.core.text:TaggedText",
    "text": "coterie.core.text:Text",
    "trait": "coterie.core.findings:Trait",
    "vectors": "coterie.core.vectors:Vectors",
    "views": "coterie.core.views:Views",
    "views-consensus": "coterie.organize.views_consensus:ViewsConsensus",
    "views-consensus-coding": "coterie.organize.views_consensus:ViewCoding",
    "views-consensus-voter": "coterie.organize.views_consensus:Voter",
    "shared-axes": "coterie.represent.shared_axes:SharedAxes",
    "view-tables": "coterie.workflows.view_tables:ViewTables",
    "default-coordinates": "coterie.workflows.view_tables:DefaultCoordinates",
    # A fitted exploration (workflows)
    "exploration": "coterie.workflows.explore:Analysis",
    "branch": "coterie.pipeline:Branch",
    "pick-vectors": "coterie.workflows.spaces:PickVectors",
    "pipeline": "coterie.pipeline:Pipeline",
    "seen-views": "coterie.workflows.view_space:SeenViews",
    "shared-space": "coterie.workflows.view_space:SharedSpace",
    "spaces-branch": "coterie.workflows.spaces:SpacesBranch",
    # Models of sequences (models, parts)
    "emissions-categorical": "coterie.parts.symbols:Categorical",
    "emissions-counts": "coterie.parts.symbols:Counts",
    "emissions-mixture": "coterie.parts.mixtures:Mixture",
    "emissions-normal": "coterie.parts.emissions:Normal",
    "gaussian-model": "coterie.models.gaussian:Gaussian",
    "gmm": "coterie.models.mixture:GMM",
    "hmm": "coterie.models.hmm:HMM",
    "hmm-bank": "coterie.parts.hmm:Bank",
    "state-choice": "coterie.models.choice:Choice",
    "state-choice-tried": "coterie.models.choice:Tried",
    "state-counts": "coterie.models.choice:Sizes",
    # Represent
    "attributes": "coterie.represent.contexts:Attributes",
    "blobs": "coterie.represent.blobs:Blobs",
    "cca": "coterie.represent.cca:CCA",
    "classical-scaling": "coterie.represent.classical:ClassicalScaling",
    "color-histogram": "coterie.represent.colours:Colours",
    "contexts": "coterie.represent.contexts:Contexts",
    "embedding": "coterie.represent.embedding:Embedding",
    "frame-settings": "coterie.represent.frames:FrameSettings",
    "frames": "coterie.represent.frames:Frames",
    "histograms-of-gradients": "coterie.represent.gradients:HOG",
    "integration": "coterie.represent.integration:Integration",
    "kcca": "coterie.represent.kcca:KCCA",
    "lab-histogram": "coterie.represent.lab_colors:LabHistogram",
    "lda": "coterie.represent.lda:LDA",
    "lda-model": "coterie.parts.lda:Topical",
    "lsa": "coterie.represent.lsa:LSA",
    "means": "coterie.represent.series:Means",
    "nntr": "coterie.represent.nntr:NNTR",
    "paths": "coterie.represent.series:Paths",
    "plsa": "coterie.represent.plsa:PLSA",
    "power-spectrum": "coterie.represent.series:PowerSpectrum",
    "pwca": "coterie.represent.pwca:PWCA",
    "quantiles": "coterie.represent.series:Quantiles",
    "random-convolutions": "coterie.represent.convolutions:RandomConvolutions",
    "random-patches": "coterie.represent.patches:RandomPatches",
    "region-features": "coterie.represent.regions:RegionFeatures",
    "scaled-pca": "coterie.represent.scaled_pca:ScaledPCA",
    "scaled-pca-components": "coterie.parts.components:MixedComponents",
    "scaled-pca-straightening": "coterie.parts.components:Straightening",
    "scaling": "coterie.represent.scaling:Scaling",
    "shapes": "coterie.represent.shapes:Shapes",
    "siamese": "coterie.represent.siamese:Siamese",
    "spelling-by-context": "coterie.represent.mentions:SpellingByContext",
    "spelling-counts": "coterie.represent.mentions:SpellingCounts",
    "terms": "coterie.represent.terms:Terms",
    "texture": "coterie.represent.texture:Texture",
    "trim-silence": "coterie.represent.silence:TrimSilence",
    "ttmm": "coterie.represent.ttmm:TTMM",
    "word-vectors": "coterie.represent.word_vectors:WordVectors",
    "view-centering": "coterie.parts.centered:Centering",
    "view-landmarks": "coterie.parts.view_forms:Landmarks",
    "view-place-by-columns": "coterie.parts.view_places:ByColumns",
    "view-place-by-kernel": "coterie.parts.view_places:ByKernel",
    # Compare
    "alignment": "coterie.compare.alignment:Alignment",
    "chi-square": "coterie.compare.histograms:ChiSquare",
    "chord": "coterie.compare.vectors:Chord",
    "cosine": "coterie.compare.vectors:Cosine",
    "divergence": "coterie.compare.divergence:Divergence",
    "euclidean": "coterie.compare.vectors:Euclidean",
    "expected-likelihood": "coterie.compare.expected_likelihood:ExpectedLikelihood",
    "fused-affinity-tile": "coterie.compare.fusion:_Combination",
    "gaussian-kernel": "coterie.compare.kernels:Gaussian",
    "glds": "coterie.compare.glds:GLDS",
    "glds-expansion": "coterie.compare.glds:Expansion",
    "gower": "coterie.compare.mixed:Gower",
    "hamming": "coterie.compare.mixed:Hamming",
    "jensen-shannon": "coterie.compare.histograms:JensenShannon",
    "laplacian-kernel": "coterie.compare.kernels:Laplacian",
    "likelihood": "coterie.compare.likelihoods:Likelihood",
    "likelihood-pool": "coterie.compare.likelihood_pool:Pool",
    "linear-kernel": "coterie.compare.kernels:Linear",
    "mahalanobis": "coterie.compare.vectors:Mahalanobis",
    "minkowski": "coterie.compare.vectors:Minkowski",
    "mmd": "coterie.compare.mmd:MMD",
    "nearest-risk": "coterie.compare.nearest_risk:NearestRisk",
    "neighborhood": "coterie.compare.neighborhood:Neighborhood",
    "polynomial-kernel": "coterie.compare.kernels:Polynomial",
    "product-kernel": "coterie.compare.product_kernel:ProductKernel",
    "random-fourier-features": "coterie.parts.random_features:Fourier",
    "row-kernel": "coterie.parts.row_kernels:RowKernel",
    "row-kernel-of-comparer": "coterie.parts.row_kernels:_ByComparer",
    "ssd": "coterie.compare.ssd:SSD",
    "ssd-hmm": "coterie.compare.shared_models:SharedHMM",
    "ssd-state-choice": "coterie.compare.shared_models:Sizes",
    "ssd-state-choice-tried": "coterie.compare.shared_models:Tried",
    # Risks and losses of Divergence
    "loss": "coterie.parts.losses:Loss",
    "risk-bound": "coterie.parts.risks.bound:Bound",
    "risk-bound-common": "coterie.parts.risks.bound:Common",
    "risk-classified": "coterie.parts.risks.classified:Classified",
    "risk-nearest-neighbors": "coterie.parts.risks.nn:NN",
    "risk-wang": "coterie.parts.risks.wang:Wang",
    # SIC
    "one-versus-all": "coterie.compare.sic.ova:OneVersusAll",
    "sic": "coterie.compare.sic.estimator:SIC",
    "sic-annotator-contrast": "coterie.compare.sic.contrast:Contrast",
    "sic-annotator-random": "coterie.compare.sic.annotators:RandomLabels",
    "sic-annotator-sequential": "coterie.compare.sic.sequential:Sequential",
    "sic-codes": "coterie.compare.sic.codes:Codes",
    "sic-diverter-classifier": "coterie.compare.sic.classifiers:Classifier",
    "sic-diverter-crf": "coterie.compare.sic.crf:CRF",
    "sic-diverter-forest": "coterie.compare.sic.trees:Forest",
    "sic-diverter-hmm": "coterie.compare.sic.hmm:HMM",
    "sic-diverter-nearest": "coterie.compare.sic.nearest:Nearest",
    "sic-diverter-tree": "coterie.compare.sic.trees:Tree",
    "sic-profiles": "coterie.compare.sic.profiles:Profiles",
    "sic-score-binary": "coterie.compare.sic.scores:Binary",
    "sic-score-occurrence": "coterie.compare.sic.scores:Occurrence",
    "sic-score-posterior": "coterie.compare.sic.scores:Posterior",
    "sic-score-randomized": "coterie.compare.sic.scores:Randomized",
    "sic-score-shared": "coterie.compare.sic.scores:Shared",
    "sic-score-weighted": "coterie.compare.sic.scores:Weighted",
    "sic-stop-entropy": "coterie.compare.sic.convergence:Entropy",
    "sic-stop-reliability": "coterie.compare.sic.convergence:Reliability",
    "sic-votes": "coterie.compare.sic.references:Votes",
    # Organize
    "agglomerative": "coterie.organize.agglomerative:Agglomerative",
    "agglomerative-ib": "coterie.organize.bottleneck:AgglomerativeIB",
    "categories": "coterie.organize.labels_of:Categories",
    "categorize": "coterie.organize.categorize:Categorize",
    "classifier-always": "coterie.organize.classifiers:Always",
    "classifier-machine": "coterie.organize.classifiers:Machine",
    "classifier-near": "coterie.organize.classifiers:Near",
    "classifier-plane": "coterie.organize.classifiers:Plane",
    "comraf": "coterie.organize.comraf.estimator:Comraf",
    "comraf-edge": "coterie.organize.comraf.graph:Edge",
    "comraf-net": "coterie.organize.comraf.graph:Net",
    "comraf-node": "coterie.organize.comraf.graph:Node",
    "comraf-star": "coterie.organize.comraf.star:ComrafStar",
    "comraf-star-step": "coterie.organize.comraf.star:Star",
    "comraf-state": "coterie.organize.comraf.inference:State",
    "contingency": "coterie.parts.moves:Counts",
    "consensus-ib": "coterie.organize.consensus_ib:ConsensusIB",
    "consensus-ib-directions": "coterie.organize.space_votes:Directions",
    "core": "coterie.organize.core_of:Core",
    "core-background": "coterie.organize.background:General",
    "core-pool": "coterie.organize.core_pools:Pool",
    "core-scorer-ball": "coterie.organize.one_class:Ball",
    "core-scorer-entropy": "coterie.organize.one_class:MinEntropy",
    "core-scorer-latent-topic": "coterie.parts.latent_topic:Ltb",
    "core-scorer-mean": "coterie.organize.one_class:MeanScore",
    "density": "coterie.organize.density:Density",
    "enclosing-balls": "coterie.parts.spheres:Balls",
    "graph-scale": "coterie.parts.neighbors:Kernel",
    "hmm-mixture": "coterie.organize.hmm_mixture:HMMMixture",
    "itcc": "coterie.organize.itcc:ITCC",
    "kmeans": "coterie.organize.counted:KMeans",
    "leiden": "coterie.organize.leiden:Leiden",
    "linking": "coterie.parts.linking:Linking",
    "mcl": "coterie.organize.mcl:MCL",
    "mdc": "coterie.organize.comraf.estimator:MDC",
    "medoids": "coterie.organize.medoids:Medoids",
    "mixture-consensus": "coterie.organize.mixture_consensus:MixtureConsensus",
    "mixture-consensus-models": "coterie.organize.mixture_consensus:ThreeModels",
    "propagation": "coterie.organize.propagation:Propagation",
    "rankings": "coterie.organize.comraf.ranking:Rankings",
    "rankings-tie": "coterie.organize.comraf.ranking:Tie",
    "representation-vote": "coterie.organize.representation_vote:RepresentationVote",
    "segmentation": "coterie.organize.segmentation:Segmentation",
    "segmentation-layout": "coterie.organize.layouts:Layout",
    "segmentation-window-models": "coterie.organize.cuts:WindowModels",
    "sequential-ib": "coterie.organize.bottleneck:SequentialIB",
    "spectral": "coterie.organize.spectral:Spectral",
    "spectrum": "coterie.parts.spectra:Spectrum",
    "sphere-packing": "coterie.organize.sphere_packing:SpherePacking",
    "student-coding": "coterie.parts.student:Coding",
    "student-components": "coterie.parts.student:StudentComponents",
    "student-mixture": "coterie.organize.student_mixture:StudentMixture",
    "topics": "coterie.organize.counted:Topics",
    "two-task": "coterie.organize.two_task:TwoTask",
}
# An id stays as it is for ever; the place beside it follows the class wherever it goes.

FUNCTIONS: dict[str, str] = {
    # Blocks of an affinity that is computed when asked
    "alignment-library-tile": "coterie.compare.alignment:library_tile",
    "alignment-tile": "coterie.compare.alignment:warped_tile",
    "chi-square-tile": "coterie.compare.histograms:chi_square_tile",
    "chord-tile": "coterie.compare.vectors:chord_tile",
    "cosine-tile": "coterie.compare.vectors:cosine_tile",
    "euclidean-tile": "coterie.compare.vectors:euclidean_tile",
    "gaussian-tile": "coterie.compare.kernels:gaussian_tile",
    "gower-tile": "coterie.compare.mixed:gower_tile",
    "hamming-tile": "coterie.compare.mixed:hamming_tile",
    "jensen-shannon-tile": "coterie.compare.histograms:jensen_shannon_tile",
    "laplacian-tile": "coterie.compare.kernels:laplacian_tile",
    "linear-tile": "coterie.compare.kernels:linear_tile",
    "minkowski-tile": "coterie.compare.vectors:minkowski_tile",
    "mmd-feature-tile": "coterie.compare.mmd:feature_tile",
    "mmd-kernel-tile": "coterie.compare.mmd:kernel_tile",
    "one-versus-all-tile": "coterie.compare.sic.ova:_tile",
    "polynomial-tile": "coterie.compare.kernels:polynomial_tile",
    "product-kernel-tile": "coterie.compare.product_kernel:kernel_tile",
    "sic-any-tile": "coterie.compare.sic.tiles:any_tile",
    "sic-coin-tile": "coterie.compare.sic.tiles:coin_tile",
    "sic-profile-tile": "coterie.compare.sic.tiles:profile_tile",
    "sic-share-tile": "coterie.compare.sic.tiles:share_tile",
    "sic-sum-tile": "coterie.compare.sic.tiles:sum_tile",
    "ssd-bhattacharyya-tile": "coterie.compare.ssd:bhattacharyya_tile",
    "ssd-euclidean-tile": "coterie.compare.ssd:euclidean_tile",
    # Kernels and features of views
    "view-kernel": "coterie.represent.shared_views:curved",
    "view-linear-kernel": "coterie.represent.shared_views:linear",
    "view-rows": "coterie.parts.view_forms:same",
    # Losses and their branches
    "loss-curve-log": "coterie.parts.losses:_steep",
    "loss-curve-none": "coterie.parts.losses:_none",
    "loss-curve-square": "coterie.parts.losses:_two",
    "loss-least-hinge": "coterie.parts.losses:_twice_smaller",
    "loss-least-log": "coterie.parts.losses:_entropy",
    "loss-least-square": "coterie.parts.losses:_spread",
    "loss-least-zero-one": "coterie.parts.losses:_smaller",
    "loss-likely": "coterie.parts.losses:_likely",
    "loss-missed": "coterie.parts.losses:_missed",
    "loss-over": "coterie.parts.losses:_over",
    "loss-short": "coterie.parts.losses:_short",
    "loss-taken": "coterie.parts.losses:_taken",
    "loss-twice-missed": "coterie.parts.losses:_twice_missed",
    "loss-twice-taken": "coterie.parts.losses:_twice_taken",
    "loss-unlikely": "coterie.parts.losses:_unlikely",
}
# Functions of arrays alone: what a fitted model calls, and nothing that reads or writes files.

UPGRADES: dict[str, tuple[Callable[[Fields], Fields], ...]] = {}
# UPGRADES[id][i] turns the fields of version i + 1 into those of version i + 2.


class Registry:
    """The registry looked up both ways, each place only once: one for every value that is stored."""

    def __init__(self) -> None:
        self._classes = {where: name for name, where in CLASSES.items()}
        self._functions = {where: name for name, where in FUNCTIONS.items()}
        self._known: dict[type, str | None] = {}

    def class_id(self, owner: type) -> str | None:
        """The id of a class; None where it is not registered."""
        if owner not in self._known:
            self._known[owner] = self._classes.get(_where(owner))
        return self._known[owner]

    def function_id(self, function: Any) -> str | None:
        """The id of a function; None where it is not registered."""
        return self._functions.get(_where(function))


def version_of(name: str) -> int:
    """The version of a registered class: one more than the upgrades it has."""
    return 1 + len(UPGRADES.get(name, ()))


def find_class(name: Any) -> type[Any]:
    """The class of an id; StoreError where there is none."""
    found = _find(CLASSES, name, "class")
    if not isinstance(found, type):
        raise StoreError(f"'{name}' is not a class")
    return found


def find_function(name: Any, arguments: Mapping[str, Any]) -> Callable[..., Any]:
    """The function of an id with some of its arguments given; StoreError where there is none, or it has no such argument."""
    found = _find(FUNCTIONS, name, "function")
    known = inspect.signature(found).parameters
    for argument in arguments:
        if argument not in known:
            raise StoreError(f"the function '{name}' has no argument '{argument}'")
    return functools.partial(found, **arguments) if arguments else found


def function_parts(function: Any) -> tuple[Any, dict[str, Any]]:
    """A function and the arguments that are given to it already, by name."""
    if not isinstance(function, functools.partial):
        return function, {}
    if function.args:
        raise DataError(
            f"{_where(function.func)} is given arguments by position; only named ones can be kept."
        )
    return function.func, dict(function.keywords)


def fields_to_store(thing: Any) -> Fields:
    """The declared fields that an object has; one that holds anything else is refused, so that nothing is lost silently."""
    owner: type = type(thing)
    declared = declared_fields(owner)
    if _is_record(owner):
        return {name: getattr(thing, name) for name in declared}
    held = vars(thing) if hasattr(thing, "__dict__") else {}
    passed_over = getattr(owner, "transient", ())
    for name in held:
        if name not in declared and name not in passed_over:
            raise DataError(
                f"{owner.__name__} holds '{name}', which it does not declare as a field and which cannot be kept."
            )
    return {name: held[name] for name in declared if name in held}


def build(name: Any, version: Any, fields: Fields) -> Any:
    """An object of a registered class from its fields; StoreError for what is not declared or not of the declared kind."""
    owner = find_class(name)
    newest = version_of(name)
    if not isinstance(version, int) or version < 1:
        raise StoreError(f"the version of '{name}' is not a number from 1")
    if version > newest:
        raise VersionError(
            f"A stored '{name}' is of version {version}, and this coterie reads up to {newest}",
            "update it with: pip install -U coterie",
        )
    for step in UPGRADES.get(name, ())[version - 1 :]:
        fields = step(fields)
    _check_fields(owner, name, fields)
    if _is_record(owner):
        return owner(**fields)
    thing = object.__new__(owner)
    for field in dataclasses.fields(owner) if dataclasses.is_dataclass(owner) else ():
        if field.name not in fields:
            _set_default(thing, field)
    for field_name, value in fields.items():
        object.__setattr__(thing, field_name, value)
    return thing


@functools.cache
def declared_fields(owner: type) -> tuple[str, ...]:
    """The names of what is stored of a class, parameters first."""
    found: dict[str, None] = {}
    if dataclasses.is_dataclass(owner):
        found |= dict.fromkeys(field.name for field in dataclasses.fields(owner) if field.init)
    for base in reversed(owner.__mro__):
        learned = (name for name in base.__dict__.get("__annotations__", {}) if name.endswith("_"))
        found |= dict.fromkeys(name for name in learned if not _is_taken(owner, name))
        found |= dict.fromkeys(base.__dict__.get("stored_fields", ()))
    transient = getattr(owner, "transient", ())
    return tuple(name for name in found if name not in transient)


def _check_fields(owner: type, name: str, fields: Fields) -> None:
    """Refuse a field that is not declared, above all one that would take the place of a method."""
    declared = declared_fields(owner)
    hints = _hints(owner)
    for field, value in fields.items():
        if field not in declared:
            taken = inspect.getattr_static(owner, str(field), None) is not None
            does = "would replace a part of" if taken else "is not a field of"
            raise StoreError(f"'{field}' {does} '{name}'")
        if not _fits(value, hints.get(field, "Any")):
            raise StoreError(
                f"the field '{field}' of '{name}' is {kind_of(value)} and not {hints[field]}"
            )
    if issubclass(owner, Settings):
        for info in params_of(owner):
            if info.name in fields:
                info.check(fields[info.name], name)


def _fits(value: Any, annotation: str) -> bool:
    """Whether a value is of the kind that an annotation names: a number, words, an array, or one of our classes.

    An annotation that names anything else says nothing here, and what is not there fits everywhere.
    """
    if value is None:
        return True
    return any(kind is None or kind(value) for kind in _kinds_in(annotation))


@functools.cache
def _kinds_in(annotation: str) -> tuple[Callable[[Any], bool] | None, ...]:
    """A check for each part of an annotation; None for a part that says nothing here."""
    parts = [part.strip().partition("[")[0] for part in _alternatives(annotation)]
    return tuple(_KINDS.get(part) or _of_class(part) for part in parts)


def _alternatives(annotation: str) -> list[str]:
    """The parts of an annotation at its outer bars.

    >>> _alternatives("dict[str, int | None] | float")
    ['dict[str, int | None] ', ' float']
    """
    parts = [""]
    depth = 0
    for letter in annotation:
        depth += (letter == "[") - (letter == "]")
        if letter == "|" and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return parts


def _is_number(value: Any) -> bool:
    return isinstance(value, (numbers.Number, np.number, np.bool_))


def _is_array(value: Any) -> bool:
    return isinstance(value, (np.ndarray, np.generic)) or hasattr(value, "tocsr")


_KINDS: dict[str, Callable[[Any], bool]] = {
    "None": lambda value: value is None,
    "bool": _is_number,
    "int": _is_number,
    "float": _is_number,
    "str": lambda value: isinstance(value, str),
    "tuple": lambda value: isinstance(value, (tuple, list)),
    "list": lambda value: isinstance(value, (tuple, list)),
    "dict": lambda value: isinstance(value, Mapping),
    "Mapping": lambda value: isinstance(value, Mapping),
    "np.ndarray": _is_array,
}


def _of_class(name: str) -> Callable[[Any], bool] | None:
    """A check for an annotation that names a registered class (or a base of one); None for any other name."""
    plain = name.rpartition(".")[2]
    if plain not in _class_names():
        return None
    return lambda value: any(base.__name__ == plain for base in type(value).__mro__)


@functools.cache
def _class_names() -> frozenset[str]:
    return frozenset(where.rpartition(":")[2] for where in CLASSES.values())


@functools.cache
def _hints(owner: type) -> dict[str, str]:
    return annotations_of(owner)


def _is_record(owner: type) -> bool:
    """Whether its constructor takes exactly its fields, and checks them: a dataclass that is not made of parameters."""
    return dataclasses.is_dataclass(owner) and not issubclass(owner, Settings)


def _is_taken(owner: type, name: str) -> bool:
    """Whether the class has a method or a property of that name."""
    return hasattr(inspect.getattr_static(owner, name, None), "__get__")


def _set_default(thing: Any, field: dataclasses.Field[Any]) -> None:
    if field.default is not dataclasses.MISSING:
        object.__setattr__(thing, field.name, field.default)
    elif field.default_factory is not dataclasses.MISSING:
        object.__setattr__(thing, field.name, field.default_factory())


def _where(thing: Any) -> str:
    return f"{getattr(thing, '__module__', '')}:{getattr(thing, '__qualname__', '')}"


def _find(table: Mapping[str, str], name: Any, noun: str) -> Any:
    where = table.get(name) if isinstance(name, str) else None
    if where is None:
        raise StoreError(f"it names the {noun} '{name}', which this coterie does not know")
    module, _, path = where.partition(":")
    return functools.reduce(getattr, path.split("."), importlib.import_module(module))
