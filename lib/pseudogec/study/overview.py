"""Descriptions of a study as tables: the settings of training, sizes of the corpora, their edits and density of edits."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any, NamedTuple

import pandas as pd

from artefacts.errors import UserError, nearest
from pseudogec.edits import DETECTION_TYPES, AnnotatedSentence, read_m2
from pseudogec.evaluate import TextStatistics, compare_means, type_agreement, wi_statistics
from pseudogec.seq2seq.options import Optimisation
from pseudogec.study.corpora import Corpus
from pseudogec.study.grid import Pipeline, System
from pseudogec.study.models import SUBWORDS_A_SENTENCE, BinarisedPairs, TrainedModel
from pseudogec.study.profile import Profile, StageOfTraining
from pseudogec.study.pseudo_data import EXAMPLES, PseudoData
from pseudogec.study.study import Study


def stages_table(profile: Profile, settings: Iterable[str] | None = None) -> pd.DataFrame:
    """One row for each stage of training, of all settings by default.

    Returns:
        Columns setting, stage (from 1), trained on, optimiser, learning rate, length (updates or epochs), batch (most subwords an
        update), kept (which weights are the stage's model).
    """
    rows = []
    for setting in profile.settings if settings is None else settings:
        for number, stage in enumerate(profile.stages(setting), start=1):
            optimisation = profile.optimisation_of(stage.optimisation)
            lengths = [(optimisation.epochs, "epoch"), (optimisation.updates, "update")]
            length = [f"{count:,} {unit}{'s' if count > 1 else ''}" for count, unit in lengths if count is not None]
            rows.append(
                {
                    "setting": setting,
                    "stage": number,
                    "trained on": _data(stage),
                    "optimiser": optimisation.optimiser,
                    "learning rate": f"{optimisation.learning_rate:g}",
                    "length": " or ".join(length),
                    "batch": optimisation.max_tokens * optimisation.update_frequency,
                    "kept": _kept(optimisation),
                }
            )
    return pd.DataFrame(rows)


def _data(stage: StageOfTraining) -> str:
    names = [part if isinstance(part, str) else f"{part.pseudo_pairs:,} of {part.method}" for part in stage.data]
    repeated = f"{names[0]}, repeated" if stage.upsample else names[0]
    return " + ".join([repeated, *names[1:]])


def _kept(optimisation: Optimisation) -> str:
    if optimisation.selection == "best":
        return "best on validation"
    last = optimisation.selection.average_last
    return "last" if last == 1 else f"mean of the last {last}"


EQUAL_BUDGETS = (
    "Trainings are comparable if they pass over the genuine data equally often and, with equally many pseudo pairs, have "
    "equally many updates, or, where a record is lost, read equally many pairs; all within a quarter. Settings such as JOINT and "
    "PRETRAIN are compared at equal passes, as in the papers; if their updates differ, both numbers are given."
)


@dataclass(frozen=True)
class Budget:
    """The length of a system's training."""

    updates: tuple[int, ...]  # of each stage; none if a record is lost
    passes: float  # over the genuine pairs, in all stages
    pseudo_pairs: int  # in all stages
    pairs_read: float  # in all passes of all stages, as the recipes foresee

    def other_passes(self, other: Budget) -> str:
        """Both numbers of passes over the genuine data if they are far apart; else nothing."""
        apart = _far_apart(self.passes, other.passes)
        return f"{self.passes:.1f} passes over the genuine data against {other.passes:.1f}" if apart else ""

    def other_updates(self, other: Budget) -> str:
        """Both numbers of updates if they are far apart; else nothing.

        More pseudo pairs mean more updates at equal passes. If their amount is compared, this does not count as another budget.
        """
        if self.pseudo_pairs != other.pseudo_pairs:
            return ""
        ours, theirs, counted = sum(self.updates), sum(other.updates), "updates"
        if not (self.updates and other.updates):
            ours, theirs, counted = round(self.pairs_read), round(other.pairs_read), "pairs read"
        return f"{ours:,} {counted} against {theirs:,}" if _far_apart(ours, theirs) else ""


def _far_apart(one: float, other: float) -> bool:
    return max(one, other) > 1.25 * min(one, other)


def budget(study: Study, system: System) -> Budget:
    """The length of a system's training, from the records of its stages, which are built if missing.

    If a record is lost, passes follow from the recipes, and the number of updates is not known.
    """
    stages, lost = _stages(study, system), _lost(study, system)
    trainings = [_training(study, stage, lost) for stage in stages]
    updates = () if lost else tuple(training.facts["updates"] for training in trainings)
    genuine = max(training.genuine for training in trainings)
    passes = sum(training.seen for training in trainings) / genuine if genuine else 0.0
    return Budget(updates, passes, sum(training.pseudo for training in trainings), sum(map(_pairs_read, stages)))


class _Training(NamedTuple):
    """A stage: the training's report (empty if it is lost), genuine pairs that it saw and that exist, and pseudo pairs."""

    facts: dict[str, Any]
    seen: float
    genuine: int
    pseudo: int


def _stages(study: Study, system: System) -> list[TrainedModel]:
    """The stages of a system's training, first to last."""
    stages = [study.planner.model(system)]
    while (before := stages[0].initial) is not None:
        stages.insert(0, before)
    return stages


def _lost(study: Study, system: System) -> bool:
    """Whether the system has its scores, but a record of its training is lost: hours of training are not repeated for it."""
    if not study.store.can_read(study.planner.score(system, study.test)):
        return False
    return not all(study.store.can_read(recipe) for stage in _stages(study, system) for recipe in (stage, *stage.data))


def _training(study: Study, stage: TrainedModel, lost: bool = False) -> _Training:
    """A stage by its records or, where one is lost, by its recipe and the sizes of corpora."""
    repeats = [stage.upsample, *(1 for _ in stage.data[1:])]  # how many times an epoch contains each of the data
    facts: dict[str, Any] = {}
    if lost:
        pairs, epochs = [int(data.work) for data in stage.data], _pairs_read(stage) / stage.sentences
    else:
        facts, sizes = study.result(stage), [study.result(data) for data in stage.data]
        pairs = [size["pairs"] for size in sizes]
        epochs = facts["target_words"] / sum(times * size["tokens"]["trg"] for times, size in zip(repeats, sizes, strict=True))
    seen, genuine, pseudo = 0.0, 0, 0
    for data, times, size in zip(stage.data, repeats, pairs, strict=True):
        if isinstance(data, PseudoData):
            pseudo += size
        elif isinstance(data, BinarisedPairs) and data.arrangement == "correct":
            seen += times * size * epochs
            genuine = max(genuine, size)
    return _Training(facts, seen, genuine, pseudo)


def _pairs_read(stage: TrainedModel) -> float:
    """As its recipe foresees; an estimate for a stage that ends by updates."""
    return stage.work * stage.optimisation.batch / SUBWORDS_A_SENTENCE


def learning_curves(study: Study, systems: Iterable[System]) -> pd.DataFrame:
    """Losses during systems' trainings, without lost records and the stage of copying, which all systems share.

    Returns:
        One row for each point: ``system``, ``method``, ``setting``, ``pseudo_pairs``, ``architecture``, ``seed``; ``stage`` (from
        1); ``data``, which is ``training`` (means since the points before) or ``validation``; ``update`` and ``passes`` over the
        genuine data, both counted through all stages; ``loss``, in bits per subword.
    """
    choices = ["system", "method", "setting", "pseudo_pairs", "architecture", "seed"]
    rows = []
    for system in systems:
        if _lost(study, system):
            continue
        chosen = [system.choices[name] for name in choices]
        stages = _stages(study, system)
        copying = {stage for stage in stages if all(getattr(data, "arrangement", "") == "copy" for data in stage.data)}
        records = [_training(study, stage) for stage in stages if stage not in copying]
        genuine = max(record.genuine for record in records)
        updates, seen = 0, 0.0
        for number, record in enumerate(records, start=1):
            for data in ("training", "validation"):
                for point in record.facts[f"{data}_curve"]:
                    passed = seen + record.seen * point["update"] / record.facts["updates"]
                    place = (number, data, updates + point["update"], passed / genuine if genuine else 0.0)
                    rows.append((*chosen, *place, point["nll_loss"]))
            updates, seen = updates + record.facts["updates"], seen + record.seen
    return pd.DataFrame(rows, columns=[*choices, "stage", "data", "update", "passes", "loss"])


def examples(study: Study, shard: PseudoData) -> list[dict[str, Any]]:
    """How the first sentences of a shard of pseudo data were made: ``target`` and ``operations`` (kind, before, after)."""
    return json.loads((study.folder(shard, EXAMPLES) / EXAMPLES).read_text(encoding="utf-8"))


def noise_profiles(study: Study, grid: Iterable[System]) -> dict[str, dict[str, Any]]:
    """The edits that would correct each system's pseudo data: ``tokens``, ``edits``, counts of ``types``; by system name."""
    return {name: study.result(edits) for name, edits in study.planner.pseudo_edits(grid).items()}


def genuine_profile(study: Study) -> dict[str, Any]:
    """The same of the genuine training data."""
    return study.result(study.planner.references(study.planner.genuine))


def corpus_table(study: Study) -> pd.DataFrame:
    """One row for each corpus: part, sentences, tokens per sentence, pairs without a correction; of a seed corpus one shard."""
    parts = {"genuine": "train", **dict.fromkeys(study.planner.tests, "test")}
    found = [(name, parts.get(name, name), study.result(corpus)) for name, corpus in study.planner.corpora.items()]
    seeds = study.profile.corpora.seeds
    found += [(name, "seed (one shard)", study.result(study.planner.seed_text(name, 0))) for name in seeds]
    rows = [
        {
            "corpus": name,
            "part": part,
            "sentences": facts["sentences"],
            "tokens per sentence": facts.get("source_tokens", facts.get("tokens")) / facts["sentences"],
            "identical pairs": facts.get("identical_pairs"),
        }
        for name, part, facts in found
    ]
    return pd.DataFrame(rows).astype({"identical pairs": "Int64"})


def seed_text_table(study: Study) -> pd.DataFrame:
    """One row for each seed corpus, from its first shard.

    Returns:
        ``tokens per sentence``; ``distinct words per 1,000 tokens`` (over the first 10,000 tokens: the ratio falls with length);
        ``known tokens``, the share of tokens that are words of the genuine targets.
    """
    found = {name: study.result(study.planner.seed_text_facts(name)) for name in study.profile.corpora.seeds}
    rows = [
        {
            "seed corpus": name,
            "tokens per sentence": facts["tokens"] / facts["sentences"],
            "distinct words per 1,000 tokens": 1000 * facts["distinct"] / facts["first_tokens"],
            "known tokens": facts["known"] / facts["tokens"],
        }
        for name, facts in found.items()
    ]
    return pd.DataFrame(rows)


def changes_made(study: Study, systems: Sequence[System | Pipeline]) -> pd.DataFrame:
    """How much systems change on the first test set, by ERRANT; a mean over their seeds each. Their scores must have been built.

    Returns:
        One row for each kind of system, and the reference's last: ``unchanged``, the share of sentences without an edit; of the
        sentences that need none, ``correct changed``, the share that has one, and ``false positives``, how many edits these have
        in all; ``edits per token`` of the source.
    """
    rows = []
    for system in systems:
        right, wrong, missed = study.score(system).per_sentence().T
        tokens = study.result(study.planner.test_sentences(system, study.test))["source_tokens"]
        made, needed = right + wrong, right + missed
        rows.append(
            {
                "system": system.name,
                "unchanged": (made == 0).mean(),
                "correct changed": (made[needed == 0] > 0).mean(),
                "false positives": wrong[needed == 0].sum(),
                "edits per token": made.sum() / tokens,
            }
        )
    reference = {"system": "reference", "unchanged": (needed == 0).mean(), "edits per token": needed.sum() / tokens}
    means = pd.DataFrame(rows).groupby("system", sort=False).mean().reset_index()
    return pd.concat([means, pd.DataFrame([reference])], ignore_index=True)


def edit_table(study: Study, corpus: Corpus) -> pd.DataFrame:
    """One row for each reference edit of a corpus, of its first annotator; none for errors that it marked but did not correct.

    Returns:
        Columns ``sentence`` (from 0), ``level`` (see :meth:`Study.levels`), ``operation`` (M, R, U; empty for a type
        without one), ``error_type`` (without the operation), ``start``, ``end``.
    """
    levels = study.levels(corpus)
    rows = []
    for number, sentence in enumerate(masked_sentences(study, corpus)):
        for edit in sentence.annotators.get(0, ()):
            if edit.type in DETECTION_TYPES:
                continue
            operation, colon, error_type = edit.type.partition(":")
            if not colon:
                operation, error_type = "", edit.type
            rows.append((number, levels[number], operation, error_type, edit.start, edit.end))
    return pd.DataFrame(rows, columns=["sentence", "level", "operation", "error_type", "start", "end"])


def annotated_sentences(study: Study, corpus: Corpus) -> list[AnnotatedSentence]:
    """The sentences of a corpus with their reference edits."""
    references = study.planner.references(corpus)
    return list(read_m2(study.folder(references, "references.m2") / "references.m2"))


def masked_sentences(study: Study, corpus: Corpus) -> list[AnnotatedSentence]:
    """The same without their words: places and types of edits may be passed on where sentences may not."""
    masked = study.planner.masked_references(corpus)
    return list(read_m2(study.folder(masked, "masked.m2") / "masked.m2"))


def true_and_found_types(study: Study) -> pd.DataFrame:
    """The true type of each edit of the embedded world beside the type that the annotator names, over all corpora of pairs.

    Returns:
        See :func:`pseudogec.evaluate.type_agreement`; no rows for corpora from files, whose true types are not known.
    """
    truth, found = list[AnnotatedSentence](), list[AnnotatedSentence]()
    for corpus in study.planner.corpora.values():
        if corpus.simulated:
            truth += read_m2(study.folder(corpus, "gold.m2") / "gold.m2")
            found += annotated_sentences(study, corpus)
    return type_agreement(truth, found)


def world_statistics(study: Study) -> dict[str, TextStatistics]:
    """The statistics of the genuine data, for each level that W&I has too; empty if they are not simulated."""
    genuine = study.planner.genuine
    if not genuine.simulated:
        return {}
    of_level: dict[str, list[AnnotatedSentence]] = {level: [] for level in wi_statistics()}
    for level, sentence in zip(study.levels(genuine), masked_sentences(study, genuine), strict=True):
        if level in of_level:
            of_level[level].append(sentence)
    return {level: TextStatistics.of(sentences) for level, sentences in of_level.items() if sentences}


def sentence_counts(study: Study) -> pd.DataFrame:
    """One row for each sentence of each corpus of pairs, by the corpus's first annotator.

    Marks of errors that nobody corrected are no edits here: without them the counts of W&I and FCE are those of Choe et al.

    Returns:
        ``corpus``; ``level``; ``tokens`` of the source side; ``edits``; ``edits per token``, not a number for an empty one.
    """
    rows = []
    for name, corpus in study.planner.corpora.items():
        for level, sentence in zip(study.levels(corpus), masked_sentences(study, corpus), strict=True):
            corrections = [edit for edit in sentence.annotators.get(0, ()) if edit.type not in DETECTION_TYPES]
            rows.append((name, level, len(sentence.source), len(corrections)))
    table = pd.DataFrame(rows, columns=["corpus", "level", "tokens", "edits"])
    return table.assign(**{"edits per token": table.edits / table.tokens.where(table.tokens > 0)})


def edits_by_level(sentences: pd.DataFrame) -> pd.DataFrame:
    """Sizes and densities of edits of each corpus and of each of its levels.

    Args:
        sentences: result of :func:`sentence_counts`.

    Returns:
        ``corpus``; ``level`` (``all`` for the whole corpus, where it has several); ``sentences``; ``tokens``; ``edits``;
        ``edits per token``, the mean over sentences of edits / length as in Choe et al., table 9; ``without edits``, the share of
        such sentences.
    """
    parts: list[tuple[str, str, pd.DataFrame]] = []
    for name, corpus in sentences.groupby("corpus", sort=False):
        if corpus.level.nunique() > 1:
            parts.append((str(name), "all", corpus))
        parts += [(str(name), str(level), part) for level, part in corpus.groupby("level")]
    rows = [
        {
            "corpus": name,
            "level": level,
            "sentences": len(part),
            "tokens": part.tokens.sum(),
            "edits": part.edits.sum(),
            "edits per token": part["edits per token"].mean(),
            "without edits": (part.edits == 0).mean(),
        }
        for name, level, part in parts
    ]
    return pd.DataFrame(rows)


def permutation_tests(sentences: pd.DataFrame, groups: str, against: str | None = None) -> pd.DataFrame:
    """Test whether groups of sentences differ from one of them in edits per token (Choe et al. 2019, table 9).

    The tests are not corrected for their number.

    Args:
        sentences: result of :func:`sentence_counts`, or a part of it.
        groups: the column that names groups, ``corpus`` or ``level``.
        against: the group that the others are compared with; by default the first by name.

    Returns:
        One row a group of two sentences or more, ``against`` first: its name, ``sentences``, ``edits per token`` (mean over
        sentences) and ``p`` (missing in the first row).
    """
    known = sentences.dropna(subset=["edits per token"])
    values = {str(name): part["edits per token"].tolist() for name, part in known.groupby(groups, sort=False) if len(part) > 1}
    against = min(values, default="") if against is None else against
    if against not in values:
        raise UserError(f"there is no {groups} `{against}` of two sentences or more{nearest(against, values)}")
    rows = []
    for name in dict.fromkeys([against, *sorted(values)]):
        p_value = None if name == against else compare_means(values[name], values[against])
        rows.append((name, len(values[name]), fmean(values[name]), p_value))
    return pd.DataFrame(rows, columns=[groups, "sentences", "edits per token", "p"])
