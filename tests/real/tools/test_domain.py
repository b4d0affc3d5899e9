"""Commands that start their own robot take part in a DDS domain where nobody else is."""

from __future__ import annotations

import os
import socket

import pytest

from real.tools import domain
from twinloom.errors import TwinloomError


def test_a_domain_in_use_is_not_taken(monkeypatch):
    monkeypatch.setattr(domain, "DOMAINS", range(95, 97))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
        other.bind(("", domain.port(95)))
        assert {domain.free_domain() for _ in range(8)} == {96}
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as another:
            another.bind(("", domain.port(96)))
            with pytest.raises(TwinloomError, match="ROS_DOMAIN_ID"):
                domain.free_domain()


def test_it_is_given_back_and_a_chosen_one_is_kept(monkeypatch):
    monkeypatch.delenv("ROS_DOMAIN_ID", raising=False)
    with domain.own_domain() as mine:
        assert os.environ["ROS_DOMAIN_ID"] == str(mine)
    assert "ROS_DOMAIN_ID" not in os.environ
    monkeypatch.setenv("ROS_DOMAIN_ID", "7")
    with domain.own_domain() as mine:
        assert mine == 7
    assert os.environ["ROS_DOMAIN_ID"] == "7"
