"""Slides of a notebook: one thing to look at on each, with the text that leads to it, and no hints or solutions."""

from __future__ import annotations

import pytest
from bs4 import BeautifulSoup

from pseudogec.report.site.slides import slides

CODE = (
    "<div class='cell'><details class='code' open><summary>Code</summary><div class='highlight'><pre>{}</pre></div></details>"
    "{}</div>"
)


def shown(*blocks: str) -> list[tuple[str, str]]:
    """Title and text of each slide."""
    made = slides("".join(blocks))
    return [(slide.title, " ".join(BeautifulSoup(slide.html, "html.parser").get_text(" ").split())) for slide in made]


def prose(html: str) -> str:
    return f"<div class='prose'>{html}</div>"


def output(html: str) -> str:
    code = "<details class='code'><summary>Code</summary><pre>hidden</pre></details>"
    return f"<div class='cell'>{code}<div class='output'>{html}</div></div>"


def test_a_notebook_opens_with_its_question_and_sections_without_a_thing_show_their_first_paragraph() -> None:
    blocks = prose("<h1>01 · Noise</h1><p>Which noise?</p><p>(A paper.)</p><h2>Why</h2><p>One.</p><p>Two.</p>")
    assert shown(blocks) == [("01 · Noise", "Which noise?"), ("Why", "One.")]


def test_a_thing_has_the_paragraph_that_leads_to_it() -> None:
    table = "<div class='table'><table><tbody><tr><td>1.0</td></tr></tbody></table><p class='files'><a href='x'>CSV</a></p></div>"
    blocks = [
        prose("<h2>Scores</h2><p>First.</p><p>The scores:</p>"),
        output(table),
        output("<p>The best is A, as the table says above.</p>"),
    ]
    assert shown(*blocks) == [("Scores", "The scores: 1.0"), ("Scores", "The best is A, as the table says above.")]


def test_an_algorithm_has_its_output_and_long_code_is_parted_between_functions() -> None:
    printed = "<pre class='printed'>42</pre>"
    assert shown(prose("<h2>A</h2>"), CODE.format("answer()", printed)) == [("A", "answer() 42")]
    function = "def f():\n" + "    pass\n" * 12
    first, second = shown(prose("<h2>A</h2>"), CODE.format(f"{function}\n\n{function.replace('f', 'g')}", printed))
    assert "42" not in first[1] and second[1].endswith("42")


@pytest.mark.parametrize(
    ("count", "note"), [(9, ""), (10, " … and 1 more row on the page"), (12, " … and 3 more rows on the page")]
)
def test_many_rows_are_cut_and_said(count: int, note: str) -> None:
    rows = "".join(f"<tr><td>{number}</td></tr>" for number in range(count))
    [(_, text)] = shown(output(f"<div class='table'><table><tbody>{rows}</tbody></table></div>"))
    assert text == f"0 1 2 3 4 5 6 7 8{note}"


def test_an_exercise_has_its_stub_and_neither_hint_nor_verdict() -> None:
    exercise = prose(
        "<h2>Exercises</h2><p><strong>Exercise 1.</strong> (5 minutes) Do it.</p><details><summary>Hint</summary>How</details>"
    )
    stub, check = CODE.format("return ...", ""), output("<p>○ Not done yet: write your answer in place of ... and run it.</p>")
    question = prose("<p><strong>Exercise 2.</strong> (5 minutes) Discuss it.</p>")
    assert shown(exercise, stub, check, question) == [
        ("Exercises", "Exercise 1. (5 minutes) Do it. return ..."),
        ("Exercises", "Exercise 2. (5 minutes) Discuss it."),
    ]


def test_a_long_paragraph_ends_behind_a_sentence() -> None:
    long = "Noise is added to words. " * 40
    [(_, text)] = shown(prose(f"<h2>A</h2><p>{long}</p>"))
    assert text.endswith("words.") and len(text) < len(long)


def test_a_figure_is_the_drawing_itself_with_its_description() -> None:
    figure = (
        "<figure id='figure-x'><a class='enlarge' href='x.svg'><img src='x.png' alt='A line' width='9' height='9'></a></figure>"
    )
    [slide] = slides(prose("<h2>A</h2>") + output(figure))
    picture = BeautifulSoup(slide.html, "html.parser").img
    assert picture is not None and (picture["src"], picture["alt"]) == ("x.svg", "A line")
    assert "id=" not in slide.html and picture.parent is not None and picture.parent.name == "figure"
