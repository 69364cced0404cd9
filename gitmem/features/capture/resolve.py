"""The table that settles what is done when structure and an agent each named an action.

Structure outranks the agent, and of two ways the one that destroys less is taken. A veto forbids
the action that it names and no other. Pure functions over words.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from gitmem.features.capture.candidate import Action, Structural
from gitmem.model.errors import InputError

T = TypeVar("T", bound=str)

_TABLE: Mapping[tuple[Structural, Action], tuple[Action, str]] = {
    ("CREATE", "CREATE"): ("CREATE", "both agree"),
    ("CREATE", "UPDATE"): ("CREATE", "there is no candidate to update"),
    ("CREATE", "DELETE"): ("NOOP", "there is no candidate to delete"),
    ("UPDATE", "CREATE"): ("CREATE", "the agent says it is new despite the candidate"),
    ("UPDATE", "UPDATE"): ("UPDATE", "both agree"),
    ("UPDATE", "DELETE"): ("NOOP", "this category is never deleted by an agent"),
    ("UPDATE_OR_DELETE", "CREATE"): ("CREATE", "the agent says it is new despite the candidate"),
    ("UPDATE_OR_DELETE", "UPDATE"): ("UPDATE", "both agree"),
    ("UPDATE_OR_DELETE", "DELETE"): ("DELETE", "structure permits it"),
}
STRUCTURAL: tuple[Structural, ...] = ("CREATE", "UPDATE", "UPDATE_OR_DELETE", "NOOP")
ACTIONS: tuple[Action, ...] = ("CREATE", "UPDATE", "DELETE", "NOOP")


@dataclass(frozen=True, slots=True)
class Resolution:
    """What is to be done, and the row of the table or the veto that says so."""

    action: Action
    rationale: str

    def to_json(self) -> dict[str, str]:
        return {"action": self.action, "rationale": self.rationale}


def resolve(structural: str, proposed: str, vetoes: Iterable[str] = ()) -> Resolution:
    """The action for what `candidate` answered (`structural_cud`, `vetoes`) and an agent's wish."""
    first = _one_of("structural", structural, STRUCTURAL)
    second = _one_of("proposed", proposed, ACTIONS)
    if first == "NOOP":
        return Resolution("NOOP", "there is nothing to act on")
    if second == "NOOP":
        return Resolution("NOOP", "the agent sees nothing to do")
    action, rationale = _TABLE[first, second]
    # By now a forbidden wish may have become something that is allowed: only that is judged.
    for veto in vetoes:
        if vetoed(veto) in (None, action):
            return Resolution("NOOP", f"veto: {veto}")
    return Resolution(action, rationale)


def resolve_candidate(
    answer: Mapping[str, Any], proposed: str, vetoes: Iterable[str] = ()
) -> Resolution:
    """The same for the whole answer of `candidate`; its vetoes count first."""
    structural, told = answer.get("structural_cud"), answer.get("vetoes") or []
    if not isinstance(structural, str):
        raise InputError(
            "this isn't the answer of `gitmem candidate`",
            field="structural_cud",
            expected=" | ".join(STRUCTURAL),
            got=structural,
            fix="hand over its JSON as it was printed",
        )
    if not isinstance(told, list) or not all(isinstance(veto, str) for veto in told):
        raise InputError(
            "vetoes are a list of texts", field="vetoes", expected="a list of texts", got=told
        )
    return resolve(structural, proposed, [*told, *vetoes])


def vetoed(veto: str) -> Action | None:
    """The action that a veto names; None when it names none and so forbids them all."""
    words = veto.replace(",", " ").upper().split()
    return next((action for action in ACTIONS if action in words), None)


def _one_of(name: str, given: str, known: Collection[T]) -> T:
    for action in known:
        if action == given.strip().upper():
            return action
    raise InputError(f"{given!r} is no action", field=name, expected=" | ".join(known), got=given)
