"""A project file while it is validated: where its errors are, and what its paths start from."""

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from workloads.adapters import adapter
from workloads.errors import ConfigurationError
from workloads.paths import expanded, is_there, refuse_pipe, shortened
from workloads.problems import Problems

T = TypeVar("T")

MOST_NAMED = 20
_LARGEST_INTEGER = 2**63


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectFile:
    """The file being validated: relative paths are relative to its folder.

    `options` maps a key such as ``[catalog].source`` to the option that stands for it where there
    is no file, so that errors name what the user wrote. `problems` gathers what is wrong in the
    file while the rest of it is read.
    """

    path: Path
    options: Mapping[str, str] = field(default_factory=dict)
    problems: Problems = field(default_factory=Problems, compare=False)

    def error(self, where: str, text: str) -> ConfigurationError:
        """Return the error of the key (with its value) `where`."""
        for key, option in self.options.items():
            if where.startswith(key):
                where = shortened(where.removeprefix(key))
                return ConfigurationError(f"{option}{where}: {text}")
        return ConfigurationError(f"{shortened(where)} in {self.path.name}: {text}")

    def known(
        self, kind: str, name: str, known: Iterable[str], where: str, *, every: bool = False
    ) -> None:
        """Raise unless `name` is one of `known`, naming the nearest, and `every` one too."""
        names = list(known)
        if name in names:
            return
        listed = ", ".join(names[:MOST_NAMED])
        more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
        near = nearest(name, names)
        known_ones = f"known: {listed or 'none'}{more}"
        way_out = f"{near} {known_ones}".strip() if every or not near else near
        raise ConfigurationError(
            f"Unknown {kind} '{shortened(name)}' in {where} of {self.path.name}: {way_out}"
        )

    def table(self, raw: Mapping[str, Any], section: str, inside: str = "") -> dict[str, Any]:
        """Return the keys of a section; none where the file, or `inside`, has no such section."""
        value = raw.get(section, {})
        if not isinstance(value, dict):
            where = f"{inside}.{section}" if inside else section
            raise self.error(f"[{where}]", f"this is a section, not the value {value!r}")
        return dict(value)

    def read(
        self, kind: type[T], raw: Mapping[str, Any], where: str, *, needs_all: bool = False
    ) -> T:
        """Validate one section; its keys are the fields of `kind`. A store's name is no key.

        Keys that cannot be used are among `problems`, and what is returned is read without them.

        Raises:
            ConfigurationError: The section cannot do without the value of one of them, as none can
                that `needs_all`.
        """
        keys = [each.name for each in fields(kind)]  # type: ignore[arg-type]
        written = [key for key in keys if key != "name"]
        for key in raw:
            if key != "name" or key not in keys:
                with self.problems.gathering():
                    self.known("key", key, written, f"[{where}]")
        try:
            return adapter(kind).validate_python(dict(raw))
        except ValidationError as error:
            wrong = _one_a_key(error)
        for each in wrong:
            self.problems.add(self._told(each, raw, where))
        if needs_all:
            raise self._told(wrong[0], raw, where)
        unusable = {each["loc"][0] for each in wrong}
        usable = {key: value for key, value in raw.items() if key not in unusable}
        try:
            return adapter(kind).validate_python(usable)
        except ValidationError:
            raise self._told(wrong[0], raw, where) from None

    def existing(self, text: str | Path, where: str, others: Iterable[str] = ()) -> str:
        """Return `text` as an absolute path that exists; `others` are the names allowed beside."""
        path = self.resolved(text, where)
        try:
            # Before links are followed: those to pipes lead nowhere.
            refuse_pipe(self.path.parent / expanded(text))
        except ConfigurationError as error:
            raise self.error(where, str(error)) from None
        if path.exists():
            return str(path)
        beside = [child.name for child in path.parent.iterdir()] if path.parent.is_dir() else []
        near = nearest(path.name, [*others, *beside])
        hint = f"; {near}" if near else ""
        missing = f"there is no such file or folder ({path}){hint}"
        raise self.error(f"{where} = '{text}'", missing)

    def resolved(self, written: str | Path, where: str) -> Path:
        """Return a path of the key `where` as an absolute one, be there anything or not.

        Raises:
            ConfigurationError: No path can be so, or nothing says what its ``~`` stands for.
        """
        if written == "":
            raise self.error(where, "the path is empty: write '.' for the folder itself")
        try:
            path = (self.path.parent / expanded(written)).resolve()
            is_there(path)
        except ConfigurationError as error:
            raise self.error(where, str(error)) from None
        return path

    def _told(self, wrong: ErrorDetails, raw: Mapping[str, Any], where: str) -> ConfigurationError:
        key, *inside = (str(part) for part in wrong["loc"])
        if inside and isinstance(raw.get(key), dict):
            key = f"{key}.{inside[0]}"
        reason = wrong["msg"].removeprefix("Value error, ")
        if wrong["type"] == "missing":
            return self.error(f"[{where}].{key}", "this key is needed")
        return self.error(f"[{where}].{key} = {_toml(wrong['input'])}", reason)


def _one_a_key(error: ValidationError) -> list[ErrorDetails]:
    """Return what is wrong, once for each key and each key within it: a type may have two forms."""
    return list({each["loc"][:2]: each for each in reversed(error.errors())}.values())[::-1]


def nearest(name: str, names: Iterable[str]) -> str:
    """Return ``did you mean 'x'?``; nothing where no name is near."""
    near = get_close_matches(name, list(names), n=1, cutoff=0.5)
    return f"did you mean '{near[0]}'?" if near else ""


def refuse_unknown(kind: str, name: str, known: Iterable[str], option: str = "") -> None:
    """Raise ConfigurationError unless `name`, given for `option`, is one of `known`."""
    names = list(known)
    if name not in names:
        near = nearest(name, names) or f"there are {', '.join(names)}."
        said = f"{option}: there is no" if option else "There is no"
        raise ConfigurationError(f"{said} {kind} '{name}': {near}")


def read_toml(path: Path) -> Mapping[str, Any]:
    """Return what the file says.

    Raises:
        ConfigurationError: It is missing, cannot be read, or is not TOML.
    """
    try:
        read = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ConfigurationError(
            f"There is no project file {path}: name one, or start from conf/demo.toml."
        ) from None
    except IsADirectoryError:
        raise ConfigurationError(
            f"{path} is a folder: name the project file in it, such as {path / 'project.toml'}."
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"The project file {path} cannot be read: {error}.") from None
    except tomllib.TOMLDecodeError as error:
        raise ConfigurationError(f"{path.name} is not valid TOML: {error}.") from None
    except RecursionError:
        raise ConfigurationError(
            f"{path.name} cannot be read: its brackets are nested too deeply."
        ) from None
    except ValueError as error:  # a number of thousands of digits
        raise ConfigurationError(f"{path.name} cannot be read: {error}.") from None
    _refuse_unusable(path, read)
    return read


def _refuse_unusable(path: Path, value: object) -> None:
    """Raise where TOML holds what no file system, server or message takes."""
    for each in _within(value):
        if isinstance(each, int) and abs(each) > _LARGEST_INTEGER:
            raise ConfigurationError(f"{path.name} holds a whole number of more than 64 bits.")
        if isinstance(each, str) and "\0" in each:
            written = shortened(each).replace("\0", "\\0")
            raise ConfigurationError(f"{path.name} holds a text with a NUL in it: '{written}'.")


def _within(value: object) -> Iterator[object]:
    """Yield a value of TOML and all keys and values in it."""
    if isinstance(value, dict):
        for key, each in value.items():
            yield key
            yield from _within(each)
    elif isinstance(value, list):
        for each in value:
            yield from _within(each)
    else:
        yield value


def _toml(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return repr(value)
