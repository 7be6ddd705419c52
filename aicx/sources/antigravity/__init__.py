"""Antigravity: conversations with their artifacts, step outputs and transcripts."""
