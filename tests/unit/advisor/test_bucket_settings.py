"""Who asks which object storage is said by the environment, and no key is shown."""

import pytest

from advisor.project.bucket_settings import bucket_access
from workloads.errors import ConfigurationError

KEYS = {"AWS_ACCESS_KEY_ID": "an-access-key", "AWS_SECRET_ACCESS_KEY": "a-secret-key"}


def test_keys_region_and_endpoint_are_those_of_the_environment():
    access = bucket_access(
        {
            **KEYS,
            "AWS_SESSION_TOKEN": "a-token",
            "AWS_REGION": "eu-central-1",
            "AWS_ENDPOINT_URL": "http://127.0.0.1:9000/",
        }
    )
    assert (access.access_key, access.secret_key) == ("an-access-key", "a-secret-key")
    assert (access.session_token, access.region) == ("a-token", "eu-central-1")
    assert access.place == "http://127.0.0.1:9000"
    assert "a-secret-key" not in repr(access)
    assert "a-token" not in repr(access)


def test_without_keys_anybody_asks_amazon():
    access = bucket_access({})
    assert (access.access_key, access.secret_key, access.endpoint) == ("", "", "")
    assert access.place == "Amazon S3 in us-east-1"


@pytest.mark.parametrize("given", KEYS)
def test_one_key_alone_is_refused(given):
    with pytest.raises(ConfigurationError, match=f"{given} is set and .* is not") as refused:
        bucket_access({given: KEYS[given]})
    assert KEYS[given] not in str(refused.value)


@pytest.mark.parametrize(
    "endpoint",
    [
        "127.0.0.1:9000",
        "ftp://host",
        "http://",
        "http://host:port",
        "http://user:password@host:9000",
        "http://host/bucket",
        "https://host?x=1",
    ],
)
def test_an_endpoint_that_is_no_address_is_refused_without_its_password(endpoint):
    with pytest.raises(ConfigurationError, match="AWS_ENDPOINT_URL is no address") as refused:
        bucket_access({"AWS_ENDPOINT_URL": endpoint})
    assert "password" not in str(refused.value)


@pytest.mark.parametrize("endpoint", ["https://s3.example.org", "http://[::1]:9000"])
def test_an_endpoint_may_be_a_name_or_a_number(endpoint):
    assert bucket_access({"AWS_ENDPOINT_URL": endpoint}).endpoint == endpoint
