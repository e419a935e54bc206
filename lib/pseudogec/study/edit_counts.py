"""How many edits sentences have, by corpus and level, and whether corpora differ in it (Choe et al. 2019, appendix B)."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING

from artefacts.errors import UserError, nearest
from pseudogec.edits import DETECTION_TYPES
from pseudogec.evaluate import compare_means
from pseudogec.study.overview import annotated_sentences
from pseudogec.study.study import Study

if TYPE_CHECKING:
    import pandas as pd


def sentence_counts(study: Study) -> pd.DataFrame:
    """One row for each sentence of each corpus of pairs, by the corpus's first annotator.

    Marks of errors that nobody corrected are no edits here: without them the counts of W&I and FCE are those of Choe et al.

    Returns:
        ``corpus``; ``level`` (see :meth:`Study.levels_of`); ``tokens`` of the source side; ``edits``; ``edits a token``
        of this sentence, not a number for an empty one.
    """
    import pandas as pd

    rows = []
    for name, corpus in study.planner.corpora.items():
        for level, sentence in zip(study.levels(corpus), annotated_sentences(study, corpus), strict=True):
            corrections = [edit for edit in sentence.annotators.get(0, ()) if edit.type not in DETECTION_TYPES]
            rows.append((name, level, len(sentence.source), len(corrections)))
    table = pd.DataFrame(rows, columns=["corpus", "level", "tokens", "edits"])
    return table.assign(**{"edits a token": table.edits / table.tokens.where(table.tokens > 0)})


def edits_by_level(sentences: pd.DataFrame) -> pd.DataFrame:
    """Sizes and densities of edits of each corpus and of each of its levels.

    Args:
        sentences: result of :func:`sentence_counts`.

    Returns:
        ``corpus``; ``level`` (``all`` for the whole corpus, where it has several); ``sentences``; ``tokens``; ``edits``;
        ``edits a token``, the mean over sentences of edits / length as in Choe et al., table 9; ``without edits``, the share of
        such sentences.
    """
    import pandas as pd

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
            "edits a token": part["edits a token"].mean(),
            "without edits": (part.edits == 0).mean(),
        }
        for name, level, part in parts
    ]
    return pd.DataFrame(rows)


def permutation_tests(sentences: pd.DataFrame, groups: str, against: str | None = None, samples: int = 10_000) -> pd.DataFrame:
    """Test whether groups of sentences differ from one of them in edits a token (Choe et al. 2019, table 9).

    The tests are not corrected for their number.

    Args:
        sentences: result of :func:`sentence_counts`, or a part of it.
        groups: the column that names groups, ``corpus`` or ``level``.
        against: the group that the others are compared with; by default the first by name.
        samples: permutations of each test.

    Returns:
        One row a group of two sentences or more, ``against`` first: its name, ``sentences``, ``edits a token`` (mean over
        sentences) and ``p`` (missing in the first row).

    Raises:
        UserError: there is no such group, or none of two sentences.
    """
    import pandas as pd

    known = sentences.dropna(subset=["edits a token"])
    values = {str(name): part["edits a token"].tolist() for name, part in known.groupby(groups, sort=False) if len(part) > 1}
    if not values:
        raise UserError(f"no {groups} has two sentences or more, so there is nothing to compare")
    against = min(values) if against is None else against
    if against not in values:
        raise UserError(f"permutation tests against the {groups} `{against}`: there is none{nearest(against, values)}")
    rows = []
    for name in dict.fromkeys([against, *sorted(values)]):
        p_value = None if name == against else compare_means(values[name], values[against], samples).p_value
        rows.append((name, len(values[name]), fmean(values[name]), p_value))
    return pd.DataFrame(rows, columns=[groups, "sentences", "edits a token", "p"])
