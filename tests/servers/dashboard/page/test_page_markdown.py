"""Markdown as agents write it, whole or broken, laid out by the page."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.browsers import SharedBrowser

pytestmark = pytest.mark.needs("test")

_LAY_OUT = """async (text) => {
  const { markdown } = await import("/assets/markdown.js");
  const box = document.createElement("div");
  box.append(...markdown(text));
  return box.innerHTML;
}"""


@pytest.fixture(scope="module")
def page(browser: SharedBrowser, address: str) -> Iterator[Any]:
    with browser.in_use() as chromium:
        page = chromium.new_page()
        page.goto(f"{address}/")
    yield page
    with browser.in_use():
        page.close()


@pytest.fixture
def laid_out(chromium: Any, page: Any) -> Callable[[str], str]:
    """What becomes of a text, as HTML."""
    return lambda text: str(page.evaluate(_LAY_OUT, text))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("one\ntwo\n\nthree", "<p>one\ntwo</p><p>three</p>"),
        (
            "**bold** and *slanted* and `a**b`",
            "<p><strong>bold</strong> and <em>slanted</em> and <code>a**b</code></p>",
        ),
        ("a * b * c, snake_case_name, 2**3**4 = x", "<p>a * b * c, snake_case_name, 2<strong>3</strong>4 = x</p>"),
        ("- a\n- b\n  - c\n- d", "<ul><li>a</li><li>b<ul><li>c</li></ul></li><li>d</li></ul>"),
        ("3. three\n4. four", '<ol start="3"><li>three</li><li>four</li></ol>'),
        ("> said\n> so", "<blockquote><p>said\nso</p></blockquote>"),
        ("a <b>tag</b> & more", "<p>a &lt;b&gt;tag&lt;/b&gt; &amp; more</p>"),
        ("---", "<hr>"),
    ],
)
def test_a_text_becomes(laid_out: Callable[[str], str], text: str, expected: str) -> None:
    assert laid_out(text) == expected


def test_code_stays_as_it_is_even_when_its_fence_is_never_closed(laid_out: Callable[[str], str]) -> None:
    assert "<code># no *heading*\n- no list</code>" in laid_out("```python\n# no *heading*\n- no list")


def test_a_fence_inside_a_longer_fence_is_code(laid_out: Callable[[str], str]) -> None:
    assert "<code>```\ninner\n```</code>" in laid_out("````\n```\ninner\n```\n````")


def test_a_table_has_its_cells(laid_out: Callable[[str], str]) -> None:
    table = laid_out("| a | b |\n|---|---|\n| 1 | 2 \\| 3 |\nafter")
    assert "<tr><th>a</th><th>b</th></tr>" in table
    assert "<tr><td>1</td><td>2 | 3</td></tr>" in table
    assert table.endswith("<p>after</p>")


@pytest.mark.parametrize("label", ["the bank", "https://bank.example", "evil.example.bank.example"])
def test_a_link_shows_the_host_it_leads_to(laid_out: Callable[[str], str], label: str) -> None:
    html = laid_out(f"see [{label}](https://evil.example/login)")
    assert 'href="https://evil.example/login"' in html
    assert "(evil.example)" in html


def test_nesting_without_end_stays_readable(laid_out: Callable[[str], str]) -> None:
    assert "deep" in laid_out("> " * 500 + "deep")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("`a ``b`", "<p><code>a ``b</code></p>"),
        ("``a`` and ``b", "<p><code>a</code> and ``b</p>"),
        ("**a and *b*", "<p>**a and <em>b</em></p>"),
        ("**a ** b** c", "<p><strong>a ** b</strong> c</p>"),
        ("# one ##", "one"),
        ("# C#", "C#"),
        ("a | b\n---", "<th>a</th><th>b</th>"),
    ],
)
def test_a_mark_ends_where_it_is_closed(laid_out: Callable[[str], str], text: str, expected: str) -> None:
    assert expected in laid_out(text)


# A pattern that tries a text again from every place in it takes minutes for these.
_HOSTILE = [
    before + again * (30_000 // len(again)) + after
    for again in (" ", "`", "*", "[", "|", "#", "\u2028", "``a`", "**a ", "__a ", "-", "- ", "|-", "[a](http://", ">")
    for before in ("", "# ", "# a", "- a\u2028", "a | b\n")
    for after in ("", "x", "\u2028x")
]
_IN_TIME = """async (texts) => {
  const { markdown } = await import("/assets/markdown.js");
  const slow = [];
  for (const text of texts) {
    const began = performance.now();
    markdown(text);
    if (performance.now() - began > 5000) slow.push(text.slice(0, 10));
  }
  return slow;
}"""


def test_no_text_keeps_the_page_busy(chromium: Any, address: str) -> None:
    page = chromium.new_page(bypass_csp=True)
    page.goto(f"{address}/")
    assert page.evaluate(_IN_TIME, _HOSTILE) == []
    page.close()
