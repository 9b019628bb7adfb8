"""Where the data of the experiments comes from: public names, what to get, which files they become, and where they are put."""

from __future__ import annotations

import functools
import importlib.util
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np


@dataclass(frozen=True, slots=True)
class Source:
    """One data set: its public name, what a person gets and where, and the files that the experiments read."""

    title: str
    get: str
    files: str


SOURCES: dict[str, Source] = {
    "abc_news": Source(
        "ABC news 2006 (Australian Broadcasting Commission)",
        "the NLTK data package 'abc'",
        "abc_news.parquet: part, text",
    ),
    "author_names": Source(
        "Author name disambiguation of AMiner (J. Tang and others)",
        "the folder dblp_xml of the GitHub repository xujunrt/Author-Disambiguation",
        "author_names.parquet: name, person, title, year, coauthors, venue, keywords, organization, abstract",
    ),
    "brown": Source(
        "Brown corpus, tagged",
        "the NLTK data package 'brown'",
        "brown.parquet: file, category, tagged_text",
    ),
    "conll2002": Source(
        "CoNLL-2002 named entities, Spanish and Dutch",
        "the NLTK data package 'conll2002'",
        "esp.train.tsv.gz, esp.testb.tsv.gz, ned.train.tsv.gz ...: token, part of speech, tag; an empty line between sentences",
    ),
    "cora_text": Source(
        "Cora with abstracts and citations",
        "the set 'cora' of the GitHub repository thunlp/CANE",
        "documents.parquet: id, label, abstract; citations.parquet: source, target",
    ),
    "corel5k": Source(
        "Corel5k, blobs and annotations (Duygulu and others 2002)",
        "the set 'corel5k' of the GitHub repository tsoumakas/mulan",
        "corel5k.npz: blobs and words as sparse rows, word_names, split",
    ),
    "debian_packages": Source(
        "Package index of Debian 12 (bookworm), main",
        "its lists Packages and Translation",
        "debian_packages.parquet: package, section, maintainer, tags, depends, suggests, short_xx, long_xx",
    ),
    "europarl7": Source(
        "Europarl-UdS, seven languages",
        "the GitHub repository UDS-SFB-B6-Datasets/Multilingual-Parallel-Direct-Europarl",
        "europarl7.parquet: date, section, speeches, title_xx, text_xx for de, en, es, fr, it, nl, pt",
    ),
    "flickr8k_subset": Source(
        "Flickr8k, 1,000 photographs with five captions each",
        "the data set Flickr8k (M. Hodosh and others 2013)",
        "images/*.jpg and captions.csv.gz: image, caption1 to caption5",
    ),
    "free_spoken_digits": Source(
        "Free Spoken Digit Dataset",
        "the GitHub repository Jakobovski/free-spoken-digit-dataset",
        "audio/*.flac and index.csv: file, digit, speaker, take",
    ),
    "gtzan_subset": Source(
        "GTZAN music genres, 18 excerpts of 6 s per genre",
        "the collection GTZAN (G. Tzanetakis 2002)",
        "audio/*.flac and index.csv: file, genre",
    ),
    "lexsub_coinco": Source(
        "CoInCo, lexical substitution (G. Kremer and others 2014)",
        "the GitHub repository orenmel/lexsub",
        "instances.tsv.gz: target, id, position, sentence, substitutes; candidates.txt.gz",
    ),
    "libreoffice_help": Source(
        "Help of LibreOffice 7.4, nine languages",
        "the Debian packages libreoffice-help-*",
        "libreoffice_help.parquet: doc, label, sublabel, title_xx, text_xx",
    ),
    "mfeat_digits": Source(
        "Multiple Features of handwritten digits (UCI)",
        "the set 'mfeat' of the UCI repository",
        "mfeat.npz: labels and the views fac, fou, kar, pix, zer, mor",
    ),
    "movie_reviews": Source(
        "Movie reviews, polarity (B. Pang and L. Lee 2004)",
        "the NLTK data package 'movie_reviews'",
        "movie_reviews.parquet: label, id, text",
    ),
    "multiview": Source(
        "100Leaves, MSRC-v5, Movies, Cora and Reuters-1200 in several views",
        "the GitHub repository ChuanbinZhang/Multi-view-datasets",
        "100Leaves.npz, MSRC-v5.npz, Movies.npz, Cora.npz, Reuters-1200.npz: labels, view1, view2 ...",
    ),
    "newsgroups20": Source(
        "20 Newsgroups, by date",
        "the archive 20news-bydate",
        "newsgroups20.parquet: split, label, id, text (with headers)",
    ),
    "reuters21578": Source(
        "Reuters-21578",
        "the archive reuters21578.tar.gz (UCI, or David D. Lewis)",
        "reut2-000.sgm to reut2-021.sgm, as they are",
    ),
    "sequences": Source(
        "Japanese Vowels, BasicMotions, ERing, synthetic control charts and character trajectories (UCI and UEA archives)",
        "the package aeon (the first two are found in it where it is installed), and the UCI archive",
        "JapaneseVowels.npz, SyntheticControl.npz, CharTraj100.npz ...: values, lengths, labels, split",
    ),
    "spamassassin_mail": Source(
        "SpamAssassin public mail corpus",
        "the corpus of the Apache SpamAssassin project",
        "mail.parquet: id, group, spam, list, date, sender, to, cc, subject, in_reply_to, message_id, body",
    ),
    "subjectivity": Source(
        "Subjective and objective sentences (B. Pang and L. Lee 2004)",
        "the NLTK data package 'subjectivity'",
        "subjectivity.parquet: label, text",
    ),
    "wordnet": Source(
        "WordNet 3.0",
        "the files data.* of WordNet",
        "synsets.tsv.gz: synset, pos, lexfile, lemmas, hypernyms, holonyms_meronyms, similar, gloss",
    ),
}


TITLES = {  # of single files of a data set that holds several collections
    "sequences/JapaneseVowels.npz": "Japanese Vowels (UCI)",
    "sequences/BasicMotions.npz": "BasicMotions (UEA)",
    "sequences/SyntheticControl.npz": "synthetic control charts (UCI)",
    "sequences/CharTraj100.npz": "character trajectories (UCI)",
}


def title(need: str) -> str:
    """The public name of what an experiment needs: of the file, where it names one that has a name of its own.

    >>> title("sequences/JapaneseVowels.npz"), title("brown")
    ('Japanese Vowels (UCI)', 'Brown corpus, tagged')
    """
    return TITLES.get(need) or SOURCES[set_of(need)].title


def set_of(need: str) -> str:
    """The data set of what an experiment needs, which may name a file in it.

    >>> set_of("sequences/JapaneseVowels.npz"), set_of("brown")
    ('sequences', 'brown')
    """
    return need.partition("/")[0]


def told(need: str) -> str:
    """One sentence on a data set: its public name, what to get, and where to put it."""
    name, _, file = need.partition("/")
    known = SOURCES.get(name)
    if known is None:
        return f"'{name}': put it into a sub-folder '{name}'."
    wanted = f"the file {file} of " if file else ""
    return f"{wanted}{known.title}: get {known.get}, and make of it, in a sub-folder '{name}', {known.files}."


def listed(needs: Sequence[str]) -> str:
    """What is missing and what to do about it, over a few lines."""
    lines = [
        "To get, and to put into a folder that is named with --data or by the environment variable COTERIE_DATA:"
    ]
    return "\n".join([*lines, *(f"  - {told(need)}" for need in needs)])


def installed(name: str, file: str | None) -> Path | None:
    """A data set that a package installed here holds, as the file the experiments read; nothing where there is none."""
    if name != "sequences" or file is None or not file.endswith(".npz"):
        return None
    return _of_aeon(file.removesuffix(".npz"))


@functools.cache
def _of_aeon(name: str) -> Path | None:
    """A set of the package aeon, whose .ts files are read and written as one .npz in a folder of this process."""
    found = importlib.util.find_spec("aeon")
    if found is None or found.origin is None:
        return None
    folder = Path(found.origin).parent / "datasets" / "data" / name
    parts = {part: folder / f"{name}_{part.upper()}.ts" for part in ("train", "test")}
    if not all(path.exists() for path in parts.values()):
        return None
    from coterie.collect.ts_files import read_ts
    from coterie.core.ragged import Ragged

    values = []
    lengths = []
    labels = []
    split = []
    for part, path in parts.items():
        collection = read_ts(path)
        view = collection.view()
        assert isinstance(view, Ragged)
        values.append(np.asarray(view.values, dtype=np.float32))
        lengths.append(view.lengths)
        labels.append(np.asarray(collection.truth["labels"]).astype(str))
        split += [part] * len(view.lengths)
    place = Path(_scratch().name) / f"{name}.npz"
    np.savez(
        place,
        values=np.concatenate(values),
        lengths=np.concatenate(lengths),
        labels=np.concatenate(labels),
        split=np.array(split),
    )
    return place


@functools.cache
def _scratch() -> tempfile.TemporaryDirectory[str]:
    """A folder of this process, removed when it ends."""
    return tempfile.TemporaryDirectory(prefix="coterie-data-")
