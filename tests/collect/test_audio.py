"""Sound: folders, indexes, intervals of long recordings, other rates and channels, and files that are no sound."""

from __future__ import annotations

import sys
import wave
from pathlib import Path

import numpy as np
import pytest
import soundfile

from coterie.collect import read_audio
from coterie.collect.audio import is_audio_folder
from coterie.collect.columns import Named
from coterie.collect.files import load
from coterie.collect.recordings import is_interval_table
from coterie.collect.waves import header_of, pieces_of
from coterie.core.errors import DataError, Interrupted, MissingExtra, ParameterError
from coterie.core.workplace import Silent, using


def tone(
    seconds: float = 0.5, hz: float = 440.0, rate: int = 8000, loud: float = 0.5
) -> np.ndarray:
    return loud * np.sin(2 * np.pi * hz * np.arange(round(seconds * rate)) / rate)


def write(folder: Path, files: dict[str, np.ndarray], rate: int = 8000) -> Path:
    for name, samples in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        soundfile.write(folder / name, samples, rate)
    return folder


@pytest.fixture
def without_soundfile(monkeypatch):
    """A base install: importing soundfile fails."""
    monkeypatch.setitem(sys.modules, "soundfile", None)


def test_a_folder_is_read_in_a_fixed_order(tmp_path):
    waves = {
        "b.wav": tone(0.3),
        "a.flac": tone(0.5),
        "deep/er/c.ogg": tone(1.0),
        "D.WAV": tone(0.1),
        "e.aiff": tone(0.2),
    }
    write(tmp_path, waves)
    (tmp_path / "README.md").write_text("Not sound.")
    found = read_audio(tmp_path)
    assert list(found.ids) == ["D.WAV", "a.flac", "b.wav", "e.aiff", "deep/er/c.ogg"]
    assert list(found.cards["file"]) == list(found.ids)
    sound = found.view("sound")
    assert (sound.rate, sound.names, sound.ordered) == (8000, ("amplitude",), True)
    assert sound.values.dtype == np.float64
    assert sound.lengths.tolist() == [800, 4000, 2400, 1600, 8000]
    assert np.allclose(sound[1][:, 0], waves["a.flac"], atol=1 / 32768)
    assert np.abs(sound.values).max() <= 1
    assert found.kind == "sequences"
    assert found.notes == ()
    assert found.name == tmp_path.name


def test_sub_folders_become_truth(tmp_path):
    found = read_audio(
        write(tmp_path, {"dog/1.wav": tone(), "cat/1.wav": tone(), "cat/2.wav": tone()})
    )
    assert found.truth["folder"].tolist() == ["cat", "cat", "dog"]
    assert not read_audio(tmp_path / "cat").truth


def test_mp3_is_read(tmp_path):
    write(tmp_path, {"a.mp3": tone(1.0, rate=16000)}, 16000)
    sound = read_audio(tmp_path).view()
    assert sound.rate == 16000
    assert abs(sound.lengths[0] - 16000) < 3000
    assert 0.3 < np.abs(sound.values).max() < 0.7


def test_one_file_is_one_member(tmp_path):
    write(tmp_path, {"talk.wav": tone()})
    assert read_audio(tmp_path / "talk.wav").ids == ("talk.wav",)


class TestIndex:
    @pytest.fixture
    def digits(self, tmp_path):
        write(
            tmp_path,
            {
                f"audio/{d}_{who}.flac": tone(0.1 + d / 10)
                for d in range(3)
                for who in ("ann", "bo")
            },
        )
        rows = [f"audio/{d}_{who}.flac,{d},{who}" for who in ("bo", "ann") for d in range(3)]
        (tmp_path / "index.csv").write_text("\n".join(["file,digit,speaker", *rows]))
        return tmp_path

    @pytest.mark.parametrize("inside", ["", "audio"])
    def test_columns_are_cards_and_truth(self, digits, inside):
        found = read_audio(digits / inside, named=Named(truth=("digit",)))
        assert found.truth["digit"].tolist() == [0, 0, 1, 1, 2, 2]
        assert list(found.cards["speaker"]) == ["ann", "bo"] * 3
        assert "digit" not in found.cards
        assert found.view().lengths.tolist() == [800, 800, 1600, 1600, 2400, 2400]
        assert any("'index.csv' tells 'digit', 'speaker'" in note for note in found.notes)

    def test_without_a_name_nothing_is_truth(self, digits):
        found = read_audio(digits)
        assert not found.truth
        assert set(found.cards) == {"file", "digit", "speaker"}

    def test_named_columns_must_be_there(self, digits):
        with pytest.raises(
            DataError,
            match=r"'index.csv' has no column 'word' \(named as truth\); it has digit, speaker",
        ):
            read_audio(digits, named=Named(truth=("word",)))
        with pytest.raises(DataError, match="cannot be the id"):
            read_audio(digits, named=Named(id="speaker"))

    def test_an_id_column_is_the_id(self, digits):
        text = (digits / "index.csv").read_text().splitlines()
        rows = [line + "," + ("id" if i == 0 else f"m{i}") for i, line in enumerate(text)]
        (digits / "index.csv").write_text("\n".join(rows))
        assert read_audio(digits).ids == ("m4", "m1", "m5", "m2", "m6", "m3")

    def test_files_and_rows_that_do_not_meet_are_told(self, digits):
        write(digits, {"audio/new.wav": tone()})
        with (digits / "index.csv").open("a") as file:
            file.write("\naudio/gone.wav,7,cy")
        found = read_audio(digits, named=Named(truth=("speaker",)))
        assert found.truth["speaker"].tolist()[-1] == ""
        assert "1 recording is not listed in 'index.csv': audio/new.wav" in found.notes
        assert "1 of 7 rows of 'index.csv' name no file that is there." in found.notes

    def test_a_column_of_numbers_is_no_column_of_files(self, tmp_path):
        write(tmp_path, {"0.wav": tone(0.1), "1.wav": tone(0.2)})
        (tmp_path / "index.csv").write_text("digit,filename\n1,0\n0,1\n")
        assert list(read_audio(tmp_path).cards["digit"]) == ["1", "0"]

    def test_a_table_of_something_else_is_no_index(self, tmp_path):
        write(tmp_path, {"a.wav": tone(), "b.wav": tone()})
        (tmp_path / "index.csv").write_text("page,title\n1,one\n2,two\n")
        assert set(read_audio(tmp_path).cards) == {"file"}


class TestIntervals:
    @pytest.fixture
    def talk(self, tmp_path):
        steps = np.repeat(np.arange(10) / 10, 4000)  # half a second each of 0.0, 0.1, ... at 8 kHz
        return write(tmp_path, {"talks/one.wav": steps, "talks/two.flac": -steps})

    def listed(self, talk: Path, *rows: str, header: str = "file,start,end,word") -> Path:
        table = talk / "words.csv"
        table.write_text("\n".join([header, *rows, ""]))
        return table

    def test_every_row_is_a_member(self, talk):
        rows = (
            "talks/two.flac,0.5,1.0,neg",
            "talks/one.wav,1.05,1.45,pos",
            "talks/one.wav,4.5,5,last",
        )
        table = self.listed(talk, *rows)
        found = read_audio(table, named=Named(truth=("word",)))
        assert found.ids == (
            "talks/two.flac 0.5-1",
            "talks/one.wav 1.05-1.45",
            "talks/one.wav 4.5-5",
        )
        sound = found.view()
        assert sound.lengths.tolist() == [4000, 3200, 4000]
        assert [float(np.round(w.mean(), 3)) for w in sound] == [-0.1, 0.2, 0.9]
        assert found.truth["word"].tolist() == ["neg", "pos", "last"]
        assert list(found.cards["start"]) == ["0.5", "1.05", "4.5"]
        assert is_interval_table(load(table).table)

    def test_files_may_lie_in_a_folder_given_apart(self, talk, tmp_path_factory):
        apart = tmp_path_factory.mktemp("apart") / "words.tsv"
        apart.write_text("id\tFile\tBegin\tStop\nx\tone.wav\t0.5\t1\ny\ttwo.flac\t0.5\t1\n")
        found = read_audio(talk / "talks", intervals=apart)
        assert found.ids == ("x", "y")
        assert np.allclose([w.mean() for w in found.view()], [0.1, -0.1], atol=1e-4)

    def test_intervals_of_one_file_need_no_column_of_files(self, talk):
        table = self.listed(talk, "0.5,1.0", "1.0,1.5", header="start,end")
        found = read_audio(talk / "talks" / "one.wav", intervals=table)
        assert found.ids == ("one.wav 0.5-1", "one.wav 1-1.5")

    def test_an_index_of_intervals_in_the_folder(self, talk):
        self.listed(
            talk, "talks/one.wav,0.5,1,a", "talks/one.wav,1,1.5,b", "talks/two.flac,1,1.5,b"
        ).rename(talk / "index.csv")
        assert len(read_audio(talk)) == 3

    def test_what_lies_outside_is_cut_or_left_out(self, talk):
        rows = ("talks/one.wav,4.5,6.0,cut", "talks/one.wav,7,8,gone", "talks/one.wav,1,1.01,short")
        rows += ("talks/one.wav,2,1,back", "talks/none.wav,1,2,missing")
        found = read_audio(self.listed(talk, *rows))
        assert found.ids == ("talks/one.wav 4.5-6",)
        assert found.view().lengths.tolist() == [4000]
        said = " | ".join(found.notes)
        assert "1 interval was cut at the end of the recording: row 0 (talks/one.wav 4.5-6)" in said
        assert (
            "3 recordings were left out, empty or shorter than 25 ms: row 1 (talks/one.wav 7-8), row 2"
            in said
        )
        assert (
            "1 recording was left out for a file that cannot be read as sound: row 4 (talks/none.wav 1-2)"
            in said
        )

    def test_intervals_that_repeat_have_ids_of_their_own(self, talk):
        found = read_audio(self.listed(talk, *["talks/one.wav,1,2,a"] * 3))
        assert found.ids[1:] == ("talks/one.wav 1-2 (2)", "talks/one.wav 1-2 (3)")

    @pytest.mark.parametrize(
        ("rows", "header", "says"),
        [
            (
                ["talks/one.wav,1,x,a", "talks/one.wav,1,2,a"],
                "file,start,end,word",
                "Column 'end' of 'words.csv' must hold seconds",
            ),
            (
                ["talks/one.wav,1,2,a", "talks/one.wav,-1,2,a"],
                "file,start,end,word",
                "row 1 .counting from 0. does not",
            ),
            (
                ["talks/one.wav,1,,a", "talks/one.wav,1,2,a"],
                "file,start,end,word",
                "row 0 .counting from 0. does not",
            ),
            (
                ["talks/one.wav,1,2"],
                "file,start,word",
                "lists no intervals: it has no column end; it has file, start, word",
            ),
            ([], "file,start,end", "has a header and no rows"),
        ],
    )
    def test_tables_that_are_refused(self, talk, rows, header, says):
        with pytest.raises(DataError, match=says):
            read_audio(self.listed(talk, *rows, header=header))


class TestWhatIsChanged:
    def test_other_rates_are_resampled_to_the_most_common(self, tmp_path):
        write(tmp_path, {"a.wav": tone(), "b.wav": tone()})
        write(tmp_path, {"c.wav": tone(rate=44100)}, 44100)
        found = read_audio(tmp_path)
        sound = found.view()
        assert sound.rate == 8000
        assert sound.lengths.tolist() == [4000, 4000, 4000]
        assert np.abs(sound[2] - sound[0])[200:-200].max() < 2e-3
        assert found.notes == ("1 recording was resampled to 8000 samples per second: c.wav",)

    def test_a_rate_can_be_asked_for(self, tmp_path):
        write(tmp_path, {"a.wav": tone(rate=16000)}, 16000)
        sound = read_audio(tmp_path, rate=8000).view()
        assert (sound.rate, sound.lengths.tolist()) == (8000, [4000])
        assert np.abs(sound[0][:, 0] - tone())[200:-200].max() < 2e-3

    def test_of_two_rates_the_lower_is_taken(self, tmp_path):
        write(write(tmp_path, {"a.wav": tone()}), {"b.wav": tone(rate=16000)}, 16000)
        assert read_audio(tmp_path).view().rate == 8000

    def test_channels_are_averaged(self, tmp_path):
        both = np.stack([tone(), -0.5 * tone()], axis=1)
        found = read_audio(write(tmp_path, {"a.wav": both}))
        assert np.allclose(found.view()[0][:, 0], both.mean(axis=1), atol=1e-4)
        assert found.notes == (
            "1 recording has several channels, of which the mean was taken: a.wav",
        )

    def test_silence_is_kept_and_told(self, tmp_path):
        found = read_audio(write(tmp_path, {"a.wav": np.zeros(4000), "b.wav": tone()}))
        assert len(found) == 2
        assert found.notes == ("1 recording is silent throughout, and kept: a.wav",)


class TestWhatIsLeftOut:
    def test_broken_and_short_files_are_named(self, tmp_path):
        write(tmp_path, {"good.wav": tone(), "empty.wav": np.zeros(0), "short.flac": tone(0.02)})
        (tmp_path / "text.wav").write_text("Once upon a time there was a text that was renamed.")
        (tmp_path / "nothing.flac").write_bytes(b"")
        (tmp_path / "cut.wav").write_bytes((tmp_path / "good.wav").read_bytes()[:20])
        soundfile.write(tmp_path / "nan.wav", np.full(4000, np.nan), 8000, subtype="FLOAT")
        found = read_audio(tmp_path)
        assert found.ids == ("good.wav",)
        assert np.array_equal(found.view()[0], read_audio(tmp_path / "good.wav").view()[0])
        assert set(found.notes) == {
            "3 recordings were left out for a file that cannot be read as sound: cut.wav, nothing.flac, text.wav",
            "2 recordings were left out, empty or shorter than 25 ms: empty.wav, short.flac",
            "1 recording was left out for samples that are no finite numbers: nan.wav",
        }

    def test_a_file_whose_samples_end_early_keeps_what_is_there(self, tmp_path):
        write(tmp_path, {"a.wav": tone(), "b.wav": tone(), "c.wav": tone(0.3)})
        whole = (tmp_path / "b.wav").read_bytes()
        (tmp_path / "b.wav").write_bytes(whole[:2044])
        found = read_audio(tmp_path)
        assert found.view().lengths.tolist() == [4000, 1000, 2400]
        assert np.allclose(found.view()[2][:, 0], tone(0.3), atol=1e-4)

    def test_nothing_that_can_be_used_is_an_error(self, tmp_path):
        (tmp_path / "a.wav").write_text("no sound")
        with pytest.raises(
            DataError, match=r"No recording of .* can be used: 1 recording was left out"
        ):
            read_audio(tmp_path)

    def test_folders_without_sound(self, tmp_path):
        with pytest.raises(DataError, match=r"has no sound files; the suffixes read are \.wav"):
            read_audio(tmp_path)
        with pytest.raises(DataError, match="There is no file or folder"):
            read_audio(tmp_path / "none")

    @pytest.mark.parametrize("rate", [0, -1, 0.5, 8000.5, "8k"])
    def test_rates_that_are_none(self, tmp_path, rate):
        with pytest.raises(ParameterError, match="rate must be a whole number"):
            read_audio(write(tmp_path, {"a.wav": tone()}), rate=rate)

    def test_what_does_not_fit_is_refused_before_it_is_read(self, tmp_path, monkeypatch):
        write(tmp_path, {"a.wav": tone(), "b.wav": tone()})
        monkeypatch.setattr(
            "coterie.collect.audio.pieces_of", lambda *given: pytest.fail("it was read")
        )
        with (
            using(memory="60KB"),
            pytest.raises(
                DataError, match=r"The sound of 2 recordings takes 64\.0 KB and 60\.0 KB"
            ),
        ):
            read_audio(tmp_path)

    def test_a_stop_is_heard(self, tmp_path):
        class Stops(Silent):
            def wants_stop(self) -> bool:
                return True

        with using(watch=Stops()), pytest.raises(Interrupted):
            read_audio(write(tmp_path, {"a.wav": tone(), "b.wav": tone()}))


class TestWithoutSoundfile:
    @pytest.mark.parametrize("subtype", ["PCM_U8", "PCM_16", "PCM_24", "PCM_32", "FLOAT", "DOUBLE"])
    def test_wav_is_read_as_soundfile_reads_it(self, tmp_path, subtype, request):
        samples = np.stack([tone(), 0.3 * tone(hz=100)], axis=1)
        soundfile.write(tmp_path / "a.wav", samples, 8000, subtype=subtype)
        expected = pieces_of(tmp_path / "a.wav", [(0, 4000), (100, 900)])
        told = header_of(tmp_path / "a.wav")
        request.getfixturevalue("without_soundfile")
        found = pieces_of(tmp_path / "a.wav", [(0, 4000), (100, 900)])
        assert header_of(tmp_path / "a.wav") == told
        for ours, theirs in zip(found, expected, strict=True):
            assert np.allclose(ours, theirs, atol=1e-12)

    def test_a_wav_of_the_standard_library(self, tmp_path, without_soundfile):
        samples = (tone() * 32767).astype("<i2")
        with wave.open(str(tmp_path / "a.wav"), "wb") as file:
            file.setnchannels(1)
            file.setsampwidth(2)
            file.setframerate(8000)
            file.writeframes(samples.tobytes())
        assert np.array_equal(read_audio(tmp_path).view()[0][:, 0], samples / 32768)

    def test_other_formats_name_the_extra(self, tmp_path, request):
        write(tmp_path, {"a.flac": tone()})
        request.getfixturevalue("without_soundfile")
        with pytest.raises(MissingExtra, match=r"coterie\[audio\]"):
            read_audio(tmp_path)

    def test_text_called_wav(self, tmp_path, without_soundfile):
        (tmp_path / "a.wav").write_text("no sound")
        with pytest.raises(DataError, match="No recording of"):
            read_audio(tmp_path)


def test_what_is_an_audio_folder(tmp_path):
    assert not is_audio_folder(tmp_path)
    write(tmp_path, {"a.wav": tone(), "in/b.flac": tone()})
    (tmp_path / "README.md").write_text("About.")
    (tmp_path / "index.csv").write_text("file\na.wav\n")
    assert is_audio_folder(tmp_path)
    for name in "xyz":
        (tmp_path / f"{name}.txt").write_text("A document.")
    assert not is_audio_folder(tmp_path)
