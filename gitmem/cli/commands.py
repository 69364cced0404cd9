"""The table of commands: what each is for, and where it lives.

`--help` shows this table and imports no command. To add a command, write `cli/NAME.py` and a row
here; a test holds the summaries to the commands' own.
"""

from __future__ import annotations

from typing import NamedTuple


class Row(NamedTuple):
    """One command: the module that holds its function, and its help in one line."""

    summary: str
    module: str
    function: str


def _row(name: str, summary: str) -> tuple[str, Row]:
    module = _MODULES.get(name, name).replace("-", "_")
    return name, Row(summary, f"gitmem.cli.{module}", f"{name.replace('-', '_')}_command")


# `import` is a keyword, and a module may not be called like the standard library's.
_MODULES = {"import": "import_"}

TOPICS: dict[str, dict[str, Row]] = {
    "Start": dict(
        (
            _row("init", "Start a memory in this repository, or take over the one it has."),
            _row("config", "Show and set the store's configuration."),
            _row("completion", "Print the completion script of a shell."),
        )
    ),
    "Write": dict(
        (
            _row("add", "Add an entry."),
            _row("remember", "Keep a text as a note in working memory."),
            _row("update", "Change an entry: the whole of it, or single fields."),
            _row("edit", "Change an entry in your editor."),
            _row(
                "candidate",
                "Name the entry that new information is about, and what may be done with it.",
            ),
            _row(
                "resolve", "Settle what is done when structure and an agent each named an action."
            ),
            _row("supersede", "Say that an entry holds no longer, and which one does."),
            _row("undo", "Take back one change, or all changes of a session."),
        )
    ),
    "Read": dict(
        (
            _row("search", "Find the entries that fit a question, best first."),
            _row("recall", "Print the text of entries and nothing else."),
            _row("show", "Print an entry."),
            _row("list", "List entries."),
            _row("log", "List the commits of the memory or of one entry."),
            _row("diff", "Show what differs between two commits or dates."),
            _row("blame", "Show which commit gave each field its value."),
            _row("status", "Say where the memory is and what it holds."),
            _row("schema", "Print the JSON schema of a category or of the configuration."),
        )
    ),
    "Sessions of an agent": dict(
        (
            _row("hook", "Answer an event of the coding agent."),
            _row("receipts", "Show what each prompt of a session was shown from memory."),
            _row("stats", "Count what recall has put into contexts on this machine."),
            _row("hook-log", "Print the last lines of the log of hooks that failed."),
        )
    ),
    "Keep in order": dict(
        (
            _row("retire", "Take entries out of use; they can be restored."),
            _row("restore", "Bring retired entries back."),
            _row("archive", "Move entries to the archive: found on request, never loaded."),
            _row("unarchive", "Bring archived entries back."),
            _row("promote", "Move entries into working memory."),
            _row("demote", "Move entries from working memory to the register."),
            _row("pin", "Protect entries from upkeep."),
            _row("unpin", "Let upkeep consider entries again."),
            _row("snooze", "Leave entries alone for a while."),
            _row("review", "Say that entries were looked at and still hold."),
            _row("appreciate", "Raise the bonus that keeps an entry from being forgotten."),
        )
    ),
    "Maintain": dict(
        (
            _row("health", "Judge the state of the memory."),
            _row("doctor", "Look for what is broken, and say how to mend it."),
            _row("gc", "Take away what was retired long enough ago."),
            _row("index", "Rebuild or check the index."),
            _row("view", "Write the plain directory of memories again."),
            _row("adopt", "Commit what was edited by hand in the view."),
            _row("import", "Read entries from a file, one commit each."),
            _row("export", "Write all entries to a file, a folder or standard output."),
        )
    ),
}

COMMANDS: dict[str, Row] = {
    name: row for commands in TOPICS.values() for name, row in commands.items()
}
