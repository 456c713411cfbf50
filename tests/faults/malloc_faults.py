"""Every call for memory of an operation fails once: alone, and with all that follow."""

import os
import select
import signal
import struct
import subprocess
from pathlib import Path

from judge import judge
from workshop import PATIENCE, Ended, finish

SOURCE = Path(__file__).with_name("fail_malloc.c")
OPERATIONS = ("fit", "predict")
MODES = ("once", "on")


def build(folder):
    library = folder / "fail_malloc.so"
    subprocess.run(["cc", "-O2", "-Wall", "-Wextra", "-shared", "-fPIC", "-o", library, SOURCE], check=True)
    return library


class Sweep:
    def __init__(self, shop, library, operation, mode, stride):
        self.shop, self.operation, self.mode, self.stride = shop, operation, mode, stride
        self.log = library.with_name("malloc.log")
        self.texts = [library.with_name("malloc.out"), library.with_name("malloc.err")]
        self.environment = {**os.environ, "LD_PRELOAD": str(library), "FAULTS_MODE": mode, "FAULTS_LOG": str(self.log)}
        self.command = shop.command(operation, True)

    def run_once(self, command, at):
        self.log.unlink(missing_ok=True)
        ended = self.shop.run(command, env={**self.environment, "FAULTS_AT": str(at)})
        return ended, self.log.read_text().strip() if self.log.exists() else ""

    def n_calls(self, command):
        return int(self.run_once(command, 0)[1])

    def results(self):
        """(number of the call, how the run ended) for each; the files are as the run left them."""
        self.shop.reset(self.operation, True)
        last = self.n_calls(self.command)
        at = 1
        while at <= last:  # what comes before main, each in a process of its own
            self.shop.reset(self.operation, True)
            ended, place = self.run_once(self.command, at)
            yield at, ended
            at += 1
            if place == "within":
                break
        while at <= last:
            for number, ended in self.served(at, last):
                yield number, ended
                at = number + self.stride

    def served(self, first, last):
        """Forks of one process, which has nothing open yet. Ends early where one hangs."""
        # Files are opened when the command line is read; one that is wrong gets no further.
        last_stop = self.n_calls([*self.command[:2], "--no-such-option"]) * 9 // 10
        to_tool, wishes = os.pipe()
        answers, from_tool = os.pipe()
        os.dup2(to_tool, 100)
        os.dup2(from_tool, 101)

        out, err = (open(path, "ab") for path in self.texts)
        environment = {**self.environment, "FAULTS_SERVE": str(last_stop)}
        self.shop.reset(self.operation, True)
        server = self.shop.start(self.command, env=environment, stdout=out, stderr=err, pass_fds=(100, 101))
        for descriptor in (to_tool, from_tool, 100, 101):
            os.close(descriptor)
        try:
            before = self.shop.stamps()
            for at in range(first, last + 1, self.stride):
                if self.shop.stamps() != before:
                    self.shop.reset(self.operation, True)
                    before = self.shop.stamps()
                for path in self.texts:
                    os.truncate(path, 0)
                os.write(wishes, struct.pack("l", at))
                ended = self.answer(answers)
                yield at, ended
                if ended.code is None:
                    os.killpg(server.pid, signal.SIGKILL)
                    return
        finally:
            for descriptor in (wishes, answers):
                os.close(descriptor)
            finish(server)
            out.close()
            err.close()

    def answer(self, answers):
        if not select.select([answers], [], [], PATIENCE)[0]:
            return Ended(None)
        status = os.read(answers, 4)
        if len(status) != 4:
            raise SystemExit("faults: the process that forks has ended")
        code = os.waitstatus_to_exitcode(struct.unpack("i", status)[0])
        return Ended(code, *(path.read_bytes() for path in self.texts))


def run(shop, tally, wishes):
    library = build(shop.folder.parent)
    for name in OPERATIONS:
        if name not in wishes.operations:
            continue
        operation = wishes.operations[name]
        for mode in MODES:
            sweep = Sweep(shop, library, operation, mode, wishes.stride)
            fault = "a call for memory fails" + (", and all that follow" if mode == "on" else "")
            for at, ended in sweep.results():
                how = f"FAULTS_AT={at} FAULTS_MODE={mode} LD_PRELOAD={library.name} {' '.join(sweep.command[1:])}"
                tally.add("memory", name, fault, judge(shop, operation, True, ended), f"code {ended.code}, {how}")
