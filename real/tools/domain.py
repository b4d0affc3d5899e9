"""A DDS domain of one's own: what a command starts for itself hears no robot that others run on this machine."""

from __future__ import annotations

import contextlib
import os
import random
import socket
from collections.abc import Iterator

from twinloom.errors import TwinloomError

VARIABLE = "ROS_DOMAIN_ID"
DOMAINS = range(1, 102)  # 0 is everybody's; above 101 the ports reach into those that Linux hands out


def port(domain: int) -> int:
    """UDP port of the first participant of a domain, for discovery (DDSI-RTPS 2.5, section 9.6.2.3)."""
    return 7400 + 250 * domain + 10


def free_domain() -> int:
    """A domain in which no process of this machine takes part; a random one, so that two starters rarely agree.

    Raises:
        TwinloomError: all are taken.
    """
    for domain in random.SystemRandom().sample(DOMAINS, len(DOMAINS)):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe, contextlib.suppress(OSError):
            probe.bind(("", port(domain)))
            return domain
    raise TwinloomError(f"every DDS domain from 1 to 101 is in use on this machine; choose one with {VARIABLE}")


@contextlib.contextmanager
def own_domain() -> Iterator[int]:
    """Inside, this process and its children are in a domain of their own, unless the user chose one."""
    if chosen := os.environ.get(VARIABLE):
        yield int(chosen)
        return
    domain = free_domain()
    os.environ[VARIABLE] = str(domain)
    try:
        yield domain
    finally:
        del os.environ[VARIABLE]
