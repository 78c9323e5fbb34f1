"""Starts one node of the object store: ``python -m evaluation.objects.node --help``.

The nodes of a store share a secret, given by the environment variable ``OBJECTS_SECRET`` or by a
file, never as an argument.
"""

import argparse
import os
import re
import shutil
import signal
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict
from functools import partial
from pathlib import Path
from threading import Event

import pyarrow as pa

from evaluation.objects import wire
from evaluation.objects.errors import ObjectError
from evaluation.objects.holds import Holds
from evaluation.objects.link import ask
from evaluation.objects.members import Member, Members, machine, read
from evaluation.objects.memory import Memory
from evaluation.objects.names import Names
from evaluation.objects.service import NodeService

SECRET_VARIABLE = "OBJECTS_SECRET"  # noqa: S105 - a name
SHARED_MEMORY = Path("/dev/shm")  # noqa: S108 - it is the machine's shared memory
LOOPBACK = "127.0.0.1"
_UNITS = {"": 1, "kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30, "tib": 1 << 40}
_NAME = re.compile(r"[A-Za-z0-9_-]+")
_FIRST_WAIT_S, _ANNOUNCE_S = 0.05, 2.0
_ASK_S = 3.0


def parsed(arguments: Sequence[str]) -> argparse.Namespace:
    """Return the parsed command line; `memory` is in bytes."""
    parser = argparse.ArgumentParser(
        prog="python -m evaluation.objects.node",
        description="Serve sealed objects in this machine's shared memory, as one node of a "
        f"store. Its secret is in {SECRET_VARIABLE}, or in a file. End it with Ctrl-C or "
        "SIGTERM: what it holds is gone then; what a killed one held is there again.",
    )
    parser.add_argument(
        "--name", type=_name, required=True, help="what it is called; no two have one name"
    )
    parser.add_argument(
        "--listen", default=f"{LOOPBACK}:0", help="HOST:PORT, port 0 is any (%(default)s)"
    )
    parser.add_argument(
        "--memory", type=_bytes, required=True, help="how much it holds at most, as 4GiB"
    )
    parser.add_argument(
        "--join", action="append", default=[], metavar="HOST:PORT", help="another node; repeatable"
    )
    parser.add_argument("--secret-file", type=Path, help="a file with the secret")
    parser.add_argument(
        "--folder", type=Path, help="where its memory is (a folder of its own in /dev/shm)"
    )
    return parser.parse_args(arguments)


def _name(text: str) -> str:
    """Return a node's name, by which its folder is called."""
    if not _NAME.fullmatch(text):
        raise argparse.ArgumentTypeError(
            f"{text!r} is no name: letters, digits, '-' and '_' make one"
        )
    return text


def _bytes(text: str) -> int:
    number = text.strip().rstrip("TtGgMmKkIiBb ")
    unit = text.strip()[len(number) :].strip().lower()
    with suppress(ValueError, KeyError, OverflowError):
        if (found := int(float(number) * _UNITS[unit])) > 0:
            return found
    raise argparse.ArgumentTypeError(f"{text!r} is no amount of memory such as 4GiB")


def secret(file: Path | None) -> str:
    """Return the store's secret from the file or the environment.

    Raises:
        SystemExit: There is none, or it cannot be read.
    """
    try:
        found = file.read_text(encoding="utf-8") if file else os.environ.get(SECRET_VARIABLE, "")
    except OSError as error:
        sys.exit(f"The secret cannot be read from {file} ({error.strerror}).")
    if not found.strip():
        sys.exit(f"There is no secret: put it into the variable {SECRET_VARIABLE}.")
    return found.strip()


def serve(
    *,
    name: str,
    listen: str,
    capacity_bytes: int,
    join: Sequence[str],
    key: str,
    folder: Path,
) -> None:
    """Serve until a signal to stop comes, then give the memory back.

    Raises:
        ObjectError: The memory is another node's, the address is taken, or a member refuses.
    """
    os.umask(0o077)
    memory = Memory(folder, capacity_bytes)
    host, _, _ = listen.rpartition(":")
    members = Members(Member(name=name, address=listen, machine=machine(), memory=str(folder)))
    asking = partial(_ask, key)
    try:
        service = NodeService(
            f"grpc+tcp://{listen}",
            memory=memory,
            names=Names(folder),
            members=members,
            holds=Holds(folder),
            secret=key,
            ask=asking,
        )
    except (OSError, pa.ArrowException) as error:
        raise ObjectError(f"the address {listen} is taken, or is none of ours: {error}") from None
    own = Member(name=name, address=f"{host}:{service.port}", machine=machine(), memory=str(folder))
    members.moved(own)
    stop = Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    print(f"node {name} serves {own.address}", flush=True)  # noqa: T201 - it is a command
    wait_s = _FIRST_WAIT_S
    while True:
        _announce(members, join, asking)
        if stop.wait(wait_s):
            break
        wait_s = min(2 * wait_s, _ANNOUNCE_S)
    memory.release()
    # Sessions may still be open; nobody waits for them.
    os._exit(0)


def _ask(key: str, member: Member, action: str, body: bytes) -> bytes:
    return ask(member, key, action, body, _ASK_S)


def _announce(members: Members, join: Sequence[str], asking: "partial[bytes]") -> None:
    """Tell every node that is known, or named, that this one is there."""
    known = {each.address: each for each in members.others()}
    for address in join:
        if address != members.own.address:
            known.setdefault(address, Member(name=address, address=address, machine="", memory=""))
    for member in known.values():
        try:
            answer = asking(member, wire.JOIN, wire.dumped(asdict(members.own)))
            members.heard_of(read(answer))
        except ObjectError as error:
            if type(error) is not ObjectError and "does not answer" not in str(error):
                print(f"{member.address}: {error}", flush=True)  # noqa: T201


def own_folder(name: str) -> Path:
    """Return where a user's own node called `name` keeps its memory, the same at every start."""
    base = SHARED_MEMORY if SHARED_MEMORY.is_dir() else Path(tempfile.gettempdir())
    return base / f"advisor-objects-{os.getuid()}-{name}"


def main() -> None:
    """Run the command."""
    given = parsed(sys.argv[1:])
    folder = given.folder or own_folder(given.name)
    place = next(each for each in (folder, *folder.absolute().parents) if each.is_dir())
    room = shutil.disk_usage(place).total
    if given.memory > room:
        sys.exit(f"{given.name}: {place} has {room >> 20} MiB in all: ask for less in --memory.")
    try:
        serve(
            name=given.name,
            listen=given.listen,
            capacity_bytes=given.memory,
            join=given.join,
            key=secret(given.secret_file),
            folder=folder,
        )
    except ObjectError as error:
        sys.exit(f"{given.name}: {error}")


if __name__ == "__main__":
    main()
