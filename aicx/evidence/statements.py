"""Requests, conclusions, open points and decisions in a session, found sentence by sentence."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence, Set
from functools import lru_cache
from itertools import zip_longest
from typing import NamedTuple

from aicx.evidence import Step
from aicx.evidence.patterns import request_rules, statement_rules
from aicx.evidence.texts import Sentence, sentences, summary_line, words
from aicx.telling import telling_words
from aicx.text import shorten
from aicx.types import PROMPTS
from aicx.values import Expressions, regex

STATEMENT_LENGTH = 240
_REASON_LENGTH = 320
# A decision said in fewer words leaves out what it is about.
_MIN_WORDS, _MIN_SIGNS = 5, 8
_FIRST_OF_EAST_ASIA = 0x2E7F
# Longer prompts are mostly pasted: a review, a log, a plan somebody else wrote.
PASTED = 1500
# A word without which nobody says that everything passes; taking a message apart into sentences takes much longer.
_OF_PASSING = regex("pass|green|success|lint", re.IGNORECASE)
# The origin of a summary that a client made of a conversation that outgrew its context.
COMPACTION = "compaction"
_ANSWER = regex(r'"([^"\n]{5,300})"="([^"\n]{1,300})"')
# An answered question is told with its answer, whatever is left of the question.
_ARROW, _ANSWER_LENGTH = " \u2192 ", 160
# What a client or an agent puts behind an option, as "(Recommended)".
_MARK = regex(r"\s*\([^()]*\)\s*\Z")
# What an order wants comes before what it does not.
_REPLACES = regex(r"\b(?:instead of|rather than)\b", re.IGNORECASE)
_FORBIDS = regex(
    r"^(?:let['\u2019]?s )?(?:drop|delete|remove|avoid|stop)|\b(?:not?|never|without)\b|n['\u2019]t\b", re.IGNORECASE
)
# What follows upon the thing that was given up.
_NEW = regex(r"[,;:.]|\b(?:with|by|to|for|in favou?r of|because|since|so)\b", re.IGNORECASE)
# So many words of a choice among those of what was given up are that choice.
_SAME_CHOICE = 0.6
_NUMBERED = regex(r"#\d+\b")
_HEADING = regex(r"[ \t]*(#{1,6})[ \t]+(.+)")


class Weight(NamedTuple):
    """How much a prompt says: 0 nothing, 1 an order that leans on what came before, 2 something by itself."""

    level: int
    text: str


class MessageStatement(NamedTuple):
    """One sentence worth keeping, and the message it is from."""

    text: str
    step: Step


@lru_cache(256)  # each prompt of a session is asked many times
def weigh(prompt: str) -> Weight:
    """Returns what a prompt says, without a client's command around it."""
    rules = request_rules()
    text = own_words(prompt).strip()
    # What a person ran in a shell of the client is written with this sign in front; it asks for nothing.
    if text.startswith((*rules.commands, "!")):
        return Weight(0, "")
    if text.startswith("/") and " " not in text.partition("\n")[0] and text.count("/") == 1:
        text = text.partition("\n")[2].strip()
    said = [word for word in words(text) if not word.isdigit()]
    if not said or all(word in rules.empty for word in said):
        return Weight(0, "")
    return Weight(1 if all(word in rules.procedural for word in said) else 2, text)


def own_words(prompt: str) -> str:
    """Returns what a person wrote of a prompt, without what the client adds above it and in place of pictures."""
    for marker in request_rules().markers:
        prompt = prompt.rpartition(marker)[2]
    return _PICTURES.sub("", prompt)


def requests(steps: Sequence[Step]) -> list[tuple[Weight, Step]]:
    """The prompts of a session that a person typed and that say something, in order."""
    found: list[tuple[Weight, Step]] = []
    answered = True
    for step in steps:
        answered = answered or step.role in ("assistant", "tool")
        if step.role != "user" or step.origin not in PROMPTS or not (weight := weigh(step.text)).level:
            continue
        if not answered and _is_reworded(found[-1][0].text, weight.text):
            found.pop()  # it was stopped, and said again in better words
        found.append((weight, step))
        answered = False
    return found


def _is_reworded(before: str, after: str) -> bool:
    """Whether most words of a prompt are in the one that came after it, in both directions."""
    one, other = words(before), words(after)
    return len(set(one) & set(other)) >= _REWORDED * max(len(set(one)), len(set(other)))


def conclusion(steps: Sequence[Step]) -> Step | None:
    """The last message of the agent that says something."""
    said = [step for step in reversed(steps) if step.role == "assistant"]
    telling = (step for step in said if len(summary_line(step.text, STATEMENT_LENGTH)) >= _MIN_SAID)
    found = next(telling, None)
    # What it was about to do is not what it found; the work before that may say more.
    while found is not None and announces(found) and (earlier := next(telling, None)) is not None:
        found = earlier
    return found


def announces(step: Step) -> bool:
    """Whether all that an agent's message says is what it is going to do."""
    said = [sentence.text for sentence in sentences(telling(step.text)[:_ANNOUNCED])]
    return step.role == "assistant" and bool(said) and all(map(is_announcement, said))


@lru_cache(256)
def is_announcement(text: str) -> bool:
    """Whether a sentence of an agent says only what it does next, or is doing."""
    return bool(statement_rules().announcements.search(text) or statement_rules().underway.search(text))


_COMMAND = regex(r"^\s*/[\w:-]+\s+(?=\S)")
_MIN_SAID = 12
_PICTURES = regex(r"^[ \t]*(?:\[image[^\]\n]*\][ \t]*)+$", re.MULTILINE | re.IGNORECASE)
_REWORDED = 0.8
# What is longer than this reports something.
_ANNOUNCED = 1000
_FIRST_SENTENCE = regex(r"[^.!\n]{1,24}[.!]+\s+")


def telling(text: str) -> str:
    """``text`` without a first sentence that only says "Done" or "Perfect", unless that is all it says.

    Nor does a part above others that only sums up what was looked at say what was found.
    """
    text = statement_rules().overview.sub("", text)
    found = _FIRST_SENTENCE.match(text.strip())
    if found is None or not all(word in request_rules().empty for word in words(found[0])):
        return text
    return text.strip()[found.end() :] or text


def left_open(step: Step) -> tuple[list[MessageStatement], list[MessageStatement]]:
    """Returns what an agent's last message says is still to be done, and what it asks."""
    rules = statement_rules()
    ahead: dict[str, None] = {}
    asked: dict[str, None] = {}
    for said in sentences(step.text):
        text = shorten(said.text, STATEMENT_LENGTH)
        if rules.questions.search(said.text):
            asked[text] = None
        elif _is_next(said, rules):
            ahead[rules.next_labels.sub("", text)] = None
    return [MessageStatement(text, step) for text in ahead], [MessageStatement(text, step) for text in asked]


def without_open(text: str) -> str:
    """Returns an agent's message without the sentences that ask something or say what is still to be done."""
    rules = statement_rules()
    return _without(text, lambda said: _is_open(said, rules))


def without_push(text: str) -> str:
    """Returns what an agent's message says, without the sentences that tell that something is not pushed."""
    return _without(text, lambda said: tells_unpushed(said.text))


def tells_unpushed(text: str) -> bool:
    """Whether a text says that something is not pushed, or asks whether to push it."""
    return bool(statement_rules().tells_unpushed.search(text))


def _without(text: str, is_over: Callable[[Sentence], bool]) -> str:
    every = list(sentences(text))
    kept = [said.text for said in every if not is_over(said)]
    return text if len(kept) == len(every) else "\n\n".join(kept)


def _is_open(said: Sentence, rules: Expressions) -> bool:
    text = said.text
    if text.endswith("?") or any(
        pattern.search(text) for pattern in (rules.questions, rules.uncommitted, rules.tells_unpushed)
    ):
        return True
    return _is_next(said, rules) or bool(rules.about_request.search(text) and rules.waiting.search(text))


def is_step(text: str) -> bool:
    """Whether a sentence says what somebody has to do, and of what; reports, findings and offers do not."""
    rules = statement_rules()
    if rules.uncommitted.search(text):
        return True
    return not rules.no_step.search(text) and bool(rules.begins_step.search(text) or rules.owed.search(text))


def asks_for_something(text: str) -> bool:
    """Whether a prompt asks for something rather than telling how something is, and is no command of a client.

    What a command of a person's own was called with, as in "/fix the footer is gone, bring it back", may ask.
    """
    rules = statement_rules()
    text = _COMMAND.sub("", text)
    return not rules.no_request.search(text) and bool(rules.asks_for.search(text))


def names_its_subject(question: str) -> bool:
    """Whether a question can be answered without the conversation that it was asked in."""
    return not statement_rules().leans.search(question)


def is_done(step: Step) -> bool:
    """Whether a message says that the work is finished."""
    rules = statement_rules()
    return any(rules.done.search(said.text) for said in sentences(step.text))


def says_finished(step: Step) -> bool:
    """Whether a message says that the work is finished, and not only that checks pass."""
    rules = statement_rules()
    return any(
        rules.done.search(said.text) and not (rules.tests_pass.search(said.text) or rules.lint_passes.search(said.text))
        for said in sentences(step.text)
    )


def reports(step: Step) -> bool:
    """Whether an agent's message names a result, a cause or a fix."""
    return step.role == "assistant" and reports_something(step.text)


@lru_cache(64)
def reports_something(text: str) -> bool:
    """Whether a text names a result, a cause or a fix; answers in a conversation and announcements do not."""
    rules = statement_rules()
    return any(rules.answers.search(said.text) or rules.done.search(said.text) for said in sentences(text))


def says_passing(step: Step, topic: str) -> bool:
    """Whether an agent's message says that all tests pass, or that there is nothing for linters to find."""
    rules = statement_rules()
    return bool(_OF_PASSING.search(step.text)) and _says(
        step, rules.lint_passes if topic == "lint" else rules.tests_pass
    )


def says_resolved(step: Step) -> bool:
    """Whether an agent's message says that the conflicts of a merge are resolved."""
    return "conflict" in step.text.lower() and _says(step, statement_rules().conflicts_over)


def _says(step: Step, expression: re.Pattern[str]) -> bool:
    said = (one.text for one in sentences(step.text) if step.role == "assistant")
    return any(expression.search(text) and not statement_rules().not_passing.search(text) for text in said)


def names_failure(step: Step) -> bool:
    """Whether a message tells of something that fails, other than that it is over or not of this work."""
    rules = statement_rules()
    return any(
        rules.names_failure.search(said.text) and not (rules.no_failure.search(said.text) or _failed_before(said.text))
        for said in sentences(step.text)
    )


def says_failed_before(step: Step) -> bool:
    """Whether an agent's message says that what fails did so before, and is not of this work."""
    if step.role != "assistant" or not statement_rules().failed_before.search(step.text):
        return False
    return any(_failed_before(said.text) for said in sentences(step.text))


def _failed_before(text: str) -> bool:
    rules = statement_rules()
    return bool(rules.failed_before.search(text) and rules.names_failure.search(text))


def decisions(steps: Sequence[Step], limit: int) -> list[MessageStatement]:
    """Returns what people settled, by an answer or an order of their own: the last ones, the latest first, each once.

    What they answered to the same question before, what was given up for something else since, and what they spoke of
    again later, which may have settled it otherwise, is left out.
    """
    rules = statement_rules()
    found: dict[frozenset[str], MessageStatement] = {}
    given_up: list[frozenset[str]] = []
    later: list[str] = []
    for step in reversed(steps):
        for key, text, chosen in reversed(list(_decided(step, rules))):
            over = any(_is_same_choice(telling_words(chosen), given) for given in given_up)
            if not (over or any(_is_about_same(key, asked, rules) for asked in later)):
                found.setdefault(frozenset(words(key)), MessageStatement(text, step))
        given_up += _given_up(step, rules)
        if step.role == "user" and step.origin in PROMPTS and len(step.text) <= PASTED:
            later += [said.text for said in sentences(own_words(step.text))]
        if len(found) >= limit:
            break
    return list(found.values())[:limit]


def own_choices(steps: Sequence[Step], limit: int) -> list[MessageStatement]:
    """Returns what the agent chose by itself, with its reason: the last ones, the latest first, each once."""
    rules = statement_rules()
    own = (step for step in reversed(steps) if step.role == "assistant" or step.origin == COMPACTION)
    every = (MessageStatement(text, step) for step in own for text in reversed(list(_reasoned(step, rules))))
    found: dict[frozenset[str], MessageStatement] = {}
    for said in every:
        found.setdefault(frozenset(words(said.text)), said)
    return list(found.values())[:limit]


def _decided(step: Step, rules: Expressions) -> Iterator[tuple[str, str, str]]:
    """Each decision of a message: what tells it from others, how it is told, and what was chosen."""
    if step.role == "user" and step.origin in PROMPTS:
        for text in _ordered(step, rules):
            # What they forbade is not chosen: to be given up is what was wanted of it.
            chosen = "" if _FORBIDS.search(text) else _REPLACES.split(text, maxsplit=1)[0]
            yield text, text, chosen
    elif step.tool == "AskUserQuestion" and step.phase == "result":
        for question, answer in _ANSWER.findall(step.text):
            if not (rules.of_procedure.search(question) or rules.undecided.search(answer)):
                told = shorten(answer, _ANSWER_LENGTH)
                asked = shorten(question, STATEMENT_LENGTH - len(told) - len(_ARROW))
                yield question, f"{asked}{_ARROW}{told}", _MARK.sub("", answer)


def _given_up(step: Step, rules: Expressions) -> list[frozenset[str]]:
    """The words of each thing that a message says did not work, or was given up for something else, or is to be."""
    if not (step.role == "assistant" or step.origin in PROMPTS):
        return []
    if not (rules.replaces.search(step.text) or rules.fell_through.search(step.text)):
        return []
    every = [said.text for said in sentences(step.text) if not said.text.endswith("?")]
    after = (_NEW.split(text[found.end() :], maxsplit=1)[0] for text in every if (found := rules.replaces.search(text)))
    before = (text[: found.start()] for text in every if (found := rules.fell_through.search(text)))
    return [telling_words(text) for text in (*after, *before)]


def _is_same_choice(chosen: Set[str], given_up: Set[str]) -> bool:
    """Whether what was given up is what was chosen, or several words of it, and not something of which it is a part."""
    same = len(chosen & given_up)
    most = same >= _SAME_CHOICE * len(chosen) or (same > 1 and same >= _SAME_CHOICE * len(given_up))
    return same > 0 and most and same >= len(given_up) / 2


def _is_about_same(settled: str, later: str, rules: Expressions) -> bool:
    """Whether a later sentence of a person is about what was settled: it names the same number, or has most of its
    words; of one that thinks again, a word is enough.
    """
    if not {*_NUMBERED.findall(settled)}.isdisjoint(_NUMBERED.findall(later)):
        return not later.endswith("?")
    of_it = telling_words(settled)
    same = len(of_it & telling_words(later))
    return (same > 0 and bool(rules.reconsiders.search(later))) or (same > 1 and same >= len(of_it) / 2)


def _ordered(step: Step, rules: Expressions) -> Iterator[str]:
    if len(step.text) > PASTED:
        return
    own = rules.pastes.split(own_words(step.text), maxsplit=1)[0]
    for said in sentences(_without_checks(own, rules)):
        if rules.check_headings.search(said.heading) or not _says_enough(said.text):
            continue
        if rules.human.search(said.text) and not rules.not_human.search(said.text):
            yield shorten(said.text, STATEMENT_LENGTH)


def _without_checks(text: str, rules: Expressions) -> str:
    """``text`` without the sections that list what is to be verified, with those below them."""
    kept: list[str] = []
    within = 0  # the level of the heading of such a section
    for line in text.splitlines():
        if heading := _HEADING.match(line):
            level = len(heading[1])
            if not within or level <= within:
                within = level if rules.check_headings.search(heading[2]) else 0
        if not within:
            kept.append(line)
    return "\n".join(kept)


def _reasoned(step: Step, rules: Expressions) -> Iterator[str]:
    if not rules.agent.search(step.text):
        return  # taking the text apart costs more than this one look at it
    every = list(sentences(step.text))
    for said, following in zip_longest(every, every[1:], fillvalue=Sentence("")):
        if not rules.agent.search(said.text) or not _says_enough(said.text) or _is_own_step(said.text, rules):
            continue
        if rules.reasons.search(said.text):
            yield shorten(said.text, _REASON_LENGTH)
        elif not said.item and rules.reasons.search(following.text) and not _is_own_step(following.text, rules):
            yield shorten(f"{said.text} {following.text}", _REASON_LENGTH)


def _is_own_step(text: str, rules: Expressions) -> bool:
    """Whether an agent speaks of its own working, or of what it does next."""
    return rules.not_agent.search(text) is not None or is_announcement(text)


def _says_enough(text: str) -> bool:
    """Whether a sentence is whole and has enough words, or enough signs of a script that puts no space between them."""
    torn = text.endswith((":", "\uff1a")) or text.count("(") != text.count(")")
    return not torn and (
        len(words(text)) >= _MIN_WORDS or sum(ord(sign) > _FIRST_OF_EAST_ASIA for sign in text) >= _MIN_SIGNS
    )


def _is_next(said: Sentence, rules: Expressions) -> bool:
    text = rules.aside.sub(" ", said.text)
    # First what few sentences say.
    if not (rules.next_labels.search(text) or rules.next.search(text)) and not (
        said.heading and rules.next_headings.search(said.heading)
    ):
        return False
    checked = said.item and rules.checked_headings.search(said.heading)
    return not checked and bool(words(text)) and not rules.not_next.search(text)
