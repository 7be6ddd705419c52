"""What programs without logs of their own printed under `aicx run`: one JSON Lines file a session."""

AGENT = "run"
