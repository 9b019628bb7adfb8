"""Notes on texts: members that repeat another are said with the first of their kind, and so is a giant one."""

from __future__ import annotations

from coterie.collect import read, texts
from coterie.collect.reading import repeated, with_text_notes


def test_repeated_texts_are_named_with_the_first():
    assert repeated(["a b", "c", "a b\n", "c", "a b", " ", " "]) == [(2, 0), (3, 1), (4, 0)]
    found = with_text_notes(texts(["same", "other", "same"], ids=["x", "y", "z"]))
    assert found.notes == (
        "1 member repeats the text of an earlier one, which can inflate what is measured on them: z = x",
    )


def test_a_giant_is_named():
    found = with_text_notes(texts(["w" * 100, *(f"s{i}" for i in range(20))]))
    assert found.notes == ("The member 0 holds 67% of all text.",)
    assert not with_text_notes(texts(["w" * 100, "a", "b"])).notes


def test_reading_says_it_and_leaves_tables_alone(tmp_path):
    for name, text in {"a.txt": "one two", "b.txt": "one two", "c.txt": "three"}.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "d.txt").write_bytes(b"\xef\xbb\xbfbroken \xff\xff here")
    notes = read(tmp_path).notes
    assert any("b.txt = a.txt" in note for note in notes)
    assert any(
        "1 file has characters that cannot be read" in note and "d.txt (2)" in note
        for note in notes
    )
    assert not any("repeat" in note for note in read([[1.0, 2.0], [1.0, 2.0], [2.0, 1.0]]).notes)
