"""What is English prose in a text as people type it."""

from __future__ import annotations

import pytest

from pseudogec.languages.english import is_word
from pseudogec.text import ends_inside_code, prose_of, prose_tokens


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["# My holiday", "", "It was nice."], ["My holiday", "", "It was nice."]),
        (["> - He go home", "1. She too"], ["He go home", "She too"]),
        (["```python", "he go = 1", "```", "He go."], ["", "", "", "He go."]),
        (["So:", "", "    he go = 1"], ["So:", "", ""]),
        (["| He | go |", "|---|---|", "| it | go |"], ["", "", ""]),
        (["<div>", "he go", "</div>", "", "He go."], ["", "", "", "", "He go."]),
        (["  He  go home.", "\tIt too.  "], ["He  go home.", "It too."]),
        (["He\rgo \r home.", "It\0too.", "\rEnd"], ["He\rgo \r home.", "It\0too.", "End"]),
    ],
)
def test_markdown_keeps_its_marks_code_and_tables(lines, expected):
    assert [
        line[slice(*span)] for line, span in zip(lines, prose_of(lines), strict=True)
    ] == expected


@pytest.mark.parametrize(
    "sentence",
    [
        "See https://example.com/functions for details.",
        "Write to anna.lee@example.org, please.",
        "Open the file my_name.txt now.",
        "Edit config.yaml first.",
        "The price is $5 [see note 2].",
        "I like C# and C++.",
        "It is 2 * 3 = 6.",
        '`print("Hello world")` is a call.',
        "The <b>bold</b> word.",
        "Click [the second link](page.html) now.",
        "Let $a + b$ be odd.",
        "return x[0] + getName(y)",
        "Call me at home, @sam, because #tired",
        "Ich habe gestern ein Buch gekauft.",
        "Je ne sais pas ce que tu veux dire.",
        "No puedo ir a la fiesta porque tengo que trabajar.",
        "Я не знаю.",
        ". , ; : ! ? - -- ...",
    ],
)
def test_what_is_no_english_prose_has_no_tokens(sentence):
    assert prose_tokens(sentence) == ([], [])


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("She don\u2019t like it — “no”.", 'She do n\'t like it -- " no " .'),
        ("He go to the café 😀", "He go to the cafe"),
        ("I met Čapek in İzmir and Gdańsk", "I met Capek in Izmir and Gdansk"),
        ("They was \r happy\0.", "They was happy ."),
        ("The ﬁrst Ｔｅｓｔ", "The first Test"),
        ("My freind wil comming tomorow", "My freind wil comming tomorow"),
        (
            "At 7:45 a.m. it weigh 5 kg, cost €3.50 and 10%.",
            "At 7:45 a.m. it weigh 5 kg , cost € 3.50 and 10 % .",
        ),
        (
            "I live in Berlin.It is (very) well-known and/or big.",
            "I live in Berlin . It is ( very ) well - known and/or big .",
        ),
    ],
)
def test_prose_is_read_as_the_models_know_it(sentence, expected):
    tokens, spans = prose_tokens(sentence)
    assert tokens == expected.split() and len(spans) == len(tokens)


def test_a_block_of_code_is_open_until_its_fence_closes_it():
    assert ends_inside_code(["He go.", "```", "x"]) and not ends_inside_code(["```", "x", "```"])


def test_words_are_in_a_lexicon():
    assert all(map(is_word, ["colour", "Priya", "n't", "12", ","])) and not any(
        map(is_word, ["Ayyliday", "Orrred", "myvirone"])
    )
