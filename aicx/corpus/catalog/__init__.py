"""The SQLite catalogue of the corpus: metadata queries, and rebuilding it from the sidecars."""
