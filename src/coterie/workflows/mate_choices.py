"""What a person may choose for a search for mates; options of the command line are made from this."""

from __future__ import annotations

from coterie.core.errors import ParameterError
from coterie.core.params import Settings, param


class MateChoices(Settings):
    """The choices of a search for mates."""

    tau: float = param(
        1.0, "Regularization, in the scale where a view's mean variance is one.", gt=0
    )
    tune: bool = param(False, "Choose tau by how well pairs that are held out find each other.")
    measure: str = param(
        "cosine",
        "How alike two members are in the shared space.",
        choices=("cosine", "signed", "abs"),
    )
    seed: int = param(0, "Seed of everything random.", ge=0)

    def check_params(self) -> None:
        """Refuse values outside their range, and a tau beside the wish to choose it."""
        super().check_params()
        if self.tune and self.tau != 1.0:
            raise ParameterError(
                f"tune chooses tau, and tau was {self.tau:g}; say one of the two.",
                parameter="tau",
            )
