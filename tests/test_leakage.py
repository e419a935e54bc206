"""Whether a study is refused whose test sentences occur in what its systems learn from, and no
other.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from pseudogec.artefacts.errors import UserError
from pseudogec.corpora import M2
from pseudogec.report import Report
from pseudogec.report.tables import StyledTable
from pseudogec.study import Study, missing
from pseudogec.study.corpora import WrittenCorpus
from pseudogec.study.leakage import CheckResult, chance_allows, find_overlap, refuse

TEST = [
    "My sister and I has always dreamed of a small house near the old harbour .",
    "Although it was raining , the children wanted go to the beach with their dog .",
    "In my opinion , people should to travel less by plane and more by train .",
    "Thank you .",
]
OTHERS = [
    "The museum was close on Monday , so we have visited the castle and the gardens instead .",
    "I have been learning the Spanish since two years and I enjoy it very much .",
    "Thank you .",
]
DIRECT = (
    "grids.generation_methods={method: direct_noise, seed_corpus: everyday, setting: joint, "
    "pseudo_pairs: 250, seeds: [1]}"
)


def write_m2(path: Path, sentences: Sequence[str]) -> None:
    """Each sentence with one edit, so that its correction is another sentence."""
    path.write_text(
        "".join(
            f"S {text}\nA 0 1|||R:OTHER|||Well|||REQUIRED|||-NONE-|||0\n\n" for text in sentences
        )
    )


def study(
    folder: Path, *overrides: str, scheduler: str | None = None, **corpora: Sequence[str]
) -> Study:
    """Smoke's study of one grid, whose corpora of pairs are small files."""
    found = {
        "test": TEST,
        "genuine": OTHERS,
        "validation": OTHERS,
        "development": OTHERS,
        **corpora,
    }
    for name, sentences in found.items():
        write_m2(folder / f"{name}.m2", sentences)
    parts = [
        f"  {name}: {{replace: true, source: m2, files: [{name}.m2]}}\n"
        for name in found
        if name != "test"
    ]
    (folder / "mine.yaml").write_text(
        f"extends: smoke\nannotator: offline\ndata_folder: {folder}\nfirst_stages: []\n"
        f"corpora:\n{''.join(parts)}  in_domain: null\n"
        "  tests: {replace: true, mine: {source: m2, files: [test.m2]}}\n"
        "settings: {sequential: null}\ngrids: {transfer: null, copying: null, curricula: null}\n"
        "models: {replace: true}\nsystems: {replace: true}\nown_text: []\ncomparisons: "
        "{replace: true}\n"
        "notebooks: {replace: true, 01_generation_methods: [generation_methods]}\n"
    )
    return Study.open(
        folder / "mine.yaml", [DIRECT, *overrides], store=folder / "store", scheduler=scheduler
    )


def findings(opened: Study) -> list[CheckResult]:
    """What the checks of the corpora of pairs find; the seed corpora are simulated here."""
    every = opened.checks(opened.recipes("generation_methods"))
    checks = [check for check in every if isinstance(check.overlaps[0].text, WrittenCorpus)]
    for recipe in missing(
        [overlap for check in checks for overlap in check.overlaps], opened.store
    ):
        opened.store.build(
            recipe, lambda item, folder: item.build(folder, opened.store, lambda *_: None)
        )
    return list(map(opened.found_by, checks))


def test_test_sentences_in_training_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError) as caught:
        refuse(findings(study(tmp_path, genuine=[*OTHERS, *TEST])))
    message = str(caught.value)
    assert (
        "mine" in message and "genuine" in message and "models" in message and "subwords" in message
    )
    assert "3 of its 3 sentences" in message
    assert TEST[0] in message
    assert "tuned_on" not in message, "no key allows this"


def test_pairs_with_test_sentences_are_left_out_where_the_profile_says_so(tmp_path: Path) -> None:
    opened = study(tmp_path, "corpora.without_test_sentences=true", genuine=[*OTHERS, *TEST])
    refuse(findings(opened))
    left = (opened.store.folder(opened.planner.genuine) / "source.txt").read_text().splitlines()
    assert left == [*OTHERS, "Thank you ."], "short sentences occur everywhere, and stay"


def test_test_sentences_in_a_noise_dictionary_are_refused(tmp_path: Path) -> None:
    noise = (
        "{method: realistic, seed_corpus: everyday, setting: pretrain_only, pseudo_pairs: 250, "
        "seeds: [1]}"
    )
    opened = study(tmp_path, f"grids.generation_methods={noise}", genuine=[*OTHERS, *TEST])
    with pytest.raises(UserError, match="realistic") as caught:
        refuse(findings(opened))
    assert TEST[0] in str(caught.value)


TUNED = "settings.joint=[{data: [genuine, pseudo], optimisation: fine_tuning}]"


def test_test_sentences_that_choose_checkpoints_are_refused_unless_the_profile_says_so(
    tmp_path: Path,
) -> None:
    with pytest.raises(UserError, match="checkpoints") as caught:
        refuse(findings(study(tmp_path, TUNED, validation=TEST)))
    assert "`tuned_on: true`" in str(caught.value)
    refuse(findings(study(tmp_path, TUNED, "corpora.tests.mine.tuned_on=true", validation=TEST)))


def test_what_two_corpora_share_by_chance_is_not_refused(tmp_path: Path) -> None:
    """Everybody writes short sentences, and a longer one may be a task's own words."""
    (found, *others) = findings(study(tmp_path, genuine=[*OTHERS, *TEST[-1:] * 50, TEST[0]]))
    refuse([found, *others])
    assert (found.shared, found.counted, found.refused) == (1, 3, False)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            "ALTHOUGH it was raining, the children wanted go to the beach with their dog.",
            id="not tokenised",
        ),
        pytest.param(
            "Well it was raining , the children wanted go to the beach with their dog .",
            id="the correction",
        ),
    ],
)
def test_neither_tokenisation_nor_case_nor_side_hides_a_sentence(text: str) -> None:
    pairs = [(TEST[0], TEST[0]), (TEST[1], TEST[1].replace("Although", "Well", 1))]
    assert find_overlap(pairs, [("Another one .",), (text,)])["found"] == [1]


def test_chance_is_what_corpora_of_learners_without_common_text_share(shared_data: Path) -> None:
    def sides(*names: str) -> list[tuple[str, ...]]:
        corpus = M2(files=tuple(shared_data / name for name in names))
        return [tuple(map(" ".join, sentence.pair)) for sentence in corpus.read()]

    dev, fce = sides("fce/fce.dev.m2"), sides("fce/fce.test.gold.bea19.m2")
    shared, part = find_overlap(fce, dev), find_overlap(fce, [*dev, *fce[:60]])
    assert len(shared["found"]) <= chance_allows(shared["counted"]) < len(part["found"])


@pytest.mark.slow
def test_a_study_is_refused_before_anything_is_trained(tmp_path: Path, scheduler: str) -> None:
    opened = study(tmp_path, scheduler=scheduler, genuine=[*OTHERS, *TEST])
    with opened.engine, pytest.raises(UserError, match=TEST[0]):
        opened.scores(opened.grid("generation_methods"))
    assert not {path.parent.name for path in (tmp_path / "store").glob("*/*")} & {
        "model",
        "bpe",
        "pseudo_data",
    }


@pytest.mark.slow
def test_tables_say_which_of_their_systems_are_tuned_on_the_test_set(
    shared_store: Path, scheduler: str, tmp_path: Path
) -> None:
    same = "{source: classroom, split: test, sentences: 80}"
    tested = same.replace("{", "{tuned_on: true, ")
    overrides = [
        "first_stages=[]",
        f"corpora.validation={same}",
        f"corpora.tests={{mine: {tested}}}",
    ]
    overrides += ["annotator=offline", DIRECT, TUNED]
    opened = Study.open(
        "smoke", overrides, store=shared_store, scheduler=scheduler, outputs=tmp_path / "outputs"
    )
    grid = opened.grid("generation_methods", method=["none", "direct_noise"])
    with opened.engine:
        scores = opened.scores(grid)
    assert set(scores[scores.setting == "joint"].tuned_on_test) == {"checkpoints"}
    assert scores[scores.setting == "baseline"].tuned_on_test.isna().all(), (
        "the mean of the last checkpoints is not chosen"
    )
    report = Report(opened)
    table = report.compare(scores, "method", "methods")
    assert isinstance(table, StyledTable)
    footnote = "so scores are higher than on others: checkpoints (joint/direct_noise/"
    assert footnote in table.to_html() and footnote in report.differences(grid)
