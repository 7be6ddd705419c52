"""Workflow reports of a folder as records, a JSON bundle and one HTML page; `aicx reports`."""

from aicx.reports.scan import Outcome, scan
from aicx.reports.selection import Selection

__all__ = ["Outcome", "Selection", "scan"]
