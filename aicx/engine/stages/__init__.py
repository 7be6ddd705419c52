"""The stages of a search, in the order in which they run: question, retrieve, select, order, quote."""
