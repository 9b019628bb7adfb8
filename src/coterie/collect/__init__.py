"""Collect: the outside world becomes a Collection. `read` is the door; the other names are the readers behind it."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from coterie.collect import samples as samples
    from coterie.collect.audio import read_audio as read_audio
    from coterie.collect.bags import read_bags as read_bags
    from coterie.collect.images import read_images as read_images
    from coterie.collect.installed import read_installed as read_installed
    from coterie.collect.joined import join as join
    from coterie.collect.joined import read_views as read_views
    from coterie.collect.links import read_links as read_links
    from coterie.collect.links import with_links as with_links
    from coterie.collect.mail import read_mail as read_mail
    from coterie.collect.ngrams import base_tag as base_tag
    from coterie.collect.ngrams import tag_ngrams as tag_ngrams
    from coterie.collect.populations import with_populations as with_populations
    from coterie.collect.reading import Guess as Guess
    from coterie.collect.reading import guess as guess
    from coterie.collect.reading import read as read
    from coterie.collect.tables import from_frame as from_frame
    from coterie.collect.tables import read_table as read_table
    from coterie.collect.tagged import read_tagged as read_tagged
    from coterie.collect.tagged import unslashed as unslashed
    from coterie.collect.tagger import Perceptron as Perceptron
    from coterie.collect.tagger import Tagger as Tagger
    from coterie.collect.tags import with_tags as with_tags
    from coterie.collect.text import read_folder as read_folder
    from coterie.collect.text import texts as texts
    from coterie.collect.words import link_words as link_words

_HOME = {
    "read": "reading",
    "guess": "reading",
    "Guess": "reading",
    "read_table": "tables",
    "from_frame": "tables",
    "read_folder": "text",
    "texts": "text",
    "link_words": "words",
    "read_mail": "mail",
    "read_audio": "audio",
    "read_images": "images",
    "read_tagged": "tagged",
    "read_installed": "installed",
    "read_bags": "bags",
    "Tagger": "tagger",
    "Perceptron": "tagger",
    "with_tags": "tags",
    "tag_ngrams": "ngrams",
    "base_tag": "ngrams",
    "unslashed": "tagged",
    "with_populations": "populations",
    "read_links": "links",
    "with_links": "links",
    "join": "joined",
    "read_views": "joined",
    "samples": "samples",
}

__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'coterie.collect' has no attribute '{name}'")
    module = importlib.import_module(f"coterie.collect.{_HOME[name]}")
    return module if name == _HOME[name] else getattr(module, name)


def __dir__() -> list[str]:
    return __all__
