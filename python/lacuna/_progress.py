"""A progress bar on terminals and in notebooks, as the command line has it: only when the work takes long."""

import contextlib
import sys
import time

_DELAY = 2.0  # seconds before the first sight of the bar
_INTERVAL = 0.1
_LENGTH = 24


def bar_text(stage, done, total, seconds):
    """One line: what is done, how far it is, how long it took."""
    if not total > 0.0:
        return f"{stage}: {done:.0f} done, {seconds:.0f} s"
    share = min(max(done / total, 0.0), 1.0)
    filled = int(share * _LENGTH)
    return f"{stage} [{'#' * filled}{'.' * (_LENGTH - filled)}] {100 * share:.0f} %, {seconds:.0f} s"


class _Terminal:
    def show(self, text):
        sys.stderr.write(f"\r\033[K{text}")
        sys.stderr.flush()

    def clear(self):
        sys.stderr.write("\r\033[K")
        sys.stderr.flush()


class _Lines:
    """For a stderr that is no terminal, when the user asked for progress all the same."""

    def show(self, text):
        print(text, file=sys.stderr, flush=True)

    def clear(self):
        pass


class _Notebook:
    def __init__(self):
        self._display = None

    def show(self, text):
        from IPython.display import display

        if self._display is None:
            self._display = display({"text/plain": text}, raw=True, display_id=True)
        else:
            self._display.update({"text/plain": text}, raw=True)

    def clear(self):
        if self._display is not None:
            self.show("")


def _in_notebook():
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and hasattr(shell, "kernel")


def _place(verbose):
    """Where a bar would be drawn; None for nowhere."""
    if verbose is False:
        return None
    if _in_notebook():
        return _Notebook()
    if sys.stderr is not None and sys.stderr.isatty():
        return _Terminal()
    return _Lines() if verbose else None


class _Bar:
    def __init__(self, place, delay, interval):
        self._place = place
        self._interval = interval
        self._start = time.monotonic()
        self._next = self._start + delay
        self._is_shown = False

    def __call__(self, stage, done, total):
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + self._interval
        self._place.show(bar_text(stage, done, total, now - self._start))
        self._is_shown = True

    def close(self):
        if self._is_shown:
            self._place.clear()


@contextlib.contextmanager
def progress(verbose):
    """Gives what the library calls with (stage, done, total), or None when nobody watches.

    `verbose` None: a bar on a terminal or in a notebook when the work takes more than two seconds; True: at once,
    and as lines where there is neither; False: never.
    """
    place = _place(verbose)
    if place is None:
        yield None
        return
    bar = _Bar(place, 0.0 if verbose else _DELAY, 1.0 if isinstance(place, _Lines) else _INTERVAL)
    try:
        yield bar
    finally:
        bar.close()
