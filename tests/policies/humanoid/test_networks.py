"""Networks that walk: shapes, masks, graphs."""

import pytest
import torch

from policies.humanoid.networks import HISTORY, NODES, NetworkConfig, WalkingNetwork, leg_graph
from policies.humanoid.senses import DESCRIPTION, FRAME, LEGS, TASK

KINDS = ("mlp", "gcn", "transformer")


def make_inputs(batch: int = 4, missing: tuple[int, ...] = (5, 11)) -> list[torch.Tensor]:
    generator = torch.Generator().manual_seed(0)
    mask = torch.ones(batch, LEGS)
    mask[:, list(missing)] = 0.0
    draw = lambda *shape: torch.randn(*shape, generator=generator)  # noqa: E731
    return [draw(batch, HISTORY, FRAME), draw(batch, TASK), mask, draw(batch, DESCRIPTION)]


@pytest.mark.parametrize("kind", KINDS)
def test_absent_joints_are_not_driven_and_others_learn(kind):
    torch.manual_seed(0)
    network = WalkingNetwork(NetworkConfig(kind, hidden=(32, 16), width=16, layers=2))
    action, velocity = network(*make_inputs())
    assert action.shape == (4, LEGS)
    assert velocity.shape == (4, 3)
    assert (action[:, [5, 11]] == 0).all()
    (action.square().sum() + velocity.square().sum()).backward()
    assert all(
        parameter.grad is not None and torch.isfinite(parameter.grad).all() for parameter in network.parameters()
    )


@pytest.mark.parametrize("kind", KINDS)
def test_shipped_sizes_stay_below_five_megabytes(kind):
    config = NetworkConfig() if kind == "mlp" else NetworkConfig(kind, hidden=(256, 128))
    assert 4 * sum(value.numel() for value in WalkingNetwork(config).state_dict().values()) < 5e6


def test_graph_follows_the_legs_and_skips_what_is_missing():
    mask = torch.ones(1, LEGS)
    mask[0, 2] = 0.0
    graph = leg_graph(mask)[0]
    assert torch.equal(graph, graph.T)
    base = LEGS
    assert graph[base, 0]
    assert graph[base, 6]
    assert not graph[base, 1]
    assert graph[1, 3]  # over the missing joint
    assert graph[2].sum() == 1  # which has only itself
    assert not graph[0, 6]
    assert not graph[5, 11]
    assert graph.shape == (NODES, NODES)


def test_one_masked_layer_cannot_reach_beyond_neighbours_and_more_can():
    """Gradient of the left ankle's answer by the hip yaw's own inputs, the shared path cut off."""
    for layers, reaches in ((1, False), (3, True)):
        torch.manual_seed(0)
        network = WalkingNetwork(NetworkConfig("transformer", hidden=(8,), width=16, layers=layers))
        torch.nn.init.zeros_(network.trunk.base_out.weight)
        frames, *rest = make_inputs(1, ())
        frames.requires_grad_(True)
        network(frames, *rest)[0][0, 4].backward()
        assert bool(frames.grad[0, :, 6 + 2].abs().sum() > 0) is reaches
