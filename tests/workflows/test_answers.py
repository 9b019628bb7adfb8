"""What the default answer must reach: on generated members always, on real ones where they lie beside the repository."""

from __future__ import annotations

import numpy as np
import pytest

import coterie
from coterie.collect import read
from coterie.judge import adjusted_rand
from tests.architecture.pages import ROOT

TAGGED = ROOT.parent / "shared" / "data" / "conll2002" / "ned.testa.tsv.gz"
LEAST_TAGGED = 0.09  # adjusted Rand; what the paper's own clustering reaches on such files


def test_three_topics_without_a_common_word_are_three_groups_on_strong_evidence() -> None:
    rng = np.random.default_rng(0)
    vocabularies = [
        [f"{start}{middle}{end}" for middle in "bdfgk" for end in "aeiouy"]
        for start in ("sel", "mor", "tin")
    ]
    texts = [" ".join(rng.choice(vocabularies[at % 3], 12)) for at in range(90)]
    found = coterie.explore(texts).findings
    assert found.evidence.verdict == "strong"
    assert adjusted_rand(found.labels, np.arange(90) % 3) == pytest.approx(1.0)


@pytest.mark.slow
@pytest.mark.skipif(not TAGGED.exists(), reason="the tagged files do not lie beside the repository")
def test_names_of_four_types_are_found_in_tagged_text() -> None:
    members = read(TAGGED)
    (types,) = members.truth.values()
    found = coterie.explore(members).findings
    assert adjusted_rand(found.labels, types) >= LEAST_TAGGED
    assert np.bincount(found.labels).max() <= 0.8 * len(members)
