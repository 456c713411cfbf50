"""Signals at random times."""

import itertools
import random
import signal
import time

from judge import judge
from workshop import finish

NAMES = """SIGKILL SIGINT SIGTERM SIGHUP SIGQUIT SIGXCPU SIGABRT SIGSEGV SIGBUS SIGFPE SIGILL SIGUSR1 SIGUSR2 SIGPIPE
SIGALRM SIGXFSZ SIGVTALRM SIGPROF SIGSYS SIGTRAP SIGIO SIGPWR""".split()
SIGNALS = [getattr(signal, name) for name in NAMES]


def run(shop, tally, wishes):
    source = random.Random(wishes.seed)
    pairs = itertools.cycle(itertools.product(SIGNALS, wishes.operations.values()))
    for _ in range(wishes.kills):
        sent, operation = next(pairs)
        is_there = source.random() < 0.7
        share = source.random()
        _, _, seconds = shop.reference(operation)
        shop.reset(operation, is_there)
        process = shop.start(shop.command(operation, is_there))
        time.sleep(share * seconds)
        process.send_signal(sent)  # nothing happens when it has ended
        ended = finish(process)
        how = f"code {ended.code}, after {share * seconds:.3f} s, {'replaced' if is_there else 'made'}"
        tally.add("random kill", operation.name, f"{sent.name} at a random time", judge(shop, operation, is_there, ended, sent), how)
