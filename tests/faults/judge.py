"""From what a run left behind to one word."""

import signal

from workshop import CODES, TIME

WITHOUT_BOOSTING = b"LACUNA_XGBOOST_LIBRARY"
SAID = (b"lacuna: error", b"lacuna: interrupted")


def way_it_ended(ended, sent, is_deaf):
    """ended, refused, ok or a bad word, by the exit code alone."""
    if ended.code is None:
        return "hang"
    if b"error while loading shared libraries" in ended.err:
        return "unstarted"
    if sent and (ended.code == -sent or ended.code == 128 + sent and sent in (signal.SIGINT, signal.SIGTERM)):
        return "ended"
    if sent == signal.SIGALRM and ended.code == 130:  # the tool's own clock, which ends it after an interrupt
        return "ended"
    if ended.code == 0:
        return "ok"
    if ended.code not in CODES or ended.code in (130, 143):
        return "abort"
    return "refused" if is_deaf or any(words in ended.err for words in SAID) else "mute"


def judge(shop, operation, is_there, ended, sent=0, is_deaf=False):
    """The outcome of a run. `sent`: the signal it got; `is_deaf`: nobody can hear what it prints."""
    way = way_it_ended(ended, sent, is_deaf)
    states = shop.states(operation, is_there)
    if shop.input_stamps() != shop.inputs:
        return "corrupt"
    if ended.code == 0 and WITHOUT_BOOSTING in ended.err and states and not {"old", "lost"} & set(states):
        return after_the_next_run(shop, operation, "fewer")  # and it says so; its page shows fewer models
    for bad in ("corrupt", "lost"):
        if bad in states:
            return bad
    if way in ("hang", "abort", "mute"):
        return way
    if way == "ok":
        if "old" in states:
            return "lost"
        _, printed, _ = shop.reference(operation)
        if not is_deaf and TIME.sub(b"", ended.out) != printed:
            return "corrupt"
    if len(set(states)) > 1:
        way = "torn"
    elif way == "refused" and states and states[0] == "new":
        way = "unheard" if ended.code in (71, 73) else "abort"
    return after_the_next_run(shop, operation, way)


def after_the_next_run(shop, operation, way):
    """What a run left beside its outputs is gone after the next one, which is not disturbed by it."""
    is_left = bool(shop.extra(operation))
    if not is_left and not (operation.checkpoint and (shop.out / operation.checkpoint).exists()):
        return way
    again = shop.run(shop.command(operation, True))
    if again.code != 0 or set(shop.states(operation, True)) - {"new"}:
        return "corrupt"
    if shop.extra(operation) or (operation.checkpoint and (shop.out / operation.checkpoint).exists()):
        return "orphan"
    return "healed" if is_left and way != "torn" else way
