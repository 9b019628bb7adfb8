"""What a person may choose for a search; options of the command line are made from this."""

from __future__ import annotations

from coterie.core.params import Settings, param

MODELS = (
    "lsa",
    "plsa",
    "lda",
    "ttmm",
    "nntr",
)  # learned spaces that may be combined with the words


class Search(Settings):
    """The choices of one search; how words count, and how much a learned space counts beside them."""

    scorer: str = param(
        "bm25", "How shared words count.", choices=("bm25", "inner", "tfidf", "cosine")
    )
    k1: float = param(1.2, "How soon further occurrences of a word stop counting (bm25).", ge=0)
    b: float = param(0.75, "How much the length of a member counts (bm25).", ge=0, le=1)
    weight: float = param(
        0.8, "The share of the words beside a learned space; 1 is words alone.", ge=0, le=1
    )
    expand: bool = param(
        False,
        "Add the most frequent words of the best ten members to the query, at half the weight.",
    )
    stem: str = param(
        "auto",
        "Whether words are cut to their stems; auto does so where the text is English.",
        choices=("auto", "porter", "none"),
    )
    seed: int = param(0, "Of a learned space.", ge=0)
