"""Sessions whose file was damaged, anywhere in it: one sentence, or a session that goes on; never a traceback."""

from __future__ import annotations

import copy
import json

import pytest
from tests.oracles.interactive import marks, reviews

from coterie.core.errors import CoterieError, DataError
from coterie.organize.comraf.interactive import Session

DATA = {"words": reviews(), "marks": marks()}
ODD = (None, 5, -1, "x", [], {}, [5], {"x": 5}, [["x"]])


def review(path=None) -> Session:
    session = (
        Session(DATA, path=path)
        .choose_groups(2, ["praise", "blame"])
        .choose_types("words", "marks")
    )
    session.draft("good", to=1, type="words").draft("bad", to=2, type="words").undo().draft(
        "bad", to=2, type="words"
    )
    return session.seed().run().delete("good").add("film", to=2).add("great", to=1)


@pytest.fixture(scope="module")
def record() -> dict:
    return json.loads(review().to_json())


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"status": "nope"}, "its 'status' is not of the form"),
        ({"status": ["review"]}, "its 'status' is not of the form"),
        ({"settings": {"speed": 3}}, "has no option 'speed'"),
        ({"settings": {"max_iter": None}}, "max_iter must be"),
        ({"settings": {"max_iter": [2]}}, "max_iter cannot be"),
        ({"settings": None}, "its 'settings'"),
        ({"log": None}, "its 'log'"),
        ({"log": []}, "there is no entry in it"),
        ({"log": [{"do": "begin"}, {"do": "dance"}]}, "entry 2 is no step that can be there"),
        (
            {"log": [{"do": "begin"}, {"do": "groups", "k": 2}]},
            "entry 2 is no step that can be there",
        ),
        (
            {"log": [{"do": "begin"}, {"do": "undo", "back": 7}]},
            "entry 2 takes back more than was done",
        ),
        ({"log": [{"do": "begin"}, 5]}, "entry 2 is no step that can be there"),
        ({"log": [{"do": "begin"}]}, "does not lead to where it stands"),
        ({"tables": {}}, "types of features are not those of its tables"),
        ({"seed_groups": {"words": []}}, "are not of 2 groups"),
        ({"given": {}}, "not those that were given"),
        ({"doc_cluster": []}, "its 'doc_cluster'"),
        ({"doc_cluster": {"review 0": 2}}, "a group that is none of the 2"),
        ({"history": []}, "it has no history"),
        ({"base": {"covered": 3}}, "its 'base' has 'covered'"),
        ({"iteration": 4, "base": {"iteration": 1}}, "does not lead to where it stands"),
        ({"k": True}, "its 'k'"),
    ],
)
def test_what_is_damaged_is_said(record, tmp_path, change, sentence):
    path = tmp_path / "s.json"
    path.write_text(json.dumps({**record, **change}), encoding="utf-8")
    with pytest.raises(DataError, match=sentence) as caught:
        Session.load(path, DATA)
    assert "session 's.json'" in str(caught.value)
    assert str(caught.value).endswith(".")


def test_features_that_are_not_there_are_said(record, tmp_path):
    path = tmp_path / "s.json"
    path.write_text(json.dumps(record).replace('"great"', '"graet"'), encoding="utf-8")
    with pytest.raises(
        DataError,
        match=r"is damaged: 'graet' is not among the words of the members\. Near it: great",
    ):
        Session.load(path, DATA)


def places(value, at=()):
    """Every place in a record, of long lists and mappings the first."""
    yield at
    if isinstance(value, (dict, list)):
        for key in [*value][:20] if isinstance(value, dict) else range(min(len(value), 12)):
            yield from places(value[key], (*at, key))


def test_damage_anywhere_is_one_sentence_or_none(record, tmp_path):
    """What can be loaded can be looked at, gone on with and undone."""
    path = tmp_path / "s.json"
    refused = list[str]()
    tried = 0
    for number, where in enumerate(at for at in places(record) if at):
        odd = ODD[number % len(ODD)]
        broken = copy.deepcopy(record)
        holder = broken
        for key in where[:-1]:
            holder = holder[key]
        if number % 7 == 0:
            del holder[where[-1]]
        else:
            holder[where[-1]] = odd
        path.write_text(json.dumps(broken), encoding="utf-8")
        tried += 1
        try:
            session = Session.load(path, DATA)
        except CoterieError as error:
            refused.append(str(error))
            continue
        session.tell()
        session.review("words")
        session.export()
        session.to_json()
        session.undo().accept()
    assert tried > 200
    assert len(refused) > tried / 2
    assert not [sentence for sentence in refused if "\n" in sentence]


def test_a_log_that_is_none_is_one_sentence():
    with pytest.raises(DataError, match="A log of a session is damaged: entry 1 is no step"):
        Session.of_log(DATA, [{"do": "groups", "k": 2, "names": []}])
    with pytest.raises(DataError, match="entry 2 is no step"):
        Session.of_log(DATA, [{"do": "begin"}, None])
