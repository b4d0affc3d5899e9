"""``real``: start robots and policies, look at them, stop them, record them. Parses, calls one function, prints."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Literal

import tyro

from twinloom.application import Application
from twinloom.errors import TwinloomError

app = Application("real", "Robots: start them with their policies, look at them, stop them, record them.")
FLAG = tyro.conf.FlagCreatePairsOff
NAME, FILE, FILES, TOPIC, ARGS = (
    tyro.conf.arg(metavar=text) for text in ("NAME", "FILE", "FILE ...", "TOPIC", "NAME:=VALUE ...")
)
Positional = tyro.conf.Positional


@app.command(name="list")
def list_names(what: Annotated[Literal["robots", "stacks"], Positional]) -> int:
    """Print the names of the robot files or of the stacks.

    Args:
        what: which list.
    """
    if what == "robots":
        from real.contract import contracts, load_contract

        for name in contracts():
            print(f"{name:<16}{load_contract(name).description}")
    else:
        from real.stack import load_stack, stacks

        for name in stacks():
            print(f"{name:<16}{load_stack(name).description}")
    return 0


@app.command
def check(robots: Annotated[tuple[str, ...], Positional, tyro.conf.arg(metavar="NAME|FILE ...")]) -> int:
    """Examine robot files and print what they say; all that is wrong with a file is listed at once.

    Args:
        robots: names (real list robots) or YAML files of your own.
    """
    from real.contract import load_contract
    from real.contract.table import table

    if not robots:
        raise TwinloomError("name a robot or a file, for example: real check my_robot.yaml")
    for name in robots:
        print(table(load_contract(name)))
    return 0


@app.command
def up(
    stack: Annotated[str, Positional, NAME],
    arguments: Annotated[tuple[str, ...], Positional, ARGS] = (),
    seconds: float = 0.0,
    args: Annotated[bool, FLAG] = False,
    dry: Annotated[bool, FLAG] = False,
) -> int:
    """Start a stack of nodes and stay until Ctrl-C, for example: real up bringup policy:=wave auto_arm:=true.

    Args:
        stack: name (real list stacks) or YAML file.
        arguments: what to set, for example robot:=aloha2.
        seconds: end after this long; 0 never.
        args: print the arguments of the stack and end.
        dry: print the command lines and end.
    """
    from real import signals

    if not (args or dry):
        signals.block()  # early: threads that libraries start inherit it
    from real.stack import load_stack, parse_arguments

    read = load_stack(stack)
    if args:
        for argument in read.args.values():
            print(f"  {argument.name + ':=' + argument.default:<32}{argument.help}")
        return 0
    if seconds < 0:
        raise TwinloomError(f"--seconds {seconds:g} must not be negative")
    nodes = read.resolve(parse_arguments(list(arguments)))
    if dry:
        import shlex

        from real.stack.runner import command_line

        for node in nodes:
            print(shlex.join(command_line(node, Path(f"{node.name}.yaml"))), node.params)
        return 0
    from real.stack.runner import up as run

    _need_ros()
    return run(nodes, read.environment(), seconds or None)


@app.command
def teleop(
    robot: Annotated[str, NAME] = "franka-panda",
    mode: Literal["joint", "pose", "walk"] = "pose",
    device: Literal["auto", "keyboard", "joystick"] = "auto",
    prefix: Annotated[str, TOPIC] = "",
) -> int:
    """Drive a robot that is running, from this terminal.

    Args:
        robot: robot file: a name (real list robots) or a path.
        mode: what keys and sticks move: single joints, a hand, or, with walk, the velocity of a robot on legs.
        device: auto takes a joystick if there is one.
        prefix: before the command topics; /guarded for a robot behind the guard.
    """
    _need_ros()
    from real.contract import load_contract
    from real.ros.node import run_node

    if mode == "walk" or load_contract(robot).imu is not None:
        from real.ros.drive import DriveNode

        sys.argv = ["drive", "--ros-args", "-p", f"device:={device}"]
        run_node(DriveNode)
        return 0
    from real.ros.teleop import TeleopNode

    pairs = {"robot": robot, "mode": mode, "device": device, "prefix": prefix}
    words = [word for name, value in pairs.items() if value for word in ("-p", f"{name}:={value}")]
    sys.argv = ["teleop", "--ros-args", *words]
    run_node(TeleopNode)
    return 0


def _call(service: str, robot: str) -> int:
    _need_ros()
    from real.ros.session import Session

    with Session("real_cli") as session:
        print(session.trigger(f"{robot}/{service}"))
    return 0


@app.command
def arm(robot: Annotated[str, NAME] = "/robot") -> int:
    """Let a robot move to its start pose and take commands; once more at the start pose confirms, where that is asked.

    Args:
        robot: name of its node.
    """
    return _call("arm", robot)


@app.command
def disarm(robot: Annotated[str, NAME] = "/robot") -> int:
    """Brake a robot and take no more commands.

    Args:
        robot: name of its node.
    """
    return _call("disarm", robot)


@app.command
def estop(robot: Annotated[str, NAME] = "/robot") -> int:
    """Stop a robot now; it stays stopped until reset and arm. Not a replacement for the emergency stop of the hardware.

    Args:
        robot: name of its node.
    """
    return _call("estop", robot)


@app.command
def reset(robot: Annotated[str, NAME] = "/robot") -> int:
    """Leave the emergency stop. Nothing moves before: real arm.

    Args:
        robot: name of its node.
    """
    return _call("reset", robot)


@app.command
def home(robot: Annotated[str, NAME] = "/robot") -> int:
    """Move a robot that nobody drives to its home pose.

    Args:
        robot: name of its node.
    """
    return _call("home", robot)


@app.command
def heartbeat(robot: Annotated[str, NAME] = "franka-panda", hz: float = 20.0) -> int:
    """Say that somebody watches, until Ctrl-C. A robot whose file asks for it stops when this does.

    Args:
        robot: robot file: a name (real list robots) or a path.
        hz: how often.
    """
    from real import signals

    if not 1 <= hz <= 200:
        raise TwinloomError(f"--hz {hz:g} must be between 1 and 200")
    signals.block()
    _need_ros()
    from real.contract import load_contract
    from real.ros.heartbeat import beat

    beat(load_contract(robot), hz)
    return 0


@app.command
def topics() -> int:
    """Print every topic with its type and its numbers of publishers and subscribers."""
    _need_ros()
    from real.ros import graph
    from real.ros.session import Session

    with Session("real_cli") as session:
        rows = graph.topics(session)
    width = max([len(row[0]) for row in rows] + [5])
    for topic, kind, publishers, subscribers in rows:
        print(f"{topic:<{width}}  {publishers} -> {subscribers}  {kind}")
    if not rows:
        print("nothing here; other computers are seen with ROS_AUTOMATIC_DISCOVERY_RANGE=SUBNET")
    return 0


@app.command
def hz(topic: Annotated[str, Positional, TOPIC], seconds: float = 5.0) -> int:
    """Measure how often messages of a topic come.

    Args:
        topic: for example /joint_states.
        seconds: how long.
    """
    _need_ros()
    from real.ros import graph
    from real.ros.session import Session

    with Session("real_cli") as session:
        found = graph.rate(session, topic, seconds)
    print("  ".join(f"{name} {value:.5g}" for name, value in found.items()))
    return 0 if found["messages"] > 1 else 1


@app.command
def echo(topic: Annotated[str, Positional, TOPIC], count: int = 1) -> int:
    """Print messages of a topic.

    Args:
        topic: for example /robot/mode.
        count: how many.
    """
    _need_ros()
    import queue

    from real.ros import graph
    from real.ros.session import Session

    waiting: queue.SimpleQueue = queue.SimpleQueue()
    with Session("real_cli") as session:
        graph.subscribe(session, topic, waiting.put, raw=False)
        for _ in range(count):
            print(graph.show(waiting.get()) + "\n---", flush=True)
    return 0


@app.command
def record(
    bags: Annotated[tuple[Path, ...], Positional, FILES],
    to: Annotated[Path, FILE],
    fps: int = 50,
    robot: Annotated[str, NAME] = "",
    codec: Annotated[str, NAME] = "h264",
    failed: Annotated[bool, FLAG] = False,
    again: Annotated[bool, FLAG] = False,
) -> int:
    """Turn bags of the recorder into episodes of a LeRobot v3.0 dataset, resampled; each frame keeps its raw stamps.

    Args:
        bags: .mcap files; record them with: real up record out:=run.mcap, or record:=run.mcap of bringup.
        to: folder of the dataset; continued if there is one.
        fps: frames per second.
        robot: robot file, if not the one named in the bags.
        codec: video codec, as of datagen.
        failed: also keep episodes without success.
        again: also add a bag whose episode the dataset holds already.
    """
    from real.bags.dataset import add_bags

    for added in add_bags(list(bags), to, fps=fps, robot=robot, codec=codec, failed=failed, again=again):
        if not added.new:
            print(f"episode {added.index} is this recording already; add it once more with --again", flush=True)
            continue
        notes = ", ".join(f"{name} {value}" for name, value in added.facts.items())
        print(f"episode {added.index}: {added.frames} frames, {added.seconds:.1f} s ({notes})", flush=True)
    print(f"check  datagen verify {to}")
    return 0


@app.command
def replay(
    dataset: Annotated[Path, Positional, FILE],
    episode: int = 0,
    robot: Annotated[str, NAME] = "",
    limit_mm: float = 2.0,
    limit_rad: float = 0.05,
) -> int:
    """Send the actions of an episode to a simulated robot in its scene and compare. Exit code 1 if the motion differs.

    Args:
        dataset: made by real record.
        episode: its index.
        robot: robot file; the one whose model the dataset names if empty.
        limit_mm: how far the hands may be from the recording.
        limit_rad: how far the joints of a robot without hands may be.
    """
    from real.bags.dataset import replay as run

    done = run(dataset, episode, robot)
    worst = 0.0 if done.hand_m is None else 1e3 * float(done.hand_m.max())
    hands = "" if done.hand_m is None else f"hands within {worst:.2f} mm, "
    success = {True: "success", False: "no success", None: ""}[done.success]
    print(f"{done.frames} frames: {hands}joints within {done.joint_rad:.4f} rad  {success}")
    return 0 if worst <= limit_mm and (done.hand_m is not None or done.joint_rad <= limit_rad) else 1


@app.command
def measure(
    seconds: float = 60.0,
    robot: Annotated[str, NAME] = "franka-panda",
    policy: Annotated[str, NAME] = "wave",
    task: Annotated[str, NAME] = "click_bell",
    cameras: int = 2,
    out: Annotated[Path, FILE] = Path("measure"),
) -> int:
    """Run robot, policy and recorder as three processes and report rates, latencies and losses. Exit code 1 off limits.

    Args:
        seconds: how long the policy drives.
        robot: robot file.
        policy: what drives: wave, hold, expert:<task> or a checkpoint.
        task: scene of the simulated robot.
        cameras: how many of the robot's cameras stream; 0 to 3.
        out: folder for the table, the histogram and the bag.
    """
    from real import signals

    signals.block()  # early: threads that libraries start inherit it
    _need_ros()
    from real.tools.domain import own_domain
    from real.tools.measure import measure as run

    with own_domain():
        result = run(seconds, robot, policy, task, cameras, out)
    print(result.table())
    print(f"files in {out}: measure.json, latency.png, run.mcap")
    return 0 if not result.problems() else 1


@app.command
def trials(
    policy: Annotated[str, Positional, NAME],
    task: Annotated[str, NAME],
    robot: Annotated[str, NAME] = "franka-panda",
    episodes: int = 20,
    seed: int = 0,
    randomize: Annotated[str, NAME] = "none",
    seconds: float = 30.0,
    in_process: Annotated[bool, FLAG] = False,
    json: Annotated[Path | None, FILE] = None,
) -> int:
    """Let a policy try a task in the simulated robot through ROS 2 and count its successes.

    Args:
        policy: checkpoint folder, expert:<task>, or ws:// address.
        task: task name (sim list tasks).
        robot: robot file with a model.
        episodes: how many.
        seed: run seed of the scenes, as for datagen.
        randomize: axes (sim list axes) with commas, all or none.
        seconds: longest time of an episode.
        in_process: the same scenes without ROS, in lockstep, to compare with.
        json: write the row to this file and its table beside it.
    """
    from real import signals

    if not in_process:
        signals.block()  # early: threads that libraries start inherit it
        _need_ros()
    from real.tools import trials as run
    from real.tools.domain import own_domain
    from twinloom.results import document, markdown, save

    if episodes < 1 or seconds <= 0:
        raise TwinloomError(f"--episodes {episodes} must be at least 1 and --seconds {seconds:g} positive")
    how = run.in_process if in_process else run.through_ros
    good = 0
    with own_domain():
        for episode, success, took in how(policy, task, robot, episodes, seed, randomize, seconds):
            good += success
            print(f"  episode {episode:<4}{'success' if success else 'failure'}  {took:.1f} s", flush=True)
    place = "in process" if in_process else "ROS 2"
    row = {"task": task, "policy": policy, "through": place, "k": good, "n": episodes}
    results = document(f"Policy on {robot} {place}", [row], command="real " + " ".join(sys.argv[1:]), seeds=seed)
    print(markdown(results, generated=False))
    if json:
        save(json, results)
    return 0


@app.command
def doctor(
    json: Annotated[bool, FLAG] = False, quick: Annotated[bool, FLAG] = False, clean: Annotated[bool, FLAG] = False
) -> int:
    """Examine this machine's ROS: what works, what does not, one fix a line. Exit code 1 if something must be fixed.

    Args:
        json: print JSON, for a bug report.
        quick: without the round trip between two processes.
        clean: first remove shared memory that killed processes left behind.
    """
    from real.tools.doctor import doctor as run

    return run(json, quick, clean)


def _need_ros() -> None:
    from twinloom.errors import require

    require("rclpy", "ros2")


main = app.main

if __name__ == "__main__":
    main()
