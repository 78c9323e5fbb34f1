"""Access to object storage, from the environment variables that other programs read too."""

from collections.abc import Mapping
from urllib.parse import urlsplit

from workloads.errors import ConfigurationError
from workloads.sources.buckets import BucketAccess

_KEYS = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")
_ENDPOINT = "AWS_ENDPOINT_URL"


def bucket_access(environment: Mapping[str, str]) -> BucketAccess:
    """Return who asks which storage, as the variables say.

    Raises:
        ConfigurationError: One of the two keys is missing, or the endpoint is no address.
    """
    given = [name for name in _KEYS if environment.get(name)]
    if len(given) == 1:
        (missing,) = set(_KEYS) - set(given)
        raise ConfigurationError(
            f"{given[0]} is set and {missing} is not: set both, or neither to read as anybody."
        )
    endpoint = environment.get(_ENDPOINT, "").rstrip("/")
    if endpoint and not _is_address(endpoint):
        raise ConfigurationError(
            f"{_ENDPOINT} is no address of a server: write http://host:port or https://host:port."
        )
    region = environment.get("AWS_REGION") or environment.get("AWS_DEFAULT_REGION")
    return BucketAccess(
        region=region or "us-east-1",
        endpoint=endpoint,
        access_key=environment.get(_KEYS[0], ""),
        secret_key=environment.get(_KEYS[1], ""),
        session_token=environment.get("AWS_SESSION_TOKEN", "") if given else "",
    )


def _is_address(endpoint: str) -> bool:
    """Whether it is scheme, host and port alone: a login in it would be shown."""
    try:
        parts = urlsplit(endpoint)
        port = parts.port
    except ValueError:
        return False
    host = parts.hostname or ""
    shown = f"[{host}]" if ":" in host else host
    plain = shown if port is None else f"{shown}:{port}"
    return parts.scheme in {"http", "https"} and endpoint.lower() == f"{parts.scheme}://{plain}"
