"""Published experiments, one file each: data, settings, the paper's numbers, and the relations that must hold."""

from __future__ import annotations

import difflib
import importlib

from coterie.core.errors import ParameterError
from coterie.experiments.experiment import OWN, Experiment

MODULES: dict[str, str] = {
    "samples": "coterie.experiments.samples",
    "defaults": "coterie.experiments.defaults",
    "sic-ner": "coterie.experiments.sic_ner",
    "sic-audio": "coterie.experiments.sic_audio",
    "sic-vowels": "coterie.experiments.sic_vowels",
    "sic-synonyms": "coterie.experiments.sic_synonyms",
    "sic-parameters": "coterie.experiments.sic_parameters",
    "sic-convergence": "coterie.experiments.sic_convergence",
    "sic-confidence": "coterie.experiments.sic_confidence",
    "sic-scores": "coterie.experiments.sic_scores",
    "sic-forest": "coterie.experiments.sic_forest",
    "sic-sequential": "coterie.experiments.sic_sequential",
    "smyth-hmms": "coterie.experiments.smyth_hmms",
    "control-charts": "coterie.experiments.control_charts",
    "japanese-vowels": "coterie.experiments.japanese_vowels",
    "character-trajectories": "coterie.experiments.character_trajectories",
    "segmentation": "coterie.experiments.segmentation",
    "gaussians-with-outliers": "coterie.experiments.gaussians_with_outliers",
    "kl-estimation": "coterie.experiments.kl_estimation",
    "speakers": "coterie.experiments.speakers",
    "comraf-newsgroups": "coterie.experiments.comraf_newsgroups",
    "comraf-mail": "coterie.experiments.comraf_mail",
    "comraf-papers": "coterie.experiments.comraf_papers",
    "comraf-genre": "coterie.experiments.comraf_genre",
    "comraf-images": "coterie.experiments.comraf_images",
    "comraf-schedules": "coterie.experiments.comraf_schedules",
    "semi-supervised": "coterie.experiments.semi_supervised",
    "label-noise": "coterie.experiments.label_noise",
    "interactive-sentiment": "coterie.experiments.interactive_sentiment",
    "choose-graph": "coterie.experiments.choose_graph",
    "next-question": "coterie.experiments.next_question",
    "core-names": "coterie.experiments.core_names",
    "core-rerank": "coterie.experiments.core_rerank",
    "topic-of-week": "coterie.experiments.topic_of_week",
    "rankings": "coterie.experiments.rankings",
    "genres": "coterie.experiments.genres",
    "ttmm-toy": "coterie.experiments.ttmm_toy",
    "reuters-features": "coterie.experiments.reuters_features",
    "nntr-ranks": "coterie.experiments.nntr_ranks",
    "lexical-substitution": "coterie.experiments.lexical_substitution",
    "two-task": "coterie.experiments.two_task",
    "epc": "coterie.experiments.epc",
    "f1-tests": "coterie.experiments.f1_tests",
    "mates-two-languages": "coterie.experiments.mates_two_languages",
    "mates-three-languages": "coterie.experiments.mates_three_languages",
    "view-clusters": "coterie.experiments.view_clusters",
    "two-samples": "coterie.experiments.two_samples",
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
