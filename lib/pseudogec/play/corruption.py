"""Any sentence, corrupted by any method of a profile in the same way as its pseudo data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pydantic import ValidationError

from pseudogec.artefacts.errors import UserError
from pseudogec.artefacts.kinds import explain
from pseudogec.artefacts.recipe import Recipe
from pseudogec.noise import Method, Noiser
from pseudogec.random_streams import SentenceStreams
from pseudogec.seq2seq import Decoder
from pseudogec.study import Study, System, missing
from pseudogec.study.models import CompactModel
from pseudogec.study.pseudo_data import (
    BackTranslatedData,
    MisspeltData,
    NoisedData,
    PseudoData,
    differences,
)
from pseudogec.text import Bpe, load_bpe

Operations = Sequence[Sequence[str]]
"""The operations on a sentence: kind, before, after."""


class Corruptor:
    """The methods of a profile for single sentences, with their resources from the store."""

    def __init__(self, study: Study) -> None:
        self._study, self._store = study, study.store

    def named(self, method: type[Method]) -> str:
        """The profile's first entry of a method; UserError if there is none."""
        profile = self._study.profile
        for name, entry in profile.methods.items():
            if isinstance(entry, method):
                return name
        raise UserError(f"The profile {profile.name} has no method {method.name}.")

    def recipe(self, name: str, changes: Mapping[str, float] | None = None) -> PseudoData:
        """The pseudo data that an entry of the profile's ``methods`` makes with some parameters
        changed.
        """
        profile = self._study.profile
        try:
            method = profile.methods[name].changed(**(changes or {}))
        except ValidationError as error:
            raise UserError(f"{name}: {explain(error, type(profile.methods[name]))}") from None
        system = System(
            method=name,
            seed_corpus=next(iter(profile.corpora.seeds)),
            setting="",
            pseudo_pairs=profile.pseudo_data.shard,
            upsample=1,
            noise=method,
            swept=tuple(changes or ()),
            seed=profile.seeds[0],
        )
        return self._study.planner.pseudo_data(system)[0]

    def corrupt(
        self,
        tokens: Sequence[str],
        name: str,
        draw: int,
        changes: Mapping[str, float] | None = None,
    ) -> Operations:
        """Corrupt a grammatical sentence; the same ``draw`` gives the same sentence.

        Returns:
            Operations on subwords from a text method, on words from a reverse model.

        Raises:
            UserError: a parameter is impossible, or the store lacks what the method needs.
        """
        recipe = self.recipe(name, changes)
        if isinstance(recipe, NoisedData):
            return self.noiser(recipe).operations(
                self.subwords(recipe, tokens), SentenceStreams(draw)[0]
            )
        return differences(self._translated(recipe, tokens, draw), tokens)

    def noiser(self, recipe: NoisedData) -> Noiser:
        self._need(recipe.bpe, recipe.genuine, *filter(None, [recipe.references]))
        return recipe.noiser(self._store)

    def _translated(self, recipe: PseudoData, tokens: Sequence[str], draw: int) -> list[str]:
        """A sentence as a reverse model writes it, with spelling errors where the method has
        them.
        """
        translated = recipe.pseudo_data if isinstance(recipe, MisspeltData) else recipe
        assert isinstance(translated, BackTranslatedData)
        decoder = self._decoder(translated)
        (source,) = translated.method.translate(decoder, [self.subwords(recipe, tokens)], draw)
        if isinstance(recipe, MisspeltData):
            source = recipe.noiser(self._store)(source, SentenceStreams(draw)[0])
        return Bpe.undo(source)

    def subwords(self, recipe: PseudoData, tokens: Sequence[str]) -> list[str]:
        self._need(recipe.bpe)
        return load_bpe(self._store.folder(recipe.bpe)).apply(tokens)

    def _decoder(self, recipe: BackTranslatedData) -> Decoder:
        model = self._study.planner.for_readers(recipe.reverse_model)
        self._need(recipe.bpe, model)
        return Decoder([self._store.folder(model)])

    def _need(self, *recipes: Recipe) -> None:
        """Make compact forms that are missing, which takes a second; raises UserError where the
        store lacks anything else.
        """
        todo = missing(recipes, self._store, in_full=True)
        if all(isinstance(recipe, CompactModel) for recipe in todo):
            self._study.build(todo)
        else:
            names = ", ".join(
                f"{recipe.kind.replace('_', ' ')} {recipe.label}"
                for recipe in todo
                if recipe in recipes
            )
            remedy = (
                "Run the notebook's cells that build them, or `run_all.py --fresh` where "
                "their results come from a pack"
            )
            raise UserError(f"Not in the store yet: {names}. {remedy}; then run this cell again.")
