"""Descriptors that are closed or full, and outputs in impossible places."""

import itertools
import os
import resource
import signal

from judge import judge

LONG = "n" * 300


def closed(descriptors):
    return [lambda one=one: os.close(one) for one in descriptors]


def full(descriptors):
    def replace(descriptor):
        os.dup2(os.open("/dev/full", os.O_WRONLY), descriptor)

    return [lambda one=one: replace(one) for one in descriptors]


def unread():
    """Standard output is a pipe that nobody reads."""
    reader, writer = os.pipe()
    os.dup2(writer, 1)
    os.close(reader)
    os.close(writer)


def few_descriptors(n):
    return [lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (n, n))]


def descriptor_faults():
    """(fault, steps before the tool starts, the descriptors that are of no use)"""
    for n in range(4):
        for some in itertools.combinations((0, 1, 2), n):
            yield "closed descriptors " + ("".join(map(str, some)) or "none"), closed(some), some
    for some in ((1,), (2,), (1, 2)):
        yield "full descriptors " + "".join(map(str, some)), full(some), some
    yield "a pipe nobody reads", [unread], (1,)
    for n in range(3, 12):
        yield "few descriptors", few_descriptors(n), ()


def run_descriptors(shop, tally, wishes):
    for operation in wishes.operations.values():
        for fault, before, useless in itertools.islice(descriptor_faults(), None, None, wishes.stride):
            shop.reset(operation, True)
            ended = shop.run(shop.command(operation, True), before)
            sent = signal.SIGPIPE if fault == "a pipe nobody reads" else 0
            outcome = judge(shop, operation, True, ended, sent, is_deaf=bool({1, 2} & set(useless)))
            if operation.prints and 1 in useless and ended.code == 0:
                outcome = "lost"
            tally.add("descriptors", operation.name, fault, outcome, f"code {ended.code} {ended.err[-200:]}")


def places(shop, operation, word):
    """(fault, where the output of this word is to go instead)"""
    for name in ("train.csv", "test.csv", "model", "x.csv", "y.txt"):
        if name in operation.arguments:
            yield "output onto an input", name
            os.symlink(f"../{name}", shop.out / f"link-to-{name}")
            yield "output onto a link to an input", f"out/link-to-{name}"
    for other in operation.arguments:
        if other.startswith("out/") and other != word:
            yield "output onto another output", other
            yield "output onto another output", f"out/../{other}"
    (shop.out / "folder").mkdir()
    os.symlink("circle", shop.out / "circle")
    os.mkfifo(shop.out / "pipe")
    is_folder = word == "out"
    yield "output onto a device", "/dev/full"
    yield "output onto a pipe", "out/pipe"
    yield "output onto a circle of links", "out/circle"
    yield "output with a long name", f"out/{LONG}"
    if not is_folder:
        yield "output onto a folder", "out/folder"
        yield "output in no folder", "out/nowhere/file"
        yield "output in a file", "train.csv/file"


def run_places(shop, tally, wishes):
    for operation in wishes.operations.values():
        for word in [word for word in operation.arguments if word == "out" or word.startswith("out/")]:
            shop.reset(operation, True)
            made = dict.fromkeys(places(shop, operation, word))
            for fault, place in list(made)[:: wishes.stride]:
                shop.reset(operation, True)
                list(places(shop, operation, word))
                before = shop.stamps()
                command = [place if part == word else part for part in shop.command(operation, True)]
                ended = shop.run(command)
                is_kept = shop.stamps() == before
                shop.reset(operation, True)
                outcome = judge(shop, operation, True, ended)
                tally.add("paths", operation.name, fault, outcome if is_kept else "lost", f"code {ended.code}, {word} is {place}")
