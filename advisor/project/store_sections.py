"""The sections ``[stores.NAME]`` of a project file."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any

from advisor.project.live_stores import refuse_unused_keys
from advisor.project.project_file import ProjectFile
from advisor.project.store_settings import PriceSettings, StoreSettings, StrengthSettings
from advisor.project.store_tls import with_tls
from evaluation.kinds import KINDS
from evaluation.kinds.kind import Address
from workloads.problems import Problems


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundStores:
    """The stores in the order of the file.

    Of those that are `unusable` there are stand-ins. `patient` have a `silence_s` of their own.
    """

    stores: tuple[StoreSettings, ...]
    unusable: frozenset[str] = frozenset()
    patient: frozenset[str] = frozenset()

    def patient_for(self, silence_s: float) -> tuple[StoreSettings, ...]:
        """Return the stores, which may be silent so long unless their own sections say else."""
        return tuple(
            store if store.name in self.patient else replace(store, silence_s=silence_s)
            for store in self.stores
        )


def read_stores(
    file: ProjectFile, raw: dict[str, Any], *, needed: bool, asked: Collection[str] = ()
) -> FoundStores:
    """Return the stores, each with its kind's port and database.

    Of those that are optional only the ones `asked` for.
    """
    if needed and not raw:
        raise file.error("[stores]", "describe at least one, such as [stores.pg] with its kind")
    stores = []
    unusable = set[str]()
    for name, section in raw.items():
        with file.problems.gathering():
            stores.append(_store(file, name, file.table(raw, name)))
            continue
        unusable.add(name)
        stores.append(_stand_in(name, section))
    optional = [store.name for store in stores if store.optional]
    for name in asked:
        with file.problems.gathering():
            file.known("optional store", name, optional, "[stores]")
    found = tuple(store for store in stores if not store.optional or store.name in asked)
    if needed and not found:
        raise file.error("[stores]", f"all are optional: ask for one, --with {optional[0]}")
    return FoundStores(
        stores=found,
        unusable=frozenset(unusable),
        patient=frozenset(store.name for store in stores if _has(raw[store.name], "silence_s")),
    )


def _stand_in(name: str, raw: object) -> StoreSettings:
    """Return a store in place of one whose section cannot be used, so that it may be named.

    It has a price, as the store itself may have one.
    """
    kind = raw.get("kind") if isinstance(raw, dict) else None
    return StoreSettings(
        name=name,
        kind=kind if isinstance(kind, str) and kind in KINDS else next(iter(KINDS)),
        optional=isinstance(raw, dict) and raw.get("optional") is True,
        host="localhost",
        prices=PriceSettings(storage_gb_month=1.0),
    )


def _has(raw: object, key: str) -> bool:
    return isinstance(raw, dict) and key in raw


def _store(file: ProjectFile, name: str, raw: dict[str, Any]) -> StoreSettings:
    where = f"stores.{name}"
    if "password" in raw:
        file.problems.add(
            file.error(
                f"[{where}].password",
                "a password does not belong into a file: put it into an environment variable and "
                "name that in password_env",
            )
        )
        del raw["password"]
    known = ", ".join(KINDS)
    if "kind" not in raw:
        raise file.error(f"[{where}].kind", f"this key is needed: one of {known}")
    if not isinstance(raw["kind"], str) or raw["kind"] not in KINDS:
        raise file.error(f"[{where}].kind = {raw['kind']!r}", f"no such kind of store: {known}")
    address = KINDS[raw["kind"]].address
    wrong = Problems()
    with wrong.gathering():
        _refuse_other_addresses(file, raw, address, where)
    _refuse_unknown_options(file, file.table(raw, "options", where), raw["kind"], where)
    with file.problems.gathering():
        raw = with_tls(file, raw, where)
    raw.pop("key_password", None)  # refused above, and no key that is unknown
    named = isinstance(raw.get("nodes"), list) if address.has_nodes else address.key in raw
    raw = {"embedded": address.is_file and not named, **raw, "name": name}
    for key, section in (("prices", PriceSettings), ("strength", StrengthSettings)):
        if key in raw:
            with file.problems.gathering():
                raw[key] = file.read(section, file.table(raw, key, where), f"{where}.{key}")
                continue
            del raw[key]
    settings = file.read(StoreSettings, raw, where, needs_all=True)
    wrong.raise_any()  # where it is not known where the store is, nothing more can be said of it
    _check_kind(file, settings, address, where, named=named)
    refuse_unused_keys(file, settings, raw, where)
    return _addressed(file, settings, raw, where)


def _check_kind(
    file: ProjectFile, settings: StoreSettings, address: Address, where: str, *, named: bool
) -> None:
    """Refuse what does not go together for the kind of a store."""
    if settings.embedded == named:
        said = "addresses in nodes" if address.has_nodes else address.key
        raise file.error(f"[{where}]", f"give either embedded = true or {said}, not both")
    if settings.memory is not None and not (address.has_nodes and settings.embedded):
        kinds = " and ".join(f"'{kind.name}'" for kind in KINDS.values() if kind.address.has_nodes)
        raise file.error(f"[{where}].memory", f"only embedded nodes of kind {kinds} have this key")
    if settings.strength.round_trip_s and not KINDS[settings.kind].backend.strength.portions:
        raise file.error(
            f"[{where}.strength].round_trip_s",
            f"the driver of kind '{settings.kind}' does not wait between portions of rows: leave "
            "the key out",
        )
    if settings.server is not None:
        _check_server(file, settings, where)


def _refuse_other_addresses(
    file: ProjectFile, raw: dict[str, Any], address: Address, where: str
) -> None:
    """Refuse what says where stores of other kinds are."""
    for unused in ("host", "path", "nodes"):
        if unused in raw and unused != address.key:
            raise file.error(
                f"[{where}].{unused}", f"kind '{raw['kind']}' takes {address.key} instead"
            )
    if "database" in raw and address.database is None and address.port is not None:
        raise file.error(
            f"[{where}].database",
            f"a database of kind '{raw['kind']}' holds tables as a schema does: name the one for "
            "the advisor's tables in namespace",
        )


def _refuse_unknown_options(
    file: ProjectFile, options: dict[str, Any], kind: str, where: str
) -> None:
    """Note options that the kind of store does not have, and values that they cannot have."""
    known = KINDS[kind].address.options
    for name, value in options.items():
        if name not in known:
            others = f"known are {', '.join(known)}" if known else "it has none"
            file.problems.add(
                file.error(f"[{where}.options].{name}", f"no option of kind '{kind}': {others}")
            )
        elif value not in known[name]:
            file.problems.add(
                file.error(
                    f"[{where}.options].{name} = {value!r}", f"one of {', '.join(known[name])}"
                )
            )


def _check_server(file: ProjectFile, settings: StoreSettings, where: str) -> None:
    kind = KINDS[settings.kind]
    if not settings.embedded:
        raise file.error(
            f"[{where}].server",
            "only an embedded store has this key: a server of yours says itself what it is",
        )
    if not kind.others:
        raise file.error(f"[{where}].server", f"kind '{settings.kind}' has one server alone")
    file.known("server", str(settings.server), kind.products, f"[{where}]")


def _addressed(
    file: ProjectFile, settings: StoreSettings, raw: dict[str, Any], where: str
) -> StoreSettings:
    if isinstance(settings.nodes, tuple):
        for key in ("port", "database", "user"):
            if key in raw:
                raise file.error(f"[{where}].{key}", "a store of nodes does not have this key")
        if settings.password_env is None:
            raise file.error(
                f"[{where}].password_env", "this key is needed: the variable with the nodes' secret"
            )
        return settings
    if settings.embedded or settings.path is not None:
        for key in ("host", "port", "database", "user", "password_env"):
            if key in raw:
                raise file.error(f"[{where}].{key}", "only a store with a host has this key")
        if settings.path is None:
            return settings
        path = file.resolved(settings.path, f"[{where}].path")
        return file.read(StoreSettings, {**raw, "path": path}, where)
    if settings.user is None:
        raise file.error(f"[{where}].user", "this key is needed beside host")
    address = KINDS[settings.kind].address
    defaults = {"port": address.port, "database": address.database}
    return file.read(StoreSettings, {**defaults, **raw}, where)
