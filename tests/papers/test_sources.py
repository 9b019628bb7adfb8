"""Data sets by their public names: every one that is needed is told, and those in installed packages are found."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from coterie_papers import experiments, sources
from coterie_papers.experiment import Trial
from coterie_papers.traces import recorded


@pytest.mark.parametrize("experiment", experiments.every(), ids=lambda one: one.name)
def test_what_is_needed_can_be_told(experiment) -> None:
    for need in experiment.needs:
        known = sources.SOURCES[sources.set_of(need)]
        said = sources.told(need)
        assert known.title in said
        assert known.get in said
        assert f"sub-folder '{sources.set_of(need)}'" in said


def test_a_list_of_what_to_get() -> None:
    said = sources.listed(["brown", "sequences/JapaneseVowels.npz"]).splitlines()
    assert said[0].endswith("COTERIE_DATA:")
    assert said[1].startswith("  - Brown corpus, tagged: get the NLTK data package 'brown'")
    assert said[2].startswith("  - the file JapaneseVowels.npz of Japanese Vowels")


@pytest.fixture
def aeon(tmp_path: Path, monkeypatch):
    """A package of that name with two cases of a set in each part."""
    package = tmp_path / "packages" / "aeon"
    place = package / "datasets" / "data" / "JapaneseVowels"
    place.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    head = "@problemName JapaneseVowels\n@timeStamps false\n@univariate false\n@dimensions 2\n@classLabel true 1 2\n@data\n"
    (place / "JapaneseVowels_TRAIN.ts").write_text(head + "1,2,3:4,5,6:1\n7,8:9,10:2\n")
    (place / "JapaneseVowels_TEST.ts").write_text(head + "1:2:2\n")
    monkeypatch.syspath_prepend(str(package.parent))
    monkeypatch.delenv("COTERIE_DATA", raising=False)
    sources._of_aeon.cache_clear()
    yield
    sources._of_aeon.cache_clear()
    sys.modules.pop("aeon", None)


def test_a_set_of_an_installed_package_is_found(aeon) -> None:
    trial = Trial(1, True)
    assert trial.has("sequences", "JapaneseVowels.npz")
    assert not trial.has("sequences", "SyntheticControl.npz")
    view, truth = recorded(trial, None, "JapaneseVowels", "train")
    assert np.array_equal(view.values[view.offsets[1] :], [[7, 9], [8, 10]])
    assert truth.tolist() == [0, 1]
    assert experiments.find("japanese-vowels").lacks() == ()
    assert experiments.find("control-charts").lacks() == ("sequences/SyntheticControl.npz",)


def test_a_folder_comes_before_a_package(aeon, tmp_path: Path) -> None:
    (tmp_path / "mine" / "sequences").mkdir(parents=True)
    file = tmp_path / "mine" / "sequences" / "JapaneseVowels.npz"
    file.write_bytes(b"")
    assert Trial(1, True, tmp_path / "mine").data("sequences", "JapaneseVowels.npz") == file
