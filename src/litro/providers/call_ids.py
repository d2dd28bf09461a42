"""Call ids as a server may want them: Mistral's and its relatives take nine letters and digits, and nothing else.

Pure, so a call and its result get the same id in every request. The log keeps Litro's own. It is not a table: nothing
is remembered.
"""

import re
from typing import Final

_OURS: Final = re.compile(r"t(0|[1-9][0-9]{0,9})c(0|[1-9][0-9]{0,9})")
_LOOKS_MAPPED: Final = re.compile(r"x*[0-9a-z]{9}")
_DIGITS: Final = "0123456789abcdefghijklmnopqrstuvwxyz"
_TURN, _NUMBER = 5, 4


def short_id(id_: str) -> str:
    """The id in nine letters and digits, `t12c3` as `0000c0003`; no two ids become one.

    An id that is not of our form, or beyond 60 million turns or 1.6 million calls of a turn, stays as it is. Only where
    it could be taken for a mapped one does it get an `x` in front.
    """
    ours = _OURS.fullmatch(id_)
    if ours is not None:
        turn, number = (_base_36(int(part)) for part in ours.groups())
        if len(turn) <= _TURN and len(number) <= _NUMBER:
            return turn.rjust(_TURN, "0") + number.rjust(_NUMBER, "0")
    return f"x{id_}" if _LOOKS_MAPPED.fullmatch(id_) else id_


def _base_36(number: int) -> str:
    digits = ""
    while number:
        number, digit = divmod(number, 36)
        digits = _DIGITS[digit] + digits
    return digits
