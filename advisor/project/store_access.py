"""The variables of passwords and the files of TLS that reaching a store needs here."""

from dataclasses import replace

from advisor.project.project_file import ProjectFile
from advisor.project.store_settings import StoreSettings
from evaluation.store_protocol.tls import VERIFYING
from workloads.problems import Problems


def refuse_inaccessible(file: ProjectFile, store: StoreSettings) -> None:
    """Refuse a store that is not embedded for all that its section names and this machine lacks.

    No server is asked.

    Raises:
        ConfigurationError: A variable is not set, or a file is not there.
        RefusalsError: Several are not.
    """
    problems = Problems()
    for each in (replace(store, key_password_env=None), replace(store, password_env=None)):
        with problems.gathering():
            each.connection()
    named = {
        "ca": store.ca if store.tls in VERIFYING else None,
        "certificate": store.certificate,
        "key": store.key,
    }
    for key, path in named.items():
        if path is not None and not path.exists():
            where = f"[stores.{store.name}].{key} = '{path}'"
            problems.add(file.error(where, "there is no such file: name one of PEM"))
    problems.raise_any()
