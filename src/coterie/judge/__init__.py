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
from coterie.judge.bootstraps import count_bootstrap, document_bootstrap, paired_bootstrap
from coterie.judge.boundaries import (
    BoundaryScores,
    boundary_displacement,
    boundary_scores,
    pk,
    segment_matching,
    segmentation_error,
    window_diff,
)
from coterie.judge.certificate import certify
from coterie.judge.certified import Certificate, PairedCluster
from coterie.judge.curves import Curve, mean_curve
from coterie.judge.decisions import (
    BreakEven,
    Decisions,
    break_even,
    decisions,
    label_accuracy,
    label_decisions,
    micro_break_even,
)
from coterie.judge.dependence import cross_entropy, entropy, independence_test, mutual_information
from coterie.judge.expected import Areas, Expected, best_threshold, expected_areas, expected_performance
from coterie.judge.fitted_rows import content_ids, fitted_again
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
from coterie.judge.mates import MateTable, by_view, mate_board, mate_table
from coterie.judge.operating import EqualError, equal_error, trade_off
from coterie.judge.overlap import check_apart, shared_documents
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
from coterie.judge.queries import QueryScores, over_queries
from coterie.judge.rankings import (
    Retrieval,
    average_precision,
    eleven_point,
    f_at,
    precision_at,
    precision_mean_all_ranks,
    r_precision,
    recall_at,
    retrieval,
    worst_average_precision,
)
from coterie.judge.repeated import corrected_t, five_by_two
from coterie.judge.risk import Selected, log_loss, select, squared_error, vc_gap, zero_one_error
from coterie.judge.scoreboard import Cell, Scoreboard
from coterie.judge.significance import (
    holm,
    mcnemar,
    paired_t,
    permutation_test,
    proportion_test,
    sign_test,
    wilcoxon,
)
from coterie.judge.sizes import Joint, Rejections, benchmark_tests
from coterie.judge.stability import GroupStability, Stability, stability
from coterie.judge.substitutions import (
    ChanceLevel,
    SubstitutionBounds,
    SubstitutionScores,
    chance_substitutions,
    compare_substitutions,
    judge_substitutions,
    substitution_bounds,
)
from coterie.judge.two_samples import Estimate, divergence
from coterie.judge.verdicts import TestResult

__all__ = [
    "Accuracies", "Agreement", "Areas", "BoundaryScores", "BreakEven", "CategoryRow", "Cell",
    "Certificate", "ChanceLevel", "ClassROC", "Contingency", "CoreScores", "Curve", "Decisions",
    "EqualError", "Estimate", "Expected", "GroupStability", "Joint", "Matching", "MateTable",
    "PairedCluster", "PrecisionRecall", "QueryScores", "Rejections", "Retrieval", "Scoreboard",
    "Selected", "Separation", "Silhouette", "Stability", "SubstitutionBounds", "SubstitutionScores",
    "TestResult", "accuracies", "adjusted_purity", "adjusted_rand", "agreement", "auc",
    "average_precision", "bcubed", "benchmark_tests", "best_threshold", "boundary_displacement",
    "boundary_scores", "break_even", "breakdown", "breakdown_lines", "by_view", "certify",
    "chance_substitutions", "check_apart", "class_rocs", "clustering_error", "compare_substitutions",
    "completeness", "content_ids", "contingency", "core_scores", "corrected_t", "count_bootstrap",
    "cross_entropy", "decisions", "divergence", "document_bootstrap", "dunn", "eleven_point", "entropy",
    "equal_error", "expected_areas", "expected_performance", "f_at", "fitted_again", "five_by_two",
    "holm", "homogeneity", "independence_test", "judge_partition", "judge_substitutions",
    "label_accuracy", "label_decisions", "log_loss", "macro_accuracy", "match", "mate_board",
    "mate_table", "mcnemar", "mean_curve", "micro_accuracy", "micro_break_even", "mutual_information",
    "neighbor_accuracy", "nmi", "over_queries", "paired_bootstrap", "paired_t", "pairwise_f1",
    "pairwise_scores", "permutation_test", "pk", "precision_along", "precision_at",
    "precision_mean_all_ranks", "proportion_test", "r_precision", "rand", "recall_at", "retrieval",
    "roc", "segment_matching", "segmentation_error", "select", "separation", "shared_documents",
    "sign_test", "silhouette", "squared_error", "stability", "substitution_bounds", "trade_off",
    "two_sample_test", "v_measure", "vc_gap", "well_balanced", "wilcoxon", "window_diff",
    "worst_average_precision", "zero_one_error",
]  # fmt: skip
