"""The report of a dataset: one HTML page that needs nothing else, and a contact sheet."""

from datagen.report.page import write_report

__all__ = ["write_report"]
