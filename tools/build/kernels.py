"""Kernels that begin with the libraries loaded: each is a fork of one process that has imported them.

A kernel that imports numpy, pandas, matplotlib, sympy and scikit-learn takes some seconds of a core, on each page anew.
Only third-party libraries are loaded beforehand, and nothing of a page: what a chapter sees is what a new process shows
it. Where there is no fork (or where it is not safe, as on macOS) kernels start as always.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import signal
import subprocess
import sys
import time
from typing import Any

WARM = ["ipykernel.kernelapp", "ipykernel.zmqshell", "IPython.core.completer", "numpy", "pandas", "scipy.stats",
        "scipy.optimize", "scipy.integrate", "sympy", "matplotlib.pyplot", "matplotlib.backends.backend_svg",
        "sklearn.pipeline", "sklearn.linear_model", "sklearn.model_selection", "sklearn.ensemble",
        "sklearn.calibration", "myst_nb"]
INLINE = "module://matplotlib_inline.backend_inline"  # what a kernel sets for itself, and matplotlib reads once


def use() -> None:
    """In a worker that runs chapters: from now on its kernels are forks."""
    if not sys.platform.startswith("linux"):
        return
    from jupyter_client.provisioning import local_provisioner

    server = subprocess.Popen([sys.executable, "-P", __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              text=True, env={**os.environ, "MPLBACKEND": INLINE})

    def launch(command: list[str], *, env: dict[str, str], cwd: str | None = None, **_: Any) -> Forked:
        server.stdin.write(json.dumps([command[command.index("-f"):], env, cwd or os.getcwd()]) + "\n")
        server.stdin.flush()
        return Forked(int(server.stdout.readline()))

    local_provisioner.launch_kernel = launch


class Forked:
    """What jupyter_client asks of a process; it is another's child, so that nobody here waits for it."""

    stdin = stdout = stderr = None

    def __init__(self, pid: int):
        self.pid = pid

    def poll(self) -> int | None:
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return 0
        return None

    def wait(self) -> int:
        while self.poll() is None:
            time.sleep(0.02)
        return 0

    def send_signal(self, number: int) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, number)


def serve() -> None:
    """Load the libraries, then answer each line (a kernel's arguments, its environment, its folder) with a process."""
    os.environ["JPY_PARENT_PID"] = str(os.getpid())  # read at import: a kernel ends with its parent
    for name in WARM:
        importlib.import_module(name)
    # When it is imported, pandas asks whether it writes to a terminal; this is what it takes in a kernel.
    sys.modules["pandas"].set_option("display.max_columns", 20)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the system forgets a kernel that has ended
    for line in sys.stdin:
        pid = os.fork()
        if not pid:
            become_kernel(*json.loads(line))
        os.setpgid(pid, pid)  # here, too: signals go to the group, from the first one on
        print(pid, flush=True)


def become_kernel(arguments: list[str], environment: dict[str, str], folder: str) -> None:
    """The rest of a kernel's life: a group of its own, as if it had been started by its command."""
    os.setpgid(0, 0)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    os.environ.clear()
    os.environ.update(environment, MPLBACKEND=INLINE)
    os.chdir(folder)
    sys.argv[1:] = arguments
    try:
        sys.modules["ipykernel.kernelapp"].launch_new_instance(arguments)
    finally:
        os._exit(0)


if __name__ == "__main__":
    serve()
