"""The five works whose tables and figures the experiments show, by the names that the experiments give them."""

from __future__ import annotations

WORKS = {
    "SIC": "A. Royer, V. Claveau, G. Gravier and T. Furon: Similarity by diverting supervised machine learning, "
    "research report RR-8880, Inria, 2015",
    "Sequences": "D. Garc\u00eda-Garc\u00eda: Similarity measures for clustering sequences and sets of data, "
    "thesis, Universidad Carlos III de Madrid, 2011",
    "Comraf": "R. Bekkerman: Combinatorial Markov random fields and their applications to information organization, "
    "thesis, University of Massachusetts Amherst, 2008",
    "Keller 2006": "M. Keller: Machine learning approaches to text representation using unlabeled data, thesis, EPFL, 2006",
    "Hardoon and Pelckmans": "D. R. Hardoon and K. Pelckmans: Pair-wise cluster analysis",
}
