"""Reading the corpus for people and for indexes: single chunks, sessions, reports and documents."""
