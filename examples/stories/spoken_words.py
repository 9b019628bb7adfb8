"""Spoken words: hundreds of recordings that nobody wrote down; you listen to a few, and all get their word.

You have many short recordings, each of one word, by several speakers, and no transcript. You want to know which are the same
word, and to write all of them down without listening to all of them. Needs the extra audio: `pip install 'coterie[audio]'`.

    python spoken_words.py                  on generated words
    python spoken_words.py --data DIR       on the Free Spoken Digit Dataset, as DIR/free_spoken_digits/{audio,index.csv}
"""

from __future__ import annotations

import numpy as np
from story import Story

import coterie
from coterie.collect.samples import sample
from coterie.core.findings import Lines
from coterie.show import lines, map


def main() -> None:
    story = Story("spoken_words", __doc__)
    recordings, words = spoken(story)

    # Which recordings are alike? Models trained on random labels find out (SIC); nothing is known of the language.
    found = coterie.explore(recordings, compare="SIC", **story.choices(k=10))
    story.say(*found.sentences(), place="seen")
    story.picture("map", map.draw(found.findings.map, found.partition, numbers=True))
    story.picture(
        "matrix",
        map.picture(found.findings.matrix, found.labels[found.findings.matrix_members], side=300),
    )

    # You listen to the most typical recording of each group, and write its word on the whole group.
    heard = {group.label: words[group.typical[0]] for group in found.findings.groups}
    written = np.array([heard.get(label, "") for label in found.labels.tolist()])
    right = written == words

    # The same without naming a method: a vote of models on several representations of the recordings.
    plain = coterie.explore(recordings, **story.choices(k=10))
    spoken_so = {group.label: words[group.typical[0]] for group in plain.findings.groups}
    by_vote = np.array([spoken_so.get(label, "") for label in plain.labels.tolist()]) == words

    # Which of them need another look? coterie says how sure it is of each.
    sure = np.argsort(-found.findings.confidence, kind="stable")
    shares = (0.25, 0.5, 0.75, 1.0)
    kept = {share: float(right[sure[: round(share * len(words))]].mean()) for share in shares}
    steps = np.linspace(0.2, 1, 17)
    curve = tuple(float(right[sure[: round(share * len(words))]].mean()) for share in steps)
    picture = Lines(
        "Right words",
        tuple(100 * steps),
        {"right": curve},
        "percent of the recordings, the surest first",
        "share right",
    )
    story.picture("sure", lines.draw(picture))

    # One recording asks for others of the same word, as a search does; stretching one until it fits another (DTW) stands beside.
    warped = coterie.explore(recordings, compare="Alignment", k=len(found.findings.groups), nulls=0)
    near = {
        name: same_word(one.findings.neighbors, words)
        for name, one in (("SIC", found), ("DTW", warped))
    }

    story.table(
        "words-table",
        ("you hear", "groups", "recordings written so", "of these right"),
        [
            (
                word,
                sum(w == word for w in heard.values()),
                int((written == word).sum()),
                f"{right[written == word].mean():.0%}",
            )
            for word in sorted(set(heard.values()))
        ],
    )
    story.say(
        f"You listen to {len(heard)} recordings, and {len(words)} have a word; {right.mean():.0%} of them the right one.",
        f"Of the surest half {kept[0.5]:.0%} are right, of the surest quarter {kept[0.25]:.0%}.",
        f"You heard {len(set(heard.values()))} of the {len(set(words))} words that there are.",
        f"Grouped as coterie chooses, you listen to {len(spoken_so)}, and {by_vote.mean():.0%} are right.",
        f"Of the ten recordings nearest to one, {near['SIC']:.0%} say the same word; by DTW {near['DTW']:.0%}.",
        place="decided",
    )
    story.note(members=len(words), words=len(set(words)))
    found.report(story.out / "report.html")
    story.end()


def same_word(neighbors: np.ndarray, words: np.ndarray) -> float:
    """The share of the ten nearest of each recording that have its word."""
    ten = neighbors[:, :10]
    return float((words[ten] == words[:, None])[ten >= 0].mean())


def spoken(story: Story) -> tuple[coterie.Collection, np.ndarray]:
    """Recordings, and the word of each, which is kept aside: no method sees it."""
    folder = story.data("free_spoken_digits")
    if folder is None:
        made = sample("words", 40 if story.small else 200)
        return made, np.asarray(made.truth["group"]).astype(str)
    whole = coterie.read(folder, truth="digit")
    some = whole.take(np.sort(np.random.default_rng(0).permutation(len(whole))[:300]))
    return some, np.asarray(some.truth["digit"]).astype(str)


if __name__ == "__main__":
    main()
