"""Turns the output of build, test, lint and install commands into error events. One module a family of tools."""

from aicx.toolchains.parsing import ErrorEvent, Parsed, is_tool, parse

__all__ = ["ErrorEvent", "Parsed", "is_tool", "parse"]
