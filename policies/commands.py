"""``policies serve``. Parses, calls one function, prints."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import tyro

from twinloom.errors import TwinloomError, require

POLICY, NAME, FILE, FOLDER = (tyro.conf.arg(metavar=text) for text in ("POLICY", "NAME", "FILE", "FOLDER"))


def serve(
    policy: Annotated[str, tyro.conf.Positional, POLICY],
    host: Annotated[str, NAME] = "127.0.0.1",
    port: int = 8765,
    token_file: Annotated[Path | None, FILE] = None,
    limit_mb: float = 32.0,
    clients: int = 8,
    threads: int = 0,
) -> int:
    """Answer observations over a websocket, until interrupted.

    http://HOST:PORT/healthz answers "ok". The token is read from the file, or from the environment variable
    POLICY_TOKEN, never from the command line, where other users would see it.

    Args:
        policy: folder made by policies train, or expert:bimanual/TASK.
        host: interface to listen on; other than the loopback only with a token.
        port: to listen on; 0 takes a free one and prints it.
        token_file: file whose first line clients must know.
        limit_mb: largest message, in MB.
        clients: most connections at a time.
        threads: of the computation; 0 leaves it to the library.
    """
    require("websockets", "serve")
    require("msgpack", "serve")
    from policies import load
    from policies.serve import Address, PolicyServer, run

    address = Address(host, port, token(token_file), round(limit_mb * 2**20), clients)
    if threads:
        require("torch", "rl").set_num_threads(threads)

    def announce(server: PolicyServer) -> None:
        guard = "with a token" if address.token else "no token"
        print(f"serving {policy} ({server.spec.kind}) on ws://{host}:{server.port}, {guard}", flush=True)

    run(lambda: load(policy), address, announce)
    print("stopped")
    return 0


def export(
    policy: Annotated[Path, tyro.conf.Positional, FOLDER],
    out: Annotated[Path, FOLDER],
    robot: Annotated[str, NAME] = "",
) -> int:
    """Copy a checkpoint without its training state: all that a robot needs. Or write it as ONNX.

    Args:
        policy: folder made by policies train.
        out: new folder, or a checkpoint to replace; a name that ends with .onnx is a file, with a JSON beside it.
        robot: of an ONNX file of a policy for any body: build this robot's description in.
    """
    if out.suffix == ".onnx":
        return _export_onnx(policy, out, robot)
    if robot:
        raise TwinloomError(f"--robot is for an ONNX file: --out {out}.onnx")
    from policies.checkpoint import export as copy

    place = copy(policy, out)
    size = sum(file.stat().st_size for file in place.iterdir())
    print(f"{place}: {size / 1e6:.2f} MB")
    return 0


def _export_onnx(policy: Path, out: Path, robot: str) -> int:
    from policies.checkpoint import describe
    from policies.kinds import KINDS
    from twinloom import plugins

    kind = describe(policy)[0].kind
    if (reference := KINDS[kind].onnx) is None:
        having = ", ".join(name for name, one in KINDS.items().items() if one.onnx)
        raise TwinloomError(f"{policy} is a {kind} policy, which cannot be written as ONNX; kinds that can: {having}")
    difference = plugins.load_of(f"policy kind {kind} (onnx: {reference})", reference)(policy, out, robot)
    print(f"{out}: {out.stat().st_size / 1e6:.2f} MB, within {difference:.1e} of PyTorch; {out.with_suffix('.json')}")
    return 0


def token(file: Path | None) -> str | None:
    """The token of a file, else of the environment, else None.

    Raises:
        TwinloomError: the file is unreadable or empty.
    """
    from policies.wire import TOKEN_VARIABLE

    if file is None:
        return os.environ.get(TOKEN_VARIABLE) or None
    try:
        lines = file.read_text(encoding="utf-8").split()
    except (OSError, UnicodeDecodeError) as error:
        raise TwinloomError(f"cannot read the token in {file}: {error}") from error
    if not lines:
        raise TwinloomError(f"{file} is empty; make a token with: openssl rand -hex 32 > {file}")
    return lines[0]
