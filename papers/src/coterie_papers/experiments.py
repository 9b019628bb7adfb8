"""Published experiments, one file each: data, settings, the paper's numbers, and the relations that must hold."""

from __future__ import annotations

import difflib
import importlib

from coterie.core.errors import ParameterError
from coterie_papers.experiment import OWN, Experiment

MODULES: dict[str, str] = {
    "samples": "coterie_papers.samples",
    "defaults": "coterie_papers.defaults",
    "sic-ner": "coterie_papers.sic_ner",
    "sic-audio": "coterie_papers.sic_audio",
    "sic-vowels": "coterie_papers.sic_vowels",
    "sic-synonyms": "coterie_papers.sic_synonyms",
    "sic-parameters": "coterie_papers.sic_parameters",
    "sic-convergence": "coterie_papers.sic_convergence",
    "sic-confidence": "coterie_papers.sic_confidence",
    "sic-scores": "coterie_papers.sic_scores",
    "sic-forest": "coterie_papers.sic_forest",
    "sic-sequential": "coterie_papers.sic_sequential",
    "smyth-hmms": "coterie_papers.smyth_hmms",
    "control-charts": "coterie_papers.control_charts",
    "japanese-vowels": "coterie_papers.japanese_vowels",
    "character-trajectories": "coterie_papers.character_trajectories",
    "segmentation": "coterie_papers.segmentation",
    "gaussians-with-outliers": "coterie_papers.gaussians_with_outliers",
    "kl-estimation": "coterie_papers.kl_estimation",
    "speakers": "coterie_papers.speakers",
    "comraf-newsgroups": "coterie_papers.comraf_newsgroups",
    "comraf-mail": "coterie_papers.comraf_mail",
    "comraf-papers": "coterie_papers.comraf_papers",
    "comraf-genre": "coterie_papers.comraf_genre",
    "comraf-images": "coterie_papers.comraf_images",
    "comraf-schedules": "coterie_papers.comraf_schedules",
    "semi-supervised": "coterie_papers.semi_supervised",
    "label-noise": "coterie_papers.label_noise",
    "interactive-sentiment": "coterie_papers.interactive_sentiment",
    "choose-graph": "coterie_papers.choose_graph",
    "next-question": "coterie_papers.next_question",
    "core-names": "coterie_papers.core_names",
    "core-rerank": "coterie_papers.core_rerank",
    "topic-of-week": "coterie_papers.topic_of_week",
    "rankings": "coterie_papers.rankings",
    "genres": "coterie_papers.genres",
    "ttmm-toy": "coterie_papers.ttmm_toy",
    "reuters-features": "coterie_papers.reuters_features",
    "nntr-ranks": "coterie_papers.nntr_ranks",
    "lexical-substitution": "coterie_papers.lexical_substitution",
    "two-task": "coterie_papers.two_task",
    "epc": "coterie_papers.epc",
    "f1-tests": "coterie_papers.f1_tests",
    "mates-two-languages": "coterie_papers.mates_two_languages",
    "mates-three-languages": "coterie_papers.mates_three_languages",
    "view-clusters": "coterie_papers.view_clusters",
    "two-samples": "coterie_papers.two_samples",
}
_NEAR = 3  # names that are said to be near


def find(name: str) -> Experiment:
    """The experiment of that name; where there is none, the sentence names near ones or says where all are listed."""
    if name not in MODULES:
        begun = [one for one in MODULES if one.startswith(name)]
        near = (
            begun
            if 0 < len(begun) <= _NEAR
            else difflib.get_close_matches(name, MODULES, n=_NEAR, cutoff=0.8)
        )
        hint = (
            f"Did you mean {' or '.join(near)}?" if near else "`coterie reproduce` lists them all."
        )
        raise ParameterError(f"There is no experiment '{name}'. {hint}")
    experiment: Experiment = importlib.import_module(MODULES[name]).EXPERIMENT
    return experiment


def every() -> list[Experiment]:
    """All experiments by work, those of our own last."""
    found = [find(name) for name in MODULES]
    works = list(dict.fromkeys(one.work for one in found if one.work != OWN))
    return sorted(found, key=lambda one: works.index(one.work) if one.work != OWN else len(works))
