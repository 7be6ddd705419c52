"""What aicx puts into files of other people, as text: put in, told apart from the rest, and taken out again."""
