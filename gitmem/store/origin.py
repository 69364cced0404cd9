"""What a commit says beside its change: the code's position, and a signature if asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from gitmem.git.identity import Identity
from gitmem.git.locate import Location
from gitmem.git.tip import read_ref
from gitmem.store.change import Origin

SIGN_KEY = "gitmem.sign"
"""In git's config, not in the store's: keys belong to a machine."""


def code_position(location: Location, memory: str) -> tuple[str, ...]:
    """The code's commit and branch (`Gitmem-Code`); nothing where there is no code."""
    try:
        text = (location.git_dir / "HEAD").read_text("utf-8", "surrogateescape").strip()
    except OSError:
        return ()
    branch = text.removeprefix("ref: ").strip() if text.startswith("ref: ") else None
    if branch == memory:
        return ()
    commit = read_ref(location.common_dir, branch) if branch else text
    if not commit:
        return ()
    return (commit, branch.removeprefix("refs/heads/")) if branch else (commit,)


def signer(
    location: Location, environ: Mapping[str, str], who: Identity, origin: Origin
) -> Callable[[bytes], bytes] | None:
    """Signs commits where this repository's config asks for it; never in a hook (I8)."""
    if origin.actor.startswith("hook:") or not location.settings.get_bool(SIGN_KEY, False):
        return None
    from gitmem.git.identity import every_setting
    from gitmem.git.sign import sign

    setting = every_setting(location, environ).get
    return lambda data: sign(data, setting, f"{who.name} <{who.email}>")
