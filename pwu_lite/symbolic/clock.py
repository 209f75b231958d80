"""A time limit for derivations that sympy may never finish.

Imports sympy.
Implements no source: it keeps the rest of `symbolic` from hanging.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import inspect
import signal
import threading
import time
import warnings

import sympy as sp

__all__ = ["TIME_LIMIT"]


TIME_LIMIT = 20.0  # seconds; a derivation that takes longer gives up with a ValueError


class _TimeUp(Exception):
    """Raised by the clock inside a derivation."""


RUNNING = threading.local()


def attempt(function, *arguments, seconds=2.0):
    """What sympy finds within some seconds, or None; outside of the main thread without a limit."""
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        return function(*arguments)
    left, again = signal.getitimer(signal.ITIMER_REAL)
    if 0 < left <= seconds:
        return function(*arguments)
    started = time.monotonic()
    before = signal.signal(signal.SIGALRM, _ring)
    signal.setitimer(signal.ITIMER_REAL, seconds, 1.0)
    try:
        return function(*arguments)
    except _TimeUp:
        return None
    finally:
        signal.setitimer(signal.ITIMER_REAL, max(left - (time.monotonic() - started), 0.01) if left else 0, again)
        signal.signal(signal.SIGALRM, before)


def _ring(_, frame):
    """Raise _TimeUp, but not where Python would lose it; the clock rings again a second later."""
    lost = {getattr(callback, "__code__", None) for callback in gc.callbacks}
    while frame is not None:
        if frame.f_code in lost or frame.f_code.co_name == "__del__":
            return
        frame = frame.f_back
    raise _TimeUp


@contextlib.contextmanager
def _time_limit(what):
    """Raise _TimeUp after TIME_LIMIT seconds; outside of the main thread, only warn."""
    if getattr(RUNNING, "runs", False):  # inside of another derivation
        yield
        return
    RUNNING.runs, RUNNING.floats = True, False
    in_main = threading.current_thread() is threading.main_thread() and hasattr(signal, "setitimer")
    if in_main:
        before = signal.signal(signal.SIGALRM, _ring)
        signal.setitimer(signal.ITIMER_REAL, TIME_LIMIT, 1.0)  # again every second, should sympy swallow it
    else:
        timer = threading.Timer(TIME_LIMIT, warnings.warn, [f"{what} has been computing for {TIME_LIMIT:g} s"])
        timer.daemon = True
        timer.start()
    try:
        yield
    finally:
        RUNNING.runs = False
        if in_main:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
        else:
            timer.cancel()


def bounded(function):
    """Keep to the time limit, and turn what sympy cannot do into a ValueError that says so."""
    signature = inspect.signature(function)

    @functools.wraps(function)
    def run(*args, **kwargs):
        signature.bind(*args, **kwargs)
        name = function.__name__
        try:
            with _time_limit(name):
                return function(*args, **kwargs)
        except _TimeUp:
            raise ValueError(f"{name} has not come to an end within {TIME_LIMIT:g} s: put numbers for parameters, "
                             f"simplify the formula, or raise pwu_lite.symbolic.clock.TIME_LIMIT") from None
        except (NotImplementedError, TypeError, AttributeError, LookupError, ArithmeticError, RecursionError,
                sp.polys.polyerrors.BasePolynomialError) as error:
            raise ValueError(f"sympy cannot work with this formula ({type(error).__name__}: {error}): put numbers "
                             f"for parameters, or write it in another way") from error

    return run
