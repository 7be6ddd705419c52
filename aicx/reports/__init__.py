"""Workflow reports of a folder as records, a JSON bundle and one HTML page; `aicx reports`."""

from aicx.reports.scan import ReportSelection, ScanResult, scan

__all__ = ["ReportSelection", "ScanResult", "scan"]
