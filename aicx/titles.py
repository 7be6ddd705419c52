"""Titles of sessions and chunks: a line that says by itself what it is about, or None."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import chain, islice
from typing import Literal, NamedTuple

from aicx.telling import (
    ENOUGH,
    MAX_TITLE,
    REFERENCE,
    URL,
    WORD,
    clip_title,
    count_telling,
    plain_line,
    prose_lines,
    refers_to_something,
    sentences,
    telling_words,
    title_rules,
)
from aicx.terminal import without_controls
from aicx.values import regex

# Of what an agent says more telling words are asked: most of it goes with the work on anything.
_ENOUGH_OF_AGENT = 3
_ITEM = regex(r"^(?:subject: |- \[\w+\] )(.+)$|\"content\": ?\"((?:[^\"\\]|\\.)+)\"", re.MULTILINE)
PLANS = frozenset(("ExitPlanMode", "TaskCreate", "TodoWrite", "update_plan", "write_todos"))
# What a program gave its model to judge stands below a line, each thing with its label.
_ROLE = regex(r"you are (?:an?|the)\b", re.IGNORECASE)
_BELOW = regex(r"^[-=*_]{3,}[ \t]*$", re.MULTILINE)
_LABELLED = regex(r"^[ \t]*(?:[-*] )?\**[A-Z][\w -]{1,40}\**: *\**[ \t]*(?![/~])(\S.*)$", re.MULTILINE)
# What is looked at of a long prompt, and of what an agent says: what it is about comes first.
_MAX_TEXT, _MAX_STATEMENT, _MAX_STATEMENTS = 5000, 500, 5

_PLAN = regex(r"(?:please )?implement (?:the|this) (?:following )?plan:?\s*\n", re.IGNORECASE)
_PLAN_HEADING = regex(r"^#{1,3}\s+(.+)", re.MULTILINE)
_PLAN_LABEL = regex(r"(?:implementation )?plan\s*[:\u2013\u2014-]\s*", re.IGNORECASE)
_COMMAND = regex(r"[/$]([\w:.-]+)(?:\s+|\Z)")
_JOINT = " — "
_SENTENCE, _JOINTS = regex(r"[.!?]\s"), regex(r"[-_./]")
# The task of a subagent and the action that an approval is asked for, as Codex hands them over.
APPROVAL = "approval"
_ASKED = regex(r"(?:(?:may|can|could) I|allow(?: me to)?|do you want to(?: allow)?|need(?: to)?)\s+", re.IGNORECASE)
_TASK_NAME = regex(r"^Task name: \S*?([^/\s]+)$", re.MULTILINE)
_DELEGATED = regex(r"\s*<\w*delegation>.*?<input>(.*?)</input>", re.DOTALL)
_ACTIONS = tuple(
    regex(rf'{before}"((?:[^"\\]|\\.)+)"')
    for before in (r'"justification":\s*', r'"command":\s*\[(?:\s*"(?:[^"\\]|\\.)*",)*\s*', r'"tool":\s*')
)
# What was quoted or pasted as an error or as feedback: without the place it is of, and not what was typed for it.
_QUOTE, _PLACE = regex(r"[\"\u201c]([^\"\u201d\n]{20,})"), regex(r"^(?:[\w./\\-]+:\d+(?::\d+)?:?|[-*>#\s]+)\s*")
_TYPED, _MAX_SHOWN = regex(r"\s*[\u276f\u279c$%>]\s|\s*[\w.-]+@[\w.-]+[^\n]{0,60}[$#%] "), 12
# So many telling words name something although they point at something else, and so does a sentence of such a length.
_ENOUGH_POINTING, _SHORT = 5, 60
# `git commit -m "…"`, and the message as a here-document.
_SUBJECT = regex(
    r"\bgit\b[^\n;|]*?\bcommit\b[^\n]*?\s-[a-z]*m\s*"
    r"(?:\"\$\(cat <<-?\s*'?(\w+)'?\n\s*([^\n]+)|@([\"'])\n\s*([^\n]+)|\\?([\"'])(.+?)\\?\5|([\"'])([^\n]+))"
)
# How an issue or a request is told to whoever asked for it.
_TITLED = regex(r"^\W{0,6}title\W{0,3}:\W*(\S[^\n]+)", re.IGNORECASE | re.MULTILINE)
_PULL_REQUEST = regex(r"\b(?:pr|mr|issue) create\b[^\n]*?--title[ =]([\"'])(.+?)\1")

WorkSource = Literal["commit", "plan", "result", "words", "files"]


class TitleLine(NamedTuple):
    """A line that names something.

    ``weak`` where it says too little without what was done, ``of_thing`` where it then at least refers to an issue or a
    page; ``of_plan`` for the heading of a plan.
    """

    text: str
    weak: bool = False
    of_thing: bool = False
    of_plan: bool = False


def shorten_title(text: str) -> str:
    """The first line that says something, short enough for a heading."""
    text = without_controls(text)
    line = next((" ".join(line.split()) for line in text.splitlines() if any(map(str.isalnum, line))), text.strip())
    return clip_title(line.lstrip("#> "))


@lru_cache(maxsize=64)  # each chunk of a session asks again
def name_given(title: str | None) -> str | None:
    """A title that an agent or a person gave, None where it says nothing."""
    line = shorten_title(title or "")
    return None if not line or _COMMAND.match(line) or not count_telling(line) else line


def name_of_prompt(text: str) -> TitleLine | None:
    """Returns what a prompt says it is about; None for commands, greetings, bare addresses and other empty ones."""
    _, is_approval, request = text.rpartition("\nPlanned action JSON:")
    if is_approval and (actions := [asked[1] for one in _ACTIONS if (asked := one.search(request))]):
        return TitleLine(clip_title(f"{APPROVAL}: {_ASKED.sub('', actions[0], count=1)}"))
    if handed_over := _DELEGATED.match(text):
        text = handed_over[1]
    text = without_controls(text[:_MAX_TEXT]).strip()
    if text.startswith("! "):
        return None
    if text.startswith("[from ") and (task := _TASK_NAME.search(text)):
        return TitleLine(task[1].replace("_", " "), weak=True)
    if command := _COMMAND.match(text):
        rest = text[command.end() :].strip()
        if title_rules().of_the_client.fullmatch(command[1]) or not rest:
            return None
        # "/plan-phase 12": a number tells little, and more than nothing.
        said = rest.split(maxsplit=1)[0] if URL.match(rest) else rest.splitlines()[0]
        found = name_of_prompt(rest) or TitleLine(said, weak=True, of_thing=URL.match(rest) is not None)
        return found._replace(text=clip_title(f"{command[1]}: {found.text}")) if found.weak else found
    if plan := _PLAN.match(text):
        return _plan_name(text[plan.end() :])
    if _ROLE.match(text) and (given := _name_of_order(text)):
        return given
    read, rules = "", title_rules()
    lines = prose_lines(text)
    for line in lines:
        if not (count_telling(line) or refers_to_something(line)):
            continue
        # A line that says too little is read on.
        read = f"{read} {line}" if read else line
        if goes_on(read):
            return None
        if count_telling(read) >= ENOUGH:
            first = _SENTENCE.split(read, maxsplit=1)[0]
            if shown := _shown(text, read):
                return TitleLine(with_work(clip_title(_without_lead_in(read)), shown))
            is_little = count_telling(first) < _ENOUGH_POINTING
            # Of "this issue" beside its number a long sentence says no more than a short one.
            is_short = len(first) <= _SHORT or refers_to_something(first)
            answers = rules.answers_review.match(read) or (is_little and rules.points_as_object.match(first))
            points = bool(answers or (is_little and is_short and rules.points.search(first)))
            # "the cause of this error:" above the address of a page says what it points at, and so does what is below.
            of_branch = is_little and (points_at_branch(first) or bool(rules.goes_about.match(first)))
            of_thing = of_branch or (points and URL.search(text) is not None)
            name = clip_title(_without_lead_in(read))
            if points and not of_thing:
                below = next((one for one in lines if count_telling(one) >= _ENOUGH_OF_AGENT), None)
                name, of_thing = with_work(name, below), below is not None
            return TitleLine(name, weak=points or of_branch, of_thing=of_thing)
    if not read or not WORD.search(REFERENCE.sub("", URL.sub("", read))):
        return None
    return TitleLine(clip_title(read), weak=True, of_thing=refers_to_something(read))


def names_number_alone(title: str) -> bool:
    """Whether a title says of an issue or a pull request no more than its number."""
    return (
        title_rules().numbered.search(title) is not None
        and count_telling(title_rules().of_numbers.sub(" ", title_rules().numbered.sub(" ", title))) < ENOUGH
    )


def points_at_branch(title: str) -> bool:
    """Whether a title speaks of changes or a branch without saying which."""
    return title_rules().of_branch.search(title) is not None


def leans(title: str) -> bool:
    """Whether a title only asks, or answers or points at something said before."""
    rules, said = title_rules(), title.partition(_JOINT)[0]
    is_little = count_telling(said) < _ENOUGH_POINTING and (rules.points.search(said) or count_telling(said) < ENOUGH)
    return bool(rules.asks.match(said) or rules.replies.match(said) or is_little)


def takes_back(later: str, before: str) -> bool:
    """Whether a prompt takes another one's place: it says so, or says nearly the same in other words."""
    if title_rules().takes_back.match(later):
        return not telling_words(later).isdisjoint(telling_words(before))
    return is_again(before, later, 4)


def is_again(text: str, later: str, share: int) -> bool:
    """Whether a prompt is in the next one too, but for a part in ``share`` of its words."""
    words, others = (frozenset(one.lower().split()) for one in (text, later))
    return words != others and len(words & others) * share > (share - 1) * max(len(words), len(others))


def akin(title: str, others: Iterable[str]) -> bool:
    """Whether a title has a word, or how one begins, in common with any of some texts."""
    stems, *known = ({word[:5] for word in telling_words(_JOINTS.sub(" ", one))} for one in (title, *others))
    return not stems.isdisjoint(chain.from_iterable(known))


def names_no_object(title: str) -> bool:
    """Whether a title says that checks fail, or were mended, and not of what."""
    return _JOINT not in title and not count_telling(title_rules().of_checks.sub(" ", title))


def goes_on(text: str) -> bool:
    """Whether a prompt only asks to go on with what was said before."""
    return (
        bool(title_rules().goes_on.match(text)) and count_telling(title_rules().going_on_words.sub(" ", text)) < ENOUGH
    )


def _without_lead_in(read: str) -> str:
    """A line without "Here is the error:" at its end, which leads to what was pasted below, and without the colon."""
    read = read.rstrip()
    if not read.endswith((":", "\uff1a")):
        return read
    *before, _ = sentences(read)
    kept = " ".join(before)
    return kept if count_telling(kept) >= ENOUGH else read.rstrip(" :\uff1a")


def _shown(text: str, line: str) -> str | None:
    """What a line such as "I get this error:" or "I got this feedback" shows: quoted in it, else below it."""
    led = title_rules().shows.search(line)
    if not led:
        return None
    *_, below = text.partition("\n")
    if quoted := _QUOTE.search(line, led.end()):
        below = quoted[1]
    lines = [_PLACE.sub("", one.strip()) for one in below.split("\n", _MAX_SHOWN)[:_MAX_SHOWN] if not _TYPED.match(one)]
    told = [plain_line(one) for one in lines if len(WORD.findall(one)) >= _ENOUGH_OF_AGENT]
    return next(filter(title_rules().fails.search, told), told[0] if told else None)


def _name_of_order(text: str) -> TitleLine | None:
    """Returns what a prompt that gives a role orders, and of what that it hands over."""
    order = next((line for line in prose_lines(text) if title_rules().orders.match(line)), None)
    if order is None:
        return None
    *_, below = _BELOW.split(text) if _BELOW.search(text) else ("", "")
    given = max(_LABELLED.findall(below), key=count_telling, default="")
    name = next(sentences(order))
    return TitleLine(clip_title(f"{order.split(maxsplit=1)[0]}: {given}" if count_telling(given) >= ENOUGH else name))


def name_of_work(
    subjects: Iterable[str], plan: Iterable[str], paths: Iterable[str], statements: Iterable[str] = ()
) -> tuple[str, WorkSource] | None:
    """Names what was done, in the words of a commit or pull request, else of a plan or the agent, else by files."""
    if subject := best_subject(subjects):
        return clip_title(subject), "commit"
    for item in plan:
        if count_telling(item) >= ENOUGH and not title_rules().looks.match(item):
            return clip_title(item), "plan"
    rules, lead = title_rules(), ""  # what only leads to a list, where nothing else says more
    for statement in islice(statements, _MAX_STATEMENTS):
        text = without_controls(statement[:_MAX_STATEMENT])
        if (titled := _TITLED.search(text)) and count_telling(titled[1]) >= ENOUGH:
            return clip_title(plain_line(titled[1])), "words"
        for line in chain(_values(statement) if "{" in text else (), prose_lines(text)):
            if rules.of_a_skill.match(line):
                continue
            told = (one for one in sentences(line) if not (rules.about_to.match(one) or rules.checked.match(one)))
            sentence = next(told, "")
            if count_telling(sentence) >= _ENOUGH_OF_AGENT:
                if not sentence.endswith(":") or count_telling(sentence) >= _ENOUGH_POINTING:
                    return clip_title(sentence.rstrip(".:")), "words"
                lead = lead or sentence
    if lead:
        return clip_title(lead.rstrip(":")), "words"
    names = list(dict.fromkeys(path.rpartition("/")[2] or path for path in paths))
    return (clip_title(f"work on {', '.join(names[:3])}"), "files") if names else None


def best_subject(subjects: Iterable[str]) -> str | None:
    """The first subject of a commit that says what was done, and is no merge and no beginning."""
    telling = [one for one in subjects if count_telling(one) and not title_rules().passing.match(one)]
    return next((one for one in telling if count_telling(one) >= ENOUGH), telling[0] if telling else None)


def is_conclusion(statement: str) -> bool:
    """Whether an agent's words do not end with what it is about to do."""
    *_, last = sentences(statement.strip().rpartition("\n")[2])
    return not (title_rules().about_to.match(last) or title_rules().busy.search(last) or last.endswith((":", "?")))


def is_to_client(prompt: str) -> bool:
    """Whether a prompt is a command to the client alone, such as `/clear`, and asks the agent for nothing."""
    command = _COMMAND.match(prompt.strip())
    return command is not None and title_rules().of_the_client.fullmatch(command[1]) is not None


def subjects_of(command: str) -> list[str]:
    """The subjects of the commits and the titles of the pull requests that a shell command makes."""
    if "commit" not in command and "create" not in command:
        return []
    found = [next(filter(None, texts[1::2])) for texts in _SUBJECT.findall(command)]
    found += [title for _, title in _PULL_REQUEST.findall(command)]
    return [line for text in found if "$(" not in (line := text.split("\\n")[0].strip()) and line]


def plan_of(tool: str, text: str) -> list[str]:
    """Returns what a call that makes a plan says is to be done."""
    if tool not in PLANS:
        return []
    if tool == "ExitPlanMode":
        return [_PLAN_LABEL.sub("", plain_line(line), count=1) for line in _PLAN_HEADING.findall(text)[:1]]
    return [first or second.replace('\\"', '"') for first, second in _ITEM.findall(text)]


def with_work(name: str, work: str | None) -> str:
    """``name`` and what was done, where that says more."""
    if not work or work.casefold() in name.casefold() or name.casefold() in work.casefold():
        return max(name, work or "", key=len)
    head = clip_title(name, MAX_TITLE // 2)
    return clip_title(work if work.startswith(head) else f"{head}{_JOINT}{work}")


def name_of_session(
    topic: str | None, source: str | None, work: str | None, work_source: str | None = None
) -> str | None:
    """The title of a session: what it was about, and what was done where the prompt says too little (see `TitleLine`).

    The files that were changed tell little beside a prompt; they only serve where there is nothing else. A prompt that
    says nothing (``said``) gives way to any work.
    """
    if topic and work and work_source == "commit" and source in ("agent", "prompt") and _says_else(topic, work):
        return with_work(topic, work)
    if topic and work and source in ("weak", "thing") and count_telling(topic) < ENOUGH and topic.isalpha():
        return work  # "recent" says nothing beside it
    if topic is None or (source == "said" and work):
        # "this looks wrong" says something beside what was found.
        return with_work(topic, work) if topic and work_source == "result" and len(topic) <= MAX_TITLE // 3 else work
    if source not in ("thing", "weak") or work_source == "files":
        return topic
    # Of what only points at a branch little is told, and of what was found there the more.
    return with_work(clip_title(topic, MAX_TITLE // 3) if points_at_branch(topic) and work else topic, work)


def _says_else(topic: str, subject: str) -> bool:
    """Whether a commit says what a title does not: the title only asks, or speaks of something else."""
    told, known = (telling_words(_JOINTS.sub(" ", text)) for text in (subject, topic))
    says_enough = len(told) >= ENOUGH and not title_rules().passing.match(subject)
    return says_enough and len(told & known) < (len(told) / 2 if title_rules().asks.match(topic) else 1)


def _plan_name(text: str) -> TitleLine | None:
    heading = _PLAN_HEADING.search(text)
    line = _PLAN_LABEL.sub("", plain_line(heading[1]), count=1) if heading else next(prose_lines(text), "")
    return TitleLine(clip_title(line), of_plan=True) if count_telling(line) else None


def _values(text: str) -> list[str]:
    """The texts in an answer that is JSON, as programs ask for."""
    start, end = text.find("{"), text.rfind("}")
    if start < 0 or end < start or text[:start].count("\n") > 2:
        return []
    try:
        value = json.loads(text[start : end + 1])
    except ValueError:
        return []
    if not isinstance(value, dict):
        return []
    found = [one for several in value.values() if isinstance(several, list) for one in several]
    titles = [one["title"] for one in found if isinstance(one, dict) and isinstance(one.get("title"), str)]
    return titles + [one for one in value.values() if isinstance(one, str)]
