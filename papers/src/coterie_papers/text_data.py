"""Data of the experiments on text: newsgroups and mail, cleaned, without what gives the answer away; and their trials."""

from __future__ import annotations

import re
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from coterie.collect.message import addresses
from coterie.collect.words import count_names, words
from coterie.core.links import MEMBERS, Cooccurrence, Links
from coterie.core.random import stream
from coterie.core.workplace import once, stage
from coterie.parts.lda import short
from coterie.represent.stopwords import ENGLISH
from coterie_papers.experiment import Ledger, Trial
from coterie_papers.measures.accuracy import accuracies

NEWS = "newsgroups20"
NEWS_FILE = "newsgroups20.parquet"
MAIL = "spamassassin_mail"
MAIL_FILE = "mail.parquet"
WORDS = "words"
PEOPLE = "correspondents"
SUBJECTS = "subject words"
_LEAST = 3  # documents a word must be in
_LONG = 50  # characters of a line without a blank that is no text
_OF_MAIL = frozenset(
    [
        "http",
        "https",
        "www",
        "com",
        "net",
        "org",
        "html",
        "htm",
        "mailto",
        "re",
        "fw",
        "fwd",
        "aw",
        "wg",
        "sv",
    ]
)
_SUBJECT = re.compile(r"^subject:(.*(?:\n[ \t].*)*)", re.IGNORECASE | re.MULTILINE)

YARDSTICK = "linear SVM, 4 folds (supervised)"
_COSTS = (0.1, 1.0, 10.0)  # of the yardstick
MAIL_LEAST = 50  # messages of a list that is a class
_HASTY = 800  # messages of a quick run
_TAG = re.compile(r"\[[^\[\]\n]{0,60}\]")
_ADDRESS = re.compile(r"\S+@\S+")
_PLACE = re.compile(r"\b(?:[a-z]{2,10}://|www\.)\S+", re.IGNORECASE)
_ROBOT = re.compile(
    r"list|daemon|bugzilla|robot|no-?reply|bounce|owner|admin|request|newsletter|subscri|feeds"
)
# of a list's messages that share a line which is therefore a pattern
_PATTERN_SHARE = 0.03
_PATTERN_LEAST = 4
_TAG_SHARE = 0.1  # of a list's subjects that share a tag
_STANDS = 0.5  # of a list's messages that name an address, or have a subject word, which therefore stands for the list


@dataclass(frozen=True, slots=True, eq=False)
class Tied:
    """Documents tied to other populations by counts, the class of each, and what to call them."""

    links: Links
    truth: np.ndarray
    name: str

    @property
    def n_groups(self) -> int:
        return len(np.unique(self.truth))

    def only(self, *others: str) -> Links:
        """The tables of the documents with these populations alone."""
        return Links({(MEMBERS, other): self.links.tables[MEMBERS, other] for other in others})


def hasty(trial: Trial, tied: Tied, most: int) -> Tied:
    """In a quick run so many of the documents, drawn at random, and what is tied to them; else all."""
    return part_of(tied, most) if trial.quick else tied


def part_of(tied: Tied, most: int, seed: int = 0) -> Tied:
    """So many of the documents, drawn at random, and what is tied to them; all where there are no more."""
    if len(tied.truth) <= most:
        return tied
    chosen = np.sort(stream(seed, most).permutation(len(tied.truth))[:most])
    tables = tied.links.take(chosen).tables
    seen = {
        pair[1]: np.flatnonzero(np.asarray(one.counts.sum(axis=0)))
        for pair, one in tables.items()
        if pair[0] == MEMBERS
    }
    held = {}
    for (a, b), one in tables.items():
        rows, cols = (
            seen.get(name, np.arange(size)).tolist()
            for name, size in zip((a, b), one.counts.shape, strict=True)
        )
        counts = sp.csr_array(one.counts[rows][:, cols])
        held[a, b] = Cooccurrence(
            counts, [one.rows[at] for at in rows], [one.cols[at] for at in cols]
        )
    return Tied(Links(held, tied.links.target), tied.truth[chosen], f"{tied.name}, {most} of them")


def newsgroups(trial: Trial, ledger: Ledger, most: int | None = None) -> Tied | None:
    """20 Newsgroups by date: documents and words; with `most`, so many drawn at random (the same for every seed of a method).

    Of the header the subject is kept; lines above 50 characters without white space are left out; words are runs of at least
    two letters, in lower case, in three documents or more, stop words left out.
    """
    if not trial.has(NEWS, NEWS_FILE):
        ledger.skip(
            f"Newsgroups: the data set '{NEWS}' is not here (give its parent folder with --data or COTERIE_DATA)."
        )
        return None
    table = columns(trial, NEWS, NEWS_FILE, ("label", "id", "text"))
    chosen = np.arange(len(table["label"]))
    if most is not None and most < len(chosen):
        chosen = np.sort(stream(0, most).permutation(len(chosen))[:most])
    ids = [f"{table['label'][i]}/{table['id'][i]}" for i in chosen]
    bags = (_bag(news_text(table["text"][i])) for i in chosen)
    link = count_names(bags, ids, _LEAST, ENGLISH)
    truth = np.array([table["label"][i] for i in chosen])
    return Tied(Links({(MEMBERS, WORDS): link}), truth, f"20 Newsgroups, {len(chosen)} documents")


def columns(trial: Trial, name: str, file: str, wanted: Sequence[str]) -> dict[str, list[str]]:
    """Columns of a table of a data set."""
    import pyarrow.parquet as pq

    found: dict[str, list[str]] = pq.read_table(
        trial.data(name, file), columns=list(wanted)
    ).to_pydict()
    return found


def news_text(text: str) -> str:
    """A posting without its header but the subject, and without long lines that have no white space (encoded files, rulers).

    >>> news_text("From: a@b\\nSubject: Re: hats\\nLines: 2\\n\\nA hat.\\n" + 60 * "-")
    'Re: hats\\nA hat.'
    """
    head, _, body = text.partition("\n\n")
    subject = " ".join(part.strip() for part in _SUBJECT.findall(head))
    lines = (line for line in body.splitlines() if len(line) <= _LONG or len(line.split()) > 1)
    return "\n".join([subject, *lines])


def _bag(text: str) -> Counter[str]:
    return Counter(word for word in words(text) if len(word) > 1)


# ---- mail: what would tell the list is taken away -----------------------------------------------------------------------


def mail(trial: Trial, ledger: Ledger) -> Tied | None:
    """Mail of mailing lists with 50 messages or more: documents with words, correspondents and subject words.

    What names the list is left out: see `Lists`. Words are in three messages or more, the others in two or more.
    """
    if not trial.has(MAIL, MAIL_FILE):
        ledger.skip(
            f"Mail: the data set '{MAIL}' is not here (give its parent folder with --data or COTERIE_DATA)."
        )
        return None
    table = columns(
        trial, MAIL, MAIL_FILE, ("spam", "list", "sender", "to", "cc", "subject", "body")
    )
    sizes = Counter(
        name
        for name, spam in zip(table["list"], table["spam"], strict=True)
        if name and not int(spam)
    )
    large = {name for name, size in sizes.items() if size >= MAIL_LEAST}
    chosen = [
        i for i, name in enumerate(table["list"]) if name in large and not int(table["spam"][i])
    ]
    if trial.quick and len(chosen) > _HASTY:
        chosen = sorted(stream(0, _HASTY).permutation(chosen)[:_HASTY].tolist())
    part = {
        name: [values[i] or "" for i in chosen] for name, values in table.items() if name != "spam"
    }
    people = [_people(*parts) for parts in zip(part["sender"], part["to"], part["cc"], strict=True)]
    lists = Lists.of(part["list"], people, part["subject"], part["body"])
    ids = [f"message {i}" for i in chosen]
    stop = ENGLISH | _OF_MAIL | lists.names
    bodies = (_bag(lists.body(text)) for text in part["body"])
    subjects = (
        Counter(_bag(lists.subject(text)).keys() - lists.subject_words) for text in part["subject"]
    )
    links = {
        (MEMBERS, WORDS): count_names(bodies, ids, _LEAST, stop),
        (MEMBERS, PEOPLE): count_names((Counter(lists.people(them)) for them in people), ids, 2),
        (MEMBERS, SUBJECTS): count_names(subjects, ids, 2, stop),
    }
    return Tied(Links(links), np.array(part["list"]), f"mailing lists, {len(ids)} messages")


def _people(*headers: str) -> list[str]:
    """The addresses of a message, each once; what an address was given for one reply (+tag, -dated-) is cut off."""
    found: dict[str, None] = {}
    for address in (address for header in headers for address in addresses(header)):
        local, at, host = address.partition("@")
        found[re.split(r"\+|-dated-", local)[0] + at + host] = None
    return list(found)


@dataclass(frozen=True, slots=True, eq=False)
class Lists:
    """What gives mailing lists away, and messages without it. The rules, of which some look at the lists (they only take away):

    1. The words that make up the names of the lists, and of the tags in their subjects, are no words, in bodies and subjects.
    2. In subjects every part in square brackets is left out, and every word that is in half of the subjects of a list.
    3. In bodies all addresses and links, tags, and lines that recur in 3% (and four or more) of the messages of some list are
       left out; lines are compared without digits, quotation marks and white space. These are footers, advertisements,
       patterns of newsletters, and also the signatures of those who write most.
    4. Of the correspondents those are left out whose address holds a word of four letters or more from the name of a list, or
       one that speaks of lists and robots, and those that are in half of the messages of a list.
    """

    names: frozenset[str]
    patterns: frozenset[str]
    subject_words: frozenset[str]
    addresses: frozenset[str]

    @classmethod
    def of(
        cls,
        lists: Sequence[str],
        people: Sequence[Sequence[str]],
        subjects: Sequence[str],
        bodies: Sequence[str],
    ) -> Lists:
        """The rules for these messages."""
        named = {word for name in set(lists) for word in words(name)} | {
            name.replace("-", "") for name in lists
        }
        tags = _often(
            lists,
            [[tag.lower() for tag in _TAG.findall(text)] for text in subjects],
            _TAG_SHARE,
            _PATTERN_LEAST,
        )
        names = frozenset(named | {word for tag in tags for word in words(tag)})
        patterns = _often(
            lists,
            [map(_pattern, text.splitlines()) for text in bodies],
            _PATTERN_SHARE,
            _PATTERN_LEAST,
        )
        heads = _often(lists, [words(_TAG.sub(" ", text)) for text in subjects], _STANDS, 2)
        stands = _often(lists, people, _STANDS, 2)
        telling = tuple(word for word in names if len(word) > 3)
        everyone = {address for them in people for address in them}
        named_so = {
            a
            for a in everyone
            if _ROBOT.search(a) or any(word in re.sub(r"[-_.]", "", a) for word in telling)
        }
        return cls(names, patterns, heads - {"re"}, frozenset(named_so | stands))

    def body(self, text: str) -> str:
        """The lines that are no pattern, without addresses, links and tags."""
        kept = (line for line in text.splitlines() if _pattern(line) not in self.patterns)
        return _TAG.sub(" ", "\n".join(map(_bare, kept)))

    def subject(self, text: str) -> str:
        """The subject without tags."""
        return _TAG.sub(" ", text)

    def people(self, them: Iterable[str]) -> list[str]:
        """Those who stand for no list."""
        return [address for address in them if address not in self.addresses]


def _pattern(line: str) -> str:
    """A line without digits, quotation marks, addresses and white space at its ends, as it recurs."""
    return " ".join(re.sub(r"\d+", "0", _bare(line)).split()).strip(" >|:")


def _bare(line: str) -> str:
    """A line without addresses and links."""
    line = _ADDRESS.sub(" ", line) if "@" in line else line
    return _PLACE.sub(" ", line) if "://" in line or "www." in line.lower() else line


def _often(
    lists: Sequence[str], found: Sequence[Iterable[str]], share: float, least: int
) -> frozenset[str]:
    """What is in at least this share (and number) of the messages of some list."""
    sizes = Counter(lists)
    counts = dict[str, Counter[str]]()
    for name, things in zip(lists, found, strict=True):
        counts.setdefault(name, Counter()).update(set(things))
    return frozenset(
        thing
        for name, of in counts.items()
        for thing, n in of.items()
        if n >= max(least, share * sizes[name]) and thing
    )


# ---- trials: one method and one seed at a time, kept where there is a keeper ------------------------------------------------

MICRO = "micro accuracy %"
MACRO = "macro accuracy %"
NMI = "NMI %"
SECONDS = "seconds"
BALANCED = "runs well balanced %"
Arrays = Mapping[str, np.ndarray]


def kept(experiment: str, method: str, seed: int, make: Callable[[], Arrays]) -> Arrays:
    """What a method gives with a seed (arrays, "labels" among them) and its seconds; not made again by a run that goes on."""

    def timed() -> Arrays:
        begun = time.perf_counter()
        made = make()
        return {"seconds": np.array(time.perf_counter() - begun), **made}

    with stage(f"{experiment}/{method}/{seed}"):
        return once("trial", timed)


def told(
    ledger: Ledger,
    method: str,
    data: str,
    runs: Sequence[Arrays],
    truth: np.ndarray,
    paper: Mapping[str, float] | None = None,
) -> dict[str, np.ndarray]:
    """Rows of a method: accuracies, NMI and seconds over its runs; gives the values by measure."""
    scores = [accuracies(run["labels"], truth) for run in runs]
    found = {
        MICRO: np.array([100.0 * one.micro for one in scores]),
        MACRO: np.array([100.0 * one.macro for one in scores]),
        NMI: np.array([100.0 * one.nmi for one in scores]),
        BALANCED: np.array([100.0 * one.well_balanced for one in scores]),
        SECONDS: np.array([float(run["seconds"]) for run in runs]),
    }
    for measure, values in found.items():
        if measure != BALANCED:
            ledger.add(method, measure, data, values.tolist(), (paper or {}).get(measure))
    ledger.add(method, BALANCED, data, float(found[BALANCED].mean()))
    return found


def yardstick(
    ledger: Ledger,
    experiment: str,
    table: Cooccurrence,
    truth: np.ndarray,
    data: str,
    paper: float | None,
    side: str = "",
) -> None:
    """A row on how hard the classes are: a linear classifier on tf-idf that is told the answers of three quarters of the texts.

    Its C is chosen by cross-validation in those three quarters.
    """

    def classified() -> Arrays:
        from sklearn.feature_extraction.text import TfidfTransformer
        from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_predict
        from sklearn.pipeline import make_pipeline
        from sklearn.svm import LinearSVC

        outer, inner = (StratifiedKFold(n, shuffle=True, random_state=0) for n in (4, 3))
        model = make_pipeline(TfidfTransformer(sublinear_tf=True), LinearSVC(random_state=0))
        chosen = GridSearchCV(model, {"linearsvc__C": _COSTS}, cv=inner)
        with warnings.catch_warnings():
            warnings.simplefilter(
                "ignore", UserWarning
            )  # a class of fewer than four is in some folds only
            answers = cross_val_predict(chosen, short(table.counts), truth, cv=outer)
        return {"right": np.array(float((answers == truth).mean()))}

    found = kept(f"{experiment}/{data}", f"{YARDSTICK}{side}", 0, classified)
    ledger.add(f"{YARDSTICK}{side}", "accuracy %", data, 100.0 * float(found["right"]), paper)


def slack(*runs: np.ndarray) -> float:
    """The standard error of a difference of means; 0 with one run of each."""
    return float(
        np.sqrt(sum(values.var(ddof=1) / len(values) for values in runs if len(values) > 1))
    )


def above(one: np.ndarray, other: np.ndarray, errors: float = 1.0) -> bool:
    """Whether the mean of one is above that of the other by more than so many standard errors of the difference."""
    return bool(one.mean() - other.mean() > errors * slack(one, other))


def not_below(one: np.ndarray, other: np.ndarray) -> bool:
    """Whether the mean of one is below that of the other by no more than one standard error of the difference."""
    return bool(one.mean() - other.mean() >= -slack(one, other))


def far_above(one: np.ndarray, other: np.ndarray, points: float = 5.0) -> bool:
    """Whether the mean of one is above that of the other by at least so many points."""
    return bool(one.mean() - other.mean() >= points)


def said(values: Mapping[str, np.ndarray], *names: str) -> str:
    """The means of these, by name."""
    return ", ".join(f"{name} {values[name].mean():.1f}" for name in names)
