"""Every call of the system that writes fails once, and gets a signal once, by strace."""

import re
import shutil
import signal

from judge import judge

ERRORS = ("ENOSPC", "EIO")
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGXCPU, signal.SIGKILL)
CALLS = (
    "write", "writev", "pwrite64", "fsync", "fdatasync", "ftruncate", "fallocate", "fchmod", "flock", "openat", "close",
    "rename", "renameat", "renameat2", "link", "linkat", "unlink", "unlinkat", "mkdir", "mkdirat",
)  # fmt: skip
LINE = re.compile(r"(\d+) +(\w+)\((.*)")
CAME = re.compile(r"\(INJECTED\)|--- SIG|\+\+\+ killed by SIG")
TO_WRITE = re.compile(r"O_WRONLY|O_RDWR|O_CREAT")


def calls_of(shop, operation, is_there):
    """(call, its number among those of its name and thread) for each that writes."""
    trace = shop.folder.parent / "trace"
    shop.reset(operation, is_there)
    shop.run_plainly(["strace", "-f", "-o", str(trace), "-e", "trace=" + ",".join(CALLS), *shop.command(operation, is_there)])
    numbers, found = {}, {}
    for line in trace.read_text(errors="replace").splitlines():
        match = LINE.match(line)
        if not match:
            continue  # an end, a signal, or the second half of a call
        thread, call, arguments = match.groups()
        numbers[thread, call] = numbers.get((thread, call), 0) + 1
        if call != "openat" or TO_WRITE.search(arguments):
            found[call, numbers[thread, call]] = True
    return list(found)


def run_with(shop, operation, is_there, call, effect):
    """How the run ended, and whether the fault came: with several threads a call may have another number than before."""
    log = shop.folder.parent / "trace"
    shop.reset(operation, is_there)
    # Much faster, but strace sends no signals with it.
    faster = ["--seccomp-bpf"] if effect.startswith("error") else []
    inject = ["strace", "-f", *faster, "-o", str(log), "-e", f"trace={call}", "-e", f"inject={call}:{effect}"]
    ended = shop.run([*inject, *shop.command(operation, is_there)])
    return ended, bool(CAME.search(log.read_text(errors="replace")))


def run(shop, tally, wishes):
    if shutil.which("strace") is None:
        tally.leave_out("calls that fail: this needs strace (Debian package strace)")
        return
    for operation in wishes.operations.values():
        for is_there in (True, False) if operation.outputs else (False,):
            for call, number in calls_of(shop, operation, is_there)[:: wishes.stride]:
                for error in ERRORS:
                    effect = f"error={error}:when={number}"
                    ended, came = run_with(shop, operation, is_there, call, effect)
                    how = f"code {ended.code}, {call}:{effect}, {'replaced' if is_there else 'made'}, {ended.err[-200:]}"
                    outcome = judge(shop, operation, is_there, ended)
                    tally.add("call fails", operation.name, f"{call} fails", outcome if came or outcome != "ok" else "missed", how)
                for sent in SIGNALS:
                    effect = f"signal={sent.name}:when={number}"
                    ended, came = run_with(shop, operation, is_there, call, effect)
                    how = f"code {ended.code}, {call}:{effect}, {'replaced' if is_there else 'made'}"
                    outcome = judge(shop, operation, is_there, ended, sent)
                    outcome = outcome if came or outcome != "ok" else "missed"
                    tally.add("signal at a call", operation.name, f"{sent.name} at {call}", outcome, how)
