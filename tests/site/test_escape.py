from __future__ import annotations

import unicodedata
from html.parser import HTMLParser

import markdown
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from jinja2 import Environment
from markupsafe import Markup

from argusic.site.escape import lines, plain, printable, shortened, title
from argusic.site.templates import environment

EXTENSIONS = ["attr_list", "tables", "toc"]


class Seen(HTMLParser):
    """Every tag with its attributes, and all text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, list[tuple[str, str | None]]]] = []
        self.text = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, attrs))

    def handle_data(self, data: str) -> None:
        self.text += data


def words(text: str) -> list[str]:
    return printable(text).split()


hostile = st.text(
    alphabet=st.sampled_from("<>&\"'`*_[](){}#|\\!:;=%-+.~^$@/ \n\t\0\x02\x03abk1zé\u202e\u2028"), max_size=40
)


@given(hostile)
@example("<script>alert(1)</script>")
@example("[x](javascript:alert(1))")
@example("\x02klzzwxh:0001\x03")
@example("{: onclick=alert(1) }")
@example("{{ 7*7 }}{% raw %}")
@example("1. one\n\n    code\n\n# head")
def test_text_from_outside_is_text_in_markdown(text: str) -> None:
    seen = Seen(markdown.markdown(f"x {plain(text)} y", extensions=EXTENSIONS))
    assert seen.tags == [("p", [])]
    assert seen.text.split() == ["x", *words(text), "y"]


@given(hostile)
def test_text_from_outside_is_text_in_an_element(text: str) -> None:
    page = f'<div>\n<p title="{plain(text)}">{lines(text)}</p>\n</div>'
    seen = Seen(markdown.markdown(page, extensions=EXTENSIONS))
    attribute = dict(seen.tags[1][1])["title"]
    assert [tag for tag, _ in seen.tags if tag != "br"] == ["div", "p"]
    assert attribute is not None and attribute.split() == words(text)
    assert "".join(seen.text.split()) == "".join(words(text))


@given(hostile)
def test_text_from_outside_is_one_cell_of_a_table(text: str) -> None:
    seen = Seen(markdown.markdown(f"| a | b |\n|---|---|\n| x{plain(text)} | y |", extensions=EXTENSIONS))
    assert [tag for tag, _ in seen.tags].count("td") == 2


@given(st.text(max_size=60))
def test_a_title_holds_nothing_that_a_parser_reads(text: str) -> None:
    shown = title(text)
    assert shown
    assert not set(shown) & set("<>&\"'`{}[]|\\*#\n\r")


@pytest.mark.parametrize("control", ["\x00", "\x02", "\x1b", "\x7f", "\x9b", "\u202e", "\u2066", "\ufeff", "\ud800"])
def test_what_cannot_be_seen_is_made_visible(control: str) -> None:
    assert printable(f"a{control}b") == "a\ufffdb"


@given(st.text(max_size=60))
def test_no_control_reaches_a_page(text: str) -> None:
    shown = printable(text).replace("\n", "")
    assert not any(unicodedata.category(character) in {"Cc", "Cs"} for character in shown)


def test_every_expression_of_a_template_is_inert_without_being_asked_to() -> None:
    templates: Environment = environment()
    made = templates.from_string("{{ a }}|{{ b | at('runs', 'attempts') }}|{{ c }}").render(
        a="<b>*x*</b>", b=7, c=Markup("<i>")
    )
    assert made == '&#60;b&#62;&#42;x&#42;&#60;&#47;b&#62;|<span data-trace="runs#attempts">7</span>|<i>'


@pytest.mark.parametrize("value", [None, True, 1.5, ["a"]])
def test_a_template_that_prints_what_has_no_one_reading_fails(value: object) -> None:
    with pytest.raises(TypeError, match="no one way to read"):
        environment().from_string("{{ value }}").render(value=value)


def test_a_text_is_cut_with_a_mark() -> None:
    assert shortened("abcdef", 6) == "abcdef"
    assert shortened("abcdefg", 6) == "abcde\u2026"
