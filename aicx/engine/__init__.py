"""The wiring: the only place that knows the corpus, the indexer and the retrieval at once."""
