"""Makes questions with known answers out of a stored corpus, without a model: what is written there decides."""
