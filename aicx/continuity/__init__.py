"""What a new session needs to know: git facts, what earlier sessions did and left open, and what of it to show.

Small values are named tuples here. A dataclass takes four times as long to define, and there are many in the one
process that a cold `aicx resume` is.
"""
