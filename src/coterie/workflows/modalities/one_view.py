"""Members seen in one view: what tells their groups apart is that view, their other tables and what they are tied to."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from coterie.core.workplace import stage
from coterie.organize.representation_vote import RepresentationVote
from coterie.pipeline import Branch
from coterie.workflows.choices import Choices
from coterie.workflows.describe import gather_features
from coterie.workflows.key_terms import CountedWords
from coterie.workflows.prepared import ByPopulation, PreparedCollection


class OneView(PreparedCollection):
    """Members prepared by one of their views; their ensemble is a vote over several representations of it."""

    words: CountedWords | None = None  # of text, from which key terms are taken

    def ensemble(self, n_groups: int | None, choices: Choices) -> Branch:
        """A vote of mixtures on several representations."""
        is_usual = choices.max_k == Choices().max_k
        organizer = RepresentationVote(n_groups=n_groups, random_state=choices.seed)
        organizer.set_params(max_groups=organizer.max_groups if is_usual else choices.max_k)
        with stage("ensemble"):
            organizer.fit(self.data)
        return Branch.of_fitted([organizer])

    def witnesses(self, organizer: Any, choices: Choices) -> Mapping[str, float]:
        """How well the voters agree, and how much more halves agree than those of members without groups."""
        return {"agreement": organizer.agreement_, "beyond_null": organizer.excess_}

    def regrouping(
        self, organizer: Any, choices: Choices
    ) -> tuple[np.ndarray, Callable[[np.ndarray], np.ndarray]]:
        """The members in an order of their content, and the voters from one start each in the spaces that are there."""
        return organizer.order_, organizer.regroup

    def held(self) -> Any:
        """The members as they were read."""
        return self.data

    def describe(self, labels: np.ndarray, n_groups: int) -> list[ByPopulation]:
        """Per group, what tells it from the rest."""
        found = gather_features(self.collection, self.view, labels, n_groups, self.words)
        return list(found)
