"""Files and locks on disk: written whole or not at all, one writer at a time. Knows nothing of what is stored."""
