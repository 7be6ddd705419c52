"""OpenCode: sessions in its database, in the files it kept before, and as `opencode export` writes them."""
