"""The files that a profile reads, part by part, whether they are there or not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from pseudogec.corpora import FileFormat, FilePairs
from pseudogec.correct import Step
from pseudogec.study.profile import MorePseudoData, Profile, all_steps


class PartFiles(NamedTuple):
    """The files of one part of a profile's corpora.

    Attributes:
        part: its place in the profile, such as ``genuine`` or ``seeds.simple``.
        format: reads them; its paths are relative to the data folder.
        drawn: how many pairs the profile draws from them; none for all.
        needed: how many sentences the study needs, of a seed corpus; 0 for others.
    """

    part: str
    format: FileFormat
    drawn: int | None = None
    needed: int = 0

    @property
    def paths(self) -> tuple[Path, ...]:
        """Paths or patterns, relative to the data folder."""
        return tuple(file.path for file in self.format.files)


def corpus_files(profile: Profile) -> list[PartFiles]:
    """The corpora that a profile reads from files; parts from the embedded world have none."""
    corpora = profile.corpora
    pairs = {
        "genuine": corpora.genuine,
        "validation": corpora.validation,
        "development": corpora.development,
        "in_domain": corpora.in_domain,
        **{f"tests.{name}": test.pairs for name, test in corpora.tests.items()},
    }
    found = [PartFiles(part, item, drawn=item.sentences) for part, item in pairs.items() if isinstance(item, FilePairs)]
    seeds = [(name, item) for name, item in corpora.seeds.items() if isinstance(item, FileFormat)]
    return found + [PartFiles(f"seeds.{name}", item, needed=_sentences_of_seed(profile, name)) for name, item in seeds]


def released_files(profile: Profile) -> dict[str, tuple[Path, ...]]:
    """The files that systems read, such as models that others released, by the system; relative to the data folder."""
    return {name: step.files for name, step in _steps_shown(profile) if step.files}


def hugging_face_models(profile: Profile) -> list[str]:
    """The names or folders of the models from Hugging Face that systems name."""
    return list(dict.fromkeys(model for _, step in _steps_shown(profile) for model in step.hugging_face_models))


def matching(folder: Path, path: Path) -> list[Path]:
    """The files of a path or pattern of the data folder; none where it is missing."""
    if path.is_absolute():
        folder, path = Path(path.anchor), path.relative_to(path.anchor)
    return [file for file in sorted(folder.glob(path.as_posix())) if file.is_file() and not file.name.startswith(".")]


def _steps_shown(profile: Profile) -> Iterator[tuple[str, Step]]:
    """The steps of the systems that the profile's notebooks compare, each with its system's name."""
    listed = (name for names in profile.notebooks.values() for name in names)
    for system in dict.fromkeys(system for name in listed for system in profile.comparisons.get(name, ())):
        for step in all_steps(profile, system):
            yield system, step


def _sentences_of_seed(profile: Profile, seed: str) -> int:
    """The largest number of sentences of a seed corpus that a grid, model, stage of training or language model takes."""
    return max(_amounts(profile, seed), default=profile.pseudo_data.shard)


def _amounts(profile: Profile, seed: str) -> Iterator[int]:
    for grid in profile.grids.values():
        if seed in grid.seed_corpus:
            yield from grid.pseudo_pairs
    for model in profile.models.values():
        if model.seed_corpus == seed:
            yield model.pseudo_pairs
    settings = {setting for grid in profile.grids.values() for setting in grid.setting}
    settings |= {model.setting for model in profile.models.values()}
    for setting in settings:
        for stage in profile.settings[setting]:
            yield from (part.pseudo_pairs for part in stage.data if isinstance(part, MorePseudoData) and part.seed_corpus == seed)
    if profile.language_model is not None and profile.language_model.seed_corpus == seed:
        yield profile.language_model.sentences
