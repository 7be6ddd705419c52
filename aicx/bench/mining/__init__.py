"""Makes questions with known answers out of a stored corpus, without a model."""
