"""Finds and fills the templates of pages: inside the package when installed, else beside it."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from string import Template

from gitmem.model.errors import ReadError


def templates_folder() -> Path:
    """The folder `templates`: shipped inside the package, or at the top of a checkout."""
    package = Path(__file__).resolve().parents[2]
    inside = package / "templates"
    return inside if inside.is_dir() else package.parent / "templates"


def fill(name: str, **parts: str) -> str:
    """The page template of that name with its parts; runs of empty lines become one."""
    text = _template(name).substitute(parts).rstrip("\n")
    while "\n\n\n" in text:
        text = text.replace("\n\n\n", "\n\n")
    return text + "\n"


@cache
def _template(name: str) -> Template:
    path = templates_folder() / "pages" / name
    try:
        return Template(path.read_text("utf-8"))
    except OSError as error:
        raise ReadError(
            f"the template {path} can't be read: {error.strerror}", fix="install gitmem again"
        ) from error
