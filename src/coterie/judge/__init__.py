"""The room where results are judged: partitions, rankings and affinities, against truth or each other."""

from __future__ import annotations

from coterie.judge.accuracy import Accuracies, accuracies, breakdown_lines, precision_along
from coterie.judge.affinities import (
    Agreement,
    ClassROC,
    Separation,
    agreement,
    auc,
    class_rocs,
    neighbor_accuracy,
    roc,
    separation,
)
from coterie.judge.boundaries import (
    BoundaryScores,
    boundary_displacement,
    boundary_scores,
    pk,
    segment_matching,
    segmentation_error,
    window_diff,
)
from coterie.judge.curves import Curve, mean_curve
from coterie.judge.dependence import cross_entropy, entropy, independence_test, mutual_information
from coterie.judge.geometry import Silhouette, dunn, silhouette
from coterie.judge.labels import Contingency, contingency
from coterie.judge.matching import (
    CategoryRow,
    CoreScores,
    Matching,
    breakdown,
    clustering_error,
    core_scores,
    match,
)
from coterie.judge.partitions import (
    PrecisionRecall,
    adjusted_purity,
    adjusted_rand,
    bcubed,
    completeness,
    homogeneity,
    judge_partition,
    macro_accuracy,
    micro_accuracy,
    nmi,
    pairwise_f1,
    pairwise_scores,
    rand,
    v_measure,
    well_balanced,
)
from coterie.judge.permuted import two_sample_test
from coterie.judge.rankings import (
    Retrieval,
    average_precision,
    f_at,
    precision_at,
    r_precision,
    recall_at,
    retrieval,
)
from coterie.judge.scoreboard import Cell, Scoreboard
from coterie.judge.significance import (
    TestResult,
    count_bootstrap,
    holm,
    mcnemar,
    paired_bootstrap,
    paired_t,
    permutation_test,
    proportion_test,
    sign_test,
    wilcoxon,
)
from coterie.judge.stability import GroupStability, Stability, stability
from coterie.judge.two_samples import Estimate, divergence

__all__ = [
    "Accuracies", "Agreement", "BoundaryScores", "CategoryRow", "Cell", "ClassROC", "Contingency",
    "CoreScores", "Curve", "Estimate", "GroupStability", "Matching", "PrecisionRecall", "Retrieval",
    "Scoreboard", "Separation", "Silhouette", "Stability", "TestResult", "accuracies",
    "adjusted_purity", "adjusted_rand", "agreement", "auc", "average_precision", "bcubed",
    "boundary_displacement", "boundary_scores", "breakdown", "breakdown_lines", "class_rocs",
    "clustering_error", "completeness", "contingency", "core_scores", "count_bootstrap",
    "cross_entropy", "divergence", "dunn", "entropy", "f_at", "holm", "homogeneity",
    "independence_test", "judge_partition", "macro_accuracy", "match", "mcnemar", "mean_curve",
    "micro_accuracy", "mutual_information", "neighbor_accuracy", "nmi", "paired_bootstrap", "paired_t",
    "pairwise_f1", "pairwise_scores", "permutation_test", "pk", "precision_along", "precision_at",
    "proportion_test", "r_precision", "rand", "recall_at", "retrieval", "roc", "segment_matching",
    "segmentation_error", "separation", "sign_test", "silhouette", "stability", "two_sample_test",
    "v_measure", "well_balanced", "wilcoxon", "window_diff",
]  # fmt: skip
