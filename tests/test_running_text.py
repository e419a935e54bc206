"""Edits of tokens in the text as it was typed."""

from __future__ import annotations

import pytest

from pseudogec.corpora.classroom import classroom_sentences
from pseudogec.edits import Edit, edit_text, joined
from pseudogec.noise.classroom import learner_sentences
from pseudogec.text import token_spans, tokenise


def corrected(text: str, *edits: Edit) -> str:
    return edit_text(text, token_spans(text), edits)


@pytest.mark.parametrize(
    ("text", "edits", "expected"),
    [
        ("He  depend of it.", [Edit(1, 2, "depends"), Edit(2, 3, "on")], "He  depends on it."),
        ("I like the apples.", [Edit(2, 3, "")], "I like apples."),
        ("The apples are good.", [Edit(0, 1, "")], "apples are good."),
        ("Yesterday I left.", [Edit(1, 1, ",")], "Yesterday, I left."),
        ("I left", [Edit(2, 2, ".")], "I left."),
        ("I saw cat.", [Edit(2, 2, "the")], "I saw the cat."),
        ("cats sleep", [Edit(0, 0, "The")], "The cats sleep"),
        ("(He go)", [Edit(2, 3, "goes")], "(He goes)"),
        ("He do not.", [Edit(1, 3, "does n't")], "He doesn't."),
        ("all right", [], "all right"),
        ("I like the.", [Edit(3, 3, "dog")], "I like the dog."),
        ("It's good.", [Edit(1, 2, "is")], "It is good."),
        ("It is good.", [Edit(1, 2, "'s")], "It's good."),
        ("I don't like it.", [Edit(2, 3, "not")], "I do not like it."),
        ("I like it, it is good.", [Edit(3, 4, "and")], "I like it and it is good."),
        ("red,blue", [Edit(1, 2, "")], "red blue"),
        ('Then "yes" came.', [Edit(0, 1, "")], '"yes" came.'),
        (
            '"Helo" and open-mined.',
            [Edit(1, 2, "Hello"), Edit(6, 7, "minded")],
            '"Hello" and open-minded.',
        ),
        ('"Yes" came.', [Edit(0, 0, "Then")], 'Then "Yes" came.'),
        ("(He go)", [Edit(1, 1, "Then")], "(Then He go)"),
        ('He said "hi" loud', [Edit(5, 5, "very")], 'He said "hi" very loud'),
        ("tired - went", [Edit(2, 2, "I")], "tired - I went"),
        ("He (the man) go", [Edit(2, 3, "")], "He (man) go"),
        ("She don't like it.", [Edit(1, 2, "does")], "She doesn't like it."),
        ("He wo n't  go", [Edit(1, 2, "does")], "He does n't  go"),
        ("She don\u2019t want", [Edit(1, 3, "does n't")], "She doesn\u2019t want"),
        ("I can't go.", [Edit(1, 2, "could")], "I couldn't go."),
        ("I can't go.", [Edit(1, 3, "can not")], "I cannot go."),
        ("I cannot go.", [Edit(1, 2, "could")], "I could not go."),
        ("make up and hair", [Edit(1, 1, "-")], "make-up and hair"),
        ("a two weeks trip", [Edit(2, 3, "- week")], "a two-week trip"),
        ("It take  hour", [Edit(2, 2, "an")], "It take an hour"),
        ("They were late .", [Edit(3, 3, "again")], "They were late again."),
        ("a very nice , old house", [Edit(1, 3, "good")], "a good , old house"),
        ("It is nice too.", [Edit(3, 4, "")], "It is nice."),
        ("It costs 10km", [Edit(2, 3, "12")], "It costs 12km"),
        ("He asked me Why", [Edit(3, 3, ", '")], "He asked me, 'Why"),
        ("the boy room", [Edit(1, 2, "boys '")], "the boys' room"),
        ("cats sleeps", [Edit(0, 1, "A cat")], "A cat sleeps"),
        (
            "my teachers advices",
            [Edit(1, 2, "teacher 's"), Edit(2, 3, "advice")],
            "my teacher's advice",
        ),
        ("", [], ""),
    ],
)
def test_what_is_not_corrected_keeps_its_spacing(
    text: str, edits: list[Edit], expected: str
) -> None:
    assert corrected(text, *edits) == expected


def test_no_token_holds_a_control_character_or_white_space() -> None:
    text = "soft\u00adhyphen tab\there, bell\x07 and \x1f unit\u2028separator,\u00a0no break 😀 é"
    tokens = [text[start:end] for start, end in token_spans(text)]
    assert " ".join(tokens).split() == tokens
    assert tokens == [
        "soft\u00adhyphen",
        "tab",
        "here",
        ",",
        "bell",
        "and",
        "unit",
        "separator",
        ",",
        "no",
        "break",
        "😀",
        "é",
    ]


def test_the_corrected_text_of_a_corpus_has_the_corrected_tokens() -> None:
    compared = 0
    for (source, target), _, annotated, *_ in learner_sentences(
        classroom_sentences("everyday", "test")[:300], "3"
    ):
        text, right = joined(source), next(iter(tokenise([joined(target)])))
        if [text[start:end] for start, end in token_spans(text)] != source or right != target:
            continue  # tokens that no text keeps apart, such as a misspelt clitic
        edits = annotated.annotators[0]
        assert next(iter(tokenise([corrected(text, *edits)]))) == right, text
        compared += bool(edits)
    assert compared > 100
