"""Lexical substitution: whether a word may stand in the place of another; readers of its data, scorers and measures."""

from __future__ import annotations

from coterie_papers.substitution.asked import Asked
from coterie_papers.substitution.measures import (
    ChanceLevel,
    SubstitutionBounds,
    SubstitutionScores,
    chance_substitutions,
    compare_substitutions,
    judge_substitutions,
    substitution_bounds,
)
from coterie_papers.substitution.places import Senses, Substitutions
from coterie_papers.substitution.readers import read_coinco, read_substitutions
from coterie_papers.substitution.scorers import (
    SubstituteBayes,
    SubstituteFrequency,
    SubstituteNetwork,
    SubstituteSenses,
    SubstituteSimilarity,
    ranked_candidates,
)
from coterie_papers.substitution.senses import read_senses

__all__ = [
    "Asked",
    "ChanceLevel",
    "Senses",
    "SubstituteBayes",
    "SubstituteFrequency",
    "SubstituteNetwork",
    "SubstituteSenses",
    "SubstituteSimilarity",
    "SubstitutionBounds",
    "SubstitutionScores",
    "Substitutions",
    "chance_substitutions",
    "compare_substitutions",
    "judge_substitutions",
    "ranked_candidates",
    "read_coinco",
    "read_senses",
    "read_substitutions",
    "substitution_bounds",
]
