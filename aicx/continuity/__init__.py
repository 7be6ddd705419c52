"""What a new session needs to know: git facts, what earlier sessions did and left open, and what of it to show."""
