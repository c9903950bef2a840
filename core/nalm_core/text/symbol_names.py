# SPDX-License-Identifier: Apache-2.0
"""Names of functions as people write them, from symbols of C++ and Rust (Itanium C++ ABI, 5.1)."""

from __future__ import annotations

import re
from functools import lru_cache

_CLONE = re.compile(
    r"\.(?:constprop|isra|part|cold|lto_priv|localalias|clone|llvm|__uniq)(?:\.\d+)*"
    r"|\.(?:default|arch_\w+|avx\w*|sse\w*|bmi2?|fma4?|popcnt)(?:\.\d+)*$"
)
"""Suffixes of compilers: of a part or copy of a function, and of its versions for several processors."""
_VERSION = re.compile(r"@@?(?!plt$)[A-Za-z_][\w.]*$")
"""Version of a library's symbol (ELF symbol versioning)."""
_OLD_NAMES = {"cfree": "free"}
"""Names under which the C library keeps a function for old programs. Profilers take one or the other."""
_THUNK = re.compile(r"_ZT(?:h(n?\d+_)|v(n?\d+_){2}|c(?:h(n?\d+_)|v(n?\d+_){2}){2})")
"""Code that corrects `this` or a result and leads to the function after it."""
_CGO = re.compile(r"_cgo_[0-9a-f]{12}_(?=C\w*_)")
"""Go's call of a C function. The number is of the package's sources, and changes with each of them."""
_PREFIX = "_Z"
_HASH = re.compile(r"h[0-9a-f]{16}")
"""Last part of a Rust symbol."""
_OF_STD = {
    **{"St": [], "Sa": ["allocator"], "Sb": ["basic_string"], "Ss": ["basic_string"]},
    **{"Si": ["basic_istream"], "So": ["basic_ostream"], "Sd": ["basic_iostream"]},
}
_SEQUENCE = re.compile(r"S[0-9A-Z]*_|T[0-9]*_|A[0-9]*_|fp[0-9]*_|fL[0-9]*p[0-9]*_")
_LITERAL = re.compile(r"L[a-z]n?[0-9a-f]*(?:_[0-9a-f]*)?E")
_OPENS = "NIXJFLZ"
_MOST = 4096
"""Longest symbol that is read."""


class _OtherSymbolError(Exception):
    """The symbol has a form that is not read."""


def without_clone(symbol: str) -> str:
    """A symbol without the suffixes of compilers' clones."""
    return _CLONE.sub("", symbol)


@lru_cache(1 << 16)
def plain_name(symbol: str) -> str:
    """A linker's symbol as a name with namespaces and classes, without parameters, template arguments, the
    suffixes of compilers' clones and versions. A symbol of C, and one that cannot be read, keeps its name."""
    symbol = _CGO.sub("_cgo_", without_clone(_VERSION.sub("", symbol)))
    symbol = _THUNK.sub(_PREFIX, _OLD_NAMES.get(symbol, symbol), count=1)
    if not symbol.startswith(_PREFIX) or len(symbol) > _MOST:
        return symbol
    try:
        parts = _Reader(symbol).name()
    except (_OtherSymbolError, IndexError, RecursionError):
        return symbol
    return "::".join(parts[:-1] if len(parts) > 1 and _HASH.fullmatch(parts[-1]) else parts)


class _Reader:
    """Reads a symbol from left to right."""

    def __init__(self, symbol: str) -> None:
        self._text = symbol
        self._at = len(_PREFIX)

    def name(self) -> list[str]:
        """The parts of a name, outermost first."""
        if self._takes("N"):
            return self._nested()
        if self._takes("Z"):
            around = self.name()
            self._skip_to_end()
            if self._takes("s"):
                return around
            return around + self.name()
        parts = ["std"] if self._takes("St") else []
        self._takes("L")
        parts.append(self._part(parts))
        if self._next() == "I":
            self._skip()
        return parts

    def _nested(self) -> list[str]:
        while self._next() in "rVKRO":
            self._at += 1
        parts: list[str] = []
        while not self._takes("E"):
            two = self._text[self._at : self._at + 2]
            if self._next() == "I":
                self._skip()
            elif self._takes("B"):
                self._source_name()
            elif two in _OF_STD:
                self._at += 2
                parts += ["std", *_OF_STD[two]]
            elif not (self._takes("L") or self._takes("M")):
                parts.append(self._part(parts))
        if not parts:
            raise _OtherSymbolError
        return parts

    def _part(self, before: list[str]) -> str:
        """One part of a name: an identifier, a constructor or destructor, a lambda, an operator."""
        if self._next().isdigit():
            return self._source_name()
        two = self._text[self._at : self._at + 2]
        self._at += 2
        if before and re.fullmatch(r"[CD][0-5]", two):
            return before[-1] if two[0] == "C" else f"~{before[-1]}"
        if two in ("Ul", "Ut"):
            if two == "Ul":
                self._skip_to_end()
            self._skip_behind("_")
            return "{lambda}" if two == "Ul" else "{unnamed}"
        if two == "cv":
            return f"operator {self._type()}"
        if two not in _OPERATORS:
            raise _OtherSymbolError
        return f"operator{_OPERATORS[two]}"

    def _type(self) -> str:
        """The type to which an operator converts: of the language, a class, or a pointer or reference."""
        sign, two = self._next(), self._text[self._at : self._at + 2]
        if sign in _ABOVE_TYPES:
            self._at += 1
            return self._type() + _ABOVE_TYPES[sign]
        if sign in _TYPES:
            self._at += 1
            return _TYPES[sign]
        if sign in "NZ" or sign.isdigit() or two == "St":
            return "::".join(self.name())
        raise _OtherSymbolError

    def _source_name(self) -> str:
        digits = re.compile(r"\d+").match(self._text, self._at)
        if digits is None:
            raise _OtherSymbolError
        begin, length = digits.end(), int(digits[0])
        self._at = begin + length
        if length == 0 or self._at > len(self._text):
            raise _OtherSymbolError
        name = self._text[begin : self._at]
        return "(anonymous namespace)" if name.startswith("_GLOBAL__N") else name

    def _skip_to_end(self) -> None:
        """Skips what is left before the E of something that was entered."""
        while not self._takes("E"):
            self._skip()

    def _skip(self) -> None:
        """Skips one token of a type or expression, with all inside if it has an end."""
        if found := _SEQUENCE.match(self._text, self._at) or _LITERAL.match(self._text, self._at):
            self._at = found.end()
        elif self._next().isdigit():
            self._source_name()
        elif self._text[self._at : self._at + 2] in ("Dt", "DT"):
            self._at += 2
            self._skip_to_end()
        elif self._text.startswith("L_Z", self._at):
            self._at += 3
            self._skip_to_end()
        elif self._next() == "L":
            self._at += 1
            self._skip()  # the type of an enumeration; its value follows
            self._skip_behind("E")
        elif self._next() == "S":
            self._at += 2
        elif self._next() in _OPENS:
            self._at += 1
            self._skip_to_end()
        else:
            self._at += 1

    def _skip_behind(self, sign: str) -> None:
        while not self._takes(sign):
            self._at += 1

    def _takes(self, text: str) -> bool:
        if self._next() == text[0] and self._text.startswith(text, self._at):
            self._at += len(text)
            return True
        return False

    def _next(self) -> str:
        return self._text[self._at]


_ABOVE_TYPES = {"P": "*", "R": "&", "O": "&&", "K": " const", "V": " volatile"}
_TYPES = {
    **{"v": "void", "b": "bool", "c": "char", "a": "signed char", "h": "unsigned char", "w": "wchar_t"},
    **{"s": "short", "t": "unsigned short", "i": "int", "j": "unsigned int", "l": "long"},
    **{"m": "unsigned long", "x": "long long", "y": "unsigned long long", "n": "__int128"},
    **{"o": "unsigned __int128", "f": "float", "d": "double", "e": "long double"},
}
_OPERATORS = {
    **{"nw": " new", "na": "new[]", "dl": " delete", "da": " delete[]", "cl": "()", "ix": "[]", "pt": "->"},
    **{"pl": "+", "mi": "-", "ml": "*", "dv": "/", "rm": "%", "an": "&", "or": "|", "eo": "^", "co": "~"},
    **{"ng": "-", "ad": "&", "de": "*", "ps": "+", "pp": "++", "mm": "--", "nt": "!", "aa": "&&", "oo": "||"},
    **{
        "eq": "==",
        "ne": "!=",
        "lt": "<",
        "gt": ">",
        "le": "<=",
        "ge": ">=",
        "ls": "<<",
        "rs": ">>",
        "ss": "<=>",
    },
    **{"aS": "=", "pL": "+=", "mI": "-=", "mL": "*=", "dV": "/=", "rM": "%=", "aN": "&=", "oR": "|="},
    **{"eO": "^=", "lS": "<<=", "rS": ">>=", "cm": ",", "pm": "->*"},
}
