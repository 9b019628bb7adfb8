"""Runs of letters in lower case, one whole number per kind of word, and what is left of a word without its ending.

Chinese, Japanese, Thai, Lao, Khmer and Burmese are written without spaces between words: a run of their letters becomes the
overlapping pairs of its characters (bigrams), which need no dictionary and are the same everywhere.

The stemmer is that of M. F. Porter, "An algorithm for suffix stripping", 1980: the original rules, not the later
revisions.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable
from functools import lru_cache

import numpy as np

_STEP2 = (
    ("ational", "ate"),
    ("tional", "tion"),
    ("enci", "ence"),
    ("anci", "ance"),
    ("izer", "ize"),
    ("abli", "able"),
    ("alli", "al"),
    ("entli", "ent"),
    ("eli", "e"),
    ("ousli", "ous"),
    ("ization", "ize"),
    ("ation", "ate"),
    ("ator", "ate"),
    ("alism", "al"),
    ("iveness", "ive"),
    ("fulness", "ful"),
    ("ousness", "ous"),
    ("aliti", "al"),
    ("iviti", "ive"),
    ("biliti", "ble"),
)
_STEP3 = (
    ("icate", "ic"),
    ("ative", ""),
    ("alize", "al"),
    ("iciti", "ic"),
    ("ical", "ic"),
    ("ful", ""),
    ("ness", ""),
)
_STEP4 = (
    "al",
    "ance",
    "ence",
    "er",
    "ic",
    "able",
    "ible",
    "ant",
    "ement",
    "ment",
    "ent",
    "ion",
    "ou",
    "ism",
    "ate",
    "iti",
    "ous",
    "ive",
    "ize",
)


def _by_last_letter(rules: tuple[tuple[str, str], ...]) -> dict[str, list[tuple[str, str]]]:
    """Rules under the last two letters of their suffix, longest suffix first."""
    table: dict[str, list[tuple[str, str]]] = {}
    for rule in sorted(rules, key=lambda rule: -len(rule[0])):
        table.setdefault(rule[0][-2:], []).append(rule)
    return table


_RULES2 = _by_last_letter(_STEP2)
_RULES3 = _by_last_letter(_STEP3)
_RULES4 = _by_last_letter(tuple((suffix, "") for suffix in _STEP4))


@lru_cache(maxsize=1 << 17)
def stem(word: str) -> str:
    """The stem of a lower-case word; words of one or two letters and words with letters beyond a-z stay as they are.

    >>> [stem(word) for word in ("connections", "relational", "ponies", "hopping")]
    ['connect', 'relat', 'poni', 'hop']
    """
    if len(word) <= 2 or not word.isascii():
        return word
    for step in (_plurals, _past, _final_y, _step2, _step3, _step4, _final_e):
        word = step(word)
    return word


def _shape(word: str) -> str:
    """One letter per letter: v for a vowel, c for a consonant; y is a vowel after a consonant."""
    shape = ""
    for letter in word:
        vowel = letter in "aeiou" or (letter == "y" and shape[-1:] == "c")
        shape += "v" if vowel else "c"
    return shape


def _measure(word: str) -> int:
    """Porter's m: how many groups of vowels are followed by a consonant."""
    return _shape(word).count("vc")


def _has_vowel(word: str) -> bool:
    return "v" in _shape(word)


def _ends_double(word: str) -> bool:
    return len(word) > 1 and word[-1] == word[-2] and _shape(word)[-1] == "c"


def _ends_cvc(word: str) -> bool:
    """Consonant, vowel, consonant at the end, the last not w, x or y."""
    return _shape(word)[-3:] == "cvc" and word[-1] not in "wxy"


def _plurals(word: str) -> str:
    """Step 1a: caresses, ponies, caress, cats."""
    if word.endswith(("sses", "ies")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _past(word: str) -> str:
    """Step 1b: feed, agreed, plastered, motoring, and the repair of what is left."""
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for suffix in ("ed", "ing"):
        if word.endswith(suffix):
            stump = word[: -len(suffix)]
            return _repaired(stump) if _has_vowel(stump) else word
    return word


def _repaired(stump: str) -> str:
    if stump.endswith(("at", "bl", "iz")):
        return stump + "e"
    if _ends_double(stump) and stump[-1] not in "lsz":
        return stump[:-1]
    return stump + "e" if _measure(stump) == 1 and _ends_cvc(stump) else stump


def _final_y(word: str) -> str:
    """Step 1c: happy, sky."""
    return word[:-1] + "i" if word.endswith("y") and _has_vowel(word[:-1]) else word


def _replaced(word: str, rules: dict[str, list[tuple[str, str]]]) -> str:
    """The longest suffix that fits decides; it is replaced where what stands before it has a measure above zero."""
    for suffix, new in rules.get(word[-2:], ()):
        if word.endswith(suffix):
            stump = word[: -len(suffix)]
            return stump + new if _measure(stump) > 0 else word
    return word


def _step2(word: str) -> str:
    return _replaced(word, _RULES2)


def _step3(word: str) -> str:
    return _replaced(word, _RULES3)


def _step4(word: str) -> str:
    for suffix, _ in _RULES4.get(word[-2:], ()):
        if word.endswith(suffix):
            stump = word[: -len(suffix)]
            fits = _measure(stump) > 1 and (suffix != "ion" or stump.endswith(("s", "t")))
            return stump if fits else word
    return word


def _final_e(word: str) -> str:
    """Step 5: probate, rate, cease, controll, roll."""
    if word.endswith("e"):
        stump = word[:-1]
        size = _measure(stump)
        if size > 1 or (size == 1 and not _ends_cvc(stump)):
            word = stump
    return word[:-1] if word.endswith("ll") and _measure(word) > 1 else word


_ASCII = re.compile("[a-zA-Z]+")
_LETTERS = re.compile(r"[^\W\d_]+")


# letters of scripts that put no spaces between words, with the marks that are written on them, in ranges
UNSPACED_LETTERS = (
    "\u0e01-\u0e3a\u0e40-\u0e4e"  # Thai
    "\u0e81-\u0ebd\u0ec0-\u0ecd\u0edc-\u0edf"  # Lao
    "\u1000-\u103f\u1050-\u108f\uaa60-\uaa7f"  # Burmese
    "\u1780-\u17d3"  # Khmer
    "\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9f"  # Japanese
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"  # Chinese
)
UNSPACED = re.compile(f"[{UNSPACED_LETTERS}]+")


def bigrams(run: str) -> list[str]:
    """The overlapping pairs of characters of a run, each with the marks that are written on it; one character is itself.

    >>> bigrams("北京大学"), bigrams("茶")
    (['北京', '京大', '大学'], ['茶'])
    """
    characters: list[str] = []
    for letter in run:
        if characters and unicodedata.category(letter) in ("Mn", "Mc"):
            characters[-1] += letter
        else:
            characters.append(letter)
    if len(characters) < 2:
        return characters
    return [one + other for one, other in itertools.pairwise(characters)]


def words(document: str, lower: bool = True) -> list[str]:
    """The words of a document in their order, in lower case unless said otherwise; digits and signs only separate.

    A word is a run of letters; where a script has no spaces between words, a pair of its characters.

    >>> words("Mail-Order: 3 CAFÉs, x2y")
    ['mail', 'order', 'cafés', 'x', 'y']
    >>> words("東京に iPhone を")
    ['東京', '京に', 'iphone', 'を']
    """
    text = document.lower() if lower else document
    if text.isascii():
        return _ASCII.findall(text)
    text = unicodedata.normalize("NFC", text)
    if UNSPACED.search(text) is None:
        return _runs(text)
    found: list[str] = []
    end = 0
    for run in UNSPACED.finditer(text):
        found += _runs(text[end : run.start()])
        found += bigrams(run[0])
        end = run.end()
    return found + _runs(text[end:])


def _runs(text: str) -> list[str]:
    """The runs of letters."""
    found = _LETTERS.findall(text)
    if all(map(str.isalpha, found)):
        return found
    return [
        "".join(run)
        for word in found
        for letters, run in itertools.groupby(word, str.isalpha)
        if letters
    ]


def fragments(document: str, lower: bool = True, characters: int = 3) -> list[str]:
    """So many letters in a row of every word, whose beginning and end count as a letter "_".

    >>> fragments("Tea set")
    ['_te', 'tea', 'ea_', '_se', 'set', 'et_']
    """
    found = []
    for word in words(document, lower):
        whole = f"_{word}_"
        last = max(len(whole) - characters, 0)
        found += [whole[at : at + characters] for at in range(last + 1)]
    return found


def numbered(
    documents: Iterable[str], split: Callable[[str], list[str]] = words
) -> tuple[list[str], np.ndarray, np.ndarray]:
    """The kinds of words in the order they appear, the kind of every token, and where each document ends.

    >>> numbered(["a b a", "c"])[0]
    ['a', 'b', 'c']
    """
    place: defaultdict[str, int] = defaultdict()
    place.default_factory = place.__len__
    parts: list[np.ndarray] = []
    for document in documents:
        found = split(document)
        parts.append(np.fromiter(map(place.__getitem__, found), dtype=np.int64, count=len(found)))
    ends = np.cumsum([len(part) for part in parts])
    return list(place), np.concatenate(parts) if parts else np.zeros(0, dtype=np.int64), ends
