"""The events of the client that gitmem answers; listing them imports nothing."""

from __future__ import annotations

EVENTS: dict[str, str] = {
    "session-start": "gitmem.hooks.session_start",
    "user-prompt-submit": "gitmem.hooks.user_prompt_submit",
    "session-end": "gitmem.hooks.session_end",
}
"""Each event and the module whose `answer(call)` serves it; to add one, write it and list it."""

CATCH_UP = "catch-up"
"""What a hook starts beside itself: bring a store's index, and what is derived from it, along."""
