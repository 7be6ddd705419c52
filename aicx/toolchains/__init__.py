"""Turns the output of build, test, lint and install commands into error events. One module a family of tools."""
