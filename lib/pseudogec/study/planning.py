"""From a profile's words (a method, a setting, a size) to the recipes that they stand for."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from pseudogec.edits import annotator_signature
from pseudogec.files import digest_file
from pseudogec.noise import check_method
from pseudogec.study.profile import FilePairs, Pairs, Profile, WorldPairs, WorldSentences
from pseudogec.study.recipes import (
    BinarisedPairs,
    Bpe,
    Corpus,
    Correction,
    FileCorpus,
    FileReference,
    FileSeedText,
    Model,
    PseudoData,
    References,
    Score,
    SeedText,
    WorldCorpus,
    WorldSeedText,
)


class System(BaseModel):
    """One trained system of a grid: what is compared, without how it is made."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    method: str
    seed_corpus: str | None
    setting: str
    pseudo_pairs: int
    upsample: int
    parameters: tuple[tuple[str, float], ...]
    seed: int

    @property
    def name(self) -> str:
        """A name that is the same for all seeds."""
        if self.method == "none":
            return self.setting
        values = "".join(f" {name}={value:g}" for name, value in self.parameters)
        upsample = f" x{self.upsample}" if self.upsample != 1 else ""
        return f"{self.setting}/{self.method}{values}/{self.seed_corpus}/{self.pseudo_pairs}{upsample}"


class Planner:
    """Turns a profile into recipes.

    Args:
        profile: a checked profile.
        root: the project's root, which the profile's data folder is relative to.

    Raises:
        UserError: a method's parameters are impossible (when a system with it is asked for).
        DataError: a corpus file is missing.
    """

    def __init__(self, profile: Profile, root: Path) -> None:
        self.profile = profile
        self._data = root / profile.data_folder
        self.genuine = self._corpus("genuine", profile.corpora.genuine)
        self.bpe = Bpe(genuine=self.genuine, merges=profile.subwords.merges)
        self.tests = {name: self._corpus(name, pairs) for name, pairs in profile.corpora.tests.items()}
        self.validation = self._corpus("validation", profile.corpora.validation)
        self.annotator = annotator_signature(profile.annotator)
        for name, method in profile.methods.items():
            check_method(method.method, method.parameters, f"methods.{name}")

    def _file(self, path: Path, level: str = "") -> FileReference:
        full = self._data / path
        return FileReference(path=full, digest=_digest(full), level=level)

    def _corpus(self, name: str, pairs: Pairs) -> Corpus:
        if isinstance(pairs, WorldPairs):
            levels = None if pairs.levels is None else {str(level): share for level, share in pairs.levels.items()}
            return WorldCorpus(name=name, split=pairs.split, sentences=pairs.sentences, seed=pairs.seed, levels=levels)
        assert isinstance(pairs, FilePairs)
        files = tuple(self._file(file.path, file.level) for file in pairs.files)
        return FileCorpus(name=name, source=pairs.source, files=files, sentences=pairs.sentences)

    def seed_text(self, name: str, shard: int) -> SeedText:
        """One shard of a seed corpus."""
        sentences, size = self.profile.corpora.seeds[name], self.profile.pseudo_data.shard
        if isinstance(sentences, WorldSentences):
            return WorldSeedText(name=name, size=size, shard=shard, register_name=sentences.register_name, seed=sentences.seed)
        return FileSeedText(name=name, size=size, shard=shard, file=self._file(sentences.path))

    def pseudo_data(self, system: System) -> tuple[PseudoData, ...]:
        """The shards of a system's pseudo data; none for a system without."""
        if system.method == "none" or system.seed_corpus is None:
            return ()
        method = self.profile.methods[system.method]
        parameters: dict[str, Any] = {**method.parameters, **dict(system.parameters)}
        check_method(method.method, parameters, f"methods.{system.method}")
        return tuple(
            PseudoData(
                method=method.method,
                parameters=parameters,
                seed_text=self.seed_text(system.seed_corpus, shard),
                genuine=self.genuine,
                bpe=self.bpe,
                seed=1,
            )
            for shard in range(system.pseudo_pairs // self.profile.pseudo_data.shard)
        )

    def model(self, system: System) -> Model:
        """The model after the last stage of the system's setting."""
        profile, pseudo = self.profile, self.pseudo_data(system)
        genuine = BinarisedPairs(corpus=self.genuine, bpe=self.bpe, drop_identical=True)
        validation = BinarisedPairs(corpus=self.validation, bpe=self.bpe, drop_identical=False)
        model: Model | None = None
        for stage in profile.settings[system.setting]:
            parts: dict[str, tuple[BinarisedPairs | PseudoData, ...]] = {"genuine": (genuine,), "pseudo": pseudo}
            model = Model(
                name=system.name.replace("/", "-"),
                architecture=profile.architecture,
                optimisation=profile.optimisations[stage.optimisation],
                bpe=self.bpe,
                data=tuple(part for name in stage.data for part in parts[name]),
                upsample=system.upsample if stage.upsample else 1,
                validation=validation,
                initial=model,
                seed=system.seed,
            )
        assert model is not None  # the profile holds at least one stage for each setting
        return model

    def correction(self, system: System, test: str) -> Correction:
        """What the system makes of a test corpus."""
        decoding = self.profile.decoding
        return Correction(
            model=self.model(system), corpus=self.tests[test], beam=decoding.beam, length_penalty=decoding.length_penalty
        )

    def references(self, test: str) -> References:
        """The test corpus's reference edits."""
        return References(corpus=self.tests[test], annotator=self.annotator)

    def score(self, system: System, test: str) -> Score:
        """The system's score on a test corpus."""
        return Score(correction=self.correction(system, test), references=self.references(test), annotator=self.annotator)


@lru_cache(maxsize=4096)
def _digest_of(path: Path, size: int, modified: int) -> str:
    return digest_file(path)


def _digest(path: Path) -> str:
    """A file's digest, taken once a process while the file is unchanged."""
    if not path.exists():
        return digest_file(path)  # raises the error that names the file
    status = path.stat()
    return _digest_of(path, status.st_size, status.st_mtime_ns)
