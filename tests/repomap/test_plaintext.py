from __future__ import annotations

from aicx.repomap.examine import outline_plain


def headings(text: str) -> list[tuple[int, str]]:
    return [(symbol.line, symbol.name) for symbol in outline_plain(text.encode(), "markdown").symbols]


def targets(text: str) -> list[str]:
    return [symbol.name for symbol in outline_plain(text.encode(), "make").symbols]


def test_headings_have_their_lines() -> None:
    assert headings("# One\n\ntext\n\n### Two ###\n") == [(1, "One"), (5, "Two")]


def test_underlined_headings_are_found() -> None:
    assert headings("One\n===\n\nTwo\n---\n") == [(1, "One"), (4, "Two")]


def test_code_in_fences_has_no_headings() -> None:
    assert headings("```sh\n# not one\n~~~\n# nor this\n```\n# One\n") == [(6, "One")]


def test_a_fence_that_never_ends_costs_what_follows_it_only() -> None:
    assert headings("# One\n```\n# lost\n") == [(1, "One")]


def test_a_table_or_list_makes_no_heading() -> None:
    assert headings("| a |\n---\n- item\n---\n") == []


def test_settings_at_the_top_make_no_heading() -> None:
    assert headings("---\ntitle: x\n---\n# One\n") == [(4, "One")]


def test_links_and_code_marks_go() -> None:
    assert headings("## The [`store`](store.md) ![x](y)\n") == [(1, "The store x")]


def test_control_characters_go() -> None:
    assert headings("# One\x1b[31m red\n") == [(1, "One [31m red")]


def test_a_heading_reaches_to_the_next_one() -> None:
    found = outline_plain(b"# One\n\n\n# Two\n", "markdown").symbols
    assert [(symbol.line, symbol.end_line) for symbol in found] == [(1, 3), (4, 4)]


def test_bytes_that_are_no_text_cost_themselves() -> None:
    assert [name for _, name in headings("# One\n")] == ["One"]
    assert outline_plain(b"# One \xff\n# Two\n", "markdown").symbols[1].name == "Two"


def test_targets_are_found() -> None:
    assert targets("all: press jam\n\npress jam::\n\techo x\n") == ["all", "press", "jam"]


def test_variables_and_special_targets_are_none() -> None:
    assert targets("A := b\nB ::= c\nC = d:e\n.PHONY: all\n%.o: %.c\n$(X): y\n\techo a: b\n") == []


def test_a_makefile_imports_what_it_includes() -> None:
    [found] = outline_plain(b"include tools/common.mk\n", "make").imports
    assert (found.source, found.form) == ("tools/common.mk", "file")
