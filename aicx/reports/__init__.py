"""Workflow reports of a folder as records, a JSON bundle and one HTML page; `aicx reports`."""

from aicx.reports.scan import ScanResult, scan
from aicx.reports.selection import ReportSelection

__all__ = ["ReportSelection", "ScanResult", "scan"]
