"""Measures that the experiments report: accuracies of clusterings, certificates of shared structure, how often tests reject."""

from __future__ import annotations

from coterie_papers.measures.accuracy import (
    Accuracies,
    accuracies,
    breakdown_lines,
    precision_along,
)
from coterie_papers.measures.certificate import certify
from coterie_papers.measures.certified import Certificate, PairedCluster
from coterie_papers.measures.fitted_rows import content_ids, fitted_again
from coterie_papers.measures.sizes import Joint, Rejections, benchmark_tests

__all__ = [
    "Accuracies",
    "Certificate",
    "Joint",
    "PairedCluster",
    "Rejections",
    "accuracies",
    "benchmark_tests",
    "breakdown_lines",
    "certify",
    "content_ids",
    "fitted_again",
    "precision_along",
]
