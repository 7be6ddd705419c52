"""The corpus: everything that reads or writes stored chunks and what is derived from them."""
