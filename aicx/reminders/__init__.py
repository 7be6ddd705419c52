"""Reminders that a hook gives a session unasked: at a prompt, after a failed command and before an edit."""
