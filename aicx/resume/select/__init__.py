"""Choosing what a brief is about: sessions, passages and files, ranked and read as far as needed."""
