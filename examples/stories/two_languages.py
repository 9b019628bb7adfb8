"""Two languages: the same pages in English and German; what are they about, and which belongs to which?

You have texts and their translations, some of which were filed under another name. You want to group them by what both
languages say, and to find the mates that were lost. Needs no extra: `pip install coterie`.

    python two_languages.py                  on generated letters
    python two_languages.py --data DIR       on the help of LibreOffice, as DIR/libreoffice_help/libreoffice_help.parquet
"""

from __future__ import annotations

import numpy as np
from story import Story

import coterie
from coterie import Collection, Text
from coterie.collect.samples import sample
from coterie.show import map
from coterie.workflows.mates import MateFinder, measured


def main() -> None:
    story = Story("two_languages", __doc__)
    pages = translated(story)
    one, other = pages.views

    # What are they about, as far as both languages say so?
    found = coterie.explore(pages, views=[one, other], **story.choices(k=6))
    story.say(*found.sentences(), place="seen")
    story.picture("map", map.draw(found.findings.map, found.partition, numbers=True))
    told = [
        (
            group.label + 1,
            group.size,
            *(
                ", ".join(w for w, _ in group.telling.get(f"words ({v})", ())[:4])
                for v in (one, other)
            ),
        )
        for group in found.findings.groups
    ]
    story.table("groups", ("group", "pages", f"told by ({one})", f"told by ({other})"), told)

    # A tenth of the translations were filed under other names. Which page is whose mate?
    lost = np.random.default_rng(1).permutation(len(pages))[: max(4, len(pages) // 10)]
    renamed = {pages.ids[at]: f"lost {number}" for number, at in enumerate(lost.tolist())}
    ids = {one: list(pages.ids), other: [renamed.get(name, name) for name in pages.ids]}
    parts = {view: Collection(ids[view], {view: pages.view(view)}) for view in (one, other)}
    finder = MateFinder.over(parts)
    answers, _ = finder.lonely(one, other)
    right = [renamed[answer.asked] == answer.mates[0].id for answer in answers]
    mutual = [
        renamed[answer.asked] == answer.mates[0].id for answer in answers if answer.mates[0].mutual
    ]

    # How alike the lost pages of both languages are, in the same order: the bright diagonal are the mates.
    rows = {view: finder.placed[view][lost] for view in (one, other)}
    unit = [
        rows[view] / np.maximum(np.linalg.norm(rows[view], axis=1, keepdims=True), 1e-12)
        for view in (one, other)
    ]
    near = unit[0] @ unit[1].T
    story.picture("mates", map.picture(near, side=360))

    judged = measured(
        {view: Collection(pages.ids, {view: pages.view(view)}) for view in (one, other)}, 0.3
    )
    story.say(
        f"{len(renamed)} of {len(pages)} pages had lost their mates; {np.mean(right):.0%} were given the right one among all "
        f"{len(pages)} pages of the other language.",
        f"{len(mutual)} pairs chose each other; {np.mean(mutual):.0%} of these are right.",
        judged.sentence(),
        place="decided",
    )
    story.note(members=len(pages), lost=len(renamed))
    found.report(story.out / "report.html")
    story.end()


def translated(story: Story) -> Collection:
    """The same pages in two languages, as two views."""
    folder = story.data("libreoffice_help")
    if folder is None:
        return sample("letters_in_two_languages", 60 if story.small else 240)
    import pyarrow.parquet as pq

    table = pq.read_table(
        folder / "libreoffice_help.parquet", columns=["doc", "text_en", "text_de"]
    ).to_pydict()
    some = np.sort(np.random.default_rng(0).permutation(len(table["doc"]))[:600]).tolist()
    views = {
        name: Text(tuple(table[f"text_{code}"][at] for at in some))
        for name, code in (("English", "en"), ("German", "de"))
    }
    return Collection([table["doc"][at] for at in some], views, name="help")


if __name__ == "__main__":
    main()
