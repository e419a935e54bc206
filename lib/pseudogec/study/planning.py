"""From a profile's words (a method, a setting, a size) to the recipes that they stand for."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from pseudogec.edits import annotator_signature
from pseudogec.files import digest_file
from pseudogec.noise import METHODS, check_method
from pseudogec.study.back_translation import BACK_TRANSLATION, check_back_translation
from pseudogec.study.profile import FilePairs, Pairs, Profile, StageOfTraining, WorldPairs, WorldSentences
from pseudogec.study.recipes import (
    Arrangement,
    BackTranslatedData,
    BinarisedPairs,
    Bpe,
    Corpus,
    Correction,
    FileCorpus,
    FileReference,
    FileSeedText,
    MisspeltData,
    Model,
    NoisedData,
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
        without_data: plan even where corpus files are missing, to see what a study would do; its recipes cannot be built.

    Raises:
        UserError: a method's parameters are impossible.
        DataError: a corpus file is missing.
    """

    def __init__(self, profile: Profile, root: Path, without_data: bool = False) -> None:
        self.profile = profile
        self._without_data = without_data
        self._data = root / profile.data_folder
        self.genuine = self._corpus("genuine", profile.corpora.genuine)
        self.bpe = Bpe(genuine=self.genuine, merges=profile.subwords.merges)
        self.tests = {name: self._corpus(name, pairs) for name, pairs in profile.corpora.tests.items()}
        self.validation = self._corpus("validation", profile.corpora.validation)
        in_domain = profile.corpora.in_domain
        self.in_domain = None if in_domain is None else self._corpus("in_domain", in_domain)
        self.annotator = annotator_signature(profile.annotator)
        self._shards: dict[tuple[str, tuple[tuple[str, float], ...], str], list[PseudoData]] = {}
        for name in profile.methods:
            self._checked(name, {})

    def _checked(self, name: str, changes: dict[str, float]) -> tuple[str, dict[str, Any]]:
        """A method of the profile with all its parameters, defaults included."""
        method = self.profile.methods[name]
        parameters = {**method.parameters, **changes}
        check = check_back_translation if method.method in BACK_TRANSLATION else check_method
        return method.method, check(method.method, parameters, f"methods.{name}").model_dump()

    def _file(self, path: Path, level: str = "") -> FileReference:
        full = self._data / path
        digest = f"missing:{path}" if self._without_data and not full.exists() else _digest(full)
        return FileReference(path=full, digest=digest, level=level)

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
        return self._pseudo_data(system.method, dict(system.parameters), system.seed_corpus, system.pseudo_pairs)

    def _pseudo_data(self, name: str, changes: dict[str, float], seed_corpus: str, pairs: int) -> tuple[PseudoData, ...]:
        # Systems of all settings, sizes and seeds use the same shards: each is described once; a larger size adds to the list.
        shards = self._shards.setdefault((name, tuple(changes.items()), seed_corpus), [])
        wanted = pairs // self.profile.pseudo_data.shard
        if len(shards) < wanted:
            shards += self._more_shards(name, changes, [self.seed_text(seed_corpus, n) for n in range(len(shards), wanted)])
        return tuple(shards[:wanted])

    def _more_shards(self, name: str, changes: dict[str, float], texts: Sequence[SeedText]) -> list[PseudoData]:
        method, parameters = self._checked(name, changes)
        values = "".join(f"-{parameter}={value:g}" for parameter, value in changes.items())
        common: dict[str, Any] = {"name": name + values, "method": method, "parameters": parameters, "bpe": self.bpe, "seed": 1}
        if method in BACK_TRANSLATION:
            reverse = self.reverse_model()
            return [_back_translated(text, reverse, common) for text in texts]
        references = References(corpus=self.genuine, annotator=self.annotator) if METHODS[method].needs_pairs else None
        return [NoisedData(seed_text=text, genuine=self.genuine, references=references, **common) for text in texts]

    def reverse_model(self) -> Model:
        """The model that turns grammatical sentences into what learners might write, trained on the genuine pairs."""
        return self._model("reverse", self.profile.reverse_model, seed=1, direction="reverse")

    def model(self, system: System) -> Model:
        """The model after the last stage of the system's setting."""
        stages = self.profile.settings[system.setting]
        return self._model(system.name.replace("/", "-"), stages, system.seed, self.pseudo_data(system), system.upsample)

    def _model(
        self,
        name: str,
        stages: Sequence[StageOfTraining],
        seed: int,
        pseudo: Sequence[PseudoData] = (),
        upsample: int = 1,
        direction: Arrangement = "correct",
    ) -> Model:
        """One model after another, each trained from the weights of the one before."""
        model: Model | None = None
        for stage in stages:
            # A stage of copying is the same in both directions, so that both share one model of it.
            arrangement = "correct" if stage.data == ("copies",) else direction
            model = Model(
                name=name,
                architecture=self.profile.architecture,
                optimisation=self.profile.optimisations[stage.optimisation],
                bpe=self.bpe,
                data=self._stage_data(stage, pseudo, arrangement),
                upsample=upsample if stage.upsample else 1,
                validation=self._binarised(self.validation, arrangement, drop_identical=False),
                initial=model,
                seed=seed,
            )
        assert model is not None  # a setting has a stage, by the profile's schema
        return model

    def _stage_data(
        self, stage: StageOfTraining, pseudo: Sequence[PseudoData], arrangement: Arrangement
    ) -> tuple[BinarisedPairs | PseudoData, ...]:
        found: list[BinarisedPairs | PseudoData] = []
        for part in stage.data:
            if part == "genuine":
                found.append(self._binarised(self.genuine, arrangement))
            elif part == "copies":
                found.append(self._binarised(self.genuine, "copy", drop_identical=False))
            elif part == "in_domain":
                assert self.in_domain is not None  # the profile's check
                found.append(self._binarised(self.in_domain, arrangement))
            elif part == "pseudo":
                found += pseudo
            else:
                found += self._pseudo_data(part.method, {}, part.seed_corpus, part.pseudo_pairs)
        return tuple(found)

    def _binarised(self, corpus: Corpus, arrangement: Arrangement, drop_identical: bool = True) -> BinarisedPairs:
        return BinarisedPairs(corpus=corpus, bpe=self.bpe, drop_identical=drop_identical, arrangement=arrangement)

    def correction(self, system: System, test: str) -> Correction:
        """What the system makes of a test corpus."""
        decoding = self.profile.decoding
        return Correction(
            model=self.model(system),
            bpe=self.bpe,
            corpus=self.tests[test],
            beam=decoding.beam,
            length_penalty=decoding.length_penalty,
        )

    def references(self, test: str) -> References:
        """The test corpus's reference edits."""
        return References(corpus=self.tests[test], annotator=self.annotator)

    def score(self, system: System, test: str) -> Score:
        """The system's score on a test corpus."""
        return Score(correction=self.correction(system, test), references=self.references(test), annotator=self.annotator)


def _back_translated(text: SeedText, reverse: Model, common: dict[str, Any]) -> PseudoData:
    """Back-translated data; spelling errors come on top of what is shared with the method without them."""
    without_errors = {**common, "parameters": {**common["parameters"], "sse_rate": 0.0}}
    translated = BackTranslatedData(seed_text=text, reverse_model=reverse, **without_errors)
    if not common["parameters"]["sse_rate"]:
        return translated
    return MisspeltData(seed_text=text, pseudo_data=translated, **common)


@lru_cache(maxsize=4096)
def _digest_of(path: Path, size: int, modified: int) -> str:
    return digest_file(path)


def _digest(path: Path) -> str:
    """A file's digest, taken once a process while the file is unchanged."""
    if not path.exists():
        return digest_file(path)  # raises the error that names the file
    status = path.stat()
    return _digest_of(path, status.st_size, status.st_mtime_ns)
