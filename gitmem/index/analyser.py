"""Text as the terms that recall compares: one analyser for entries and for prompts.

Lower case without accents; identifiers as their parts and as the joined word (`getUserById`,
`get_user_by_id` and `get-user-by-id` share all of them, `src/db.py` holds `db.py`); Chinese,
Japanese, Korean and other scripts without blanks as pairs of characters; English inflections by a
table of irregular forms and a small stemmer. Stop words are gone. A term holds letters and digits
only, so that any full-text table stores it as it is.

Changing what this gives for a text makes every stored token list stale: raise `SCHEMA_VERSION` of
`index/db`.
Pure functions of the text; the hook imports this, so nothing but the standard library, and
`unicodedata` only when there is something else than ASCII.
"""

from __future__ import annotations

from gitmem.index.stop_words import STOP_WORDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

LONGEST = 40
"""A longer term (a hash, a key, encoded data) is cut: nobody types it."""

_MOST_KNOWN = 50_000

_FORMS = """
began begin, begun begin, bent bend, bit bite, bitten bite, blew blow, blown blow, bought buy,
broke break, broken break, brought bring, built build, burnt burn, caught catch, chose choose,
chosen choose, came come, dealt deal, drew draw, drawn draw, dreamt dream, drank drink,
drunk drink, drove drive, driven drive, ate eat, eaten eat, fallen fall, fell fall, fed feed,
felt feel, fought fight, found find, flew fly, flown fly, forgot forget, forgotten forget,
froze freeze, frozen freeze, gave give, given give, gone go, went go, grew grow, grown grow,
held hold, hid hide, hidden hide, heard hear, kept keep, knew know, known know, laid lay,
led lead, learnt learn, left leave, lent lend, lit light, lost lose, made make, meant mean,
met meet, paid pay, ran run, rang ring, rode ride, ridden ride, rose rise, risen rise, said say,
sang sing, sung sing, sank sink, sat sit, saw see, seen see, sold sell, sent send, shook shake,
shot shoot, shown show, slept sleep, spent spend, spoke speak, spoken speak, stole steal,
stolen steal, stood stand, stuck stick, swam swim, swum swim, swore swear, taken take, took take,
taught teach, thought think, threw throw, thrown throw, told tell, tore tear, torn tear,
understood understand, woke wake, woken wake, won win, wore wear, worn wear, wove weave,
used use, using use,
mum mother, mom mother, dad father, wrote write, written write, men man, women woman,
children child, kids child, kid child,
people person, mice mouse, feet foot, teeth tooth, wives wife, lives life, knives knife,
leaves leaf, shelves shelf, indices index, vertices vertex, matrices matrix, crises crisis,
better good, best good, worse bad, worst bad, mom mother, dying die, lying lie, tying tie
"""
_SINGLE = str.maketrans(
    {"ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "ı": "i", "æ": "ae", "Æ": "Ae",
     "œ": "oe", "Œ": "Oe", "þ": "th", "ð": "d", "’": "'", "ʼ": "'", "‘": "'"}
)  # fmt: skip
_EDGES = "\"'`.,;:!?()[]{}<>*_~|-–—…#&=+/\\^%$@“”„«»¿¡"
_VOWELS = frozenset("aeiouy")
_MONTH_NAMES = (
    "january february march april may june july august september october november december"
)
_MONTHS = tuple(_MONTH_NAMES.split())

_known: dict[str, tuple[str, ...]] = {}


def terms(text: str) -> list[str]:
    """The terms of a text in its order; an identifier's joined word follows its parts."""
    found: list[str] = []
    known_of = _known.get
    for chunk in text.split():
        known = known_of(chunk)
        if known is None:
            known = _remember(chunk, tuple(_chunk_terms(chunk)))
        found += known
    return found


def date_terms(moment: str) -> list[str]:
    """The words of a date (`2026-11-18T…`): month, day, year, as people write them."""
    year, month, day = moment[:4], moment[5:7], moment[8:10]
    if not (year.isdigit() and month.isdigit() and day.isdigit() and 1 <= int(month) <= 12):
        return []
    return [_stem(_MONTHS[int(month) - 1]), str(int(day)), year]


def is_month(word: str) -> bool:
    """Whether this lower-case word is a month's name (`may` is a stop word beside)."""
    return word in _MONTHS


def stem(word: str) -> str:
    """The term of one lower-case word."""
    return _stem(word)


def _remember(chunk: str, known: tuple[str, ...]) -> tuple[str, ...]:
    # A resident process sees ever new hashes and numbers.
    if len(_known) >= _MOST_KNOWN:
        _known.clear()
    _known[chunk] = known
    return known


def _chunk_terms(chunk: str) -> list[str]:
    """The terms of what stands between two blanks."""
    if not chunk.isascii():
        chunk = _folded(chunk)
    chunk = chunk.strip(_EDGES)
    if chunk.isascii() and chunk.isalpha() and (chunk.islower() or chunk[1:].islower()):
        word = chunk.lower()
        return [] if word in STOP_WORDS else [_stem(word)]
    found: list[str] = []
    for name in _split(chunk, _is_name_character):
        found += _name_terms(name)
    return found


def _name_terms(name: str) -> list[str]:
    """The terms of one identifier or word: its parts, then all of it in one."""
    name = _without_apostrophes(name)
    parts = [part for word in _split(name, _is_word_character) for part in _parts(word)]
    found: list[str] = []
    for part in parts:
        if part.isascii():
            word = part.lower()
            if word not in STOP_WORDS:
                found.append(_stem(word))
        else:
            found += _foreign(part.casefold())
    if len(parts) > 1:
        joined = "".join(parts).lower()
        if joined.isascii():
            # A file's name keeps its ending: `tests.py` is not `testing.py`.
            found.append(joined[:LONGEST] if "." in name else _stem(joined))
    return found


def _without_apostrophes(name: str) -> str:
    """`Ada's` -> Ada, `she'll` -> she, `don't` -> dont, `l'equipe` -> equipe."""
    first, mark, rest = name.partition("'")
    if not mark:
        return name
    if rest.lower() in ("", "s", "ll", "ve", "re", "d", "m"):
        return first
    if len(rest) > 2 and first.lower() in ("l", "d", "j", "m", "n", "s", "c", "qu"):
        return rest
    return name.replace("'", "")


def _split(text: str, belongs: Callable[[str], bool]) -> list[str]:
    found: list[str] = []
    start = -1
    for place, character in enumerate(text):
        if belongs(character):
            if start < 0:
                start = place
        elif start >= 0:
            found.append(text[start:place])
            start = -1
    if start >= 0:
        found.append(text[start:])
    return found


def _is_name_character(character: str) -> bool:
    # A slash or colon ends a name: of a path each step counts by itself.
    return character in "_-.'" or _is_word_character(character)


def _is_word_character(character: str) -> bool:
    # Vowel signs of Indic and other scripts are marks, not letters.
    return character.isalnum() or (character > "\u02ff" and _is_mark(character))


def _is_mark(character: str) -> bool:
    import unicodedata

    return unicodedata.category(character)[0] == "M"


def _folded(text: str) -> str:
    """Without accents, width and ligature variants; letters of other scripts stay whole."""
    import unicodedata

    apart = unicodedata.normalize("NFKD", text.translate(_SINGLE))
    # Only the accents of Latin, Greek, Cyrillic: a voicing mark makes another Japanese letter.
    plain = "".join(character for character in apart if not "\u0300" <= character <= "\u036f")
    return unicodedata.normalize("NFC", plain)


def _parts(word: str) -> list[str]:
    """`getUserById` -> get User By Id, `HTTPServer` -> HTTP Server; digits stay with the word."""
    if not word.isascii() or word.islower() or word.isupper() or word[1:].islower():
        return [word]
    found: list[str] = []
    start = 0
    for place in range(1, len(word)):
        here, before = word[place].isupper(), word[place - 1].isupper()
        if here and (not before or word[place + 1 : place + 2].islower()):
            found.append(word[start:place])
            start = place
    found.append(word[start:])
    return found


def _foreign(word: str) -> list[str]:
    """The terms of a word with characters beyond ASCII."""
    found: list[str] = []
    start = 0
    for place in range(1, len(word) + 1):
        if place == len(word) or _script(word[place]) != _script(word[start]):
            found += _run_terms(word[start:place], _script(word[start]))
            start = place
    return found


def _run_terms(run: str, script: int) -> list[str]:
    if script == _SPACED:
        return [_stem(run)] if run.isascii() else [run[:LONGEST]]
    if len(run) == 1:
        # A single kana is a particle; a single ideograph is a word.
        return [] if script == _HIRAGANA else [run]
    return [run[place : place + 2] for place in range(len(run) - 1)]


_SPACED, _HAN, _HIRAGANA, _KATAKANA, _HANGUL, _SOUTHERN = range(6)
_SCRIPTS = (
    (0x0E00, 0x0EFF, _SOUTHERN), (0x1000, 0x109F, _SOUTHERN), (0x1780, 0x17FF, _SOUTHERN),
    (0x3005, 0x3007, _HAN), (0x3040, 0x309F, _HIRAGANA), (0x30A0, 0x30FF, _KATAKANA),
    (0x31F0, 0x31FF, _KATAKANA), (0x3400, 0x9FFF, _HAN), (0xAC00, 0xD7AF, _HANGUL),
    (0xF900, 0xFAFF, _HAN), (0x20000, 0x3FFFF, _HAN),
)  # fmt: skip


def _script(character: str) -> int:
    code = ord(character)
    if code < 0x0E00:
        return _SPACED
    for first, last, script in _SCRIPTS:
        if first <= code <= last:
            return script
    return _SPACED


def _stem(word: str) -> str:
    """An English word's stem; two forms of a word share it, that it is no word is no matter."""
    word = _forms.get(word, word)
    if len(word) < 4 or not word.isascii() or not word.isalpha():
        return word[:LONGEST]
    word = _without_inflection(word)
    # What is short now was a short word before: `buys`, `keys`.
    return word if len(word) < 4 else _plain_end(_without_suffix(word))[:LONGEST]


def _without_inflection(word: str) -> str:
    if word.endswith("s"):
        if word.endswith(("sses", "xes", "ches", "shes", "zzes")):
            word = word[:-2]
        elif word.endswith("ies") and len(word) > 4:
            word = word[:-3] + "y"
        elif not word.endswith(("ss", "us", "is")):
            word = word[:-1]
    for ending in ("ing", "ed"):
        root = word[: -len(ending)]
        if word.endswith(ending) and len(root) > 2 and not _VOWELS.isdisjoint(root):
            return root[:-1] + "y" if root.endswith("i") else root
    return word


def _without_suffix(word: str) -> str:
    for ending, other, least in _SUFFIXES:
        if word.endswith(ending) and len(word) - len(ending) >= least:
            return word[: -len(ending)] + other
    return word


_SUFFIXES = (
    ("ization", "iz", 3), ("isation", "iz", 3), ("ational", "", 4), ("ation", "", 4),
    ("ition", "it", 3), ("sion", "s", 4), ("tion", "t", 4), ("ement", "", 4), ("ment", "", 3),
    ("ness", "", 3), ("fully", "", 3), ("ful", "", 3), ("ously", "ous", 3), ("ally", "al", 3),
    ("ly", "", 4), ("ator", "", 4), ("ate", "", 4), ("ise", "iz", 3), ("ize", "iz", 3),
    ("yse", "yz", 3), ("ier", "y", 3), ("er", "", 4), ("est", "", 5), ("ity", "", 4),
    ("able", "", 4), ("ible", "", 4),
)  # fmt: skip


def _plain_end(word: str) -> str:
    if word.endswith("e"):
        word = word[:-1]
    # "at" after "ing" and "ed": migrating, migrated, migrate, migration.
    if word.endswith("at") and len(word) > 5:
        word = word[:-2]
    if word.endswith("is") and len(word) > 5:
        word = word[:-1] + "z"
    if len(word) > 3 and word[-1] == word[-2]:
        word = word[:-1]
    if word.endswith("y") and len(word) > 2:
        word = word[:-1] + "i"
    return word


_forms: dict[str, str] = dict(pair.split() for pair in _FORMS.split(","))
