"""Folders of text files, lists of strings, decoding and HTML."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coterie import Text
from coterie.collect import read_folder, texts
from coterie.collect.text import decode, left_out, plain
from coterie.core.errors import DataError


def write(folder: Path, files: dict[str, str | bytes]) -> Path:
    for name, content in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def test_a_folder_is_read_by_relative_path_in_a_fixed_order(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "b.txt": "bee",
            "a.md": "ay",
            "deep/er/c.rst": "sea",
            "README": "no suffix",
            "d.TXT": "dee",
        },
    )
    c = read_folder(tmp_path, name="pile")
    assert list(c.ids) == ["README", "a.md", "b.txt", "d.TXT", "deep/er/c.rst"]
    assert c.kind == "text"
    assert c.name == "pile"
    assert list(c.cards["file"]) == list(c.ids)
    assert c.view("text")[4] == "sea"


def test_sub_folders_become_truth_and_only_truth(tmp_path: Path) -> None:
    write(tmp_path, {"pos/1.txt": "good", "neg/x/1.txt": "bad", "top.txt": "none"})
    c = read_folder(tmp_path)
    assert dict(zip(c.ids, c.truth["folder"], strict=True)) == {
        "pos/1.txt": "pos",
        "neg/x/1.txt": "neg",
        "top.txt": ".",
    }
    assert set(c.views) == {"text"}
    assert not c.links
    assert set(c.cards) == {"file"}


def test_one_sub_folder_says_nothing(tmp_path: Path) -> None:
    assert not read_folder(write(tmp_path, {"all/1.txt": "a", "all/2.txt": "b"})).truth


def test_encodings(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "bom8.txt": b"\xef\xbb\xbfcaf\xc3\xa9",
            "le.txt": "café".encode("utf-16"),
            "be.txt": b"\xfe\xff" + "café".encode("utf-16-be"),
            "west.txt": "café — “x”".encode("cp1252"),
            "latin.txt": b"caf\xe9 \x81 is neither here nor there",
            "plain.txt": "café",
        },
    )
    c = read_folder(tmp_path)
    seen = dict(zip(c.ids, c.view("text"), strict=True))
    assert [seen[k] for k in ("bom8.txt", "le.txt", "be.txt", "plain.txt")] == ["café"] * 4
    assert seen["west.txt"] == "café — “x”"
    assert seen["latin.txt"].startswith("café")
    assert any(
        "2 files are not UTF-8" in note and "latin.txt, west.txt" in note for note in c.notes
    )


def test_binary_empty_hidden_and_other_files_are_left_out_and_noted(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {f"b{i}.txt": b"\x00\x01\x02" for i in range(5)}
    files |= {
        "blob": bytes(range(1, 32)) * 20,
        "e.txt": "  \n",
        ".hidden.txt": "secret",
        ".git/x.txt": "secret",
        "p.pdf": "x",
    }
    c = read_folder(write(tmp_path, {**files, "ok.txt": "fine"}))
    assert c.ids == ("ok.txt",)
    assert "1 empty file was left out: e.txt" in c.notes
    assert "6 binary or unreadable files were left out: b0.txt, b1.txt, b2.txt, ..." in c.notes
    assert any("p.pdf" in note for note in c.notes)
    assert "secret" not in str(c.notes)


@pytest.mark.parametrize("files", [{}, {"a.txt": b"\0\0"}, {"a.txt": ""}, {"a.pdf": "x"}])
def test_a_folder_without_text_is_one_sentence(
    tmp_path: Path, files: dict[str, str | bytes]
) -> None:
    with pytest.raises(DataError, match="has no text files"):
        read_folder(write(tmp_path, files))


def test_no_folder(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="is not a folder"):
        read_folder(tmp_path / "nowhere")


def test_html_files_are_stripped(tmp_path: Path) -> None:
    page = "<html><head><title>T</title><style>p{}</style></head><body><p>One&nbsp;&eacute;</p><script>bad()</script></body>"
    latin = '<meta charset="iso-8859-2"><p>\xb3'.encode("latin-1")
    c = read_folder(
        write(tmp_path, {"a.html": page, "b.htm": latin, "c.html": "<script>only()</script>"})
    )
    assert list(c.view("text")) == ["T\n\nOne é", "ł"]
    assert any("c.html" in note for note in c.notes)


@pytest.mark.parametrize(
    "broken",
    [
        "<",
        "<![",
        "<![if x]>a",
        "a<b c",
        "<!DOCTYPE",
        "&#xffffffff;",
        "<p",
        "<a href='",
        "</",
        "<!--",
    ],
)
def test_broken_html_gives_a_string(broken: str) -> None:
    assert isinstance(plain(broken), str)
    assert plain("word <p>" + broken).startswith("word")


@given(st.text())
def test_any_text_can_be_taken_for_html(text: str) -> None:
    plain(text, mark_quotes=True).encode("utf-8")


@given(
    st.binary(),
    st.none()
    | st.sampled_from(
        ["utf-8", "latin-1", "utf-16", "utf-7", "idna", "hex", "nonsense", "a\0b", "undefined"]
    ),
)
def test_any_bytes_are_text_that_can_be_written_or_nothing(raw: bytes, charset: str | None) -> None:
    read = decode(raw, charset)
    if read is not None:
        assert "\0" not in read[0]
        read[0].encode("utf-8")


def test_quotations_are_marked_when_asked_for() -> None:
    html = "<p>Mine</p><blockquote>Theirs<br>too</blockquote><p>End</p>"
    assert [line for line in plain(html, mark_quotes=True).split("\n") if line.strip("> ")] == [
        "Mine",
        "> Theirs",
        "> too",
        "End",
    ]
    assert ">" not in plain(html)


def test_a_list_of_strings() -> None:
    c = texts(
        ["x", "y"],
        ["one", "two"],
        truth={"kind": ["p", "q"]},
        cards={"title": ["A", "B"]},
        name="mine",
    )
    assert (list(c.ids), c.name, c.truth["kind"].tolist()) == (["one", "two"], "mine", ["p", "q"])
    assert isinstance(c.view(), Text)
    for bad in ([], "one string", ["a", 3]):
        with pytest.raises(DataError):
            texts(bad)  # type: ignore[arg-type]
    with pytest.raises(DataError, match="every id"):
        texts(["x", "y"], ["same", "same"])


def test_notes_count_and_name() -> None:
    assert left_out([], "file", "was", "left out") == ()
    assert left_out(["a"], "file", "was", "left out") == ("1 file was left out: a",)


@pytest.mark.parametrize(
    "piece",
    [
        "<!--",
        "<a ",
        "<![CDATA[",
        "<p",
        "</",
        "<!",
        "<a href='",
        "<?",
        "<![if ",
        "<",
        "&",
        "<script>",
    ],
)
def test_hostile_html_takes_no_quadratic_time(piece: str) -> None:
    start = time.process_time()
    plain("word" + piece * (300_000 // len(piece)))
    assert time.process_time() - start < 5


def test_comments_and_declarations_are_not_text() -> None:
    html = "<!DOCTYPE html><?xml x?><!--[if mso]><p>a</p><![endif]--><p>One<!-- two --> three</p><![if x]>four<![endif]><!-- five"
    assert plain(html).split() == ["One", "three", "four", "five"]
