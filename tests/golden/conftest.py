"""What commands and the page are asked about: a folder of small files, and a store of runs that were made of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.running import coterie
from tests.golden import small_files

_EXPLORED = (
    ("posts.jsonl", "--truth", "topic", "--nulls", 2),
    ("posts.jsonl", "--truth", "topic", "--k", 3, "--nulls", 0),
    ("flowers.csv", "--truth", "kind", "--nulls", 0),
    ("post", "--views", "north", "south", "--k", 6, "--nulls", 0),
)


@pytest.fixture(scope="session")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of small files, with the runs posts-1, posts-2, flowers-1 and post-1 in its store `runs`."""
    folder = tmp_path_factory.mktemp("golden")
    small_files.write_all(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("COTERIE_STORE", "runs")
        for words in _EXPLORED:
            said = coterie("explore", *words, "--progress", "silent")
            assert said.code == 0, said.err
    return folder
