"""Attacks that take longer than tests may: `python -m benchmarks.attack [NAME...]` runs them and prints counts.

Each module with a function `attack() -> Mapping[str, Counts]` is one attack, run by its name.
"""
