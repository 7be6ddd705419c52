"""Cursor: the chats in its database, and the transcripts of its agent."""
