"""Entries and commit messages as bytes, and back. Imports nothing: readers alone pay for YAML."""

from __future__ import annotations
