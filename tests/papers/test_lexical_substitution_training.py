"""The network among the scorers of substitutes: it is trained on sentences and takes its place in the table."""

from __future__ import annotations

import pytest

from coterie_papers import lexical_substitution as experiment
from coterie_papers.experiment import Ledger, Trial
from tests.papers.test_lexical_substitution import folder  # noqa: F401

torch = pytest.importorskip("torch")


@pytest.mark.filterwarnings("ignore:NNTR")
def test_the_network_has_its_rows(folder):  # noqa: F811
    ledger = Ledger()
    experiment.run(Trial(1, True, folder), ledger)
    assert not ledger.skipped
    measures = {row.measure for row in ledger.rows if row.method == "nntr"}
    assert measures == {"accuracy", "average precision", "mean AP of places with both kinds"}
    assert any("ranks above nntr" in relation.text for relation in ledger.relations)
