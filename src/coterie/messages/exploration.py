"""What an exploration found, in sentences: the headline, the evidence, and the steps that were taken.

Everything is made from the typed facts of a result. No other part of the program reads these sentences.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any

import numpy as np

from coterie.core.findings import (
    ENOUGH,
    UNSTABLE,
    Evidence,
    Findings,
    Remark,
    Segments,
    SharedViews,
    Step,
    level_of,
)
from coterie.messages.notes import count_groups, join_names, singular

_NUMBERED = 10  # unstable groups that are named by their numbers in one sentence
_UNTESTED = "Whether the groups are real was not tested (nulls is 0)."
_STABLE = ((0.8, "Stable"), (0.6, "Fairly stable"), (-2.0, "Not stable"))
_CLEARNESS = {"strong": "clear ", "moderate": "fairly clear "}

NULL_MODELS = {
    "shuffled_words": "shuffled words",
    "one_cloud": "one cloud",
    "one_box": "one box",
    "rewired": "rewired ties",
    "shuffled_columns": "shuffled columns",
    "one_chain": "one chain",
    "one_process": "one process",
    "stitched": "stitched",
    "shuffled_vectors": "shuffled vectors",
    "one_cloud_of_sets": "one cloud of sets",
    "shuffled_surroundings": "shuffled surroundings",
}
MEASURES = {
    "separation": "separation of the cut into k groups (log scale)",
    "modularity": "modularity of the cut into k groups",
    "eigengap": "eigengap of the windows by number of sources",
    "consensus": "score of k groups",
}
NULLS = {"collections": "null collections", "orders": "random orders of the windows"}


# ---- the headline and what stands under it ----------------------------------------------------------------------------


def summarize(result: Findings) -> list[str]:
    """The result in plain sentences, the most important first."""
    if result.segments is not None:
        said = _summarize_segments(result.segments, result.evidence)
    else:
        said = _summarize_groups(result)
    said = [*said, *_say_unstructured(result), *explain_evidence(result.evidence)]
    if result.shared is not None:
        shared = [*_say_shared(result.shared), *_say_agreement(result.shared)]
        said = [said[0], *shared, *said[1:]]
    first = said[0].removesuffix(".")
    if result.added:
        first += f"; {result.added:,} {'was' if result.added == 1 else 'were'} added later"
    if result.edits:
        many = len(result.groups)
        edits = f"{result.edits} edit{'' if result.edits == 1 else 's'}"
        first += f"; after {edits} by hand there {'is' if many == 1 else 'are'} {many}"
    return [f"{first}.", *said[1:]]


def headline(result: Findings) -> str:
    """The first sentence of the summary."""
    return summarize(result)[0]


def name_groups(count: int, verdict: str) -> str:
    """So many groups, and how far they can be trusted.

    >>> name_groups(5, "strong"), name_groups(2, "weak"), name_groups(1, "")
    ('5 clear groups', '2 groups, weak evidence', '1 group')
    """
    if count == 1:
        return "1 group"
    weak = ", weak evidence" if verdict == "weak" else ""
    return f"{count:,} {_CLEARNESS.get(verdict, '')}groups{weak}"


def _summarize_groups(result: Findings) -> list[str]:
    seen = result.overview
    evidence = result.evidence
    many = f"{seen.members:,} {seen.noun}"
    if not evidence.structured and evidence.chosen:
        said = [f"No group structure was found in these {many}."]
        if evidence.witnesses:
            said.append("No number of groups could be told from chance.")
        elif evidence.n_nulls:
            said.append(
                "They look like one cloud: no cut into groups stands clearly above those of null "
                "collections, in which nothing belongs together."
            )
    elif seen.n_groups == 1 and not evidence.chosen:
        said = [f"All {many} are in one group, as asked."]
    elif not evidence.structured:
        groups = count_groups(seen.n_groups)
        said = [f"{groups} in {many}, as asked; there is no evidence that they are real."]
    else:
        groups = name_groups(seen.n_groups, "" if evidence.verdict == "weak" else evidence.verdict)
        weak = ", on weak evidence" if evidence.verdict == "weak" else ""
        said = [f"{groups} in {many}{weak}."]
    if evidence.structured and seen.n_groups > 1:
        said += _say_levels(result)
        said += _say_largest(result)
        said += _say_borderline(result)
    said += _say_duplicates(result)
    if seen.alone:
        one = f"1 {singular(seen.noun)} is in no group."
        said.append(one if seen.alone == 1 else f"{seen.alone:,} {seen.noun} are in no group.")
    return said


def _say_levels(result: Findings) -> list[str]:
    """That the members can be grouped about as well on other levels; nothing where there are none."""
    at = level_of(result)
    if at < 0 or len(result.levels) < 2:
        return []
    counts = [len(level.names) for level in result.levels]
    above = [f"{count} coarser" for count in counts[:at]]
    below = [f"{count} finer" for count in counts[at + 1 :]]
    return [
        f"They nest: {join_names([*above, *below])} groups are supported nearly as well, as one "
        f"tree with these {counts[at]}."
    ]


def list_levels(result: Findings) -> list[tuple[str, list[str]]]:
    """The groups that divide, each with the finer ones inside it and their sizes; without finer ones, the coarser that unite these."""
    at = level_of(result)
    if at < 0 or len(result.levels) < 2:
        return []
    low = min(at, len(result.levels) - 2)
    upper, lower = result.levels[low : low + 2]
    rows = []
    for parent, name in enumerate(upper.names):
        inside = zip(lower.names, lower.sizes, lower.parents, strict=True)
        below = [f"{told} ({size:,})" for told, size, over in inside if over == parent and size]
        if len(below) > 1:
            rows.append((name, below))
    return rows


def _say_largest(result: Findings) -> list[str]:
    largest = max(result.groups, key=lambda group: group.size, default=None)
    if largest is None:
        return []
    size = f"{largest.size:,} {result.overview.noun}, {largest.size / len(result):.0%}"
    found = largest.name if result.added else result.overview.largest or largest.name
    name = largest.name if result.edits else found
    if name == largest.name and largest.naming.by == "number":
        return [f"The largest holds {size}."]
    if name == largest.name and largest.naming.by == "exemplar":
        return [f"The largest holds {size}; typical: {largest.naming.parts[0]}."]
    return [f"Largest: {name} ({size})."]


def _say_borderline(result: Findings) -> list[str]:
    seen = result.overview
    if not seen.borderline:
        return []
    share = f"{seen.borderline / seen.members:.0%}"
    one = seen.borderline == 1
    who = f"1 {singular(seen.noun)}" if one else f"{seen.borderline:,} {seen.noun}"
    theirs = "is borderline: most of its" if one else "are borderline: most of their"
    return [f"{who} ({share}) {theirs} nearest neighbors are in another group."]


def _say_duplicates(result: Findings) -> list[str]:
    """How many members repeat another one, and the first of them."""
    found = result.duplicates
    if found is None or not len(found):
        return []
    many = len(found)
    exact = int(np.count_nonzero(found.exact))
    noun = result.overview.noun
    who = f"1 {singular(noun)} repeats" if many == 1 else f"{many:,} {noun} repeat"
    how = "exactly" if exact == many else f"{exact:,} exactly and {many - exact:,} nearly"
    if not exact:
        how = "nearly"
    ids = result.ids
    pair = f"{ids[int(found.members[0])]} repeats {ids[int(found.of[0])]}"
    done = "; groups were found without them" if found.folded else ""
    return [f"{who} another one, {how} ({pair}{', ...' if many > 1 else ''}){done}."]


# ---- where nothing was found ------------------------------------------------------------------------------------------


def _say_unstructured(result: Findings) -> list[str]:
    """Likely reasons, the best cut as a hint, and what to try next."""
    found = result.unstructured
    if found is None:
        return []
    noun = result.overview.noun
    said = []
    reasons = [_REASONS[one.code](one.values, noun) for one in found.reasons]
    if reasons:
        said.append(f"Likely reasons: {'; '.join(reasons)}.")
    if found.best_cut:
        named = [f"{name} ({size:,})" for name, size in found.best_cut]
        parts = count_groups(result.evidence.best)
        more = "; ..." if result.evidence.best > len(named) else ""
        said.append(f"A hint, not a finding: the best cut has {parts}: {'; '.join(named)}{more}.")
    said += [f"To try next: {_say_advice(one)}" for one in found.advice]
    return said


def _say_advice(advice: Remark) -> str:
    """One thing to try, with the command for it or the words for Python."""
    values = advice.values
    said = _ADVICE[advice.code](values)
    changes = values.get("changes")
    if not changes:
        return f"{said}."
    given = ", ".join(f"{name}={value!r}" for name, value in changes.items())
    return f"{said}: {values.get('command') or f'explore(..., {given})'}"


def _name_columns(names: Sequence[str]) -> str:
    return join_names([f"'{name}'" for name in names[:_NAMED]]) + (
        f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
    )


_NAMED = 4  # columns that are named in one sentence
_REASONS: dict[str, Callable[[Mapping[str, Any], str], str]] = {
    "few_members": lambda v, noun: f"there are only {v['members']:,} {noun}",
    "short_texts": lambda v, noun: (
        f"the {noun} are short ({v['words']:g} words in the median one, function words aside)"
    ),
    "few_shared_words": lambda v, noun: (
        f"the {noun} share few words ({v['share']:.0%} of the words of the median one are in another)"
    ),
    "noise_columns": lambda v, noun: (
        f"{len(v['columns']):,} of {v['of']:,} columns of numbers hardly differ between the parts of the "
        f"best cut ({_name_columns(v['columns'])})"
    ),
}
_ADVICE: dict[str, Callable[[Mapping[str, Any]], str]] = {
    "cut": lambda v: f"see the best cut, {v['changes']['k']} groups, anyway",
    "view": lambda v: f"group by '{v['changes']['view']}' instead",
    "fold": lambda v: "find groups without the members that repeat others",
    "words": lambda v: f"group by the words of '{v['changes']['text']}'",
    "bent": lambda v: "look for groups of bent shapes",
    "more_members": lambda v: f"add more members; {v['wanted']:,} and more are easier to group",
}
REMARK_CODES = frozenset({*_REASONS, *_ADVICE})


def _summarize_segments(cut: Segments, evidence: Evidence) -> list[str]:
    noun = "recording" if cut.rate > 0 else "sequence"
    one = cut.sequences == 1
    changes = cut.pieces - cut.sequences
    if not changes:
        these = f"this {noun}" if one else f"these {cut.sequences} {noun}s"
        return [f"No change was found in {these}."]
    whole = f"This {noun} changes" if one else f"These {cut.sequences} {noun}s change"
    times = "once" if changes == 1 else f"{changes} times"
    kinds = f"{cut.sources} source{'s' if cut.sources > 1 else ''}"
    said = [f"{whole} {times}: {cut.pieces} pieces of {kinds}."]
    if cut.tried:
        some = f"{cut.as_clean} of {cut.tried}" if cut.as_clean else f"None of {cut.tried}"
        real = "the order in time is real"
        meant = real if evidence.structured else "these changes may be chance"
        said.append(f"{some} random orders of the windows could be cut as cleanly: {meant}.")
    unit = "s" if cut.rate > 0 else "steps"
    compared = f"; windows of {_lasting(cut.window, cut)} {unit} were compared"
    said.append(
        f"Pieces last from {_lasting(cut.shortest, cut)} to {_lasting(cut.longest, cut)} {unit}"
        f"{compared if cut.spectral else ''}."
    )
    return said


def _lasting(steps: int, cut: Segments) -> str:
    return f"{steps / cut.rate:.3g}" if cut.rate > 0 else str(steps)


def _say_shared(shared: SharedViews) -> list[str]:
    if not shared.components:
        return []
    one = shared.components == 1
    these = "1 component" if one else f"{shared.components} components"
    most = " (as many as are kept)" if shared.components == shared.most else ""
    some = len(shared.names) > 2 and shared.everywhere < shared.components
    every = f", {shared.everywhere} of them by every single one" if some else ""
    return [
        f"The views {join_names(shared.names)} share {these}{most} by more than chance{every}; the "
        f"strongest has a consensus of {shared.consensus:.2f} of 1, where unrelated views would "
        f"have {shared.chance:.2f}."
    ]


def _say_agreement(shared: SharedViews) -> list[str]:
    names = shared.names
    if not shared.alone:
        return []
    who = "Both views" if len(names) == 2 else f"All {len(names)} views"
    said = (
        f"{who} by themselves put {shared.same:.0%} of the members into the same group "
        f"(by chance {shared.same_by_chance:.0%})"
    )
    weak = min(range(len(names)), key=shared.alone.__getitem__)
    if shared.alone[weak] >= 0.995:  # no view is said to differ
        return [f"{said}."]
    if len(names) > 5:
        share = f"{shared.alone[weak]:.0%}"
        return [f"{said}; {names[weak]} alone agrees least with the groups, for {share} of them."]
    each = join_names(
        [f"{name} for {own:.0%}" for name, own in zip(names, shared.alone, strict=True)]
    )
    return [f"{said}; alone each agrees with the groups: {each} of them."]


# ---- the evidence -----------------------------------------------------------------------------------------------------


def explain_evidence(evidence: Evidence) -> list[str]:
    """Why there are groups (or none), why this many, and how well they were found again."""
    said = []
    if evidence.least:
        named = f"{evidence.least} labels were given"
        why = (
            named if evidence.least_by == "labels" else f"{evidence.least} members all belong apart"
        )
        said.append(
            f"There are {evidence.least} groups because {why}; by likeness alone there would be "
            f"{evidence.without}."
        )
    if evidence.unrelated_views is not None:
        consensus, chance = evidence.unrelated_views
        said.append(
            "The views share no component by more than chance: the best has a consensus of "
            f"{consensus:.2f}, and where the members of the views are shuffled against each other "
            f"it is {chance:.2f}."
        )
    said += _explain_number(evidence)
    if evidence.made_by:
        asked = f"{evidence.wanted} were {'chosen' if evidence.chosen else 'asked for'}"
        said.append(f"{evidence.made_by} made {evidence.n_groups} groups where {asked}.")
    if evidence.rounds:
        said.append(_say_stability(evidence))
    said += _say_record(evidence)
    return said


def describe_nulls(evidence: Evidence) -> str:
    """What the groups were compared with, in words."""
    return NULLS[evidence.nulls]


def describe_measure(evidence: Evidence) -> str:
    """What the curve over the number of groups shows, in words."""
    return MEASURES.get(evidence.measure, evidence.measure)


def _explain_number(evidence: Evidence) -> list[str]:
    if evidence.measure == "consensus":
        evidenced = _explain_witnesses(evidence) if evidence.witnesses else [_UNTESTED]
        return [*_explain_consensus(evidence), *evidenced]
    if evidence.measure == "eigengap":
        return [_RULES[rule] for rule in evidence.rules]
    unrelated = evidence.unrelated_views is not None
    if not evidence.n_nulls:
        return [] if unrelated or not evidence.best else _explain_without_nulls(evidence)
    families = ", ".join(NULL_MODELS.get(name, name) for name in evidence.null_models)
    copies = f"{evidence.n_nulls} copies without groups ({families})"
    if evidence.strength < ENOUGH:
        told = (
            f"The best grouping is no clearer than in {copies}: z = {evidence.strength:.1f}, and "
            f"groups are claimed from {ENOUGH:g}."
        )
        ask = "Ask for a number of groups (k) to see a cut anyway."
        return [told, ask] if evidence.chosen else [told]
    beaten = evidence.as_grouped
    rank = f"; {beaten} of them {'was' if beaten == 1 else 'were'} as clear" if beaten else ""
    first = f"The grouping is far clearer than in {copies}: z = {evidence.strength:.0f}{rank}."
    if not evidence.chosen:
        asked = evidence.wanted or evidence.n_groups
        same = "which is also what coterie would choose"
        agreed = same if evidence.best == asked else f"coterie would choose {evidence.best}"
        return [first, f"You asked for {count_groups(asked)}; {agreed}."]
    if unrelated:
        return [first]
    return [
        first,
        f"{evidence.best} groups: the smallest number within 2% of the best score.",
    ]


def _explain_consensus(evidence: Evidence) -> list[str]:
    """Why this number of groups, where an ensemble of models made them."""
    if not evidence.chosen:
        return [f"You asked for {count_groups(evidence.wanted or evidence.n_groups)}."]
    if not evidence.structured:
        return []
    tried = f"from {evidence.ks[0]} to {evidence.ks[-1]}" if len(evidence.ks) > 1 else "alone"
    return [f"{count_groups(evidence.best)}: the number with the best score among those {tried}."]


def _explain_witnesses(evidence: Evidence) -> list[str]:
    """What speaks for the groups of an ensemble, and what against them."""
    found = evidence.witnesses
    said = []
    if "agreement" in found:
        said.append(
            f"Its models agree with each other on these groups by {found['agreement']:.2f} (adjusted "
            "Rand; 1 is the same, 0 is chance)"
        )
        if "halves" in found:
            said[-1] += (
                f", and groups found in two halves of the members agree by {found['halves']:.2f}"
            )
        said[-1] += "."
    for code, words in _WITNESSES.items():
        if code in found:
            claimed = _WITNESS_UNITS[code].format(evidence.limits.get(code, 0.0))
            value = _WITNESS_UNITS[code].format(found[code])
            said.append(f"{words.format(value)}; groups are claimed from {claimed}.")
    return said


_WITNESS_UNITS = {
    "information": "{:.0%}",
    "silhouette": "{:.1f}",
    "beyond_shuffled": "{:.1f}",
    "beyond_null": "{:.2f}",
    "deviations": "{:.1f}",
}
_WITNESSES = {
    "information": (
        "A word tells {} of the group of its text beyond what it would tell if the words were "
        "shuffled over the texts"
    ),
    "silhouette": (
        "The silhouette of the best cut stands {} standard deviations above that of copies that keep "
        "the margins and correlations of the columns but have no groups"
    ),
    "beyond_shuffled": (
        "By vectors of their words the texts separate {} standard deviations better than with all words "
        "shuffled over them"
    ),
    "beyond_null": (
        "Groups found in halves of the members agree by {} beyond what they do where the same "
        "features are one cloud, of a scale that ends at 1"
    ),
    "deviations": (
        "They agree {} standard deviations more than in copies that keep the margins and correlations "
        "of these features but have no groups"
    ),
}


def _explain_without_nulls(evidence: Evidence) -> list[str]:
    first = f"The best separated cut has {evidence.best} groups."
    if not evidence.chosen:
        asked = count_groups(evidence.wanted or evidence.n_groups)
        first = f"You asked for {asked}; the best separated cut has {evidence.best}."
    return [first, _UNTESTED]


def _say_stability(evidence: Evidence) -> str:
    of = f" of {evidence.sampled:,}" if evidence.sampled else ""
    word = next(word for least, word in _STABLE if evidence.stability >= least)
    said = (
        f"{word}: repeated on {evidence.rounds} random samples of 80%{of}, the groups agree by "
        f"{evidence.stability:.2f} of 1"
    )
    unstable = [at for at, overlap in enumerate(evidence.overlaps, 1) if overlap < UNSTABLE]
    if unstable:
        return f"{said}; {name_unstable(unstable, numbered=not evidence.renumbered)}."
    weakest = min(overlap for overlap in evidence.overlaps if overlap == overlap)
    return f"{said}; the least stable group overlaps by {weakest:.0%}."


@cache
def _record() -> dict[str, dict[str, dict[str, int]]]:
    """How many labeled collections got each verdict, and how many of them agreed with their classes: over all, and by modality.

    `make board ARGS="--record FILE"` writes it.
    """
    file = resources.files("coterie.messages") / "verdicts.json"
    found: dict[str, dict[str, dict[str, int]]] = json.loads(file.read_text(encoding="utf-8"))
    return found


def _say_record(evidence: Evidence) -> list[str]:
    """What the verdict meant on collections whose classes are known: of this modality where there were enough."""
    verdict = evidence.verdict
    own = _record().get(evidence.modality, {})
    seen = own.get(verdict) or _record()["all"].get(verdict)
    if seen is None:
        return []
    judged = _LABELED.get(evidence.modality, _COLLECTIONS) if verdict in own else _COLLECTIONS
    return [
        f"The evidence is {verdict}: of {seen['collections']} {judged} judged so, the groups of "
        f"{seen['agreed']} agreed with the classes by 0.3 or more (adjusted Rand)."
    ]


_COLLECTIONS = "labeled collections"
_LABELED = {
    "text": "labeled collections of texts",
    "table": "labeled tables",
    "sequences": "labeled collections of sequences",
    "sets": "labeled collections of sets",
    "sound": "labeled collections of recordings",
    "pictures": "labeled collections of pictures",
    "tagged": "labeled collections of names",
}


def name_unstable(numbers: Sequence[int], *, numbered: bool = True) -> str:
    """That groups of these numbers (from 1) were not found again; of very many, a few are named.

    >>> name_unstable([3]), name_unstable([2, 5, 6]), name_unstable([2, 5], numbered=False)
    ('group 3 is unstable', 'groups 2, 5 and 6 are unstable', '2 groups are unstable')
    """
    if not numbered:
        return f"{count_groups(len(numbers))} {'is' if len(numbers) == 1 else 'are'} unstable"
    if len(numbers) > _NUMBERED:
        few = ", ".join(map(str, numbers[: _NUMBERED // 2]))
        return f"{len(numbers)} groups are unstable, the first of them {few}"
    if len(numbers) == 1:
        return f"group {numbers[0]} is unstable"
    return f"groups {join_names([str(n) for n in numbers])} are unstable"


_RULES = {
    "pieces_by_bic": "The number of pieces was chosen by BIC.",
    "pieces_by_bic_merged": (
        "The number of pieces was chosen by BIC; neighbors of one source are one piece."
    ),
    "sources_by_eigengap": (
        "The number of sources is the largest whose cut is nearly as clear as the clearest."
    ),
}


# ---- the steps --------------------------------------------------------------------------------------------------------


def describe_steps(steps: Sequence[Step]) -> list[str]:
    """What was done, one sentence a step."""
    return [_STEPS[step.code](step.values) for step in steps]


def _say_compared(values: Mapping[str, Any]) -> str:
    if values.get("what"):
        return f"Members are compared by {values['method']} ({values['what']})."
    return f"Members are compared by {values['method']}."


def _say_sic(values: Mapping[str, Any]) -> str:
    classifier = f" ({values['classifier']})" if values["classifier"] else ""
    how = f"classifiers{classifier} trained on random labels, up to {values['iterations']} times"
    return f"Members are compared by SIC: {how}; two are alike as often as they get one label."


def _say_scaled(values: Mapping[str, Any]) -> str:
    if not values["numeric"]:
        said = "There are no numeric columns"
    elif values["standardized"]:
        said = "Numeric columns are standardized, since their spreads differ much"
    else:
        said = "Numeric columns are centered and keep their units, since their spreads are alike"
    if values["categories"]:
        said += "; each category becomes a column of its own"
    if values["missing"]:
        said += "; gaps take the median of their column"
    return f"{said}."


def _say_windows(values: Mapping[str, Any]) -> str:
    before = "one before" if values["order"] == 1 else f"{values['order']} before"
    return (
        f"A recording is a set of windows of {values['window']:g} s, one every {values['hop']:.2g} "
        f"s ({values['count']} in the median one); a window is {values['numbers']} numbers: how "
        f"its frames follow from the {before}, their level, and the covariance of what does not "
        "follow. Each number is divided by its standard deviation over all windows."
    )


_VIEWS = {
    "text": "words (no function words, in at least two and at most half of the members) weighed by tf-idf",
    "table": "scaled columns",
    "vectors": "the mean, covariance and course of their vectors",
    "pictures": "counts of colours",
}


def _say_views(values: Mapping[str, Any]) -> str:
    kinds = values["kinds"]
    said = "; ".join(
        f"{join_names(names)} by {_VIEWS.get(kind, 'their numbers')}"
        for kind, names in kinds.items()
    )
    many = sum(len(names) for names in kinds.values())
    return f"Members are seen in {many} views: {said}."


def _say_graph(values: Mapping[str, Any]) -> str:
    if values["by_members"]:
        return (
            f"{values['method']} groups the members by what they are; how alike they are serves the "
            "map, the neighbors and the evidence."
        )
    return (
        f"Each member is tied to its {values['neighbors']} nearest neighbors, weighted by local "
        f"density; {values['method']} cuts this graph."
    )


def _say_links(values: Mapping[str, Any]) -> str:
    others = values["populations"]
    together = " at once" if len(others) > 1 else ""
    return (
        f"{values['method']} groups the members by their {join_names(others)}{together}: the groups "
        "keep the most of the information in these links."
    )


def _say_weights(values: Mapping[str, Any]) -> str:
    why = _WEIGHTS.get(values["rule"], "")
    told = ", ".join(f"{name} {weight:.2g}" for name, weight in values["weights"].items())
    return f"The weight of each table{f', {why}' if why else ''}: {told}."


_WEIGHTS = {
    "one": "the same for all",
    "mass": "its counts over those of the main one, at most one",
    "root": "the root of its counts over those of the main one, at most one",
    "raw": "one over the information it holds",
    "cap": "one over the most information it can keep",
}


def _say_frames(values: Mapping[str, Any]) -> str:
    return f"Recordings become {values['kind']} frames, {values['per_second']:.0f} a second."


def _say_cut(values: Mapping[str, Any]) -> str:
    window = values["window"]
    rate = values["rate"]
    size = f"{window / rate:.2g} seconds" if rate else f"{window} steps"
    how = values["method"] or "the likelihoods of a model of each (KL-LL)"
    return f"Windows of {size} are compared by {how} and laid out by the leading eigenvectors."


def _say_constraints(values: Mapping[str, Any]) -> str:
    parts = []
    labels = values["labels"]
    method = values["method"]
    if labels:
        weight = values["label_weight"]
        how = {
            "intrinsic": "an observed population of its own, with the weight "
            f"{weight:g} beside the main table",
            "constrained": "a law: equal labels in one group, different ones in two"
            if weight == float("inf")
            else f"pairs of the weight {weight:g}",
            "seeded": "only where the search starts",
        }[values["scheme"]]
        if method == "Propagation" and values["scheme"] != "seeded":
            kept = "kept, and spread along the links"
            how = kept if weight >= 1 else f"spread along the links with the weight {weight:g}"
        were = "1 member was" if labels == 1 else f"{labels:,} members were"
        parts.append(f"{were} labeled ({_count(values['names'], 'label')}: {how})")
    pairs = [
        f"{_count(values[name], 'pair')} {name}" for name in ("together", "apart") if values[name]
    ]
    if pairs:
        weight = values["pair_weight"]
        firm = "as laws" if weight == float("inf") else f"with the weight {weight:g}"
        if values["leaning"]:
            firm = f"which {method} leans to and cannot promise"
        parts.append(f"{' and '.join(pairs)} given, {firm}")
    return f"What a person said: {'; '.join(parts)}."


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


_ENSEMBLES = {
    "MixtureConsensus": (
        "Groups are what k-means and two mixtures of t distributions agree on, one with a covariance "
        "for all groups and one with a covariance for each, in principal components of the scaled "
        "columns; categories are multinomials."
    ),
    "RepresentationVote": (
        "Groups are the vote of mixtures of t distributions, each on another representation of the "
        "members."
    ),
    "ViewsConsensus": (
        "Groups are what five models agree on: k-means and two mixtures of t distributions of all views "
        "side by side, and two mixtures of what the views share, where they share anything."
    ),
    "ConsensusIB": (
        "Groups are the consensus of runs of the sequential information bottleneck on damped counts, "
        "counts and presence of words, and of k-means on latent semantic analysis; one more run "
        "starts from there."
    ),
}
_BESIDE = (
    "Groups are the consensus of runs of the sequential information bottleneck on damped counts, counts "
    "and presence of words, of k-means on latent semantic analysis, and of k-means on the vectors; short "
    "texts then go where their words and vectors together are likeliest."
)
_STEPS: dict[str, Callable[[Mapping[str, Any]], str]] = {
    "words": lambda v: (
        "Words (runs of letters, no function words, in at least two and at most half of the "
        "documents) weigh by tf-idf."
    ),
    "fragments": lambda v: (
        f"Few of the texts share a word, so every {v['characters']} letters in a row of a word are counted, and "
        "weigh by tf-idf."
    ),
    "lsa": lambda v: (
        f"Latent semantic analysis keeps {v['dimensions']} directions; rows are brought to length one."
    ),
    "word_vectors": lambda v: (
        f"Vectors of words ({v['model']}, {v['dimension']} numbers, weights {v['digest'][:12]}) vote too: each text "
        "is the mean of those of its words, frequent words weighing less."
    ),
    "given_vectors": lambda v: (
        f"Members are compared by the angle between their vectors of {v['dimension']:,} numbers."
    ),
    "words_beside": lambda v: (
        "Words and vectors of the texts both vote on the groups; words name and explain them."
    ),
    "colors": lambda v: (
        "Pictures are counts of their pixels in 216 colours; rows are brought to length one."
    ),
    "color_directions": lambda v: f"The counts are reduced to {v['dimensions']} directions.",
    "rows_as_given": lambda v: "Rows are compared as they are.",
    "sparse_columns": lambda v: f"The sparse columns are reduced to {v['dimensions']} directions.",
    "scaled_columns": _say_scaled,
    "sequence_shapes": lambda v: (
        "Members are described by their course at 20 moments, and the mean, covariance, "
        "autocovariances and fourth moment of their steps."
    ),
    "set_shapes": lambda v: (
        "Members are described by the mean, covariance and fourth moment of their vectors."
    ),
    "mentions": lambda v: (
        "A mention is seen by what stands at most two words around its beginning "
        f"({', '.join(v['columns'])})."
    ),
    "frames": _say_frames,
    "music_frames": lambda v: (
        f"Recordings of {v['seconds']:.1f} s (median) are heard in frames of 30 ms every 15 ms: six "
        "cepstra of 30 mel filters, without their loudness."
    ),
    "music_windows": _say_windows,
    "views": _say_views,
    "pwca": lambda v: (
        "Pair-wise cluster analysis (PWCA) finds components that are present in every view; those "
        "shared by more than chance are kept, and a member lies at the mean of where its views put "
        "it."
    ),
    "compared": _say_compared,
    "sic": _say_sic,
    "graph": _say_graph,
    "all_pairs": lambda v: f"{v['method']} groups the members by how alike all pairs of them are.",
    "links": _say_links,
    "table_weights": _say_weights,
    "sample": lambda v: (
        f"{v['sampled']:,} members drawn at random were clustered; the other {v['placed']:,} were "
        "placed among their groups."
    ),
    "ensemble": lambda v: _BESIDE if v.get("spaces") else _ENSEMBLES[v["method"]],
    "affinity_beside": lambda v: (
        "How alike the members are serves the map, the neighbors, the number of groups and its "
        "evidence."
    ),
    "constraints": _say_constraints,
    "map": lambda v: (
        "The map is laid out by t-SNE: near members are near, but distances between far groups mean "
        "little."
    ),
    "approximate_neighbors": lambda v: (
        "There are too many pairs to compare them all: neighbors were searched for, and "
        f"{v['recall']:.0%} of the true ones found."
    ),
    "cut_by_cost": lambda v: f"They are cut by the cost '{v['cost']}'.",
    "cut_windows": _say_cut,
    "cut_exactly": lambda v: (
        "The row of windows is cut exactly, by dynamic programming; each boundary is then moved to "
        "the best step."
    ),
}
STEP_CODES = frozenset(_STEPS)
