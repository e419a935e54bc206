"""Planning: from the names in a profile (a method, a setting, a system's steps) to recipes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatch
from functools import cache, cached_property
from pathlib import Path
from typing import Any, NamedTuple

from pseudogec.artefacts import FileDigests, Pack, Recipe, SourceFile, UserError, with_ancestors
from pseudogec.corpora import (
    CorpusFile,
    FilePairs,
    FileSentences,
    LocatedFile,
    PairFormat,
    load_catalogue,
    matching,
)
from pseudogec.corpora.classroom import ClassroomSentences
from pseudogec.correct import Models, Need, Step
from pseudogec.edits import annotator_signature
from pseudogec.evaluate import ERRANT, Metric
from pseudogec.noise import DecoderMethod, Method, TextMethod
from pseudogec.study.corpora import (
    ClassroomSeedText,
    Corpus,
    FileSeedText,
    MaskedReferences,
    References,
    SampledCorpus,
    SeedCorpus,
    SeedText,
    SeedTextFacts,
    SplitCorpus,
    WholeCorpus,
    WrittenCorpus,
)
from pseudogec.study.corrections import Correction, PreprocessedCorpus, ReleasedOutput, Search
from pseudogec.study.grid import Pipeline, System
from pseudogec.study.leakage import WithoutTestSentences
from pseudogec.study.models import (
    Arrangement,
    BinarisedPairs,
    BinarisedText,
    CompactModel,
    Mirrored,
    ReleasedModel,
    ReleasedSubwords,
    Snapshot,
    Subwords,
    TrainedDetector,
    TrainedEncoder,
    TrainedLanguageModel,
    TrainedModel,
    TrainingPairs,
    WordCounts,
)
from pseudogec.study.profile import Profile, StageOfTraining, Track, all_steps, tracks_of
from pseudogec.study.pseudo_data import (
    BackTranslatedData,
    MisspeltData,
    NoisedData,
    PseudoData,
    PseudoEdits,
)
from pseudogec.study.results import EditShares, ScoredCorrection

_REVERSE = "reverse_model"  # stands for a setting, with the profile's stages of that name


class GenuineData(NamedTuple):
    """The genuine pairs of a track."""

    genuine: Corpus
    validation: Corpus
    in_domain: Corpus | None = None
    # Test sentences, in place of a test set that the track is cut from
    held_out: Corpus | None = None


class Planner:
    """Turns a profile into recipes; data and models that several recipes share are described once.

    Args:
        root: the project's root, which the profile's data folder is relative to.
        without_data: plan even where corpus files are missing, to see what a study would do; its
            recipes cannot be built.
        packs: know the digests of files that are missing, so that what was made from them is found
            in the packs.

    Raises:
        DataError: a corpus file is missing.
    """

    def __init__(
        self,
        profile: Profile,
        root: Path,
        without_data: bool = False,
        digest: FileDigests | None = None,
        packs: Sequence[Pack] = (),
    ) -> None:
        self.profile = profile
        self._without_data, self._digest, self._packs = without_data, digest or FileDigests(), packs
        self.files: dict[str, SourceFile] = {}
        """The files that recipes read, by their paths in the data folder."""
        self._data = root / profile.data_folder
        self.language = profile.language.located(self.file)
        self.genuine: WrittenCorpus = self._corpus("genuine", profile.corpora.genuine)
        self.tests = {
            name: self._corpus(name, test.pairs) for name, test in profile.corpora.tests.items()
        }
        if profile.corpora.without_test_sentences:
            self.genuine = WithoutTestSentences(
                name="genuine", corpus=self.genuine, tests=tuple(self.tests.values())
            )
        self.bpe = Subwords(
            genuine=self.genuine, merges=profile.subwords.merges, language=self.language
        )
        self.validation = self._corpus("validation", profile.corpora.validation)
        development = profile.corpora.development
        self.development = (
            self.validation if development is None else self._corpus("development", development)
        )
        in_domain = profile.corpora.in_domain
        self.in_domain = None if in_domain is None else self._corpus("in_domain", in_domain)
        self.annotator = annotator_signature(profile.annotator)
        self.tracks = {"restricted": GenuineData(self.genuine, self.validation, self.in_domain)}
        # A track has little genuine data, but shares the subwords and the stage of copying, for
        # which grammatical text is enough.
        self.tracks |= {name: self._track(name, track) for name, track in profile.tracks.items()}
        self._shards: dict[tuple[str, str, str, int], list[PseudoData]] = {}
        # What many recipes share is described, and its key computed, once.
        self._seed_corpus = cache(self._in_shares)
        self._mirrored = cache(lambda data: Mirrored(data=data, bpe=self.bpe))
        self._last_stage = cache(self._model)

    def test_sentences(self, system: System | Pipeline, test: str) -> Corpus:
        """The sentences that a system is scored on: the test set or, if its track is cut from it,
        the held-out part.
        """
        corpus, held_out = self.tests[test], self.tracks[system.track].held_out
        return held_out if held_out is not None and corpus == self.development else corpus

    def dataset(self, system: System | Pipeline, test: str) -> str:
        """The name, in tables, of the sentences that a system is scored on."""
        whole = self.test_sentences(system, test) == self.tests[test]
        return test if whole else f"{test}, held out of {system.track}"

    @property
    def tuned_on(self) -> frozenset[Corpus]:
        """The test sets, and the parts that tracks hold out of them, on which the profile allows
        tuning.
        """
        allowed: set[Corpus] = {
            self.tests[name] for name, test in self.profile.corpora.tests.items() if test.tuned_on
        }
        if self.development in allowed:
            allowed |= {data.held_out for data in self.tracks.values() if data.held_out is not None}
        return frozenset(allowed)

    def file(self, path: Path) -> SourceFile:
        """A file of the profile's data folder.

        Raises:
            DataError: it is missing, and the plan is meant to be built.
        """
        full = self._data / path
        name = (
            full.relative_to(self._data) if full.is_relative_to(self._data) else full
        ).as_posix()
        if not full.exists() and (
            known := next(filter(None, (pack.source(name, full) for pack in self._packs)), None)
        ):
            self.files[name] = known
            return known
        if self._without_data and not full.exists():
            expected = load_catalogue().expected_bytes(path)
            return SourceFile(path=full, digest=f"missing:{path}", expected_bytes=expected)
        self.files[name] = SourceFile(path=full, digest=self._digest(full))
        return self.files[name]

    def _corpus(self, name: str, pairs: PairFormat) -> WholeCorpus:
        return WholeCorpus(
            name=name,
            pairs=pairs.located(self._find, self.language)
            if isinstance(pairs, FilePairs)
            else pairs,
        )

    def _track(self, name: str, track: Track) -> GenuineData:
        if track.pairs is not None:
            return self._sampled(name, track.pairs, seed=1)
        if track.genuine is None:
            return _part_of(name, track, self.development)
        names = {
            part: f"{name}-training" if part == "genuine" else f"{name}-{part}"
            for part in track.corpora
        }
        return GenuineData(
            **{part: self._corpus(names[part], pairs) for part, pairs in track.corpora.items()}
        )

    def _sampled(self, name: str, pairs: int, seed: int) -> GenuineData:
        sampled = SampledCorpus(name=name, corpus=self.genuine, sentences=pairs, seed=seed)
        return GenuineData(sampled, self.validation)

    def genuine_data(self, track: str, seed: int) -> GenuineData:
        """The genuine pairs that a model of a seed is trained on."""
        pairs = self.profile.tracks[track].pairs if track in self.profile.tracks else None
        return self.tracks[track] if pairs is None else self._sampled(track, pairs, seed)

    def seed_text(self, name: str, shard: int) -> SeedText:
        sentences, size = self.profile.corpora.seeds[name], self.profile.pseudo_data.shard
        if isinstance(sentences, ClassroomSentences):
            return ClassroomSeedText(name=name, size=size, shard=shard, text=sentences.text)
        return FileSeedText.of(self._seed_corpus(name), size, shard)

    def _in_shares(self, name: str) -> tuple[SeedCorpus, ...]:
        sentences = self.profile.corpora.seeds[name]
        assert isinstance(sentences, FileSentences)
        return SeedCorpus.in_shares(name, sentences.located(self._find, self.language))

    def _find(self, file: CorpusFile) -> list[LocatedFile]:
        """The file of a path, or the files of a pattern; raises as `file` does."""
        # Two packs may know the same file
        in_packs = dict.fromkeys(name for pack in self._packs for name in pack.sources)
        known = [Path(name) for name in in_packs if fnmatch(name, file.path.as_posix())]
        paths = matching(self._data, file.path) or known or [file.path]
        said = file.model_dump(exclude={"path"})
        return [LocatedFile(**said, **self.file(path).model_dump()) for path in paths]

    @property
    def corpora(self) -> dict[str, Corpus]:
        """The corpora of pairs by name: genuine, validation, development where it is another, and
        the test corpora.
        """
        development = (
            {} if self.development is self.validation else {"development": self.development}
        )
        return {"genuine": self.genuine, "validation": self.validation, **development, **self.tests}

    def first_shards(self, systems: Iterable[System]) -> dict[str, PseudoData]:
        """The first shard of each system's pseudo data, by the system's name; its examples stand
        for all.
        """
        return {
            system.name: shards[0] for system in systems if (shards := self.pseudo_data(system))
        }

    def pseudo_edits(self, systems: Iterable[System]) -> dict[str, PseudoEdits]:
        """The edits that would correct each system's pseudo data, by the system's name."""
        shards = self.first_shards(systems)
        return {
            name: PseudoEdits(pseudo_data=shard, annotator=self.annotator)
            for name, shard in shards.items()
        }

    def pseudo_data(self, system: System) -> tuple[PseudoData, ...]:
        """The shards of a system's pseudo data; none for a system without."""
        if system.noise is None or system.seed_corpus is None:
            return ()
        values = "".join(
            f"-{parameter}={value}" for parameter, value in system.swept_values.items()
        )
        name, pairs = system.method + values, system.pseudo_pairs
        return self._pseudo_data(
            name, system.noise, system.seed_corpus, pairs, system.track, system.seed
        )

    def _pseudo_data(
        self, name: str, method: Method, seed_corpus: str, pairs: int, track: str, seed: int
    ) -> tuple[PseudoData, ...]:
        # Systems of all settings and sizes use the same shards: each is described once; a larger
        # size adds to the list.
        draw = seed if self.profile.pseudo_data.own_draws else 1
        shards = self._shards.setdefault((name, seed_corpus, track, draw), [])
        count = pairs // self.profile.pseudo_data.shard
        if len(shards) < count:
            texts = [self.seed_text(seed_corpus, number) for number in range(len(shards), count)]
            shards += self._more_shards(name, method, texts, track, draw)
        return tuple(shards[:count])

    def _more_shards(
        self, name: str, method: Method, texts: Sequence[SeedText], track: str, draw: int
    ) -> Sequence[PseudoData]:
        common: dict[str, Any] = {"name": name, "bpe": self.bpe, "seed": draw}
        if isinstance(method, TextMethod):
            genuine = self.learnt_from(method, track, draw)
            common["references"] = self.references(genuine) if method.needs_pairs else None
            common["language"] = self.language
            return [
                NoisedData(seed_text=text, method=method, genuine=genuine, **common)
                for text in texts
            ]
        assert isinstance(method, DecoderMethod)
        reverse_model, decoding = self.reverse_model(track, draw), self.profile.decoding
        # Translation is expensive: the method without spelling errors is shared, and they are added
        # to its result.
        without_errors = method.changed(sse_rate=0.0)
        translated = [
            BackTranslatedData(
                seed_text=text,
                method=without_errors,
                reverse_model=reverse_model,
                precision=decoding.precision,
                **common,
            )
            for text in texts
        ]
        if not method.sse_rate:
            return translated
        common["language"] = self.language
        return [
            MisspeltData(seed_text=data.seed_text, method=method, pseudo_data=data, **common)
            for data in translated
        ]

    def learnt_from(self, method: TextMethod, track: str = "restricted", seed: int = 1) -> Corpus:
        """The pairs from which a method learns."""
        if not method.learns:
            return self.genuine
        data = self.genuine_data(track, seed)
        if method.needs_pairs and self.profile.pseudo_data.edits_from == "in_domain":
            return data.in_domain or data.genuine
        return data.genuine

    def reverse_model(self, track: str = "restricted", seed: int = 1) -> TrainedModel:
        """The model that translates grammatical sentences into learners' text, trained on a track's
        genuine pairs.
        """
        nothing: dict[str, Any] = {
            "method": "none",
            "seed_corpus": None,
            "pseudo_pairs": 0,
            "upsample": 1,
        }
        return self.model(System(setting=_REVERSE, track=track, seed=seed, **nothing))

    def model(self, system: System, right_to_left: bool = False) -> TrainedModel:
        """The model after the last stage of the system's setting, which may read and write from
        right to left.
        """
        return self._last_stage(system.model_copy(update={"passes": None}), right_to_left)

    def _model(self, system: System, right_to_left: bool) -> TrainedModel:
        """One model after another, each trained from the weights of the one before."""
        name = system.name.replace("/", "-") + (" right to left" if right_to_left else "")
        stages, shape = (
            self.profile.stages(system.setting),
            self.profile.architecture_of(system.architecture),
        )
        model: TrainedModel | None = None
        for stage in stages:
            # A stage of copying is the same in both directions and on most tracks, so that these
            # share one model of it.
            copying = stage.data == ("copies",)
            if (
                copying
                and shape.copies
                and "copy-gate-warmup" not in shape.fairseq_options
                and len(stages) > 1
            ):
                continue  # with an open gate such a model would only learn never to change a word
            arrangement: Arrangement = (
                "reverse" if system.setting == _REVERSE and not copying else "correct"
            )
            validation = self.validation if copying else self.tracks[system.track].validation
            held_out = self._binarised(validation, arrangement, keep_unchanged=True)
            data = self._stage_data(stage, system, arrangement)
            model = TrainedModel(
                name="reverse" if system.setting == _REVERSE else name,
                architecture=shape,
                optimisation=self.profile.optimisation_of(stage.optimisation, system.architecture),
                bpe=self.bpe,
                data=tuple(map(self._mirrored, data)) if right_to_left else data,
                upsample=system.upsample if stage.upsample else 1,
                validation=self._mirrored(held_out) if right_to_left else held_out,
                initial=model,
                seed=system.seed,
            )
        assert model is not None  # a setting has a stage, by the profile's schema
        return model

    def _stage_data(
        self, stage: StageOfTraining, system: System, arrangement: Arrangement
    ) -> tuple[TrainingPairs, ...]:
        data: list[TrainingPairs] = []
        genuine = self.genuine_data(system.track, system.seed)
        for part in stage.data:
            if part == "genuine":
                data.append(self._binarised(genuine.genuine, arrangement))
            elif part == "copies":
                # Grammatical text alone: like the subwords, it comes from all genuine targets
                # unless the track has its own.
                track = self.profile.tracks.get(system.track)
                copied = genuine.genuine if track is not None and track.own_copies else self.genuine
                data.append(self._binarised(copied, "copy", keep_unchanged=True))
            elif part == "in_domain":
                assert genuine.in_domain is not None  # the profile's check
                data.append(self._binarised(genuine.in_domain, arrangement))
            elif part == "pseudo":
                data += self.pseudo_data(system)
            else:
                noise, pairs = self.profile.methods[part.method], part.pseudo_pairs
                data += self._pseudo_data(
                    part.method, noise, part.seed_corpus, pairs, system.track, system.seed
                )
        return tuple(data)

    def _binarised(
        self, corpus: Corpus, arrangement: Arrangement, keep_unchanged: bool = False
    ) -> BinarisedPairs:
        # Only a model that corrects reads preprocessed sentences.
        if (
            arrangement == "correct"
            and (correction := self.after(self.profile.preprocessing, 0, corpus)) is not None
        ):
            corpus = PreprocessedCorpus(name=corpus.name, correction=correction)
        drop_identical = not keep_unchanged and self.profile.corpora.unchanged == "drop"
        return BinarisedPairs(
            corpus=corpus, bpe=self.bpe, drop_identical=drop_identical, arrangement=arrangement
        )

    def corrects(self, system: System | Pipeline, test: str) -> bool:
        """Whether a system has corrections of a test corpus; those that others released are of some
        alone.
        """
        steps = all_steps(self.profile, system.name) if isinstance(system, Pipeline) else []
        return all(step.tests is None or test in step.tests for step in steps)

    def correction(self, system: System | Pipeline, test: str) -> Correction:
        """The system's correction of a test corpus."""
        return self._correction(system, self.test_sentences(system, test))

    def _correction(self, system: System | Pipeline, corpus: Corpus) -> Correction:
        if isinstance(system, Pipeline):
            correction = self.after(all_steps(self.profile, system.name), system.seed, corpus)
            assert correction is not None  # a system has a step, by the profile's schema
            return correction
        # The same recipe as that of a system with this model alone.
        model = self.model(system)
        needs: dict[str, Need] = {
            "models": (self.snapshot(system) if system.passes else model,),
            **self.decoding,
        }
        step = Models(models=(model.name,), n_best=self.profile.decoding.n_best)
        return Correction(
            step=step,
            needs=needs,
            before=self.after(self.profile.preprocessing, 0, corpus),
            corpus=corpus,
        )

    def snapshot(self, system: System) -> Snapshot:
        """The model of a system whose passes are chosen."""
        model = self.model(system)
        assert system.passes is not None
        return Snapshot(model=model, passes=system.passes, validation=model.validation)

    def after(self, steps: Sequence[Step], seed: int, corpus: Corpus) -> Correction | None:
        """A corpus after some steps; nothing before the first."""
        if not steps:
            return None
        *earlier, step = steps
        needs = step.needs(_StepPlanning(self, earlier, step, seed, corpus))
        return Correction(
            step=step, needs=needs, before=self.after(earlier, seed, corpus), corpus=corpus
        )

    @cached_property
    def compact_models(self) -> dict[Recipe, CompactModel]:
        """The models for readers' own sentences, each with its compact form.

        These are the reverse model, if a method uses it, and those of the profile's systems for
        ``own_text``, if they may be passed on and are small.
        """
        reverse = (
            [self.reverse_model()]
            if any(isinstance(each, DecoderMethod) for each in self.profile.methods.values())
            else []
        )
        systems = [pipelines(self.profile, name)[0] for name in self.profile.own_text]
        steps = [
            step
            for system in systems
            for step in self.correction(system, next(iter(self.tests))).steps
        ]
        return CompactModel.of([*reverse, *(parent for step in steps for parent in step.parents)])

    def for_readers(self, recipe: Recipe) -> Recipe:
        """The models that correct or corrupt readers' own sentences: for some, the compact form."""
        return self.compact_models.get(recipe, recipe)

    def references(self, corpus: Corpus, retyped: bool | None = None) -> References:
        """Reference edits; unless ``retyped`` is given, a test set's get the annotator's types
        where the profile says so.
        """
        if retyped is None:
            retyped = any(
                test.retyped and self.tests[name] == corpus
                for name, test in self.profile.corpora.tests.items()
            )
        return References(corpus=corpus, annotator=self.annotator, retyped=retyped)

    def masked_references(self, corpus: Corpus) -> MaskedReferences:
        return MaskedReferences(references=self.references(corpus))

    def seed_text_facts(self, name: str) -> SeedTextFacts:
        return SeedTextFacts(seed_text=self.seed_text(name, 0), genuine=self.genuine)

    def score(
        self, system: System | Pipeline, test: str, metric: Metric = ERRANT
    ) -> ScoredCorrection:
        """The system's score on a test corpus."""
        return ScoredCorrection(
            correction=self.correction(system, test),
            references=self.references(
                self.test_sentences(system, test),
                self.profile.corpora.tests[test].retyped and metric.needs_annotator,
            ),
            metric=metric,
            annotator=self.annotator if metric.needs_annotator else "",
        )

    def edit_shares(self, system: System | Pipeline, test: str | None = None) -> EditShares:
        """The edits of the system's corrections with their shares, on a test corpus or, with none,
        on the development data.
        """
        corpus = (
            self.tracks[system.track].validation
            if test is None
            else self.test_sentences(system, test)
        )
        return EditShares(
            correction=self._correction(system, corpus),
            references=self.references(corpus),
            bpe=self.bpe,
            length_penalty=self.profile.decoding.length_penalty,
            annotator=self.annotator,
            development=None if test is None else self.edit_shares(system),
        )

    @property
    def decoding(self) -> dict[str, Need]:
        """The settings and models of a search."""
        decoding = self.profile.decoding
        return {
            "subwords": self.bpe,
            "beam": decoding.beam,
            "length_penalty": decoding.length_penalty,
        }

    def named_model(self, name: str, seed: int, right_to_left: bool = False) -> TrainedModel:
        """A model that the profile names."""
        choice = self.profile.models[name]
        noise = self.profile.methods.get(choice.method)
        return self.model(System(**choice.model_dump(), noise=noise, seed=seed), right_to_left)

    @cached_property
    def language_model(self) -> TrainedLanguageModel:
        choice = self.profile.language_model
        assert choice is not None  # the profile's check
        return TrainedLanguageModel(
            name=choice.seed_corpus,
            architecture=choice.architecture,
            optimisation=self.profile.optimisation_of(choice.optimisation),
            bpe=self.bpe,
            data=tuple(BinarisedText(text=text, bpe=self.bpe) for text in self.word_counts.texts),
            validation=BinarisedText(text=self.validation, bpe=self.bpe),
            seed=1,
        )

    @cached_property
    def word_counts(self) -> WordCounts:
        """The word counts, with capitals, of the language model's text."""
        choice = self.profile.language_model
        assert choice is not None  # the profile's check
        shards = range(choice.sentences // self.profile.pseudo_data.shard)
        texts = tuple(self.seed_text(choice.seed_corpus, number) for number in shards)
        return WordCounts(name=choice.seed_corpus, texts=texts)


def missing_files(recipes: Iterable[Recipe]) -> list[Path]:
    """The missing files of corpora, and of corrections that others released, that recipes are made
    from.
    """
    read = (
        recipe
        for recipe in with_ancestors(recipes)
        if isinstance(recipe, WholeCorpus | SeedCorpus | ReleasedOutput)
    )
    return sorted({file.path for recipe in read for file in recipe.files if not file.path.exists()})


def pipelines(profile: Profile, name: str, track: str = "restricted") -> list[Pipeline]:
    """A system of the profile, once for each seed if it has a single model, else once; scored as
    systems of a track are.
    """
    versions = (step.versions(profile.seeds) for step in all_steps(profile, name))
    return [
        Pipeline(name=name, seed=seed, track=track) for seed in next(filter(None, versions), (0,))
    ]


def compared(profile: Profile, comparison: str) -> list[Pipeline]:
    """The systems of a comparison, all scored on sentences that the track of none of them trains
    on.
    """
    systems = profile.comparisons[comparison]
    tracks = tracks_of(profile, [step for system in systems for step in all_steps(profile, system)])
    # The profile's check allows one other
    track = next(iter(tracks - {"restricted"}), "restricted")
    return list(
        dict.fromkeys(
            pipeline for system in systems for pipeline in pipelines(profile, system, track)
        )
    )


def _part_of(name: str, track: Track, development: Corpus) -> GenuineData:
    def split(corpus: Corpus, share: float, *names: str) -> tuple[SplitCorpus, SplitCorpus]:
        parts: dict[str, Any] = {"corpus": corpus, "training_share": share, "seed": track.seed}
        return (
            SplitCorpus(name=f"{name}-{names[0]}", part="training", **parts),
            SplitCorpus(name=f"{name}-{names[1]}", part="remaining", **parts),
        )

    training, remaining = split(development, track.training_share, "training", "validation")
    if not track.test_share:
        return GenuineData(training, remaining, held_out=remaining)
    validation, test = split(
        remaining, 1 - track.test_share / (1 - track.training_share), "validation", "test"
    )
    return GenuineData(training, validation, held_out=test)


class _StepPlanning:
    """The study as an interface for one step after ``earlier`` ones, in one version of a system;
    see `correct.Planning`.
    """

    def __init__(
        self, planner: Planner, earlier: Sequence[Step], step: Step, seed: int, corpus: Corpus
    ) -> None:
        self._planner, self._profile, self._earlier, self._step, self.seed = (
            planner,
            planner.profile,
            earlier,
            step,
            seed,
        )
        self._corpus = corpus
        self.subwords, self.annotator, self.decoding = (
            planner.bpe,
            planner.annotator,
            planner.decoding,
        )

    @property
    def language_model(self) -> TrainedLanguageModel:
        return self._planner.language_model

    @property
    def word_counts(self) -> WordCounts:
        return self._planner.word_counts

    def models(
        self, names: Sequence[str], seeds: Sequence[int] | None, right_to_left: bool = False
    ) -> tuple[TrainedModel, ...]:
        seeds = seeds or self._profile.seeds
        return tuple(
            self._planner.named_model(name, seed, right_to_left) for name in names for seed in seeds
        )

    def released(
        self,
        checkpoints: Sequence[Path],
        source_dictionary: Path,
        target_dictionary: Path,
        codes: Path,
    ) -> dict[str, Need]:
        file = self._planner.file
        source, target = file(source_dictionary), file(target_dictionary)
        models = tuple(
            ReleasedModel(checkpoint=file(path), source_dictionary=source, target_dictionary=target)
            for path in checkpoints
        )
        return {**self.decoding, "models": models, "subwords": ReleasedSubwords(codes=file(codes))}

    def output(self, files: Mapping[str, Sequence[Path]]) -> ReleasedOutput:
        if (paths := files.get(self._corpus.name)) is None:
            raise UserError(
                f"no corrections of {self._corpus.name} were released, only of {', '.join(files)}"
            )
        return ReleasedOutput(
            corpus=self._corpus, file=self._planner.file(paths[max(self.seed, 1) - 1])
        )

    def detector(self, model: str) -> TrainedDetector:
        # It learns from the genuine sentences of the model's track.
        data = self._planner.tracks[self._profile.models[model].track]
        return TrainedDetector(
            options=self._profile.error_detector,
            initial=self._planner.named_model(model, self._profile.seeds[0]),
            bpe=self._planner.bpe,
            genuine=data.genuine,
            validation=data.validation,
            seed=1,
        )

    def encoder(self, files: Sequence[Path]) -> TrainedEncoder:
        data = self._planner.tracks["restricted"]
        return TrainedEncoder(
            options=self._profile.error_encoder,
            files=tuple(map(self._planner.file, files)),
            genuine=data.genuine,
            validation=data.validation,
            seed=1,
        )

    def search(self, step: Step, needs: Mapping[str, Need]) -> Search:
        # For models of a track that trains on a part of the development data, the remaining part.
        tracks = tracks_of(self._profile, [*self._earlier, self._step]) - {"restricted"}
        development = next(
            (self._planner.tracks[track].validation for track in tracks), self._planner.development
        )
        return Search(
            step=step,
            needs=dict(needs),
            before=self._planner.after(self._earlier, self.seed, development),
            references=self._planner.references(development),
            annotator=self.annotator,
        )
