"""Words with all their occurrences: nouns of Brown, ABC news and 20 Newsgroups with WordNet neighbors, and a generated twin.

A noun is a word that Brown tags as a common noun at least seven times in ten; in untagged text every place of such a word
counts. Plurals stand under their singular. The part of speech of a token is the tag that Brown gives its word most often.
Neighbors are words that share a synset, or whose synsets share a direct hypernym (co-hyponyms), in any sense.
"""

from __future__ import annotations

import gzip
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from coterie.core.random import stream
from coterie.core.text import TaggedText
from coterie_papers.experiment import Trial

_TOKEN = re.compile(r"[a-z]+(?:'[a-z]+)?|[0-9]+|[^\sa-z0-9]")
_END = re.compile(r"(?<=[.!?])\s+")
_QUOTED = re.compile(r"^\s*(?:[>|:}]|in article|.*writes:\s*$|.*wrote:\s*$)", re.IGNORECASE)
# share of noun tags; a noun's least count; a context word's; letters kept
_NOUN = 0.7
_TIMES = 20
_SEEN = 5
_LONG = 16
NEEDS = ("brown", "abc_news", "newsgroups20", "wordnet")


@dataclass(frozen=True, eq=False)
class Words:
    """Words as members of a tagged text, how often each is seen, and which are neighbors of which (truth)."""

    names: Sequence[str]
    text: TaggedText
    neighbors: np.ndarray  # (words, words) bool, symmetric, False on the diagonal
    title: str

    @property
    def counts(self) -> np.ndarray:
        """Occurrences of every word."""
        return np.bincount(np.asarray(self.text.owners), minlength=len(self.names))

    def frequent(self, share: float = 0.01) -> np.ndarray:
        """Which words are the most frequent ones."""
        out = np.zeros(len(self.names), dtype=bool)
        out[np.argsort(-self.counts, kind="stable")[: max(1, round(share * len(self.names)))]] = (
            True
        )
        return out

    def queries(self, least: int = 3, most: int = 50) -> np.ndarray:
        """Words with so many neighbors."""
        size = self.neighbors.sum(axis=1)
        return np.flatnonzero((size >= least) & (size <= most))


def read_words(trial: Trial, limit: int, posts: int, seed: int = 0) -> Words:
    """At most `limit` nouns drawn by the seed, in Brown, ABC news and `posts` posts of 20 Newsgroups."""
    tags, brown = _brown(trial.data("brown", "brown.parquet"))
    synsets = _synsets(trial.data("wordnet", "synsets.tsv.gz"))
    lemma = _nouns(tags, {word for words, _ in synsets.values() for word in words})
    generator = stream(seed)
    news = _column(trial.data("newsgroups20", "newsgroups20.parquet"))
    drawn = np.sort(generator.permutation(len(news))[:posts])
    plain = [*_column(trial.data("abc_news", "abc_news.parquet")), *(_body(news[i]) for i in drawn)]
    sentences = [*brown, *(words for text in plain for words in tokenized(text))]
    counts = Counter(lemma[word] for words in sentences for word in words if word in lemma)
    often = sorted(word for word, n in counts.items() if n >= _TIMES)
    names = [often[i] for i in np.sort(generator.permutation(len(often))[:limit])]
    text = marked(
        sentences, {w: n for w, n in lemma.items() if n in set(names)}, names, _usual(tags)
    )
    return Words(
        names,
        text,
        _neighbors(synsets, names),
        f"nouns of Brown, ABC and {len(drawn)} posts of 20 Newsgroups",
    )


def tokenized(text: str) -> Iterator[list[str]]:
    """Sentences as lower-case words, numbers and signs.

    >>> list(tokenized("The cat's here. So?"))
    [['the', "cat's", 'here', '.'], ['so', '?']]
    """
    for paragraph in text.lower().split("\n\n"):
        for sentence in _END.split(paragraph):
            found = _TOKEN.findall(sentence)
            if found:
                yield found


def marked(
    sentences: Sequence[Sequence[str]],
    lemma: Mapping[str, str],
    names: Sequence[str],
    pos: Mapping[str, str],
) -> TaggedText:
    """Every place of a noun as an occurrence of its word; sentences without one are left out, rare context words are empty."""
    at = {name: i for i, name in enumerate(names)}
    kept = [words for words in sentences if any(word in lemma for word in words)]
    counts = Counter(word for words in kept for word in words)
    flat = [word for words in kept for word in words]
    owner = [at[lemma[word]] if word in lemma else -1 for word in flat]
    seen = {word for word, n in counts.items() if n >= _SEEN}
    tokens = np.array([word[:_LONG] if word in seen or word in lemma else "" for word in flat])
    kinds = np.array([pos.get(word, "") for word in flat])
    first = np.flatnonzero(np.array(owner) >= 0)
    offsets = np.concatenate([[0], np.cumsum([len(words) for words in kept])])
    spans = np.stack([first, first + 1], axis=1)
    return TaggedText(tokens, offsets, spans, {"pos": kinds}, np.array(owner)[first])


def _column(file: Path, name: str = "text") -> list[str]:
    import pyarrow.parquet as pq

    found: list[str] = pq.read_table(file, columns=[name]).column(name).to_pylist()
    return found


def _body(post: str) -> str:
    """A post without its header and without what it quotes."""
    return "\n".join(
        line for line in post.partition("\n\n")[2].split("\n") if not _QUOTED.match(line)
    )


def _brown(file: Path) -> tuple[dict[str, Counter[str]], list[list[str]]]:
    """Tags of every lower-case word, and the sentences."""
    tags: dict[str, Counter[str]] = defaultdict(Counter)
    sentences = []
    for text in _column(file, "tagged_text"):
        for line in text.split("\n"):
            pairs = [token.rpartition("/")[::2] for token in line.split()]
            for word, tag in pairs:
                tags[word.lower()][re.split(r"[-+*]", tag)[0] or tag] += 1
            if pairs:
                sentences.append([word.lower() for word, _ in pairs])
    return tags, sentences


def _usual(tags: Mapping[str, Counter[str]]) -> dict[str, str]:
    return {word: min(found, key=lambda tag: (-found[tag], tag)) for word, found in tags.items()}


def _nouns(tags: Mapping[str, Counter[str]], known: set[str]) -> dict[str, str]:
    """Word -> its singular, for words that are nouns nearly always and stand in WordNet."""
    found = {}
    for word, counts in tags.items():
        total = sum(counts.values())
        noun = counts["nn"] + counts["nns"]
        if total < 3 or noun < _NOUN * total or not word.isalpha() or len(word) < 3:
            continue
        singular = _singulars(word) if counts["nns"] > counts["nn"] else [word]
        hit = next((form for form in [*singular, word] if form in known), None)
        if hit:
            found[word] = hit
    return found


def _singulars(word: str) -> list[str]:
    """What a plural may come from, likeliest first.

    >>> _singulars("cities"), _singulars("boxes")
    (['city', 'citie', 'citi'], ['boxe', 'box'])
    """
    ends = (("ies", "y"), ("s", ""), ("es", ""))
    return [word[: -len(end)] + new for end, new in ends if word.endswith(end)]


def _synsets(file: Path) -> dict[str, tuple[list[str], list[str]]]:
    """Noun synsets: their words in lower case, and the synsets right above them."""
    found = {}
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        next(lines)
        for line in lines:
            synset, kind, _, lemmas, above = line.rstrip("\n").split("\t")[:5]
            if kind == "n":
                found[synset] = (
                    lemmas.lower().split("|"),
                    [name for name in above.split("|") if name],
                )
    return found


def _neighbors(
    synsets: Mapping[str, tuple[list[str], list[str]]], names: Sequence[str]
) -> np.ndarray:
    """Which words share a synset or a direct hypernym."""
    at = {name: i for i, name in enumerate(names)}
    groups: dict[str, set[int]] = defaultdict(set)
    for synset, (words, above) in synsets.items():
        here = {at[word] for word in words if word in at}
        for group in (synset, *(f"under {name}" for name in above)):
            groups[group] |= here
    out = np.zeros((len(names), len(names)), dtype=bool)
    for together in groups.values():
        members = sorted(together)
        out[np.ix_(members, members)] = True
    np.fill_diagonal(out, False)
    return out


def zipf_words(
    seed: int, n_words: int = 600, n_groups: int = 30, n_spans: int = 20_000, cue: float = 0.35
) -> Words:
    """Generated words in groups: a word's frequency falls with its rank, a cue of its group stands on each side now and then.

    Every sentence has two places before the word and two after; each holds a cue of the word's group with probability
    `cue`, and a common word otherwise. Every word is seen at least five times.
    """
    generator = stream(seed, 14)
    chance = 1.0 / np.arange(1, n_words + 1)
    counts = 5 + generator.multinomial(max(0, n_spans - 5 * n_words), chance / chance.sum())
    group = generator.permutation(np.arange(n_words) % n_groups)
    owner = generator.permutation(np.repeat(np.arange(n_words), counts))
    common = 1.0 / np.arange(1, 2001)
    filler = generator.choice(2000, size=(len(owner), 4), p=common / common.sum())
    cues = generator.integers(12, size=(len(owner), 4))
    names = np.char.add("filler", filler.astype(str))
    own = np.char.add(
        np.char.add(np.char.add("cue", group[owner].astype(str))[:, None], "-"), cues.astype(str)
    )
    around = np.where(generator.random((len(owner), 4)) < cue, own, names)
    words = np.char.add("word", owner.astype(str))[:, None]
    tokens = np.concatenate([around[:, :2], words, around[:, 2:]], axis=1)
    first = np.arange(len(owner)) * 5 + 2
    spans = np.stack([first, first + 1], axis=1)
    text = TaggedText(tokens.ravel(), np.arange(len(owner) + 1) * 5, spans, {}, owner)
    same = group[:, None] == group[None, :]
    np.fill_diagonal(same, False)
    return Words([f"word{i}" for i in range(n_words)], text, same, f"{n_words} generated words")
