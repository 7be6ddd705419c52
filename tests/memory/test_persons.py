# ruff: noqa: E501, RUF001
"""Which names can be a person's, in whatever spelling and script."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from aicx.memory.persons import is_model, is_person

_AGENTS = ("claude", "codex", "gemini", "openai", "devin", "copilot", "chatgpt", "everyone", "worker")
_LOOKALIKES = str.maketrans("aceopxyi", "асеорхуі")
_SPELLINGS = (
    str.upper,
    str.title,
    ".".join,
    " ".join,
    "-".join,
    "_".join,
    lambda name: name.translate(str.maketrans("aeio", "4310")),
    lambda name: name.translate(str.maketrans("aelot", "@3107")),
    lambda name: "".join(chr(ord(sign) + 0xFEE0) for sign in name),
    lambda name: name.translate(_LOOKALIKES),
    lambda name: f"the {name}",
    lambda name: f"{name} 4.1",
    lambda name: f"{name[:3]}-{name[3:]}",
    lambda name: f"({name})",
    lambda name: "".join(chr(0x1F170 + ord(sign) - 97) for sign in name),
)


def test_no_spelling_makes_a_person_of_an_agent_or_of_everyone() -> None:
    spelt = [spelling(name) for spelling in _SPELLINGS for name in _AGENTS]
    assert [name for name in spelt if is_person(name)] == []


# Agents, vendors, roles and placeholders.
NOT_PEOPLE = [
    *("Devin", "OpenAI", "Open AI", "the team", "c1aude", "C.l.a.u.d.e", "everyone", "worker", "Team", "Dev Team", "QA"),
    *("Claude Opus 4.5", "claude-sonnet", "ClaudeCode", "Claudecode", "GPT-5", "o3", "gpt4o", "Devin AI", "Google DeepMind"),
    *("Hugging Face", "xAI", "Grok 4", "Mistral Large", "Jules", "Ada via Claude", "approved by Codex", "Ada's AI assistant"),
    *("John Doe", "Jane Doe", "Foo Bar", "First Last", "your name", "Max Mustermann", "n/a", "TBD", "me", "we all", "us"),
    *("worker 3", "subagent-2", "Reviewer", "the maintainers", "Engineering Team", "Senior Developer", "CTO", "on-call SRE"),
    *("ᴄʟᴀᴜᴅᴇ", "cłaude", "сӏаυԁе", "ꓚꓡꓮꓴꓓꓰ", "Claudee", "Claaude", "Клод", "クロード", "助手", "チーム", "команда"),
    *("the AI", "an agent", "A.I.", "bot", "CI", "root", "admin", "noreply", "system", "a person", "a human", "someone"),
]  # fmt: skip


PEOPLE = [
    *("Ada Lovelace", "Claude Monet", "Claude Shannon", "Jean-Claude", "Devin Booker", "Jules Verne", "Julius Nyerere", "Cody Rhodes"),
    *("Ai Weiwei", "Kim Ai", "Ben Bot", "Joe Worker", "Anna Guest", "Mary Tool", "B. Model Jr.", "Gemini Ganesan", "Kimi Räikkönen"),
    *("J. R. R. Tolkien", "O'Brien", "Mary-Jane O'Neill", "ada@example.org", "ada99", "Ada (Анна)", "María José 2nd", "van der Berg"),
    *("José", "Γιώργος", "Ana", "Amy", "Naomi", "Max", "Mia", "Bo", "Li", "Ng", "Xu", "Nico", "Theo", "Jones", "Maxine", "Otis", "Ira"),
    *("Peter", "Priya Raghunathan", "Sebastian Löwenstein", "Søren Kjærgård", "Łukasz Żuraw", "Đặng Thị Hương", "Iñaki Etxeberria"),
    *("Анна Каренина", "Роман Сидоренко", "Оксана Лисенко", "Γιώργος Παππάς", "Ἀριάδνη", "Արամ Հովսեփյան", "ნინო მაისურაძე"),
    *("李明", "王小红", "佐藤 花子", "さくら", "김민준", "이 서연", "محمد علي", "فاطمة الزهراء", "דוד לוי", "अनन्या शर्मा", "தமிழ்செல்வி", "สมชาย ใจดี"),
    *("ሰላም ተስፋዬ", "Nguyễn Văn An", "Ọlábísí Adébáyọ̀", "Thandiwe ka Mpande", "Kahurangi Pōtae", "Ólafur Örn", "Dvořáková Eliška"),
    *("Grace Open", "Victor Meta Lindqvist", "Bard Eriksen", "Åse Bot", "Nova Amp", "Lovell Agenta", "Robin Team Larsen", "Sam Altmann"),
]  # fmt: skip


def test_an_agent_a_vendor_a_role_or_a_placeholder_is_no_person() -> None:
    assert [name for name in NOT_PEOPLE if is_person(name)] == []


def test_people_are_accepted_whatever_their_script() -> None:
    assert [name for name in PEOPLE if not is_person(name) or is_model(name)] == []


@given(st.sampled_from(_AGENTS[:7]), st.sampled_from([" ", "-", ".", "_", ""]), st.data())
def test_a_separator_or_a_capital_anywhere_hides_no_agent(name: str, separator: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(name)))
    assert not is_person((name[:at] + separator + name[at:].upper()).strip())
