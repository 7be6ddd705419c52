"""Codex: rollouts in every form since 2025, and the prompt history."""
