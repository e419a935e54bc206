"""Any sentence, corrupted by any method of a profile as its pseudo data are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from artefacts.errors import UserError
from artefacts.recipe import Recipe
from pseudogec.noise import Noiser, NoiseResources, make_noiser
from pseudogec.random_streams import SentenceStreams
from pseudogec.seq2seq import BeamTrace, Decoder
from pseudogec.study import Study, System, loaded, missing
from pseudogec.study.back_translation import BackTranslator
from pseudogec.study.pseudo_data import BackTranslatedData, MisspeltData, NoisedData, PseudoData
from pseudogec.study.pseudo_data_steps import differences

Operations = Sequence[Sequence[str]]
"""What was done to a sentence: kind, before, after."""


class Corruptor:
    """The methods of a profile at work on single sentences, with what the store holds of theirs.

    Args:
        study: gives the profile and the store.
    """

    def __init__(self, study: Study) -> None:
        self._study, self._store = study, study.store

    def named(self, method: str) -> str:
        """The profile's first entry that is made by a method.

        Raises:
            UserError: there is none.
        """
        for name, entry in self._study.profile.methods.items():
            if entry.method == method:
                return name
        raise UserError(f"The profile {self._study.profile.name} has no method {method}.")

    def recipe(self, name: str, changes: Mapping[str, float] | None = None) -> PseudoData:
        """The pseudo data that a method makes, with all its parameters.

        Args:
            name: of the profile's ``methods``.
            changes: parameters that differ from the profile's.

        Raises:
            UserError: there is no such parameter, or its value is impossible.
        """
        profile = self._study.profile
        system = System(
            method=name,
            seed_corpus=next(iter(profile.corpora.seeds)),
            setting="",
            pseudo_pairs=profile.pseudo_data.shard,
            upsample=1,
            parameters=tuple((changes or {}).items()),
            seed=self._study.profile.seeds[0],
        )
        return self._study.planner.pseudo_data(system)[0]

    def corrupt(self, tokens: Sequence[str], name: str, draw: int, changes: Mapping[str, float] | None = None) -> Operations:
        """Corrupt a sentence.

        Args:
            tokens: of a grammatical sentence.
            name: of the profile's ``methods``.
            draw: number of the random draw; the same number gives the same sentence.
            changes: parameters that differ from the profile's.

        Returns:
            Operations on pieces from a noising method, on words from a reverse model.

        Raises:
            UserError: a parameter is impossible, or the store lacks what the method needs.
        """
        recipe = self.recipe(name, changes)
        if isinstance(recipe, NoisedData):
            return self.noiser(recipe).operations(self.pieces(recipe, tokens), SentenceStreams(draw)[0])
        return differences(self._translated(recipe, tokens, draw), tokens)

    def noiser(self, recipe: NoisedData) -> Noiser:
        """The noising method of some pseudo data.

        Raises:
            UserError: the store lacks what it learns from.
        """
        self._need(recipe.bpe, recipe.genuine, *filter(None, [recipe.references]))
        references = self._store.folder(recipe.references) if recipe.references else None
        resources = loaded.noise_resources(self._store.folder(recipe.genuine), self._store.folder(recipe.bpe), references)
        return make_noiser(recipe.method, recipe.parameters, resources)

    def _translated(self, recipe: PseudoData, tokens: Sequence[str], draw: int) -> list[str]:
        """A sentence as a reverse model writes it."""
        if isinstance(recipe, MisspeltData):
            bpe = loaded.segmentation(self._store.folder(recipe.bpe))
            spelling = make_noiser("sse", {"sse_rate": recipe.parameters["sse_rate"]}, NoiseResources(bpe=bpe))
            translated = self._translated(recipe.pseudo_data, tokens, draw)
            return bpe.undo(spelling(bpe.apply(translated), SentenceStreams(draw)[0]))
        assert isinstance(recipe, BackTranslatedData)
        self._need(recipe.bpe, recipe.reverse_model)
        model, bpe_folder = self._store.folder(recipe.reverse_model), self._store.folder(recipe.bpe)
        translator = BackTranslator(model, bpe_folder / "dict.txt", recipe.method, recipe.parameters, draw)
        return loaded.segmentation(bpe_folder).undo(translator.translate(self.pieces(recipe, tokens)))

    def trace(self, tokens: Sequence[str], name: str, draw: int, changes: Mapping[str, float] | None = None) -> BeamTrace:
        """The noisy beam search that corrupts a sentence, step by step; its best output is that of :meth:`corrupt`.

        Args are those of :meth:`corrupt`.

        Raises:
            UserError: the method searches no noisy beam, a parameter is impossible, or the store lacks the reverse model.
        """
        recipe = self.recipe(name, changes)
        if not isinstance(recipe, BackTranslatedData) or "beta_random" not in recipe.parameters:
            raise UserError(f"{name} searches no noisy beam.")
        self._need(recipe.bpe, recipe.reverse_model)
        decoder = Decoder([self._store.folder(recipe.reverse_model)])
        beam, beta = recipe.parameters["beam"], recipe.parameters["beta_random"]
        return decoder.trace(self.pieces(recipe, tokens), beam=beam, noise_beta=beta, seed=draw)

    def pieces(self, recipe: PseudoData, tokens: Sequence[str]) -> list[str]:
        """A sentence in the pieces that a method works on.

        Raises:
            UserError: the store lacks the segmentation.
        """
        self._need(recipe.bpe)
        return loaded.segmentation(self._store.folder(recipe.bpe)).apply(tokens)

    def _need(self, *recipes: Recipe) -> None:
        """Refuse to go on where something was not built.

        Raises:
            UserError: the store lacks some of the recipes.
        """
        if todo := missing(recipes, self._store):
            names = ", ".join(dict.fromkeys(f"{recipe.kind} {recipe.label}" for recipe in todo))
            raise UserError(f"Not in the store yet: {names}. Run the notebook's cells that build them, then this one again.")
