"""Languages: one that has nothing but an alphabet, and Ukrainian."""

from __future__ import annotations

import random
import string
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from zipfile import ZipFile

import pytest

from helpers.building import make
from helpers.noising import learnt_from
from pseudogec import noised
from pseudogec.artefacts import UserError
from pseudogec.artefacts.files import SourceFile, write_lines
from pseudogec.corpora import UaGec, UaGecSentences, is_clean_seed_text
from pseudogec.edits import AnnotatedSentence, Edit, apply_edits, load_annotator, write_m2
from pseudogec.languages import ENGLISH, LANGUAGES
from pseudogec.noise import METHODS, Noiser, NoiseResources, TextMethod, noised_tokens
from pseudogec.random_streams import SentenceStreams
from pseudogec.seq2seq import read_binarised
from pseudogec.study import PROJECT, Study, load_profile
from pseudogec.text import Bpe, prose_tokens, tokenise

LETTERS = "աբգդեզէըթժիլխծկհձղճմ"
MODULE = f"""
from pseudogec.languages import Language


class Toy(Language):
    title = "Toy"
    letters = "{LETTERS}"
"""
PROFILE = """
extends: my-corpora
language: toy_language:Toy
annotator: untyped
data_folder: {folder}
seeds: [1]
pseudo_data: {{shard: 50}}
scale: {{base: 50}}
methods: {{realistic: {{type_probability: 0, minimum_count: 1}}}}
grids:
  generation_methods: {{method: [none, direct_noise, random, realistic, backtrans_noisy]}}
"""
DRAW = random.Random(1)
WORDS = ["".join(DRAW.choices(LETTERS, k=DRAW.randint(2, 6))) for _ in range(60)]
UKRAINIAN = """
    Він пішов додому , бо вже темніло . / Ми бачили нову виставу в театрі . / Де ти купив цю книжку ?
    / Вони щодня їздять на роботу потягом . / Її сестра пише листи друзям у Львові . / Я не знаю , чи він прийде завтра .
"""
SENTENCES = [sentence.split() for sentence in UKRAINIAN.split("/")] * 10


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A profile of a language with an alphabet alone, its corpora beside it."""
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "toy_language.py").write_text(MODULE, encoding="utf-8")
    pairs = []
    for _ in range(150):
        words = DRAW.choices(WORDS, k=8)
        edits = (Edit(2, 3, DRAW.choice(WORDS[:5]), "R:OTHER"),) if DRAW.random() < 0.8 else ()
        pairs.append(AnnotatedSentence(tuple(words), {0: edits}))
    write_m2(tmp_path / "pairs.m2", pairs)
    write_lines(tmp_path / "text.txt", (" ".join(DRAW.choices(WORDS, k=8)) for _ in range(90)))
    (tmp_path / "toy.yaml").write_text(PROFILE.format(folder=tmp_path), encoding="utf-8")
    yield tmp_path / "toy.yaml"
    sys.modules.pop("toy_language", None)


def test_an_alphabet_is_enough_for_noise_of_text_and_for_back_translation(
    toy: Path, tmp_path: Path
) -> None:
    study = Study.open(str(toy), store=tmp_path / "store", packs=False)
    planner = study.planner
    assert planner.annotator.startswith("untyped")
    systems = [system for system in study.grid("generation_methods") if system.noise is not None]
    assert len(systems) == 4
    for system in systems:
        (shard,) = planner.pseudo_data(system)
        make(study.store, shard)
        bpe = Bpe.load(study.store.folder(planner.bpe) / "codes.txt")
        pairs = list(read_binarised(study.store.folder(shard)))
        assert any(source != target for source, target in pairs), system.method
        written = {
            letter
            for source, _ in pairs
            for token in bpe.undo(source)
            for letter in token
            if letter.isalpha()
        }
        assert written - set("mask") - set("unk") <= set(LETTERS), system.method


@pytest.mark.parametrize(
    ("change", "lacking"),
    [
        (
            "grids.generation_methods.method=direct_noise_spell",
            "a dictionary of hunspell, which Toy does not have",
        ),
        ("methods.realistic.type_probability=0.1", "inflections, which Toy does not have"),
        ("methods.realistic={method: rules}", "handbook of its errors"),
        ("methods.realistic={method: content_words}", "handbook of its errors"),
        (
            "systems.spelt.steps=[{step: spelling, language_model: false, casing: false}]",
            "handbook of its errors",
        ),
        ("annotator=offline", "Toy has no annotator 'offline'"),
        ("language=ut", "there is no language `ut`"),
    ],
)
def test_what_needs_more_than_the_language_has_is_refused_at_loading(
    toy: Path, change: str, lacking: str
) -> None:
    with pytest.raises(UserError, match=lacking):
        load_profile(toy, [change], library=PROJECT / "params")


def test_a_text_that_is_noised_alone_may_be_in_another_language() -> None:
    sentences = ["Вона живе в Києві ."]
    [(source, target)] = noised(sentences, "random", language="uk", replace=1, delete=0, insert=0)
    assert target == sentences[0] and set(source.split()) <= set(target.split())
    with pytest.raises(UserError, match=r"rules: needs .* which Ukrainian does not have"):
        noised(sentences, "rules", language="uk")


def test_text_in_another_alphabet_is_refused(toy: Path, tmp_path: Path) -> None:
    study = Study.open(str(toy), ["language=en"], store=tmp_path / "store", packs=False)
    with pytest.raises(
        UserError, match="corpus genuine: most letters are not of the alphabet of English"
    ):
        make(study.store, study.planner.bpe)


@pytest.fixture(scope="module")
def ukrainian(tmp_path_factory: pytest.TempPathFactory) -> NoiseResources:
    """Ukrainian with a little dictionary, and what the sentences teach, with a comma left out and a
    word exchanged.
    """
    folder = tmp_path_factory.mktemp("hunspell")
    (folder / "index.aff").write_text(
        "SET UTF-8\nTRY абвгґдеєжзиіїйклмнопрстуфхцчшщьюя\n", encoding="utf-8"
    )
    words = sorted(
        {word.lower() for sentence in SENTENCES for word in sentence if word.isalpha()}
        | {"вони", "дим", "нова", "не"}
    )
    (folder / "index.dic").write_text("\n".join([str(len(words)), *words]), encoding="utf-8")
    language = LANGUAGES.make("uk").located(
        lambda path: SourceFile(path=folder / path.name, digest=path.name)
    )
    sources = [[word for word in sentence if word != ","] for sentence in SENTENCES]
    learnt = learnt_from(sources, SENTENCES)
    words_counted = Counter(word for sentence in SENTENCES for word in sentence)
    return NoiseResources(
        words_counted, annotated=learnt._annotated, sentences=lambda: SENTENCES, language=language
    )


@pytest.mark.parametrize(
    "method",
    [
        {"method": "direct_noise"},
        {"method": "direct_noise_spell", "mean": 0.5, "character_noise": 0.5},
        {"method": "random", "sse_rate": 0.05},
        {"method": "realistic", "type_probability": 0, "sse_rate": 0.05},
        {"method": "sse", "sse_rate": 0.1},
    ],
    ids=lambda method: method["method"],
)
def test_ukrainian_with_errors_has_no_letter_of_another_alphabet(
    method: dict[str, float], ukrainian: NoiseResources
) -> None:
    made = METHODS.make(method)
    assert isinstance(made, TextMethod)
    noiser, streams = Noiser(made, ukrainian), SentenceStreams("uk")
    written = [
        noised_tokens(noiser.operations(tokens, streams[place]))
        for place, tokens in enumerate(SENTENCES)
    ]
    assert sum(source != target for source, target in zip(written, SENTENCES, strict=True)) > 10
    letters = {
        letter
        for tokens in written
        for token in tokens
        if token != "<mask>"
        for letter in token.lower()
    }
    assert {letter for letter in letters if letter.isalpha()} <= set(ukrainian.language.letters)


def test_ukrainian_letters_are_those_that_words_are_misspelt_with_and_that_clean_text_has() -> None:
    language = LANGUAGES.make("uk")
    assert len(set(language.letters) - {"'"}) == 33
    assert {language.letters_for("їжак"), language.letters_for("-")} == {language.letters}
    assert set(language.letters_for("Blog")) == set("blog")
    assert is_clean_seed_text("Ґанок — це не ґрати .", language) and not is_clean_seed_text(
        "Это не по-украински .", language
    )
    assert not is_clean_seed_text("Мій Instagram був тут .", language)
    assert set(language.letters) <= Bpe.learn(SENTENCES, 10).possible_subwords(language.characters)


def test_words_of_another_alphabet_are_not_drawn_from_ukrainian_text() -> None:
    counts = Counter({"Blog": 9, "дім": 1, "iз": 1})  # the last with a Latin i
    assert NoiseResources(counts, language=LANGUAGES.make("uk")).words.counts == {"дім": 1}
    assert NoiseResources(counts).words.counts == counts


def test_ukrainian_is_prose_in_its_own_letters_and_marks() -> None:
    language = LANGUAGES.make("uk")
    tokens, _ = prose_tokens("Її кафе й ґанок — «там», так?", language)
    assert tokens == "Її кафе й ґанок — « там » , так ?".split()
    assert prose_tokens("He goes home.", language) == ([], [])
    assert list(tokenise(["Ні, це ґанок."], language)) == [["Ні", ",", "це", "ґанок", "."]]


def test_english_is_the_default_and_in_no_key() -> None:
    assert load_profile(PROJECT / "params" / "smoke.yaml").language == ENGLISH
    assert set(ENGLISH.characters) == set(string.printable) - set(string.whitespace)


def in_words(source: str, target: str) -> list[tuple[str, str, str]]:
    tokens = source.split()
    (edits,) = load_annotator("untyped").annotate([tokens], [target.split()])
    return [
        (" ".join(tokens[edit.start : edit.end]), edit.correction, edit.type[0]) for edit in edits
    ]


@pytest.mark.parametrize(
    ("source", "target", "edits"),
    [
        (
            "він іде до дом",
            "Він іде додому .",
            [("він", "Він", "R"), ("до дом", "додому", "R"), ("", ".", "M")],
        ),
        ("я знаю що він", "я знаю , що вони", [("", ",", "M"), ("він", "вони", "R")]),
        ("так - сказав він", "так , — сказав він", [("-", ", —", "R")]),
        ("це дуже дуже добре", "це дуже добре", [("дуже", "", "U")]),
    ],
)
def test_edits_without_types_join_what_is_beside_a_replaced_word(
    source: str, target: str, edits: Sequence[tuple[str, str, str]]
) -> None:
    assert in_words(source, target) == edits


def test_edits_without_types_turn_the_source_into_the_target() -> None:
    for _ in range(200):
        source, target = (
            DRAW.choices(["a", "b", "bc", ",", "."], k=DRAW.randint(0, 8)) for _ in range(2)
        )
        (edits,) = load_annotator("untyped").annotate([source], [target])
        assert apply_edits(source, edits, literal=True) == target


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """UA-GEC's package with three training documents of as many authors, one of which is there
    twice, and a test document.
    """
    head = "id,author_id,is_native,annotator_id,partition"
    rows = [
        ("1", "a", "1", "1", "train"),
        ("2", "b", "0", "1", "train"),
        ("3", "e", "1", "1", "train"),
    ]
    rows += [("4", "b", "0", "1", "train"), ("9", "z", "0", "1 2", "test")]
    with ZipFile(tmp_path / "ua_gec.whl", "w") as opened:
        opened.writestr("ua_gec/data/metadata.csv", "\n".join([head, *map(",".join, rows)]))
        for number, _, _, annotators, partition in rows:
            folder, word = f"ua_gec/data/gec-only/{partition}", {"4": "2"}.get(number, number)
            opened.writestr(
                f"{folder}/source-sentences-tokenized/{number}.src.txt",
                f"Я йду в школа {word} .\nТак\n",
            )
            for annotator in annotators.split():
                right = "школу" if annotator == "1" else "школи"
                target = f"Я йду в {right} {word} .\nТак .\n"
                marked = (
                    f"Я йду в {{школа=>{right}:::error_type=G/Case}} {word}.\n"
                    "Так{=>.:::error_type=Punctuation}"
                )
                opened.writestr(
                    f"{folder}/target-sentences-tokenized/{number}.a{annotator}.txt", target
                )
                opened.writestr(f"{folder}/annotated/{number}.a{annotator}.ann", marked)
    return tmp_path / "ua_gec.whl"


def test_ua_gec_is_divided_by_authors_and_no_document_comes_twice(package: Path) -> None:
    parts = {
        part: list(UaGec.model_validate({"files": package, "part": part}).read())
        for part in ("train", "valid", "test")
    }
    seed = list(UaGecSentences.model_validate({"files": package}).read())
    numbers = {name: [each.pair.source[4] for each in pairs[::2]] for name, pairs in parts.items()}
    assert sorted([*numbers["train"], *numbers["valid"], *(tokens[4] for tokens in seed[::2])]) == [
        "1",
        "2",
        "3",
    ]
    assert numbers["test"] == ["9"]
    first, second = parts["test"]
    assert first.level == "learner" and first.pair.target == "Я йду в школу 9 .".split()
    assert first.annotated is not None and second.annotated is not None
    assert [edits[0] for edits in first.annotated.annotators.values()] == [
        Edit(3, 4, "школу", "R:G:CASE"),
        Edit(3, 4, "школи", "R:G:CASE"),
    ]
    assert second.annotated.annotators[0] == (Edit(1, 1, ".", "M:PUNCT"),)


def test_another_file_is_not_ua_gec(tmp_path: Path) -> None:
    write_lines(tmp_path / "text.txt", ["no package"])
    with pytest.raises(UserError, match="not the package of UA-GEC"):
        list(UaGec.model_validate({"files": tmp_path / "text.txt", "part": "test"}).read())
