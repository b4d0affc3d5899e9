"""Textures repeat by seed, tile without a seam, and the two background splits share nothing."""

import numpy as np
import pytest
from PIL import Image

from assets.textures import procedural
from assets.textures.noise import value_noise, worley
from assets.textures.procedural import KINDS, SPLIT_SIZES, background, background_name, load_background, texture
from twinloom.errors import TwinloomError, UnknownNameError


@pytest.mark.parametrize("kind", list(KINDS))
def test_every_kind_is_repeatable_varied_and_visible(kind):
    images = [texture(kind, seed, 64) for seed in range(6)]
    assert all(i.shape == (64, 64, 3) and i.dtype == np.uint8 for i in images)
    assert np.array_equal(images[3], texture(kind, 3, 64))
    assert len({i.tobytes() for i in images}) == 6
    for image in images:
        assert image.std() > 2, "flat colour"
        assert 12 < image.mean() < 250, "black or white"


@pytest.mark.parametrize("kind", list(KINDS))
def test_no_seam_at_the_border(kind):
    for seed in range(3):
        image = texture(kind, seed, 128).astype(float)
        for axis in (0, 1):
            inner = np.abs(np.diff(image, axis=axis)).mean(axis=(1 - axis, 2))
            seam = np.abs(np.take(image, 0, axis) - np.take(image, -1, axis)).mean()
            # A seam would be a jump larger than any line inside the image (grout and stripes are lines too).
            assert seam <= 1.5 * inner.max() + 3


def test_noise_is_periodic_and_spans_the_unit_interval():
    field = value_noise(np.random.default_rng(0), 96, 5, 9)
    assert (field.min(), field.max()) == (0, 1)
    assert np.abs(field[0] - field[-1]).max() < 2 * np.abs(np.diff(field, axis=0)).max()
    coarse = value_noise(np.random.default_rng(0), 16, 4000)
    assert coarse.shape == (16, 16)


def test_worley_agrees_with_brute_force():
    rng = np.random.default_rng(4)
    cells = worley(rng, 32, 3, 0.9)
    jitter = np.random.default_rng(4).random((2, 3, 3), dtype=np.float32)
    seeds = 0.5 + 0.9 * (jitter - 0.5)
    points = np.stack([seeds[0] + np.arange(3), seeds[1] + np.arange(3)[:, None]], -1).reshape(9, 2)
    copies = np.concatenate([points + np.array([3 * a, 3 * b]) for a in (-1, 0, 1) for b in (-1, 0, 1)])
    t = (np.arange(32) + 0.5) * 3 / 32
    pixels = np.stack(np.meshgrid(t, t), -1).reshape(-1, 1, 2)
    distance = np.linalg.norm(pixels - copies, axis=-1)
    order = np.sort(distance, axis=1)
    assert np.allclose(cells.nearest.ravel(), order[:, 0], atol=1e-5)
    assert np.array_equal(cells.number.ravel(), distance.argmin(axis=1) % 9)
    # The second nearest can lie outside the 3 x 3 block, but never nearer than the true one.
    assert np.all(cells.second.ravel() >= order[:, 1] - 1e-5)


def test_splits_are_disjoint_and_names_load_back():
    rng = np.random.default_rng(0)
    seen = {load_background(background_name("seen", i), 16).tobytes() for i in range(0, 10_000, 37)}
    unseen = {load_background(background_name("unseen", i), 16).tobytes() for i in range(0, 1_000, 7)}
    assert not seen & unseen
    assert len(seen) == 271
    assert len(unseen) == 143
    for split in SPLIT_SIZES:
        name, image = background(split, rng)
        assert name.startswith(split)
        assert np.array_equal(load_background(name), image)
    seeds = {s: procedural._FIRST_SEED[s] + np.arange(n) for s, n in SPLIT_SIZES.items()}
    assert not np.intersect1d(seeds["seen"], seeds["unseen"]).size


def test_both_splits_use_every_kind():
    for split, count in SPLIT_SIZES.items():
        kinds = {background_name(split, i).split("/")[1] for i in range(count)}
        assert kinds == set(KINDS)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: texture("wod", 0), "Did you mean wood"),
        (lambda: texture("wood", -1), "negative"),
        (lambda: texture("wood", 0, 8), "16 to 4096"),
        (lambda: background("sen", 0), "Did you mean seen"),
        (lambda: background("seen", 10_000), "0 to 9999"),
        (lambda: load_background("seen/wood/000001"), "did you mean seen/planks/000001"),
        (lambda: load_background("wood"), "names look like"),
        (lambda: background("folder:/no/such/folder", 0), "does not exist"),
    ],
)
def test_errors_say_what_is_allowed(call, message):
    with pytest.raises(TwinloomError, match=message):
        call()


def test_unknown_split_is_an_unknown_name():
    with pytest.raises(UnknownNameError):
        background("train", np.random.default_rng(0))


def test_folder_of_images(tmp_path):
    home = tmp_path / "photos é"
    home.mkdir()
    with pytest.raises(TwinloomError, match="has no images"):
        background(f"folder:{home}", 0)
    Image.new("RGBA", (50, 20), (200, 10, 10, 255)).save(home / "a.png")
    Image.new("L", (20, 50), 90).save(home / "b.JPG", format="jpeg")
    name, image = background(f"folder:{home}", 1, 32)
    assert name == f"folder:{home}/b.JPG"
    assert image.shape == (32, 32, 3)
    assert np.array_equal(load_background(name, 32), image)
    assert np.all(background(f"folder:{home}", 0, 32)[1] == (200, 10, 10))
    with pytest.raises(TwinloomError, match="0 to 1"):
        background(f"folder:{home}", 2)
    (home / "c.png").write_bytes(b"no image")
    with pytest.raises(TwinloomError, match="cannot be read"):
        background(f"folder:{home}", 2)
    with pytest.raises(TwinloomError, match="does not exist"):
        load_background(f"folder:{home}/gone.png")
