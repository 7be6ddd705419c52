"""Where an agent works counts in what it is answered, unless it says otherwise."""

from __future__ import annotations

import pytest

from tests.engine.test_history import SUBJECT, Story, story
from tests.servers.mcp.mcp_client import call, refused

pytestmark = pytest.mark.needs("mcp")

__all__ = ["story"]


@pytest.mark.parametrize("tool", ["aicx_search", "aicx_steer"])
def test_a_commit_of_the_repository_is_named_by_hash_and_time(story: Story, tool: str) -> None:
    commit = story.repository.git("rev-parse", "--short=10", "HEAD")
    repo = str(story.repository.folder)
    [content] = call(story.user.settings, tool, query=SUBJECT, repo=repo).content
    assert f"come first: {commit} (2026-03-01 11:00)." in content.text
    for everywhere in ({"repo": repo, "everywhere": True}, {}):
        [content] = call(story.user.settings, tool, query=SUBJECT, **everywhere).content
        assert "come first" not in content.text


def test_a_relative_folder_is_refused(story: Story) -> None:
    code, message = refused(story.user.settings, "aicx_search", query=SUBJECT, repo="orbit")
    assert (code, "absolute path" in message) == (-32602, True)
