"""A stand-in for the Unitree SDK: the same modules and names, and a robot behind them that obeys its motors."""

from __future__ import annotations

import sys
import threading
import time
import types
import zlib
from dataclasses import dataclass, field

MOTORS = 35


@dataclass
class Motor:
    mode: int = 0
    q: float = 0.0
    dq: float = 0.0
    tau: float = 0.0
    kp: float = 0.0
    kd: float = 0.0


@dataclass
class Imu:
    quaternion: list = field(default_factory=lambda: [1.0, 0.0, 0.0, 0.0])
    gyroscope: list = field(default_factory=lambda: [0.1, 0.2, 0.3])


@dataclass
class LowCmd:
    mode_pr: int = 9
    mode_machine: int = 9
    motor_cmd: list = field(default_factory=lambda: [Motor() for _ in range(MOTORS)])
    crc: int = 0


@dataclass
class LowState:
    mode_machine: int = 5
    motor_state: list = field(default_factory=lambda: [Motor() for _ in range(MOTORS)])
    imu_state: Imu = field(default_factory=Imu)
    crc: int = 0


class Crc:
    def Crc(self, message) -> int:
        kept, message.crc = message.crc, 0
        value = zlib.crc32(repr(message).encode())
        message.crc = kept
        return value


class FakeRobot:
    """Receives commands and sends states at 500 Hz.

    Attributes:
        commands: (time, modes, q, kp, kd, mode_pr, mode_machine, checksum good) of each command received.
        service: name of the running motion service.
    """

    def __init__(self) -> None:
        self.commands: list[tuple] = []
        self.listeners: list = []
        self.service, self.stubborn, self.silent, self.corrupt, self.bad_joint = "ai", False, False, False, None
        self.q, self.tick, self.frozen = [0.0] * MOTORS, 0, False
        self.quaternion = [1.0, 0.0, 0.0, 0.0]
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._stop.set()
        self._thread.join(2)

    def receive(self, command: LowCmd) -> None:
        good = command.crc == Crc().Crc(command)
        cmd = command.motor_cmd
        row = ([m.mode for m in cmd], [m.q for m in cmd], [m.kp for m in cmd], [m.kd for m in cmd])
        self.commands.append((time.monotonic(), *row, command.mode_pr, command.mode_machine, good))
        for k, motor in enumerate(cmd):
            if good and motor.mode == 1 and motor.kp > 0:
                self.q[k] = motor.q

    def _run(self) -> None:
        while not self._stop.wait(0.002):
            if self.silent:
                continue
            state = LowState()
            self.tick += not self.frozen
            state.tick = self.tick
            for k, motor in enumerate(state.motor_state):
                motor.q = self.q[k]
            if self.bad_joint is not None:
                state.motor_state[self.bad_joint].q = float("nan")
            state.imu_state.quaternion = list(self.quaternion)
            state.crc = Crc().Crc(state) + self.corrupt
            for listener in self.listeners:
                listener(state)


def install(monkeypatch, robot: FakeRobot) -> None:
    """Put the stand-in where the SDK would be imported from."""

    class Subscriber:
        def __init__(self, topic, kind):
            assert (topic, kind) == ("rt/lowstate", LowState)

        def Init(self, handler, queue):
            robot.listeners.append(handler)

    class Publisher:
        def __init__(self, topic, kind):
            assert (topic, kind) == ("rt/lowcmd", LowCmd)

        def Init(self):
            pass

        def Write(self, command):
            robot.receive(command)

    class Switcher:
        def SetTimeout(self, seconds):
            pass

        def Init(self):
            pass

        def CheckMode(self):
            return 0, {"name": robot.service}

        def ReleaseMode(self):
            robot.service = robot.service if robot.stubborn else ""

    modules = {
        "unitree_sdk2py": {},
        "unitree_sdk2py.core": {},
        "unitree_sdk2py.core.channel": {
            "ChannelFactoryInitialize": lambda domain, interface: None,
            "ChannelSubscriber": Subscriber,
            "ChannelPublisher": Publisher,
        },
        "unitree_sdk2py.idl": {},
        "unitree_sdk2py.idl.unitree_hg": {},
        "unitree_sdk2py.idl.unitree_hg.msg": {},
        "unitree_sdk2py.idl.unitree_hg.msg.dds_": {"LowCmd_": LowCmd, "LowState_": LowState},
        "unitree_sdk2py.idl.default": {"unitree_hg_msg_dds__LowCmd_": LowCmd},
        "unitree_sdk2py.utils": {},
        "unitree_sdk2py.utils.crc": {"CRC": Crc},
        "unitree_sdk2py.comm": {},
        "unitree_sdk2py.comm.motion_switcher": {},
        "unitree_sdk2py.comm.motion_switcher.motion_switcher_client": {"MotionSwitcherClient": Switcher},
    }
    for name, content in modules.items():
        module = types.ModuleType(name)
        vars(module).update(content)
        monkeypatch.setitem(sys.modules, name, module)
