"""The line that says which stores are reached in clear text though TLS was preferred."""

from collections.abc import Callable

from advisor.analysis.told_notes import tell_once
from advisor.project.project import Project
from evaluation.encryption import settled


def tell_clear_text(
    project: Project, tell: Callable[[str], None], *, sources_alone: bool = False
) -> None:
    """Tell once a project which stores of its own end in clear text; they are asked.

    With `sources_alone` those are looked at that the workload or the catalog comes from.

    Raises:
        ConfigurationError: The variable of a password is not set.
    """
    sources = {*project.workload.stores, *project.catalog.stores}
    asked = {
        store.name: store.connection()
        for store in project.stores
        if not store.embedded
        and store.tls == "prefer"
        and (store.name in sources or not sources_alone)
    }
    clear = [name for name, each in settled(asked).items() if each.tls.mode == "disable"]
    if clear:
        tell_once(project, _said(clear), tell)


def _said(clear: list[str]) -> str:
    named = ", ".join(f"'{name}'" for name in clear)
    stores, their = ("Store", "its server offers") if len(clear) == 1 else ("Stores", "they offer")
    verb = "is" if len(clear) == 1 else "are"
    return (
        f"{stores} {named} {verb} reached in clear text, since {their} no TLS: "
        f'tls = "require" in [stores.{clear[0]}] refuses that, tls = "disable" says that it is '
        "meant."
    )
