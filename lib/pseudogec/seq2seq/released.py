"""Models that others released: fairseq checkpoints of early versions, with separate dictionaries
for source and target.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from pseudogec.artefacts.errors import DataError
from pseudogec.seq2seq import checkpoints, compat
from pseudogec.seq2seq.data import SOURCE, TARGET, dictionary_name, read_dictionary
from pseudogec.seq2seq.model_files import MODEL

_EMBEDDINGS = {SOURCE: "encoder.embed_tokens.weight", TARGET: "decoder.embed_tokens.weight"}
_COPYING = "copy_transformer"
# Instead of its authors' names for task and languages.
_OURS = {"task": "translation", "source_lang": SOURCE, "target_lang": TARGET}


def import_checkpoint(
    checkpoint: Path, source_dictionary: Path, target_dictionary: Path, folder: Path
) -> None:
    """Turn a fairseq checkpoint of any version into a model folder: ``model.pt``, ``dict.src.txt``,
    ``dict.trg.txt``.

    fairseq's own upgrade of old checkpoints is applied; the optimiser's state is left out. The
    dictionaries hold the subwords in the order of the model's numbers.

    Raises:
        UnsafeFileError: the checkpoint contains more than weights and plain options, and the user
            has not named it in ``PSEUDOGEC_TRUST_CHECKPOINTS``.
        DataError: a file is missing or malformed, a dictionary has another size than the model's
            vocabulary, or a model that copies has two different dictionaries.
    """
    state = _read(checkpoint)
    options = _plain_options(state)
    dictionaries = {SOURCE: source_dictionary, TARGET: target_dictionary}
    subwords = {side: list(read_dictionary(path)) for side, path in dictionaries.items()}
    for side, path in dictionaries.items():
        if len(subwords[side]) != (expected := state["model"][_EMBEDDINGS[side]].shape[0]):
            problem = (
                f"has {len(subwords[side]):,} symbols, and {checkpoint.name} was trained with "
                f"{expected:,} on its {side} side"
            )
            raise DataError(path, f"{problem}; give the dictionary that belongs to it")
    if options["model"].arch == _COPYING and subwords[SOURCE] != subwords[TARGET]:
        problem = (
            f"is not the dictionary {source_dictionary}; {checkpoint.name} copies subwords "
            "of its source"
        )
        raise DataError(
            target_dictionary, f"{problem} ({_COPYING}) and needs one dictionary for both sides"
        )
    folder.mkdir(parents=True, exist_ok=True)
    checkpoints.save(checkpoints.bare_weights(options, state["model"]), folder / MODEL)
    for side, path in dictionaries.items():
        shutil.copyfile(path, folder / dictionary_name(side))


def _read(path: Path) -> dict[str, Any]:
    compat.apply()
    from fairseq import checkpoint_utils

    try:
        with compat.isolated():
            state = checkpoint_utils.load_checkpoint_to_cpu(str(path), arg_overrides=_OURS)
            if not all(name in state["model"] for name in _EMBEDDINGS.values()):
                raise ValueError("it is no model from source to target")
    except (OSError, *checkpoints.UNREADABLE) as error:
        raise DataError(
            path, f"cannot be read as a checkpoint of fairseq ({type(error).__name__}: {error})"
        ) from None
    return state


def _plain_options(state: dict[str, Any]) -> Any:
    """The options as plain containers, under the model's general name.

    Presets such as ``transformer_vaswani_wmt_en_de_big`` only fill in sizes, which the options
    hold.
    """
    from fairseq.models import ARCH_MODEL_NAME_REGISTRY
    from omegaconf import OmegaConf

    options: Any = OmegaConf.to_container(
        OmegaConf.create(state["cfg"]), resolve=True, enum_to_str=True
    )
    model = options["model"]
    model.arch = model._name = ARCH_MODEL_NAME_REGISTRY.get(model.arch, model.arch)
    return options
