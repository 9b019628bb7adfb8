"""Pictures from folders: modes, sizes, broken files, sub-folders, captions in tables, and what a folder is taken for."""

from __future__ import annotations

import gzip
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import coterie
from coterie.collect import guess, read_images
from coterie.collect.captions import caption_words, singular
from coterie.collect.columns import Named
from coterie.collect.images import is_picture_folder
from coterie.core.errors import DataError, MissingExtra, ParameterError
from coterie.core.workplace import using
from coterie.run import Store


def picture(
    colour: tuple[int, int, int] = (200, 40, 90), size: tuple[int, int] = (20, 12)
) -> Image.Image:
    return Image.new("RGB", size, colour)


def folder_of(place: Path, *names: str) -> Path:
    for number, name in enumerate(names):
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        picture((10 * number, 40, 90)).save(place / name)
    return place


def test_a_folder_is_read_in_a_fixed_order(tmp_path):
    found = read_images(folder_of(tmp_path, "b.png", "a.jpg", "deep/er/c.gif", "D.PNG"))
    assert list(found.ids) == ["D.PNG", "a.jpg", "b.png", "deep/er/c.gif"]
    assert list(found.cards["file"]) == list(found.ids)
    assert found.kind == "pictures"
    assert found.view().sizes.tolist() == [[12, 20]] * 4
    assert found.view()[0][0, 0].tolist() == [30, 40, 90]
    assert found.name == tmp_path.name
    assert found.notes == ()


def test_read_knows_a_folder_of_pictures(tmp_path):
    folder_of(tmp_path, "cat/1.png", "cat/2.png", "dog/1.png")
    (tmp_path / "README.md").write_text("My pets.")
    found = coterie.read(tmp_path)
    assert found.kind == "pictures"
    assert found.truth["folder"].tolist() == ["cat", "cat", "dog"]
    assert found.notes[0] == f"The folder '{tmp_path.name}' holds 3 pictures: read as pictures."
    assert guess(tmp_path).kind == "pictures"
    assert coterie.read(tmp_path, kind="pictures").truth["folder"].tolist() == ["cat", "cat", "dog"]
    with pytest.raises(DataError, match="is one picture; name the folder"):
        coterie.read(tmp_path / "dog" / "1.png")


def test_pictures_of_every_mode_become_red_green_and_blue(tmp_path):
    Image.new("L", (10, 10), 77).save(tmp_path / "grey.png")
    Image.new("1", (10, 10), 1).save(tmp_path / "bits.png")
    Image.new("RGBA", (10, 10), (0, 0, 0, 0)).save(tmp_path / "clear.png")
    Image.new("LA", (10, 10), (10, 255)).save(tmp_path / "grey_alpha.png")
    Image.new("CMYK", (10, 10), (0, 0, 0, 255)).save(tmp_path / "ink.jpg")
    palette = Image.new("P", (10, 10), 1)
    palette.putpalette([0, 0, 0, 5, 6, 7])
    palette.save(tmp_path / "palette.png")
    palette.save(tmp_path / "see_through.png", transparency=1)
    Image.fromarray(np.full((10, 10), 51400, dtype=np.uint16)).save(tmp_path / "sixteen.png")
    Image.fromarray(np.full((10, 10), 200, dtype=np.uint16)).save(tmp_path / "dark.png")
    Image.fromarray(np.full((10, 10), 0.2, dtype=np.float32)).save(tmp_path / "real.tif")
    found = read_images(tmp_path)
    seen = {name: one[5, 5].tolist() for name, one in zip(found.ids, found.view(), strict=True)}
    assert seen == {
        "bits.png": [255] * 3,
        "clear.png": [255] * 3,
        "grey.png": [77] * 3,
        "grey_alpha.png": [10] * 3,
        "ink.jpg": [0] * 3,
        "palette.png": [5, 6, 7],
        "see_through.png": [255] * 3,
        "sixteen.png": [200] * 3,
        "real.tif": [51] * 3,
        "dark.png": [1] * 3,
    }


def test_a_turned_photograph_is_turned_back(tmp_path):
    tags = Image.Exif()
    tags[0x0112] = 6  # taken with the camera on its side
    picture(size=(20, 12)).save(tmp_path / "turned.jpg", exif=tags)
    assert read_images(tmp_path).view().sizes.tolist() == [[20, 12]]


def test_large_pictures_are_shrunk_and_tiny_ones_left_out(tmp_path):
    picture(size=(1000, 500)).save(tmp_path / "large.jpg")
    picture(size=(500, 1000)).save(tmp_path / "tall.png")
    picture(size=(20, 20)).save(tmp_path / "small.png")
    picture(size=(7, 90)).save(tmp_path / "strip.png")
    picture(size=(9000, 9)).save(tmp_path / "ruler.png")
    found = read_images(tmp_path)
    assert {
        name: tuple(size) for name, size in zip(found.ids, found.view().sizes.tolist(), strict=True)
    } == {
        "large.jpg": (128, 256),
        "tall.png": (256, 128),
        "small.png": (20, 20),
    }
    assert found.notes == (
        "2 pictures were left out, less than 8 pixels wide or high: ruler.png, strip.png",
        "2 pictures were shrunk to 256 pixels on the long side: large.jpg, tall.png",
    )
    assert read_images(tmp_path, longest=64).view().sizes.max() == 64
    with pytest.raises(ParameterError, match="longest must be a whole number of pixels from 8"):
        read_images(tmp_path, longest=0)


def test_broken_files_are_left_out_with_a_note(tmp_path):
    folder_of(tmp_path, "good.png", "cut.jpg")
    whole = (tmp_path / "good.png").read_bytes()
    (tmp_path / "text.jpg").write_text("not a picture")
    (tmp_path / "empty.png").write_bytes(b"")
    (tmp_path / "torn.png").write_bytes(whole[: len(whole) // 2])
    found = read_images(tmp_path)
    assert list(found.ids) == ["cut.jpg", "good.png"]
    assert found.notes == (
        "3 pictures were left out for a file that cannot be read: empty.png, text.jpg, torn.png",
    )
    for name in ("good.png", "cut.jpg"):
        (tmp_path / name).unlink()
    with pytest.raises(DataError, match=r"No picture of .* can be used"):
        read_images(tmp_path)


@pytest.mark.parametrize("zipped", [False, True])
@pytest.mark.parametrize("beside", [False, True])
def test_captions_are_found_in_the_folder_and_beside_it(tmp_path, zipped, beside):
    photos = folder_of(tmp_path / "photos", "a.jpg", "b.jpg", "c.jpg")
    table = "image,caption1,caption2\na.jpg,Two dogs run,A dog\nb.jpg,The ponies,\nz.jpg,Nothing here,dogs\n"
    place = (tmp_path if beside else photos) / ("told.csv.gz" if zipped else "told.csv")
    place.write_bytes(gzip.compress(table.encode()) if zipped else table.encode())
    found = coterie.read(photos)
    assert found.kind == "pictures"
    assert list(found.view("caption")) == ["Two dogs run\nA dog", "The ponies", ""]
    assert "'told.csv" in " ".join(found.notes)
    assert "1 picture has no caption: c.jpg" in found.notes
    words = caption_words(found.view("caption"), found.ids, min_df=1)
    assert words.cols == ["dog", "pony", "run", "two"]
    assert words.counts.toarray().tolist() == [[2, 0, 1, 1], [0, 1, 0, 0], [0, 0, 0, 0]]


def test_many_rows_may_tell_of_one_picture_and_names_need_no_suffix(tmp_path):
    folder_of(tmp_path, "in/a.jpg", "in/b.jpg")
    (tmp_path / "told.tsv").write_text("picture\twords\na\tred boat\nb\tblue boat\na\tboat\n")
    found = coterie.read(tmp_path)
    assert list(found.view("caption")) == ["red boat\nboat", "blue boat"]
    link = found.links["members", "caption words"]
    assert (list(link.cols), link.counts.toarray().tolist()) == (["boat"], [[2], [1]])


def test_other_columns_are_cards_or_truth(tmp_path):
    folder_of(tmp_path, "a.jpg", "b.jpg")
    (tmp_path / "told.csv").write_text(
        "file,caption,place,year\na.jpg,red boat,Oslo,2001\nb.jpg,blue boat,Rome,2002\n"
    )
    found = coterie.read(tmp_path)
    assert list(found.view("caption")) == ["red boat", "blue boat"]
    assert list(found.cards["place"]) == ["Oslo", "Rome"]
    named = coterie.read(tmp_path, truth="place")
    assert named.truth["place"].tolist() == ["Oslo", "Rome"]
    assert "place" not in named.cards
    other = read_images(tmp_path, named=Named(text="place"))
    assert list(other.view("caption")) == ["Oslo", "Rome"]
    with pytest.raises(DataError, match=r"no column 'town' .named as truth."):
        coterie.read(tmp_path, truth="town")


def test_a_table_may_be_named_and_must_tell_of_the_pictures(tmp_path):
    photos = folder_of(tmp_path / "photos", "a.jpg")
    (tmp_path / "far").mkdir()
    (tmp_path / "far" / "told.csv").write_text("file,caption\na.jpg,red boat\n")
    (tmp_path / "far" / "wrong.csv").write_text("file,caption\nx.jpg,red boat\n")
    assert "caption" not in read_images(photos).views
    assert list(read_images(photos, captions=tmp_path / "far" / "told.csv").view("caption")) == [
        "red boat"
    ]
    with pytest.raises(DataError, match=r"'wrong.csv' names none of the 1 pictures"):
        read_images(photos, captions=tmp_path / "far" / "wrong.csv")
    with pytest.raises(DataError, match="no table of captions"):
        read_images(photos, captions=tmp_path / "nowhere.csv")


def test_a_folder_with_other_data_is_not_taken_for_pictures(tmp_path):
    folder_of(tmp_path, "plot.png")
    (tmp_path / "results.csv").write_text("x,y\n1,2\n3,5\n")
    assert not is_picture_folder(tmp_path)
    assert guess(tmp_path).kind == "file"
    (tmp_path / "results.csv").unlink()
    (tmp_path / "page.html").write_text("<p>Words</p>")
    assert guess(tmp_path).kind == "text"
    assert coterie.read(tmp_path, kind="pictures").kind == "pictures"


def test_plural_endings():
    pairs = {
        "ponies": "pony",
        "dogs": "dog",
        "grass": "grass",
        "bus": "bus",
        "tennis": "tennis",
        "ties": "tie",
        "s": "",
    }
    assert {word: singular(word) for word in pairs} == pairs


def test_a_collection_of_pictures_comes_back_from_the_store(tmp_path):
    photos = folder_of(tmp_path / "photos", "a.jpg", "b.jpg")
    (photos / "told.csv").write_text("file,caption\na.jpg,red boat\nb.jpg,blue boat\n")
    read = coterie.read(photos)
    run = Store(tmp_path / "store").create("photos", source=str(photos))
    run.save_collection(read)
    again = run.collection()
    assert list(again.views) == ["caption", "pictures"]
    assert np.array_equal(again.view("pictures").pixels, read.view("pictures").pixels)
    assert np.array_equal(again.view("pictures").sizes, read.view("pictures").sizes)
    assert list(again.view("caption")) == list(read.view("caption"))
    assert np.array_equal(again.links["members", "caption words"].counts.toarray(), [[1], [1]])


def test_captions_come_first_where_half_of_the_pictures_have_words_in_common(tmp_path):
    photos = folder_of(tmp_path, "a.jpg", "b.jpg", "c.jpg", "d.jpg", "e.jpg")
    told = photos / "told.csv"
    for rows, first in (
        ("a.jpg,boat\nb.jpg,boat\nc.jpg,sea", "caption"),
        ("a.jpg,boat\nb.jpg,boat", "pictures"),
    ):
        told.write_text(f"file,caption\n{rows}\n")
        assert read_images(photos, captions=told).main == first
    told.write_text("file,caption\na.jpg,boat\nb.jpg,sea\nc.jpg,sand\n")
    assert read_images(photos, captions=told).main == "pictures"


def test_workers_change_nothing(tmp_path):
    folder_of(tmp_path, *(f"{i:03d}.jpg" for i in range(40)))
    found = []
    for jobs in (1, 2):
        with using(n_jobs=jobs):
            found.append(read_images(tmp_path).view().pixels.tobytes())
    assert found[0] == found[1]


def test_without_the_library_one_sentence_names_the_extra(tmp_path, monkeypatch):
    folder_of(tmp_path, "a.png")
    for name in [name for name in sys.modules if name == "PIL" or name.startswith("PIL.")]:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingExtra, match=r"pip install 'coterie\[pictures\]'"):
        coterie.read(tmp_path)


def test_what_is_no_folder_of_pictures(tmp_path):
    with pytest.raises(DataError, match=r"has no pictures; the suffixes read are .jpg"):
        read_images(tmp_path)
    with pytest.raises(DataError, match="is not a folder of pictures"):
        read_images(tmp_path / "nothing")
