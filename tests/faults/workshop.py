"""A folder in which an operation runs again and again, and what became of its files."""

import os
import re
import shutil
import signal
import subprocess
import time
from dataclasses import dataclass

from operations import write_inputs

PATIENCE = 120.0  # seconds; what takes longer hangs
CODES = {0, 64, 65, 66, 71, 73, 78, 130, 143}  # documented in ARCHITECTURE.md; 70 is a defect
GOOD = ("ok", "refused", "ended", "healed", "unheard", "fewer", "unstarted", "missed", "torn")
BAD = ("lost", "corrupt", "abort", "orphan", "hang", "mute")
TIME = re.compile(rb'^time  .*$|"seconds": [-+.0-9e]+', re.MULTILINE)  # how long a fit took: never twice the same


@dataclass
class Ended:
    """How a run ended."""

    code: int | None  # as subprocess has it: below 0 the signal; None: it hung
    out: bytes = b""
    err: bytes = b""


def default_signals():
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, signal.SIG_DFL)


def finish(process):
    """Waits, but not for ever. A run is the head of its own process group."""
    try:
        out, err = process.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return Ended(None)
    return Ended(process.returncode, out or b"", err or b"")


class Workshop:
    def __init__(self, tool, folder, n_rows):
        self.tool = str(tool)
        self.folder = folder
        self.out = folder / "out"
        shutil.rmtree(folder, ignore_errors=True)
        self.out.mkdir(parents=True)
        write_inputs(folder, n_rows)
        self.references = {}
        for model, form in (("model", "densities"), ("stack", "stack")):
            self.run_plainly(self.command_of(["fit", "train.csv", "-o", model, "--label", "answer", "--conditional", form]))
        self.inputs = self.input_stamps()

    def command_of(self, arguments):
        return [self.tool, *arguments]

    def command(self, operation, is_there):
        return self.command_of([*operation.arguments, *(["--force"] if is_there and operation.outputs else [])])

    def start(self, command, before=(), **options):
        options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "stdin": subprocess.DEVNULL, **options}

        def prepare():
            default_signals()
            for step in before:
                step()

        return subprocess.Popen(command, cwd=self.folder, start_new_session=True, preexec_fn=prepare, **options)

    def run(self, command, before=(), **options):
        return finish(self.start(command, before, **options))

    def run_plainly(self, command):
        ended = self.run(command)
        if ended.code != 0:
            raise SystemExit(f"faults: without any fault, code {ended.code}: {' '.join(command)}\n{ended.err.decode()}")
        return ended

    # --- Files

    def reset(self, operation, is_there):
        """Outputs are there from before, or not; nothing else is."""
        self.reference(operation)  # made here at the latest: it writes to the same folder
        self.clear(operation, is_there)

    def clear(self, operation, is_there):
        for path in self.out.iterdir():
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
        for name in operation.outputs if is_there else ():
            (self.out / name).write_bytes(self.old(name))

    @staticmethod
    def old(name):
        return f"the old {name}\n".encode()

    def input_stamps(self):
        files = [path for path in self.folder.iterdir() if path != self.out]
        return sorted((path.name, path.stat().st_mtime_ns, path.stat().st_size) for path in files)

    def stamps(self):
        """Changes with every change of the outputs."""
        with os.scandir(self.out) as entries:
            found = [(entry.name, entry.stat(follow_symlinks=False)) for entry in entries]
        return sorted((name, stat.st_ino, stat.st_mtime_ns, stat.st_size) for name, stat in found)

    def extra(self, operation):
        return [path.name for path in self.out.iterdir() if path.name not in (*operation.outputs, operation.checkpoint)]

    def content(self, name):
        path = self.out / name
        return TIME.sub(b"", path.read_bytes()) if path.is_file() else None

    def reference(self, operation):
        """What the operation writes and prints, and how long it takes; the same twice."""
        if operation.name not in self.references:
            runs = []
            for is_there in (False, True):
                self.clear(operation, is_there)
                begin = time.monotonic()
                ended = self.run_plainly(self.command(operation, is_there))
                seconds = time.monotonic() - begin
                runs.append(({name: self.content(name) for name in operation.outputs}, TIME.sub(b"", ended.out)))
            if runs[0] != runs[1] or None in runs[0][0].values():
                raise SystemExit(f"faults: two runs of {operation.name} do not write the same")
            self.references[operation.name] = (*runs[0], seconds)
        return self.references[operation.name]

    def states(self, operation, is_there):
        """For each output: old, new or neither."""
        new, _, _ = self.reference(operation)
        states = []
        for name in operation.outputs:
            content = self.content(name)
            if content == (self.old(name) if is_there else None):
                states.append("old")
            elif content is None:
                states.append("lost")
            else:
                states.append("new" if content == new[name] else "corrupt")
        return states
