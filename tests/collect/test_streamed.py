"""Files larger than the memory given: the same collection as read at once, with numbers and texts left in files."""

from __future__ import annotations

import json

import numpy as np
import pytest

import coterie
from coterie import Text
from coterie.collect import batches, streamed
from coterie.core.errors import DataError, StoreError
from coterie.core.table import is_mapped
from coterie.core.workplace import using
from coterie.core.written import Written
from coterie.represent import Terms
from coterie.represent.tokens import words as words_of
from coterie.run.packing import pack, unpack

N = 400
LINES = [
    f"document number {i} tells of {'cats and their kittens' if i % 2 else 'dogs, puppies and wolves'}"
    for i in range(N)
]
ROWS = [
    {
        "id": f"d{i}",
        "text": line,
        "size": i + 0.5,
        "sort": "ab"[i % 2],
        "still": 1,
        "note": f"n{i} of {i}",
    }
    for i, line in enumerate(LINES)
]


def same(whole, part) -> None:
    """All that is known of the members, whichever way they were read."""
    assert part.ids == whole.ids
    assert list(part.views) == list(whole.views)
    assert part.kind == whole.kind
    for name, view in whole.views.items():
        other = part.views[name]
        if isinstance(view, Text):
            assert isinstance(other.documents, Written)
            assert list(other) == list(view)
            assert list(other.take([3, 1])) == [view[3], view[1]]
            assert list(other.documents[2:9:3]) == list(view.documents[2:9:3])
        else:
            assert (other.names, dict(other.categories)) == (view.names, dict(view.categories))
            assert np.array_equal(other.values, view.values, equal_nan=True)
    assert {name: list(rows) for name, rows in part.cards.items()} == {
        name: list(rows) for name, rows in whole.cards.items()
    }
    assert {name: rows.tolist() for name, rows in part.truth.items()} == {
        name: rows.tolist() for name, rows in whole.truth.items()
    }


def written(folder, suffix):
    import pyarrow as pa
    import pyarrow.csv as pacsv
    import pyarrow.parquet as pq

    path = folder / f"data.{suffix}"
    if suffix == "jsonl":
        path.write_text("\n".join(map(json.dumps, ROWS)) + "\n")
    elif suffix == "parquet":
        pq.write_table(pa.Table.from_pylist(ROWS), path, row_group_size=90)
    else:
        pacsv.write_csv(pa.Table.from_pylist(ROWS), path)
    return path


@pytest.mark.parametrize("suffix", ["jsonl", "parquet", "csv"])
@pytest.mark.parametrize("named", [{}, {"truth": "sort"}, {"id": "note"}, {"text": "text"}])
def test_tables_with_text(tmp_path, monkeypatch, suffix, named):
    monkeypatch.setattr(batches, "_ROWS", 150)
    path = written(tmp_path, suffix)
    whole = coterie.read(path, **named)
    with using(memory="160KB"):
        part = coterie.read(path, **named)
    assert "read in pieces" in part.notes[0]
    same(whole, part)


@pytest.mark.parametrize("suffix", ["parquet", "csv"])
def test_tables_of_numbers_lie_in_a_file(tmp_path, suffix):
    import pyarrow as pa
    import pyarrow.csv as pacsv
    import pyarrow.parquet as pq

    generator = np.random.default_rng(0)
    columns = {f"x{j}": generator.normal(size=2000) for j in range(8)}
    columns["x3"][7] = np.nan
    table = pa.table({name: pa.array(values, from_pandas=True) for name, values in columns.items()})
    path = tmp_path / f"numbers.{suffix}"
    pq.write_table(table, path) if suffix == "parquet" else pacsv.write_csv(table, path)
    whole = coterie.read(path)
    with using(memory="500KB"):
        part = coterie.read(path)
    same(whole, part)
    assert is_mapped(part.view().values)
    assert any("1 gaps in 1 of 8 columns" in note for note in part.notes)


@pytest.mark.parametrize("kind", [np.float64, np.float32, np.int16])
def test_numpy_files_are_mapped(tmp_path, kind):
    array = (100 * np.random.default_rng(0).normal(size=(500, 12))).astype(kind)
    np.save(tmp_path / "rows.npy", array)
    with using(memory="60KB"):
        found = coterie.read(tmp_path / "rows.npy").view().values
    assert is_mapped(found)
    assert found.dtype == np.float64
    assert np.array_equal(found, array)
    with using(memory="60KB"):  # a map given from Python stays one, and nothing is copied
        mapped = np.load(tmp_path / "rows.npy", mmap_mode="r")
        assert is_mapped(coterie.core.table.Table.of(mapped).values) == (kind is np.float64)


def test_lines_of_text_are_read_when_asked(tmp_path):
    path = tmp_path / "lines.txt"
    path.write_text(
        "\ufeff" + "\n".join([*LINES, "", "one\u2028two \u00e9", "  ", "last"]), encoding="utf-8"
    )
    whole = coterie.read(path)
    with using(memory="90KB"):
        part = coterie.read(path)
    same(whole, part)
    assert part.ids[-1] == whole.ids[-1]
    tree, arrays = pack(part)  # what is kept in a store is the text itself
    assert list(unpack(tree, lambda name, mapped: arrays[name]).view()) == list(whole.view())
    with path.open("a") as file:
        file.write(" and more")
    with pytest.raises(DataError, match=r"'lines\.txt' was changed while its texts were in use"):
        part.view()[0]


def test_a_folder_of_texts_is_read_when_asked(tmp_path):
    for i, line in enumerate(LINES[:40]):
        (tmp_path / f"{i:02}.txt").write_text(line)
    (tmp_path / "page.html").write_text("<p>One <b>page</b></p>")
    whole = coterie.read(tmp_path)
    with using(memory="4KB"):
        part = coterie.read(tmp_path)
        same(whole, part)
        (tmp_path / "03.txt").unlink()
        with pytest.raises(DataError, match=r"'03\.txt' is gone"):
            part.view()[3]


def test_what_cannot_be_read_in_pieces_is_refused_with_a_number(tmp_path):
    rows = [{"id": f"s{i // 50}", "time": i % 50, "x": float(i), "y": i * 0.5} for i in range(500)]
    (tmp_path / "long.jsonl").write_text("\n".join(map(json.dumps, rows)))
    assert coterie.read(tmp_path / "long.jsonl").kind == "sequences"
    with (
        using(memory="100KB"),
        pytest.raises(DataError, match=r"Reading 'long\.jsonl' at once takes .* allow more with"),
    ):
        coterie.read(tmp_path / "long.jsonl")
    (tmp_path / "west.txt").write_bytes(b"caf\xe9 \n" * 2000)
    with using(memory="500KB"):
        assert "cp1252" in " ".join(
            coterie.read(tmp_path / "west.txt").notes
        )  # small enough to be read at once
    with (
        using(memory="30KB"),
        pytest.raises(DataError, match=r"Reading 'west\.txt' at once|The places of the lines"),
    ):
        coterie.read(tmp_path / "west.txt")


def test_a_column_that_changes_its_kind_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(batches, "_ROWS", 100)
    rows = [{"id": f"d{i}", "x": i if i < 150 else "many", "y": 0.5 * i} for i in range(300)]
    (tmp_path / "odd.jsonl").write_text("\n".join(map(json.dumps, rows)))
    with (
        using(memory="100KB"),
        pytest.raises(
            DataError, match=r"The column 'x' of 'odd\.jsonl' holds string where it held"
        ),
    ):
        coterie.read(tmp_path / "odd.jsonl")


@pytest.mark.parametrize(
    "settings",
    [{}, {"max_terms": 5}, {"stem": "porter", "min_df": 1}, {"weights": "bm25"}, {"phrases": 3}],
)
def test_terms_of_texts_in_a_file_are_those_of_texts_in_memory(tmp_path, monkeypatch, settings):
    from coterie.represent import terms as counting

    monkeypatch.setattr(counting, "_TOKENS", 300)
    (tmp_path / "lines.txt").write_text("\n".join(LINES))
    with using(memory="90KB"):
        part = coterie.read(tmp_path / "lines.txt").view()
    one = Terms(**settings)
    other = Terms(**settings)
    first = one.fit_transform(LINES)
    second = other.fit_transform(part)
    assert list(one.terms_) == list(other.terms_)
    assert (first != second).nnz == 0
    assert (one.transform(LINES[:50]) != other.transform(part.take(range(50)))).nnz == 0
    assert one.unknown_share_ == other.unknown_share_


def test_terms_that_would_not_fit_are_refused_before_they_are_counted():
    with (
        using(memory="20KB"),
        pytest.raises(DataError, match=r"The [\d,]+ counts of [\d,]+ terms in 400 documents takes"),
    ):
        Terms().fit(LINES)
    with using(memory="50KB"):
        assert Terms(max_terms=2).fit(LINES).n_features_out_ == 2


def test_tokens_are_never_held_all_at_once(monkeypatch):
    from coterie.represent import terms as counting

    seen = []
    real = counting.counted
    monkeypatch.setattr(counting, "_TOKENS", 200)
    monkeypatch.setattr(
        counting,
        "counted",
        lambda tokens, ends, width: seen.append(len(tokens)) or real(tokens, ends, width),
    )
    Terms().fit(LINES)
    assert max(seen) < 250
    assert len(seen) > 10


def table(path, names, rows):
    """The same rows as .csv or .jsonl."""
    if path.suffix == ".jsonl":
        path.write_text("\n".join(json.dumps(dict(zip(names, row, strict=True))) for row in rows))
    else:
        path.write_text("\n".join([",".join(names), *(", ".join(map(str, row)) for row in rows)]))
    return path


@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
@pytest.mark.parametrize("late", [False, True])
def test_whole_numbers_stay_whole(tmp_path, monkeypatch, suffix, late):
    """Ids beyond 2^53 lose no digit, a column called ..._id names members, truth stays a number, later ones may have a point."""
    monkeypatch.setattr(batches, "_ROWS", 150)
    monkeypatch.setattr(batches, "_BYTES", 4000)
    more = np.random.default_rng(0).normal(size=(600, 6)).tolist()
    rows = [
        [2**53 + 1 + 2 * i, i % 3, i + 0.5 if late and i > 400 else i * 7 % 50, *more[i]]
        for i in range(600)
    ]
    path = table(tmp_path / f"data.{suffix}", ["user_id", "sort", "count", *"pqrstu"], rows)
    whole = coterie.read(path, truth="sort")
    with using(memory="220KB"):
        part = coterie.read(path, truth="sort")
    assert "read in pieces" in part.notes[0]
    assert list(part.ids[:2]) == ["9007199254740993", "9007199254740995"]
    assert part.truth["sort"].dtype == whole.truth["sort"].dtype
    same(whole, part)


def test_the_longest_text_comes_first_as_where_it_is_read_at_once(tmp_path):
    rows = [
        (f"the title of document {i}, which is not as long as the text", 3 * line, i * 0.5)
        for i, line in enumerate(LINES)
    ]
    path = table(tmp_path / "data.jsonl", ["title", "body", "x"], rows)
    whole = coterie.read(path)
    with using(memory="200KB"):
        part = coterie.read(path)
    assert list(whole.views) == ["body", "title", "columns"]
    same(whole, part)


def test_a_key_that_comes_late_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr(batches, "_ROWS", 100)
    rows = [
        {"x": i, "y": 0.5 * i, "text": LINES[i]} | ({"late": i} if i > 250 else {})
        for i in range(N)
    ]
    (tmp_path / "late.jsonl").write_text("\n".join(map(json.dumps, rows)))
    with (
        using(memory="200KB"),
        pytest.warns(
            UserWarning, match=r"'late' stands first in line 252 of 'late\.jsonl'"
        ) as said,
    ):
        assert len(coterie.read(tmp_path / "late.jsonl")) == N
    assert sum(one.category is UserWarning for one in said) == 1


@pytest.mark.parametrize("head", ["a;b;c\n", ""])
def test_decimal_commas_and_other_bytes_are_not_read_in_pieces(tmp_path, head):
    (tmp_path / "comma.csv").write_text(
        head + "\n".join(f"{i},5;{i * 3 % 17},25;{i},0" for i in range(900))
    )
    (tmp_path / "west.csv").write_bytes(
        b"n,word\n" + b"\n".join(b"%d.5,caf\xe9 %d" % (i, i % 3) for i in range(900))
    )
    for name in ("comma.csv", "west.csv"):
        with (
            using(memory="40KB"),
            pytest.raises(DataError, match=f"Reading '{name}' at once takes"),
        ):
            coterie.read(tmp_path / name)
    (tmp_path / "west.jsonl").write_bytes(b'{"x": 1}\n' * 2000 + b'{"x": 2, "word": "caf\xe9"}\n')
    with (
        using(memory="40KB"),
        pytest.raises(DataError, match=r"Line 2,001 of 'west\.jsonl' is not UTF-8 text"),
    ):
        coterie.read(tmp_path / "west.jsonl")


def test_texts_of_many_lines_are_one_member_each(tmp_path):
    texts = [f"{line}\n" * 40 for line in LINES[:200]]
    path = tmp_path / "many.csv"
    path.write_text("name,text\n" + "\n".join(f'd{i},"{text}"' for i, text in enumerate(texts)))
    whole = coterie.read(path)
    with using(memory="200KB"):  # too little for as many names as there are lines
        same(whole, coterie.read(path))


def test_a_full_disk_is_one_sentence(tmp_path, monkeypatch):
    class Full:
        def write(self, data):
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(streamed.tempfile, "TemporaryFile", lambda prefix: Full())
    path = written(tmp_path, "jsonl")
    with (
        using(memory="160KB"),
        pytest.raises(
            StoreError, match=r"no room for what is read \(no space left on device\).*TMPDIR"
        ),
    ):
        coterie.read(path)


def test_counts_that_outgrow_the_memory_are_made_again(monkeypatch):
    from coterie.represent import terms as counting

    monkeypatch.setattr(counting, "_TOKENS", 300)
    held = Terms().fit_transform(LINES)
    monkeypatch.setattr(counting, "_SHARE", 0.0)
    found = counting.Counted(tuple(LINES), words_of, str)
    assert not found.held
    assert not found.blocks
    assert (Terms().fit_transform(LINES) != held).nnz == 0


def test_counts_of_new_documents_are_refused_where_they_do_not_fit():
    fitted = Terms().fit(LINES)
    with (
        using(memory="20KB"),
        pytest.raises(DataError, match=r"The [\d,]+ counts of [\d,]+ terms in 400 documents takes"),
    ):
        fitted.transform(LINES)
