"""The content-addressed store: bytes under the SHA-256 of what they are, verified whenever they are read."""
