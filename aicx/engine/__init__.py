"""Search over the corpus: builds the indexes, asks every retriever and joins their answers."""
