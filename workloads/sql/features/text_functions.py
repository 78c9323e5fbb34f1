"""Functions of text that mean the same in every system."""

from collections.abc import Iterator, Mapping

from sqlglot import exp

from workloads.sql.features.arguments import (
    Check,
    is_count,
    other_than,
    taking,
)
from workloads.sql.features.casts import is_written_alike
from workloads.sql.typing.expression_kinds import Of

_TEXT = frozenset({"text"})


def _letters(node: exp.Expr, of: Of) -> Iterator[str]:
    yield from other_than(_TEXT, of(node.this))


def _cut(node: exp.Expr, of: Of) -> Iterator[str]:
    """Yield the features of SUBSTRING, LEFT and RIGHT: positions are numbers from 1 on."""
    yield from other_than(_TEXT, of(node.this))
    start = node.args.get("start")
    length = node.args.get("length") or node.args.get("expression")
    if start is not None and (not is_count(start) or _is_zero(start)):
        yield "negative_position"
    if length is not None and not is_count(length):
        yield "negative_position"
    if start is None and length is None:
        yield "function"


def _trim(_node: exp.Expr, _of: Of) -> Iterator[str]:
    yield "trimmed_characters"


def _replace(node: exp.Expr, of: Of) -> Iterator[str]:
    for each in (node.this, node.expression, node.args.get("replacement")):
        if each is None:
            yield "function"
        else:
            yield from other_than(_TEXT, of(each))
    if not _is_words(node.expression):
        yield "text_function"


def _is_words(node: object) -> bool:
    return isinstance(node, exp.Literal) and node.is_string and bool(node.name)


def _position(node: exp.Expr, of: Of) -> Iterator[str]:
    sought = node.args.get("substr")
    if node.args.get("position") or node.args.get("occurrence") or sought is None:
        yield "function"
    else:
        yield from other_than(_TEXT, of(node.this))
        yield from other_than(_TEXT, of(sought))


def _pad(node: exp.Expr, of: Of) -> Iterator[str]:
    yield from other_than(_TEXT, of(node.this))
    if not is_count(node.expression) or not _is_words(node.args.get("fill_pattern")):
        yield "negative_position"


def _repeat(node: exp.Expr, of: Of) -> Iterator[str]:
    yield from other_than(_TEXT, of(node.this))
    if not is_count(node.args.get("times")):
        yield "negative_position"


def _concat(node: exp.Expr, of: Of) -> Iterator[str]:
    parts = [node.left, node.right] if isinstance(node, exp.DPipe) else node.expressions
    for each in parts:
        kind = of(each)
        if kind.family in ("unknown", "other"):
            yield "unknown_type"
        elif not is_written_alike(each, kind):
            yield "value_text"


def _starts(node: exp.Expr, of: Of) -> Iterator[str]:
    yield "text_function"
    yield from other_than(_TEXT, of(node.this))
    yield from other_than(_TEXT, of(node.expression))


def _contains(node: exp.Expr, of: Of) -> Iterator[str]:
    yield from other_than(_TEXT, of(node.this))
    yield from other_than(_TEXT, of(node.expression))


def _split_part(node: exp.Expr, of: Of) -> Iterator[str]:
    yield "text_function"
    yield from other_than(_TEXT, of(node.this))
    index = node.args.get("part_index")
    if not _is_words(node.args.get("delimiter")) or not is_count(index) or _is_zero(index):
        yield "function"


def _is_zero(node: object) -> bool:
    return isinstance(node, exp.Literal) and node.name == "0"


def _expression(_node: exp.Expr, _of: Of) -> Iterator[str]:
    yield "regular_expression"


TEXT_FUNCTIONS: Mapping[type[exp.Expr], Check] = {
    **dict.fromkeys((exp.Lower, exp.Upper), _letters),
    exp.Length: taking(_TEXT),
    exp.MD5: taking(_TEXT),
    **dict.fromkeys((exp.Substring, exp.Left, exp.Right), _cut),
    exp.Trim: _trim,
    exp.Replace: _replace,
    exp.StrPosition: _position,
    exp.Pad: _pad,
    exp.Repeat: _repeat,
    **dict.fromkeys((exp.Concat, exp.ConcatWs, exp.DPipe), _concat),
    exp.StartsWith: _starts,
    exp.Contains: _contains,
    exp.SplitPart: _split_part,
    **dict.fromkeys((exp.RegexpLike, exp.RegexpReplace, exp.SimilarTo), _expression),
}
