"""Becomes a server: run by path in a fresh interpreter, it prepares itself and then execs.

Everything here happens between fork and exec, in a process of its own with one thread; a
`preexec_fn` would do it inside a fork of a process full of threads (Spark's gateway, progress),
where a lock held by another thread stays held for ever. Only the standard library is imported.
"""

import contextlib
import ctypes
import errno
import json
import os
import signal
import sys
from pathlib import Path

PR_SET_PDEATHSIG = 1
PR_SET_KEEPCAPS = 8
PR_SET_SECUREBITS = 28
PR_CAP_AMBIENT = 47
PR_CAP_AMBIENT_RAISE = 2
SECBIT_NO_SETUID_FIXUP = 1 << 2
CAP_DAC_READ_SEARCH = 2
CAPABILITY_VERSION_3 = 0x20080522

WAY_OUT = "let the user that servers run as execute it and enter the folders that it lies in"


class _CapabilityHeader(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


class _CapabilityData(ctypes.Structure):
    _fields_ = (
        ("effective", ctypes.c_uint32),
        ("permitted", ctypes.c_uint32),
        ("inheritable", ctypes.c_uint32),
    )


def _call(function: str, *arguments: object) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if getattr(libc, function)(*arguments) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{function}: {os.strerror(number)}")


def _prctl(option: int, *arguments: int) -> None:
    padded = [*arguments, 0, 0, 0, 0][:4]
    _call("prctl", option, *(ctypes.c_ulong(argument) for argument in padded))


def start_ticks(pid: int) -> int | None:
    """Return when process `pid` started, in clock ticks since boot; None if it does not run.

    A zombie does not run. Together with the pid it names one process for ever (until a reboot).
    """
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return None
    # The command's name stands in parentheses and may itself hold spaces and parentheses.
    fields = stat[stat.rindex(")") + 2 :].split()
    return None if fields[0] in {"Z", "X"} else int(fields[19])


def become(uid: int, gid: int) -> None:
    """Become another user who may still enter folders that only root may enter.

    Binaries and data often lie below a folder such as /root (0700). Of root's powers only
    CAP_DAC_READ_SEARCH is kept, as an ambient capability so that it survives exec. The secure
    bit is needed too: without it access(2), which PostgreSQL asks about its own binary, answers
    for the bare user. A kernel or container that refuses either leaves us without: that does no
    harm as long as the folders are open.
    """
    with contextlib.suppress(OSError):
        _prctl(PR_SET_SECUREBITS, SECBIT_NO_SETUID_FIXUP)
    with contextlib.suppress(OSError):
        _prctl(PR_SET_KEEPCAPS, 1)
    os.setgroups([])
    os.setresgid(gid, gid, gid)
    os.setresuid(uid, uid, uid)
    header = _CapabilityHeader(CAPABILITY_VERSION_3, 0)
    data = (_CapabilityData * 2)()
    kept = 1 << CAP_DAC_READ_SEARCH
    data[0] = _CapabilityData(kept, kept, kept)
    try:
        _call("capset", ctypes.byref(header), data)
        _prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_DAC_READ_SEARCH)
    except OSError:
        # With the secure bit set, setresuid takes nothing away: drop everything by hand.
        data[0] = _CapabilityData(0, 0, 0)
        _call("capset", ctypes.byref(header), data)


def die_with(parent: int, death_signal: int) -> None:
    """Have the kernel send `death_signal` to us when the thread that started us ends.

    Ends this process at once if the parent is gone already: its death came before our wish.
    """
    _prctl(PR_SET_PDEATHSIG, death_signal)
    if os.getppid() != parent:
        sys.exit(0)


def _write_state(path: Path, state: dict[str, object]) -> None:
    """Record who we are before the server exists, so that there is never one without a record."""
    state |= {
        "pid": os.getpid(),
        "start_ticks": start_ticks(os.getpid()),
        "boot": Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip(),
    }
    fresh = path.with_name(path.name + ".new")
    fresh.unlink(missing_ok=True)
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        json.dump(state, file)
    fresh.replace(path)


def main(arguments: list[str]) -> None:
    """Exec the command after the JSON options: parent, death_signal, user, state_file, state.

    Without a parent to die with, the command runs in a child and this process ends at once.
    """
    options, command = json.loads(arguments[0]), arguments[1:]
    if options["parent"] is None and os.fork():
        # A server that is kept is nobody's child: there is none to reap it.
        os._exit(0)
    if options["state_file"]:
        _write_state(Path(options["state_file"]), options["state"])
    # Python ignores these, and what is ignored stays so over exec.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    os.umask(0o077)
    if options["user"] is not None:
        try:
            become(*options["user"])
        except OSError as error:
            sys.exit(f"cannot become user {options['user'][0]} ({error}): do not run as root")
    if options["parent"] is not None:
        # A change of user clears the wish, so it comes after it.
        die_with(options["parent"], options["death_signal"])
    try:
        os.execv(command[0], command)  # noqa: S606
    except OSError as error:
        way_out = f": {WAY_OUT}" if error.errno == errno.EACCES else ""
        sys.exit(f"cannot run {command[0]} as user {os.geteuid()}: {error.strerror}{way_out}")


if __name__ == "__main__":
    main(sys.argv[1:])
