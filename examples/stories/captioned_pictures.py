"""Captioned pictures: a drawer of photographs with a few words each, in piles, and a way to find one again.

You have a folder of photographs and a table with captions. You want piles of pictures that belong together by what is said of
them and by how they look, and to find a picture by words. Needs the extra pictures: `pip install 'coterie[pictures]'`.

    python captioned_pictures.py                  on drawn scenes
    python captioned_pictures.py --data DIR       on photographs of Flickr8k, as DIR/flickr8k_subset/{images,captions.csv.gz}
"""

from __future__ import annotations

import numpy as np
from story import Story, figure

import coterie
from coterie import Collection, Text
from coterie.collect.samples import sample
from coterie.show import map
from coterie.workflows.search_judged import evaluate
from coterie.workflows.searching import Searcher

SEARCHED = 200  # captions that are used as queries


def main() -> None:
    story = Story("captioned_pictures", __doc__)
    photos, newer, question = pictured(story)

    # Which pictures belong together, by caption words and colors at once?
    first = coterie.explore(photos, view="caption", **story.choices(k=12))
    story.say(*first.sentences(), place="seen")

    # That says of itself how well it holds. You want few piles that hold better, so you ask for eight.
    found = coterie.explore(photos, view="caption", **story.choices(k=8, asked=True))
    story.picture("map", map.draw(found.findings.map, found.partition, numbers=True))
    colours = next(part for part in found.findings.populations if part.name == "colours")
    story.picture("colours", swatches(colours, len(found.findings.groups)))
    told = [
        (group.label + 1, group.size, ", ".join(w for w, _ in group.telling.get("words", ())[:6]))
        for group in found.findings.groups
    ]
    story.table("groups", ("pile", "pictures", "told by"), told)

    # Pictures that came later go to the piles they fit.
    placed = found.place(newer)

    # Find a picture by words. How well does that work? One caption of each asks for it, the others are searched.
    hits = Searcher.over(photos).search(question, most=3)
    asked, searched = parted(photos)
    judged = evaluate(Searcher.over(searched), asked, {name: {name: 1} for name in asked})

    again = [figure(one.findings.evidence.stability) for one in (first, found)]
    story.say(
        f"Found again on parts of the pictures {len(first.findings.groups)} groups agree by {again[0]}, 8 by {again[1]}.",
        f"Of {len(placed.ids)} later pictures {int(placed.fits.sum())} fit well into one of the 8.",
        f"The question '{question}': {hits.sentence()}",
        *judged.sentences()[:1],
        place="decided",
    )
    story.note(members=len(photos), newer=len(newer), searched=len(asked))
    found.report(story.out / "report.html")
    story.end()


def parted(photos: Collection) -> tuple[dict[str, str], Collection]:
    """One caption of some pictures as questions, and all pictures with their other captions (where there is one, with that)."""
    captions = {
        name: text.split("\n")
        for name, text in zip(photos.ids, photos.view("caption"), strict=True)
    }
    asked = {name: lines[0] for name, lines in list(captions.items())[:SEARCHED]}
    others = Text(tuple("\n".join(lines[1:] or lines) for lines in captions.values()))
    return asked, Collection(list(captions), {"caption": others}, name="captions")


def swatches(colours, n_groups: int, most: int = 8) -> str:
    """A row per group: the colors it shows most above chance."""
    rows = []
    for group in range(n_groups):
        order = np.argsort(-colours.lift[:, group], kind="stable")
        names = [
            name
            for at in order.tolist()
            for name, _ in colours.clusters[at].telling
            if name.startswith("#")
        ][:most]
        boxes = (
            f'<rect x="{40 + 34 * at}" y="{30 * group + 2}" width="34" height="26" fill="{name}"/>'
            for at, name in enumerate(names)
        )
        rows.append(
            f'<text x="8" y="{30 * group + 20}" font-size="14" fill="#15171a">{group + 1}</text>'
            + "".join(boxes)
        )
    wide = 40 + 34 * most + 6
    tall = 30 * n_groups + 4
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide}" height="{tall}" viewBox="0 0 {wide} {tall}" role="img" '
        f'font-family="sans-serif" aria-label="The colors of each of {n_groups} groups"><rect width="{wide}" height="{tall}" '
        f'fill="#ffffff"/>{"".join(rows)}</svg>'
    )


def pictured(story: Story) -> tuple[Collection, Collection, str]:
    """Pictures with captions, pictures that came later, and something to look for."""
    folder = story.data("flickr8k_subset")
    if folder is None:
        n, more = (40, 10) if story.small else (160, 40)
        made = sample("scenes", n + more)
        return made.take(np.arange(n)), made.take(np.arange(n, n + more)), "harbor wave"
    whole = coterie.read(folder)
    order = np.random.default_rng(0).permutation(len(whole))
    return (
        whole.take(np.sort(order[:600])),
        whole.take(np.sort(order[600:700])),
        "a dog runs in the snow",
    )


if __name__ == "__main__":
    main()
