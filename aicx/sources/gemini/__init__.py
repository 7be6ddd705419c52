"""Gemini CLI: sessions in both formats, and the prompts in `logs.json`."""
