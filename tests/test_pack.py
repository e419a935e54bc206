"""What of a study travels: all that tables and figures need, and no sentence of a corpus that may
not be passed on.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pyarrow import parquet

from helpers.building import make
from pseudogec.__main__ import main
from pseudogec.artefacts import Pack, Recipe, UserError, merge, missing, with_ancestors, write_pack
from pseudogec.artefacts.files import read_lines
from pseudogec.artefacts.pack import ARTEFACTS, FILES
from pseudogec.edits import read_m2
from pseudogec.report import samples, texts, trainings
from pseudogec.report.tables import training_lengths
from pseudogec.study import PACK, PROJECT, MissingSentencesError, Study
from pseudogec.study.models import CompactModel

WORDS = (
    "barnacle cobbler dulcimer ferret gazebo hammock isthmus jackdaw kumquat lozenge marzipan "
    "nutmeg osprey parsnip"
).split()

PROFILE = """\
extends: smoke
annotator: offline
data_folder: {data}
corpora:
  genuine: {{replace: true, source: m2, files: train.m2{quoted}}}
  validation: {{replace: true, source: m2, files: dev.m2{quoted}}}
  development: null
  tests: {{replace: true, mine: {{source: m2, files: test.m2{quoted}}}}}
  seeds: {{simple: {{replace: true, source: plain, files: text.txt{quoted}}}}}
pseudo_data: {{shard: 50}}
methods: {{realistic: {{minimum_count: 1}}}}
systems:
  replace: true
  corrected: {{steps: [{{step: spelling, language_model: false, casing: false}}]}}
  chosen: {{after: corrected, steps: [{{step: type_dropping}}]}}
comparisons: {{replace: true, mine: [corrected, chosen]}}
grids: {{replace: true, noise: {{method: [direct_noise, realistic], seed_corpus: simple, setting: joint, pseudo_pairs: 50}}}}
tracks: {{replace: true}}
models: {{replace: true}}
own_text: []
notebooks: {{replace: true, 00_data: [], 05_top_systems: [mine, noise]}}
"""


def made_up(data: Path) -> None:
    """Sentences of rare words, in which some are misspelt."""
    random = np.random.default_rng(1)
    for name in ("train", "dev", "test"):
        lines = []
        for _ in range(40):
            words = random.choice(WORDS, 14).tolist()
            wrong = [*words[:5], words[5][::-1], *words[6:]]
            lines += [
                " ".join(["S", *wrong]),
                f"A 5 6|||R:SPELL|||{words[5]}|||REQUIRED|||-NONE-|||0",
                "",
            ]
        (data / f"{name}.m2").write_text("\n".join(lines))
    text = [" ".join(random.choice(WORDS, 14)) for _ in range(60)]
    (data / "text.txt").write_text("\n".join(text) + "\n")


def real(data: Path, shared: Path) -> None:
    """The first sentences of W&I and FCE."""
    for name, file in {
        "train": "wi/A.train.gold.bea19.m2",
        "dev": "wi/A.dev.gold.bea19.m2",
        "test": "fce/fce.dev.m2",
    }.items():
        blocks = (shared / file).read_text(encoding="utf-8").split("\n\n")[:60]
        (data / f"{name}.m2").write_text("\n\n".join(blocks) + "\n\n", encoding="utf-8")
    sentences = [
        sentence.source
        for sentence in read_m2(shared / "wi/B.dev.gold.bea19.m2")
        if len(sentence.source) > 3
    ]
    (data / "text.txt").write_text(
        "\n".join(map(" ".join, sentences[:60])) + "\n", encoding="utf-8"
    )


@pytest.fixture(scope="module", params=["made up", "real"])
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A profile beside its corpora, and a store with what it takes no training to build."""
    folder = tmp_path_factory.mktemp(request.param.replace(" ", "_"))
    (folder / "data").mkdir()
    if request.param == "real":
        real(folder / "data", request.getfixturevalue("shared_data"))
    else:
        made_up(folder / "data")
    for name, quoted in {"mine": "", "free": ", redistributable: true"}.items():
        (folder / f"{name}.yaml").write_text(PROFILE.format(data=folder / "data", quoted=quoted))
    study = opened(folder)
    make(study.store, *buildable(study))
    return folder


def opened(
    folder: Path, profile: str = "mine", store: str = "store", outputs: str = "outputs"
) -> Study:
    return Study.open(
        folder / f"{profile}.yaml", store=folder / store, outputs=folder / outputs, packs=True
    )


def buildable(study: Study) -> list[Recipe]:
    """What is shown without a model."""
    edits = study.planner.pseudo_edits(study.grid("noise")).values()
    checks = [
        overlap for check in study.checks(study.recipes("mine")) for overlap in check.overlaps
    ]
    return [*checks, *study.data_recipes(), *study.recipes("mine"), *edits]


def content(pack: Path) -> str:
    """All that a pack says, decompressed."""
    columns = [
        column for name in (ARTEFACTS, FILES) for column in parquet.read_table(pack / name).columns
    ]
    values: list[Any] = [value for column in columns for value in column.to_pylist()]
    texts = [value.decode() if isinstance(value, bytes) else value for value in values]
    return "\n".join([*texts, *(path.read_bytes().decode("latin-1") for path in pack.iterdir())])


def runs(data: Path, length: int = 5) -> Iterator[str]:
    """Every run of words of a profile's corpora, corrections included; some of four are the
    simulation's, too.
    """
    for file in data.iterdir():
        for line in read_lines(file):
            words = (line.split("|||")[2] if "|||" in line else line.removeprefix("S ")).split()
            yield from (
                " ".join(words[start : start + length]) for start in range(len(words) - length + 1)
            )


def test_no_sentence_gets_into_a_pack_that_may_not_be_passed_on(folder: Path) -> None:
    opened(folder).write_pack(folder / "numbers" / PACK)
    said = content(folder / "numbers" / PACK)
    compact = "".join(said.split()).casefold()
    sentences = set(runs(folder / "data"))
    assert len(sentences) > 1000
    assert not [
        words
        for words in sentences
        if words in said or words.replace(" ", "").casefold() in compact
    ]
    assert str(folder) not in said, "paths of a machine do not travel"


def test_sentences_that_may_be_passed_on_travel(folder: Path) -> None:
    free = opened(folder, "free")
    assert free.planner.genuine == opened(folder).planner.genuine, "the licence changes no key"
    free.write_pack(folder / "free" / PACK)
    said = content(folder / "free" / PACK)
    assert all(sentence in said for sentence in islice(runs(folder / "data"), 100))


@pytest.mark.slow
def test_a_model_travels_where_the_sentences_that_it_has_learnt_may(folder: Path) -> None:
    free, bound = opened(folder, "free"), opened(folder)
    reverse = free.planner.reverse_model()
    assert list(free.planner.compact_models) == [reverse]
    assert not bound.planner.compact_models
    form = free.planner.for_readers(reverse)
    make(free.store, form)
    write_pack(folder / "model", merge([form], [free.store]), "tests")
    assert {"model.safetensors", "model.json"} < set(Pack(folder / "model").files(form))
    same = CompactModel(model=bound.planner.reverse_model())
    assert same == form, "the licence changes no key"
    for source in (bound.store, Pack(folder / "model")):
        entry = source.entry(same)
        assert entry is not None and not entry.files


def test_without_the_corpora_numbers_are_read_and_sentences_are_named(folder: Path) -> None:
    whole = opened(folder)
    whole.write_pack(folder / "apart" / PACK)
    shutil.move(folder / "data", folder / "elsewhere")
    (folder / "data").mkdir()
    try:
        clone = opened(folder, store="empty", outputs="apart")
        assert missing(buildable(clone), clone.store) == []
        assert clone.scores(clone.comparison("mine")).equals(whole.scores(whole.comparison("mine")))
        assert texts.sentence_counts(clone).equals(texts.sentence_counts(whole))
        assert texts.seed_text_table(clone).equals(texts.seed_text_table(whole))
        shown = samples.reference_edits(clone, clone.planner.tests["mine"])
        assert "may not be passed on" in shown and "put test.m2" in shown
        assert "put text.txt" in samples.seed_sentences(clone)
        with pytest.raises(MissingSentencesError):
            texts.annotated_sentences(clone, clone.planner.genuine)
        assert not list(clone.store.artefacts()), "nothing was built"
    finally:
        (folder / "data").rmdir()
        shutil.move(folder / "elsewhere", folder / "data")
    assert "may not be passed on" not in samples.reference_edits(whole, whole.planner.tests["mine"])


def test_the_program_merges_stores_and_packs(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study, profile = (
        opened(folder),
        ["--profile", str(folder / "mine.yaml"), "--store", str(folder / "none")],
    )
    half = opened(folder, store="half", outputs="half")
    make(half.store, *half.data_recipes())
    half.write_pack(folder / "half" / PACK)
    assert (
        main(
            [
                "pack",
                *profile,
                str(folder / "half" / PACK),
                str(folder / "store"),
                "--to",
                str(folder / "both"),
            ]
        )
        == 0
    )
    assert "in none of the sources: score" in capsys.readouterr().out
    assert all(recipe in Pack(folder / "both") for recipe in buildable(study))
    wrong = study.planner.references(study.planner.genuine)
    record = half.store.folder(wrong) / "result.json"
    record.write_text(record.read_text().replace('"sentences": ', '"sentences": 9'))
    assert (
        main(
            [
                "pack",
                *profile,
                str(folder / "half"),
                str(folder / "store"),
                "--to",
                str(folder / "refused"),
            ]
        )
        == 2
    )
    assert f"references genuine ({wrong.key}): sentences is" in capsys.readouterr().err
    assert not (folder / "refused").exists()
    assert main(["pack", *profile, str(folder / "data")]) == 2
    assert "is neither a store nor a pack" in capsys.readouterr().err


def test_what_a_pack_lacks_is_written_beside_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    first = opened(folder, store="first", outputs="grown")
    make(first.store, *first.data_recipes())
    first.write_pack(folder / "grown" / PACK)
    written = {path: path.read_bytes() for path in (folder / "grown" / PACK).iterdir()}
    whole = opened(folder, outputs="grown")
    for _ in range(2):  # the second time nothing is new
        whole.write_pack(Path("grown") / PACK)
        whole = opened(folder, outputs="grown")
    assert {path: path.read_bytes() for path in written} == written
    old, new = Pack.parts(folder / "grown" / PACK)
    assert new.folder.name == "part-2"
    assert {recipe in old for recipe in first.data_recipes()} == {True}
    assert not any(recipe in new for recipe in first.data_recipes())
    empty = opened(folder, store="nothing", outputs="grown")
    assert missing(buildable(empty), empty.store) == []


@pytest.mark.parametrize("setting", ["pretrain", "sequential"])
def test_a_system_keeps_its_scores_where_the_record_of_its_training_is_lost(
    setting: str, tmp_path: Path
) -> None:
    whole = Study.open("classroom", store=tmp_path / "store", packs=True)
    system = whole.grid("transfer").only(setting=[setting])[0]
    lost = whole.planner.model(system)
    entries = [
        whole.store.entry(recipe)
        for recipe in with_ancestors(whole.targets())
        if recipe.key != lost.key
    ]
    write_pack(
        tmp_path / "outputs" / PACK,
        [entry for entry in entries if entry],
        "a machine that was taken back",
    )
    packs = [Pack(tmp_path / "outputs" / PACK)]
    study = Study.open(
        "classroom", store=tmp_path / "empty", outputs=tmp_path / "outputs", packs=packs
    )
    found, known = trainings.budget(study, system), trainings.budget(whole, system)
    assert (found.updates, found.pseudo_pairs) == ((), known.pseudo_pairs)
    assert found.passes == pytest.approx(known.passes, rel=0.01)
    assert not found.other_passes(known) and not found.other_updates(known)
    assert training_lengths(study, [system]).updates.item() == "record lost"
    assert trainings.learning_curves(study, [system]).empty
    ours, theirs = study.scores([system]), whole.scores([system])
    assert ours.loss.isna().all() and theirs.loss.notna().all()
    assert ours.drop(columns="loss").equals(theirs.drop(columns="loss"))


def test_budgets_are_those_of_the_profile(tmp_path: Path) -> None:
    """The classroom passes 24 times over genuine pairs; before, PRETRAIN 4 times over pseudo pairs
    and its control 24 times.
    """
    study = Study.open("classroom", store=tmp_path / "store", packs=True)
    systems = [system for system in study.grid("joint_vs_pretrain") if system.seed == 1]
    found = {
        (system.setting, system.pseudo_pairs): trainings.budget(study, system) for system in systems
    }
    assert {budget.passes for budget in found.values()} == {24}
    assert all(budget.pseudo_pairs == pairs for (_, pairs), budget in found.items())
    baseline = found["baseline", 0]
    more = {kind: budget.pairs_read - baseline.pairs_read for kind, budget in found.items()}
    assert more == {
        ("baseline", 0): 0,
        **{("pretrain", pairs): 4 * pairs for pairs in (4000, 8000)},
        **{("joint", pairs): 24 * pairs for pairs in (4000, 8000)},
        ("pretrain_equal", 8000): 24 * 8000,
    }
    assert found["pretrain", 8000].updates[0::2] == baseline.updates, (
        "the stages of copying and of genuine pairs"
    )
    assert "updates against" in found["joint", 8000].other_updates(found["pretrain", 8000])
    assert not found["joint", 8000].other_updates(found["pretrain_equal", 8000])


def test_a_damaged_pack_stops_the_study(folder: Path) -> None:
    opened(folder).write_pack(folder / "damaged" / PACK)
    (folder / "damaged" / PACK / FILES).write_bytes(b"PAR1")
    with pytest.raises(UserError, match=r"files\.parquet"):
        opened(folder, outputs="damaged")


@pytest.mark.slow
def test_cheap_artefacts_of_the_committed_pack_come_out_the_same(tmp_path: Path) -> None:
    if not Pack.parts(PROJECT / "outputs" / "classroom" / PACK):
        pytest.skip("the classroom has no pack here")
    study = Study.open("classroom", store=tmp_path / "store", packs=True)
    plan, again = study.planner, Study.open("classroom", store=tmp_path / "again", packs=False)
    shard = plan.pseudo_data(study.grid("generation_methods", method="direct_noise")[0])[0]
    recipes = [plan.masked_references(plan.tests[study.test]), shard]
    make(again.store, *recipes)
    assert all(recipe in study.store.packs[0] for recipe in recipes)
    assert merge(with_ancestors(recipes), [study.store, again.store])  # which refuses other numbers
