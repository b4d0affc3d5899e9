"""Workers end with their parent, also where it is killed while they wait for work."""

import os
import signal
import subprocess
import sys
import time

PARENT = """
import multiprocessing, os, sys, time
from concurrent.futures import ProcessPoolExecutor
from twinloom.processes import end_with_parent
if __name__ == "__main__":
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), end_with_parent) as pool:
        print(pool.submit(os.getpid).result(), flush=True)
        time.sleep(600)
"""


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    with open(f"/proc/{pid}/stat") as file:
        return file.read().rpartition(")")[2].split()[0] != "Z"


def test_a_killed_parent_leaves_no_worker(tmp_path):
    script = tmp_path / "parent.py"
    script.write_text(PARENT)
    with subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        worker = int(parent.stdout.readline())
        assert _lives(worker)
        parent.send_signal(signal.SIGKILL)
        parent.wait()
    deadline = time.monotonic() + 60.0
    while _lives(worker) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not _lives(worker)
