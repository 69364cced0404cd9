"""The reason of a change: free text that becomes the commit's message."""

from __future__ import annotations

from gitmem.model.errors import ValidationError
from gitmem.model.text import valid_text

LONGEST = 4000


def checked_reason(text: str) -> str:
    """The reason in valid form. ValidationError where it is no reason but a document."""
    reason = valid_text(text)
    if len(reason) > LONGEST:
        raise ValidationError(
            f"the reason has {len(reason)} characters, at most {LONGEST}",
            field="reason",
            fix="say it shorter, or put it into the entry",
        )
    return reason
