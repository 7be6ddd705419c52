"""Texts that aicx puts into files of other people: put in, told apart from the rest, and taken out again."""
