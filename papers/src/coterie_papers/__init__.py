"""coterie-papers: the experiments of five works, for `coterie reproduce`; not part of what users of coterie carry."""

from __future__ import annotations

__version__ = "0.1.0"
