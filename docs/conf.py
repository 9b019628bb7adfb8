"""How the documentation is built: Sphinx, MyST and furo, from files of this repository only; nothing is fetched."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

import coterie

project = "coterie"
author = "the coterie authors"
release = version = coterie.__version__
language = "en"

extensions = ["myst_parser", "coterie_ext"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build", "_generated"]
myst_enable_extensions = ["dollarmath", "deflist"]
myst_heading_anchors = 3

html_theme = "furo"
html_title = "coterie"
html_math_renderer = "mathml"  # formulas become MathML while the pages are built, so that no script is loaded for them
html_static_path = ["_static"]
html_css_files = ["coterie.css"]
html_show_copyright = False
html_show_sourcelink = False
html_copy_source = False
html_last_updated_fmt = None
pygments_style = "friendly"
