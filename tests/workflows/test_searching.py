"""A collection searched: terms and stems, unknown words, learned spaces, expansion, and measures on topics."""

from __future__ import annotations

import numpy as np
import pytest

from coterie import Collection, Text
from coterie.collect import texts
from coterie.core.errors import DataError, ParameterError
from coterie.judge import average_precision
from coterie.organize.retrieval import Index
from coterie.workflows.search_choices import Search
from coterie.workflows.search_judged import evaluate, rankings
from coterie.workflows.searching import Searcher

PETS = [
    "The cat was sleeping on the mat, and it was a good cat.",
    "A dog barked at the postman in the street.",
    "Dogs and cats are the pets of the house.",
    "The stock market fell, and the bank was to blame.",
    "",
    "The river bank was flooded by the rain of the night.",
]


def two_topics(n=80, seed=0):
    """Texts of two topics whose words come in two halves that seldom meet in one text; and the topic of each."""
    rng = np.random.default_rng(seed)
    words = [
        ["tea", "kettle", "teapot", "oolong", "saucer", "leaves"],
        ["motor", "wheel", "brake", "gear", "piston", "axle"],
    ]
    topic = np.arange(n) % 2
    found = [
        " ".join([*rng.choice(words[t], 3), *rng.choice(["alpha", "beta", "gamma", "delta"], 3)])
        for t in topic
    ]
    return found, topic


def test_words_are_found_by_their_stems_and_marked():
    found = Searcher.over(PETS).search("sleeps cats")
    assert [hit.position for hit in found.hits] == [0, 2]
    assert (found.matching, found.members) == (2, 6)
    assert found.words == (("sleeps", 1), ("cats", 2))
    assert [text for text, mark in found.hits[0].snippet if mark] == ["cat", "sleeping", "cat"]
    assert "2 of 6 members" in found.sentence()
    assert "here they are, by Okapi BM25" in found.sentence()


def test_other_languages_are_not_stemmed():
    french = ["le chat dort sur le tapis", "les chats dorment", "un chien court dans la rue"]
    searcher = Searcher.over(french)
    assert not searcher.dictionary.stemmed
    assert [hit.position for hit in searcher.search("chat").hits] == [0]
    assert {
        hit.position for hit in Searcher.over(french, Search(stem="porter")).search("chat").hits
    } == {0, 1}


def test_function_words_count_only_where_there_is_nothing_else():
    searcher = Searcher.over(PETS)
    assert searcher.search("the dog of the house").words == (("dog", 2), ("house", 1))
    alone = searcher.search("the of")
    assert alone.words == (("the", 5), ("of", 2))
    assert alone.notes == (
        "'the' and 'of' are function words, which most members hold: they tell little apart, and scores are near 0.",
    )
    assert (
        searcher.search("the")
        .notes[0]
        .startswith("'the' is a function word, which most members hold: it tells little apart")
    )
    assert searcher.search("the dog").notes == ()


def test_unknown_words_are_said_with_what_may_be_meant():
    found = Searcher.over(PETS).search("postmen zzzz cat")
    assert found.notes == (
        "No member holds 'postmen'; did you mean postman?",
        "No member holds 'zzzz'.",
    )
    nothing = Searcher.over(PETS).search("xylophone")
    assert len(nothing) == 0
    assert nothing.sentence() == "Nothing in 'texts' matches 'xylophone'."


def test_words_of_the_same_stem_are_meant_first():
    searcher = Searcher.over(
        ["the launch was late", "the launched boat", "lunches in the launch", "the munches"],
        Search(stem="none"),
    )
    assert searcher.search("launches").notes == (
        "No member holds 'launches'; did you mean launch?",
    )
    assert searcher.search("lunched").notes == ("No member holds 'lunched'; did you mean lunches?",)


def test_hits_that_repeat_another_are_folded():
    searcher = Searcher.over(
        [
            "green tea is good",
            "black tea",
            "green  tea is good\n",
            "tea of the night",
            "green tea is good",
            "",
        ]
    )
    found = searcher.search("green tea", most=2)
    assert [hit.position for hit in found.hits] == [0, 1]
    assert found.hits[0].repeats == ("2", "4")
    assert found.hits[0].copies() == "and 2 that repeat it"
    assert found.hits[1].copies() == ""
    assert found.matching == 5
    assert found.record()["hits"][0]["repeated_by"] == ["2", "4"]
    whole = searcher.search("green tea", most=9)
    assert len(whole) == 3
    assert "here they are" in whole.sentence()


def test_a_member_called_by_its_file_is_named_once():
    collection = Collection(
        ids=["a.txt"],
        views={"text": Text.of(["green tea"])},
        cards={"file": ["a.txt"], "date": ["May"]},
    )
    assert Searcher.over(collection).search("tea").hits[0].about == (("date", "May"),)


def test_scores_are_those_of_the_index():
    searcher = Searcher.over(PETS, Search(scorer="tfidf"))
    scores = searcher.scores(["cat", "bank dog"])
    assert np.isneginf(scores[:, 4]).all()
    columns = [searcher.dictionary.columns[term] for term in ("bank", "dog")]
    row = np.zeros((1, len(searcher.dictionary.terms)))
    row[0, columns] = 1
    assert np.array_equal(scores[1:], Index(scorer="tfidf").fit(searcher.counts).scores(row))


def test_cards_are_searched_and_shown():
    collection = Collection(
        ids=["a", "b"],
        views={"text": Text.of(["hello there", "nothing here"])},
        cards={
            "subject": ["Lunch plans", "Budget"],
            "sender": ["ann@x.org", "bob@y.org"],
            "date": ["1 May", ""],
        },
    )
    searcher = Searcher.over(collection, groups={"a": "food"})
    hit = searcher.search("lunch").hits[0]
    assert hit.title == (("Lunch", True), (" plans", False))
    assert hit.about == (("sender", "ann@x.org"), ("date", "1 May"), ("group", "food"))
    assert [one.id for one in searcher.search("bob").hits] == ["b"]
    assert searcher.search("bob").record()["hits"][0]["sender"] == "bob@y.org"


def test_a_learned_space_finds_members_without_a_word_of_the_query():
    documents, topic = two_topics()
    plain = Searcher.over(documents)
    both = Searcher.over(documents, Search(weight=0.5), model="lsa")
    assert both.how == "Okapi BM25 (weight 0.5) and LSA"
    found = both.search("kettle", most=40)
    held = np.array(["kettle" in text for text in documents])
    assert len(found) == 40
    assert any(not hit.words for hit in found.hits)
    rest = [hit.position for hit in found.hits if not hit.words][:12]
    assert np.mean(topic[rest] == 0) > 0.9
    assert len(plain.search("kettle", most=40)) == held.sum() < 40
    wanted = topic == 0
    gain = [average_precision(one.scores(["kettle"])[0], wanted) for one in (plain, both)]
    assert gain[1] > gain[0]


def test_weight_one_is_words_alone():
    documents, _ = two_topics()
    words = Searcher.over(documents).search("kettle wheel", most=5)
    both = Searcher.over(documents, Search(weight=1.0), model="lsa").search("kettle wheel", most=5)
    assert [hit.position for hit in words.hits] == [hit.position for hit in both.hits]


def test_expansion_adds_words_of_the_best():
    documents, _ = two_topics()
    found = Searcher.over(documents, Search(expand=True)).search("kettle", most=60)
    assert found.added
    assert "the" not in found.added
    assert len(found) > found.matching
    assert found.record()["added"] == list(found.added)


def judged(topic):
    topics = {"1": "kettle", "2": "wheel", "3": "unheard"}
    qrels = {
        str(number): {f"d{at}": int(topic[at] == number - 1) for at in range(len(topic))}
        for number in (1, 2)
    }
    return topics, {**qrels, "3": {"d0": 0}, "9": {"d0": 1}}


def test_evaluation_is_what_judge_says():
    documents, topic = two_topics()
    searcher = Searcher.over(
        texts(documents, [f"d{at}" for at in range(len(documents))]),
        Search(weight=0.5),
        model="lsa",
    )
    topics, qrels = judged(topic)
    found = evaluate(searcher, topics, qrels)
    assert list(found.systems) == ["Okapi BM25", "Okapi BM25 (weight 0.5) and LSA"]
    wanted = np.mean(
        [
            average_precision(searcher.scores([query])[0], topic == at)
            for at, query in enumerate(["kettle", "wheel"])
        ]
    )
    last = list(found.systems.values())[-1]
    assert last.mean_ap == pytest.approx(wanted)
    assert last.mean_ap > found.systems["Okapi BM25"].mean_ap
    assert (last.queries, last.skipped) == (2, 1)
    assert found.notes == (
        "1 query has no relevant document and is left out.",
        "1 query has no known word, and finds nothing.",
    )
    assert found.rows()[0][0] == "mean average precision"
    assert found.test is not None
    assert "2 queries on 80 members" in found.sentences()[0]
    assert found.record()["systems"]["Okapi BM25"]["ap_per_query"]["3"] is None


def test_measured_is_what_a_search_lists():
    documents, topic = two_topics()
    searcher = Searcher.over(texts(documents, [f"d{at}" for at in range(80)]))
    qrels = {"1": {f"d{at}": int(topic[at] == 0) for at in range(80)}}
    found = next(iter(evaluate(searcher, {"1": "kettle"}, qrels).systems.values()))
    hits = searcher.search("kettle", most=80).hits
    right = average_precision(
        [hit.score for hit in hits], [topic[hit.position] == 0 for hit in hits], total=40
    )
    assert found.mean_ap == pytest.approx(right)
    assert found.mean_ap <= len(hits) / 40 < 0.5  # the others hold no word of it, and are not found


def test_relevant_documents_that_are_no_members_are_never_found():
    documents, _ = two_topics()
    searcher = Searcher.over(texts(documents, [f"d{at}" for at in range(80)]))
    full = evaluate(searcher, {"1": "kettle"}, {"1": {"d0": 1}})
    lost = evaluate(searcher, {"1": "kettle"}, {"1": {"d0": 1, "elsewhere": 1}})
    assert next(iter(lost.systems.values())).mean_ap == pytest.approx(
        next(iter(full.systems.values())).mean_ap / 2
    )
    assert lost.notes == ("1 relevant document is no member, and counts as never found.",)


def test_tuning_and_testing_are_kept_apart():
    documents, topic = two_topics()
    searcher = Searcher.over(texts(documents, [f"d{at}" for at in range(80)]), model="lsa")
    topics, qrels = judged(topic)
    development = ({"1": "oolong", "2": "brake"}, {key: qrels[key] for key in ("1", "2")})
    found = evaluate(searcher, topics, qrels, development=development)
    assert found.tuned == 2
    assert found.notes[0].startswith(
        "2 development queries are few to find a weight on: others could give another one"
    )
    assert found.weight == searcher.combined.weight_ < 1
    assert "was found on 2 development queries" in found.sentences()[1]
    with pytest.raises(DataError, match="topic '1' and topic '1' ask the same"):
        evaluate(searcher, topics, qrels, development=({"1": " Kettle"}, {"1": qrels["1"]}))
    allowed = evaluate(
        searcher,
        topics,
        qrels,
        development=({"1": " Kettle"}, {"1": qrels["1"]}),
        allow_overlap=True,
    )
    assert "may flatter" in allowed.notes[0]


def test_development_queries_without_a_word_are_passed_over():
    documents, topic = two_topics()
    searcher = Searcher.over(texts(documents, [f"d{at}" for at in range(80)]), model="lsa")
    topics, qrels = judged(topic)
    found = evaluate(
        searcher,
        topics,
        qrels,
        development=({"1": "oolong", "2": "42"}, {key: qrels[key] for key in ("1", "2")}),
    )
    assert found.tuned == 1
    with pytest.raises(DataError, match="No development query has a word"):
        evaluate(searcher, topics, qrels, development=({"2": "42"}, {"2": qrels["2"]}))


def test_rankings_are_those_of_the_search():
    documents, _ = two_topics()
    searcher = Searcher.over(documents)
    found = rankings(searcher, {"7": "kettle"}, most=3)
    assert [(member, pytest.approx(score)) for member, score in found["7"]] == [
        (hit.id, hit.score) for hit in searcher.search("kettle", most=3).hits
    ]


def test_what_is_refused():
    with pytest.raises(DataError, match="none of its 2 members holds a word"):
        Searcher.over(["12", "..."])
    with pytest.raises(DataError, match="has no text to search: it has the columns x0, x1"):
        Searcher.over([[1.0, 2.0], [3.0, 4.0]])
    searcher = Searcher.over(PETS)
    with pytest.raises(DataError, match="The query is empty"):
        searcher.search("  ")
    with pytest.raises(DataError, match="'42' has no word to search for"):
        searcher.search("42")
    with pytest.raises(ParameterError, match="most must be a whole number from 1"):
        searcher.search("cat", most=0)
    with pytest.raises(ParameterError, match="b must be from 0 to 1"):
        Searcher.over(PETS, Search(b=3.0))
    with pytest.raises(ParameterError, match="nothing to tune without a learned space"):
        searcher.tune(["cat"], [[0]])
    with pytest.raises(ParameterError, match="with must be lsa"):
        Searcher.over(PETS, model="word2vec")
    with pytest.raises(DataError, match="LSA needs words that some members share"):
        Searcher.over(["one", "two", "three"], model="lsa")
    with pytest.raises(DataError, match="No topic was judged"):
        evaluate(searcher, {"1": "cat"}, {"2": {"0": 1}})
    with pytest.raises(DataError, match="No relevant document is among the members"):
        evaluate(searcher, {"1": "cat"}, {"1": {"FT-1": 1}})


@pytest.mark.parametrize("model", ["lda", "ttmm"])
def test_topics_rank_members_without_a_word_of_the_query(model):
    documents, topic = two_topics(200)
    found = Searcher.over(documents, Search(weight=0.5), model=model).search("kettle", most=60)
    rest = [hit.position for hit in found.hits if not hit.words][:12]
    assert len(rest) == 12
    assert np.mean(topic[rest] == 0) > 0.8


@pytest.mark.filterwarnings("error")
def test_a_small_collection_has_no_more_themes_than_it_can_tell_apart():
    space = Searcher.over(two_topics(24)[0], model="ttmm").space
    assert (space.model.n_topics, space.model.n_themes) == (4, 8)


def test_a_network_ranks_by_its_relevance(monkeypatch):
    class Network:
        def fit(self, counts):
            self.seen = counts.shape
            return self

        def relevance(self, queries, members):
            assert queries.shape[1] == members.shape[1] == self.seen[1]
            return np.tile(np.arange(members.shape[0], dtype=float), (queries.shape[0], 1))

    monkeypatch.setattr("coterie.workflows.search_models._model", lambda name, settings: Network())
    documents, _ = two_topics()
    found = Searcher.over(documents, Search(weight=0.0), model="nntr").search("kettle", most=3)
    assert [hit.position for hit in found.hits] == [79, 78, 77]
    assert found.how == "Okapi BM25 (weight 0) and NNTR"
