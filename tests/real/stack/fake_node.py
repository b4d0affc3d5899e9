"""A child for the runner's tests: says what it was told, then does what its parameter says."""

import json
import os
import signal
import sys
import threading
import time
from pathlib import Path

import yaml

from real import signals
from real.stack import processes

signals.block()
arguments = sys.argv[1:]
parameters = yaml.safe_load(Path(arguments[arguments.index("--params-file") + 1]).read_text())["/**"]["ros__parameters"]
print(json.dumps(arguments[: arguments.index("--params-file")]), flush=True)
what = parameters["what"]
if what == "grandchild":
    sleeper = [sys.executable, "-c", "import time; time.sleep(60)"]
    child = processes.start(sleeper, processes.clean_environment(), signal.SIGKILL)
    print("grandchild", child.pid, flush=True)
if what.startswith("exit "):
    print("last words", flush=True)
    sys.exit(int(what.split()[1]))
if what == "crash":
    os.kill(os.getpid(), signal.SIGKILL)
if what == "deaf":
    time.sleep(60)
print("stopped by", signals.wait(threading.Event()), flush=True)
