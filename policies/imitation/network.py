"""The network: keypoints in images, joints and keypoints through a perceptron, a chunk of actions out."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional


class Keypoints(nn.Module):
    """Three convolutions and a spatial soft-argmax: where in the image each of the learned features is.

    The expected coordinates resolve fractions of a pixel, so small images suffice (Levine et al. 2016, section 5.1;
    Finn et al. 2016).

    Args:
        channels: of each convolution, and number of keypoints.
        image_size: (width, height) of the images.
    """

    def __init__(self, channels: int, image_size: tuple[int, int]) -> None:
        super().__init__()
        groups = next(g for g in (8, 4, 2, 1) if channels % g == 0)
        self.layers = nn.Sequential(
            nn.Conv2d(3, channels, 5, stride=2, padding=2),
            nn.GroupNorm(groups, channels),
            nn.ReLU(),
            nn.Conv2d(channels, channels, 3, padding=1),
            nn.GroupNorm(groups, channels),
            nn.ReLU(),
            nn.Conv2d(channels, channels, 3, padding=1),
        )
        self.sharpness = nn.Parameter(torch.ones(channels))
        width, height = ((side + 1) // 2 for side in image_size)
        y, x = torch.meshgrid(torch.linspace(-1, 1, height), torch.linspace(-1, 1, width), indexing="ij")
        self.register_buffer("grid", torch.stack([x.flatten(), y.flatten()], 1), persistent=False)

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        """(B, 3, height, width) in [-1, 1] to (B, 2 * channels) coordinates in [-1, 1]."""
        maps = self.layers(images.contiguous(memory_format=torch.channels_last)).flatten(2)
        weights = torch.softmax(maps * self.sharpness[:, None], 2)
        return (weights @ self.grid).flatten(1)  # type: ignore[operator]


class ChunkNetwork(nn.Module):
    """State and images in, the next ``horizon`` actions out, all normalised.

    Args:
        state, action: numbers in a state and an action.
        cameras: number of images; each camera has an encoder of its own.
        image_size: (width, height) of the images.
        horizon: actions in a chunk.
        width, channels: see policies.imitation.config.
    """

    def __init__(
        self,
        state: int,
        action: int,
        cameras: int,
        image_size: tuple[int, int],
        horizon: int,
        width: int,
        channels: int,
    ) -> None:
        super().__init__()
        self.horizon, self.action = horizon, action
        self.eyes = nn.ModuleList(Keypoints(channels, image_size) for _ in range(cameras))
        inputs = state + cameras * 2 * channels
        self.head = nn.Sequential(
            nn.Linear(inputs, width),
            nn.LayerNorm(width),
            nn.GELU(),
            nn.Linear(width, width),
            nn.LayerNorm(width),
            nn.GELU(),
            nn.Linear(width, horizon * action),
        )
        nn.Module.to(self, memory_format=torch.channels_last)  # type: ignore[call-overload]  # twice as fast on a CPU

    def forward(self, state: torch.Tensor, images: torch.Tensor) -> torch.Tensor:
        """(B, S) in [-1, 1] and (B, cameras, 3, height, width) in [-1, 1] to (B, horizon, A)."""
        seen = [eye(images[:, camera]) for camera, eye in enumerate(self.eyes)]
        return self.head(torch.cat([state, *seen], 1)).reshape(-1, self.horizon, self.action)


def chunk_loss(predicted: torch.Tensor, wanted: torch.Tensor, there: torch.Tensor) -> torch.Tensor:
    """Mean absolute error over the actions that exist; those behind the end of an episode do not count.

    Args:
        predicted, wanted: (B, horizon, A).
        there: (B, horizon) bool.
    """
    error = functional.l1_loss(predicted, wanted, reduction="none").mean(2)
    return (error * there).sum() / there.sum()


def jittered(images: torch.Tensor, most: float, generator: torch.Generator) -> torch.Tensor:
    """Images (B, cameras, 3, H, W) in [-1, 1] with brightness and contrast changed by up to ``most``, relatively."""
    shape = (len(images), images.shape[1], 1, 1, 1)
    gain = 1 + most * (2 * torch.rand(shape, generator=generator) - 1)
    shift = most * (2 * torch.rand(shape, generator=generator) - 1)
    return (images * gain + shift).clamp(-1, 1)
