"""Runs the attacks of this package and prints a line of counts for each thing tried; 1 if one went through."""

from __future__ import annotations

import argparse
import importlib
import pkgutil
import sys
from collections.abc import Callable, Mapping, Sequence

import benchmarks.attack
from benchmarks.attack import Counts

_SHOWN = 10  # lines about what went through


def _attacks() -> dict[str, Callable[[], Mapping[str, Counts]]]:
    """The attacks by name. Other modules of the package are imported too, so none of them may do anything then."""
    found = {}
    for module in pkgutil.iter_modules(benchmarks.attack.__path__):
        if module.name == "__main__":
            continue
        attack = getattr(importlib.import_module(f"{benchmarks.attack.__name__}.{module.name}"), "attack", None)
        if attack is not None:
            found[module.name] = attack
    return found


def _report(name: str, all_counts: Mapping[str, Counts]) -> bool:
    """Prints the counts of one attack; says whether everything held."""
    for what, counts in all_counts.items():
        said = "should go through, and did" if counts.control else "went through"
        print(f"{name}: {what}: {counts.tried:,} tried, {len(counts.through):,} {said}", flush=True)
        for line in () if counts.holds else counts.through[:_SHOWN]:
            print(f"    {line}", flush=True)
    return bool(all_counts) and all(counts.holds for counts in all_counts.values())


def main(arguments: Sequence[str]) -> int:
    attacks = _attacks()
    parser = argparse.ArgumentParser(prog="python -m benchmarks.attack", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"run only these of: {', '.join(attacks)}")
    names = parser.parse_args(arguments).names or list(attacks)
    if unknown := [name for name in names if name not in attacks]:
        parser.error(f"there is no attack {', '.join(unknown)}")
    held = [_report(name, attacks[name]()) for name in names]
    return 0 if all(held) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
