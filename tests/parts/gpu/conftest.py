"""torch on the processor in place of a card, so that what runs on one is tested where there is none."""

from __future__ import annotations

import pytest


@pytest.fixture
def stand_in(monkeypatch):
    """Inside `using(device="cuda")` the card is torch on the processor."""
    torch = pytest.importorskip("torch")
    from coterie.parts.gpu import device

    monkeypatch.setattr(device, "seen", lambda name: (torch.device("cpu"), ""))
    return torch
