"""A served policy acts as it does in process; wrong tokens, garbage, too much data and a killed server do no harm."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

import numpy as np
import pytest

from policies.base import PolicySpec
from twinloom.errors import TwinloomError
from twinloom.features import Feature

pytest.importorskip("msgpack")
pytest.importorskip("websockets")

from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from policies.serve import Address, PolicyServer
from policies.wire import WireError, pack, unpack
from real.policy.client import PolicyClient, PolicyUnavailableError
from tests.policies.serving import serving

STATE = "observation.state"
SPEC = PolicySpec(
    kind="imitation",
    observation={STATE: Feature("float32", (2,), ("a", "b"), "rad")},
    action=Feature("float32", (2,), ("a", "b"), "rad"),
    fps=25,
    horizon=3,
)


class Counter:
    """Answers with the state plus the number of questions since the reset, so that mixed up answers show."""

    def __init__(self, spec=SPEC):
        self.spec, self.count, self.resets = spec, 0, 0

    def reset(self):
        self.count, self.resets = 0, self.resets + 1

    def act(self, observation):
        self.count += 1
        state = np.asarray(observation[STATE], float)
        if state[0] == 13:
            return np.full((3, 2), np.nan)
        if state[0] == 14:
            raise ZeroDivisionError("a defect")
        if state[0] == 15:
            time.sleep(0.5)
        return np.tile(state, (3, 1)) + self.count


def at(*values):
    return {STATE: np.array(values, np.float32)}


def test_a_served_policy_acts_as_in_process():
    local = Counter()
    local.reset()
    with serving(Counter) as where, PolicyClient(f"ws://{where}") as client:
        assert client.spec == SPEC
        client.reset()
        for step in range(3):
            np.testing.assert_array_equal(client.act(at(step, 2)), local.act(at(step, 2)))
        assert client.submit(at(5, 5)).result(5)[0, 0] == 9


def test_clients_do_not_share_an_episode():
    with serving(Counter) as where, PolicyClient(f"ws://{where}") as one, PolicyClient(f"ws://{where}") as other:
        for client in (one, other):
            client.reset()
        assert [one.act(at(0, 0))[0, 0], other.act(at(0, 0))[0, 0], one.act(at(0, 0))[0, 0]] == [1, 1, 2]


def test_what_does_not_fit_is_refused_and_the_connection_lives_on():
    with serving(Counter) as where, PolicyClient(f"ws://{where}") as client:
        for bad, text in (
            ({}, "observation.state is missing"),
            (at(1, 2, 3), "has shape"),
            (at(np.nan, 0), "not finite"),
            (at(13, 0), "actions that are not finite"),
            (at(14, 0), "ZeroDivisionError: a defect"),
        ):
            with pytest.raises(TwinloomError, match=text):
                client.act(bad)
        assert client.act(at(0, 0)).shape == (3, 2)


def test_health_needs_no_token_and_policies_do(monkeypatch):
    with serving(Counter, token="secret") as where:
        assert urllib.request.urlopen(f"http://{where}/healthz", timeout=5).read() == b"ok\n"
        for token in (None, "wrong", "secre", "secret2"):
            with pytest.raises(TwinloomError, match="wrong or missing token"):
                PolicyClient(f"ws://{where}", token)
        with PolicyClient(f"ws://{where}", "secret") as client:
            assert client.act(at(1, 1)).shape == (3, 2)
        monkeypatch.setenv("POLICY_TOKEN", "secret")
        PolicyClient(f"ws://{where}").close()
        with pytest.raises(urllib.error.HTTPError):
            urllib.request.urlopen(f"http://{where}/other", timeout=5)


def test_a_token_that_is_no_text_is_a_wrong_token():
    with serving(Counter, token="secret") as where:
        request = urllib.request.Request(f"http://{where}/", headers={"Authorization": "Bearer \xe9"})
        with pytest.raises(urllib.error.HTTPError) as caught:
            urllib.request.urlopen(request, timeout=5)
        assert caught.value.code == 401
        caught.value.close()


def test_a_probe_of_the_port_is_no_event(caplog):
    with serving(Counter) as where:
        host, port = where.split(":")
        for data in (b"", b"\xff" * 1000):
            with socket.create_connection((host, int(port))) as probe:
                probe.sendall(data)
        with PolicyClient(f"ws://{where}") as client:
            assert client.act(at(1, 1)).shape == (3, 2)
    assert "Traceback" not in caplog.text
    assert "handshake failed" not in caplog.text


def test_other_machines_are_let_in_with_a_token_only():
    with pytest.raises(TwinloomError, match="token-file"):
        Address("0.0.0.0")
    assert Address("0.0.0.0", token="x").host == "0.0.0.0"
    assert Address("::1").token is None


@pytest.mark.parametrize("garbage", ["text", b"", b"\x80\x04K\x01.", os.urandom(999), pack({"type": "act"})[:-2]])
def test_garbage_ends_that_connection_only(garbage):
    with serving(Counter) as where, PolicyClient(f"ws://{where}") as client, connect(f"ws://{where}") as rude:
        assert unpack(rude.recv(timeout=5))["type"] == "hello"
        rude.send(garbage)
        assert unpack(rude.recv(timeout=5))["type"] == "error"
        with pytest.raises(ConnectionClosed):
            rude.recv(timeout=5)
        assert client.act(at(1, 1)).shape == (3, 2)


def test_small_messages_that_become_much_are_refused():
    begin = pack({"type": "act", "observation": {}})[:-1]
    maps = b"\xdd" + (10_000).to_bytes(4, "big") + b"\x80" * 10_000
    lists = b"\xdc" + (60).to_bytes(2, "big")
    for bomb in (b"\xdd" + (31_000_000).to_bytes(4, "big") + b"\x80" * 100, lists + maps * 60, b"\xc7\x04\x01abcd"):
        with pytest.raises(WireError):
            unpack(begin + bomb)
    assert unpack(begin + lists + b"\x80" * 60)["observation"] == [{}] * 60


def test_pages_of_a_browser_are_turned_away():
    with serving(Counter) as where:
        with pytest.raises(InvalidStatus, match="403"):
            connect(f"ws://{where}", origin="http://evil.example")
        with connect(f"ws://{where}") as client:
            assert unpack(client.recv(timeout=5))["type"] == "hello"


def test_odd_messages_are_answered():
    with serving(Counter) as where, connect(f"ws://{where}") as client:
        client.recv(timeout=5)
        for message in ({"type": "act"}, {"type": "act", "observation": 3, "id": 1}, {"type": "shutdown", "id": "x"}):
            client.send(pack(message))
            assert unpack(client.recv(timeout=5))["type"] == "error"


def test_too_much_data_is_refused_at_once():
    with (
        serving(Counter, limit=10_000) as where,
        PolicyClient(f"ws://{where}") as client,
        connect(f"ws://{where}") as rude,
    ):
        rude.recv(timeout=5)
        with contextlib.suppress(ConnectionClosed):  # it may be closed while we are still sending
            rude.send(bytes(1_000_000))
        with pytest.raises(ConnectionClosed) as caught:
            rude.recv(timeout=5)
        assert caught.value.rcvd is not None
        assert caught.value.rcvd.code == 1009
        assert client.act(at(1, 1)).shape == (3, 2)


def test_too_many_clients_are_turned_away():
    with serving(Counter, clients=1) as where, PolicyClient(f"ws://{where}") as client:
        with pytest.raises(PolicyUnavailableError, match="clients are connected"):
            PolicyClient(f"ws://{where}")
        assert client.act(at(1, 1)).shape == (3, 2)


def test_a_late_answer_is_not_taken_for_the_next():
    with serving(Counter) as where, PolicyClient(f"ws://{where}", timeout=0.15, retry=0.0) as client:
        client.reset()
        started = time.monotonic()
        with pytest.raises(PolicyUnavailableError, match="in time"):
            client.act(at(15, 0))
        assert time.monotonic() - started < 0.45
        client.timeout = 5
        np.testing.assert_array_equal(client.act(at(1, 2)), [[2, 3]] * 3)  # connected anew, reset, first question


def test_addresses_that_are_none():
    with pytest.raises(PolicyUnavailableError, match="policies serve"):
        PolicyClient("ws://127.0.0.1:1")
    for url in ("http://x", "127.0.0.1:99", "ws://"):
        with pytest.raises(TwinloomError, match="looks like ws://"):
            PolicyClient(url)
    with serving(Counter) as where, pytest.raises(TwinloomError, match="cannot listen"):
        asyncio.run(PolicyServer(Counter, Address(port=int(where.rpartition(":")[2]))).__aenter__())


PROGRAM = """
import sys
sys.path.insert(0, {folder!r})
from test_serve import Counter
from policies.serve import Address, run
run(Counter, Address(port=int(sys.argv[1])), lambda server: print(server.port, flush=True))
"""


def start(port: int = 0) -> tuple[subprocess.Popen, int]:
    program = PROGRAM.format(folder=os.path.dirname(__file__))
    command = [sys.executable, "-c", program, str(port)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    return process, int(process.stdout.readline())


def test_a_killed_server_is_noticed_and_found_again():
    process, port = start()
    try:
        with PolicyClient(f"ws://127.0.0.1:{port}", timeout=2, retry=0.05) as client:
            client.reset()
            assert client.act(at(0, 0))[0, 0] == 1
            process.kill()
            process.wait(10)
            started = time.monotonic()
            for _ in range(3):
                with pytest.raises(PolicyUnavailableError):
                    client.act(at(0, 0))
            assert time.monotonic() - started < 1  # a control loop goes on at once
            process, _ = start(port)
            deadline = time.monotonic() + 10
            while True:
                try:
                    actions = client.act(at(0, 0))
                    break
                except PolicyUnavailableError:
                    assert time.monotonic() < deadline
                    time.sleep(0.05)
            assert actions[0, 0] == 1  # the new server's policy was reset before it was asked
    finally:
        process.kill()
        process.wait(10)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_server_in_order(number):
    process, port = start()
    with PolicyClient(f"ws://127.0.0.1:{port}", timeout=2) as client:
        client.act(at(0, 0))
        process.send_signal(number)
        assert process.wait(10) == 0
        with pytest.raises(PolicyUnavailableError, match="went away"):
            client.act(at(0, 0))


def test_another_policy_behind_the_same_address_is_refused():
    other = PolicySpec("imitation", SPEC.observation, SPEC.action, fps=50, horizon=3)
    with serving(Counter) as where:
        client = PolicyClient(f"ws://{where}", retry=0.0)
        port = int(where.rpartition(":")[2])
    with pytest.raises(PolicyUnavailableError):
        client.act(at(0, 0))
    with serving(lambda: Counter(other), port=port), pytest.raises(TwinloomError, match="serves another policy"):
        client.act(at(0, 0))
