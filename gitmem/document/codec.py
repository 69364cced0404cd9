"""An entry as the bytes of its file, and back.

Lossless on values in valid form, and canonical: the same entry gives the same bytes. Encoding
never needs a YAML library; decoding takes what people write by hand and refuses, with the line,
what it can't keep. It raises ValidationError and nothing else, whatever the bytes are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gitmem.document.body import canonical_section, put_section, section_value, write_body
from gitmem.document.keys import canonical_value, entry_of, raw_value, write_keys
from gitmem.document.limits import check_file_size, check_keys_size
from gitmem.document.table import layout_of
from gitmem.model.entry import Entry, Extra
from gitmem.model.text import one_line, valid_text

if TYPE_CHECKING:
    from gitmem.document.frontmatter import EventLoader


def encode(entry: Entry) -> bytes:
    """The canonical bytes of an entry, whose values are brought into valid form.

    No value is checked; ValidationError only for a file too large to be read again.
    """
    layout = layout_of(one_line(entry.category))
    keys = "\n".join([*write_keys(entry, layout), ""])
    check_keys_size(keys, 1)
    blocks = write_body(entry.content, entry.extra, layout)
    data = "\n".join([f"---\n{keys}---", *("\n" + block for block in blocks), ""]).encode()
    check_file_size(data)
    return data


def canonical(entry: Entry) -> Entry:
    """The entry as `decode(encode(entry))` gives it back, without the bytes where that goes."""
    if entry.extra:
        return decode(encode(entry))
    layout = layout_of(one_line(entry.category))
    values = {key.name: canonical_value(key, raw_value(entry, key)) for key in layout.keys}
    content: dict[str, Any] = {}
    for section in layout.sections:
        value = section_value(entry.content, section)
        if value is not None:
            put_section(content, section, canonical_section(section, value))
    if layout.free_body:
        body = valid_text(entry.content.get("body") or "")
        content = {"body": body} if body else {}
    return entry_of(values, content, Extra(), layout)


def decode(data: bytes, *, loader: EventLoader | None = None) -> Entry:
    """The entry that a file holds. ValidationError with `line` (from 1) if it can't be read.

    `loader` is the YAML parser: libyaml's where there is one, unless the caller names another.
    """
    # YAML costs more to import than everything else here: only readers pay.
    from gitmem.document.reader import read_entry

    return read_entry(data, loader)
