"""Films and pictures of cascades: layout, colours, what is on an image, the files of `sim view`."""

from __future__ import annotations

import av
import gymnasium
import numpy as np
import pytest
from PIL import Image

import sim.envs  # noqa: F401 (registers the environments)
from assets.errors import TwinloomError
from assets.networks.generate import barabasi_albert, erdos_renyi, star, stochastic_block
from assets.networks.graph import from_edges
from sim.cascade import models
from sim.cascade.demo import environment, rule
from sim.cascade.layout import MAX_NODES, layout
from sim.cascade.picture import colours, control_names, rgb
from sim.cascade.poster import snapshots
from sim.cascade.view import SIZE, Picture, view


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def test_a_layout_is_repeatable_and_fills_the_unit_square():
    graph = barabasi_albert(150, 2, rng())
    place = layout(graph)
    layout.cache_clear()
    assert np.array_equal(place, layout(graph))
    assert place.shape == (150, 2)
    assert place.min() >= -1e-9
    assert place.max() <= 1 + 1e-9
    assert np.ptp(place[:, 0]) == pytest.approx(1)
    gaps = np.linalg.norm(place[:, None] - place[None], axis=2)[np.triu_indices(150, 1)]
    assert gaps.min() > 0.002
    edges = np.linalg.norm(np.subtract(*place[graph.pairs().T]), axis=1)
    assert edges.mean() < 0.6 * gaps.mean()  # neighbours are near


def test_a_layout_shows_communities():
    graph = stochastic_block([50, 50], [[6, 0.2], [0.2, 6]], rng())
    place = layout(graph)
    first, second = place[:50].mean(axis=0), place[50:].mean(axis=0)
    spread = place[:50].std(axis=0).mean() + place[50:].std(axis=0).mean()
    assert np.linalg.norm(first - second) > spread


@pytest.mark.parametrize("graph", [from_edges(1, []), from_edges(3, []), star(4), from_edges(5, [(0, 1), (3, 4)])])
def test_odd_little_graphs_have_finite_layouts(graph):
    place = layout(graph)
    assert place.shape == (graph.n, 2)
    assert np.isfinite(place).all()


def test_huge_graphs_are_refused():
    with pytest.raises(TwinloomError, match="too many for a picture"):
        layout(from_edges(MAX_NODES + 1, []))


@pytest.mark.parametrize("model", [models.sis(), models.sir(), models.seir(), models.adopt(), models.thresh()])
def test_colours_of_compartments_differ_in_lightness(model):
    """Lightness is what every eye and a grey printer can tell apart."""
    found = rgb(colours(model))
    linear = np.where(found <= 0.04045, found / 12.92, ((found + 0.055) / 1.055) ** 2.4)
    lightness = 116 * np.cbrt(linear @ [0.2126, 0.7152, 0.0722]) - 16
    assert len(found) == model.size
    assert np.diff(np.sort(lightness)).min() > 9


def test_controls_are_named_for_people():
    assert control_names(["seed/tier0", "boost/tier2", "price"], 3) == ["seed hubs", "boost others", "price"]
    assert control_names(["boost/tier1"], 5) == ["boost tier 1"]


@pytest.mark.parametrize("problem", ["adopt_profit", "epidemic_mitigate", "escape"])
def test_the_rule_of_thumb_acts_within_bounds(problem):
    env = environment(f"cascade/{problem}")
    observation, _ = env.reset(seed=0)
    acted = False
    for _ in range(25):
        action = rule(env, observation)
        assert env.action_space.contains(action)
        acted |= bool(np.any(action != env.rest))
        observation, _, terminated, truncated, _ = env.step(action)
        if terminated or truncated:
            break
    assert acted


@pytest.fixture(scope="module")
def played():
    env = environment("cascade/adopt_profit")
    observation, _ = env.reset(seed=0)
    picture = Picture(env.episodes.arena(), controls=True)
    first = picture.draw()
    for _ in range(8):
        observation, *_, info = env.step(rule(env, observation))
        image = picture.draw(info["action_applied"], "note")
    return env, picture, first, image


def share_of(image: np.ndarray, colour: str) -> float:
    """Share of the pixels of the network's part that have this colour."""
    part = image[70:640, :690].astype(int)
    return float(np.mean(np.abs(part - (rgb([colour])[0] * 255)).max(axis=2) < 12))


def test_an_image_shows_the_state(played):
    env, picture, first, image = played
    assert first.shape == image.shape == (SIZE[1], SIZE[0], 3)
    assert image.dtype == np.uint8
    assert first.std() > 5
    counts = np.asarray(env.episodes.arena().sim.counts[0]).sum(axis=0)
    palette = colours(env.episodes.arena().model)
    for c in range(len(palette)):
        assert (share_of(image, palette[c]) > 0) == (counts[c] > 0)
    assert share_of(image, palette[2]) > share_of(first, palette[2])
    assert [m.time for m in picture.moments] == list(range(9))
    assert picture.moments[0].action is None
    assert picture.moments[1].action[0] == 1  # hubs were seeded


def test_frames_lead_from_the_last_state_to_this_one(played):
    env, picture, *_ = played
    observation = env.episodes.observe()[0]
    before = picture.moments[-1].state
    _, _, _, _, info = env.step(rule(env, observation))
    frames = list(picture.frames(3, info["action_applied"], "note"))
    assert len(frames) == 3
    assert np.any(picture.moments[-1].state != before)
    away = [np.abs(frame.astype(int) - frames[-1])[70:640, :690].mean() for frame in frames]
    assert away[0] > away[1] > away[2] == 0


def test_environments_render():
    env = gymnasium.make("cascade/epidemic_mitigate-v0", render_mode="rgb_array", graph=barabasi_albert(60, 2, rng()))
    env.reset(seed=1)
    first = env.render()
    for _ in range(20):
        env.step(np.zeros(env.action_space.shape, np.float32))
    later = env.render()
    assert isinstance(first, np.ndarray)
    assert isinstance(later, np.ndarray)
    assert later.shape == (SIZE[1], SIZE[0], 3)
    assert np.any(first != later)
    env.reset(seed=1)
    assert np.array_equal(env.render(), first)


def test_a_world_without_nodes_is_not_drawn():
    env = gymnasium.make("cascade/adopt_profit-v0", render_mode="rgb_array", world="ode", graph=star(9))
    env.reset(seed=0)
    with pytest.raises(TwinloomError, match="mean field without nodes"):
        env.render()


def test_one_tier_has_no_rings(played):
    one = environment("cascade/adopt_profit", tiers="global", graph=erdos_renyi(40, 4, rng()))
    one.reset(seed=0)
    assert Picture(one.episodes.arena()).draw().shape == (SIZE[1], SIZE[0], 3)


def test_view_writes_a_film_and_a_picture(tmp_path, capsys):
    film, page = tmp_path / "c.mp4", tmp_path / "c.png"
    view("cascade/adopt_profit", video=film, out=page, horizon=6, graph=barabasi_albert(40, 2, rng()))
    out = capsys.readouterr().out
    assert (
        "adopt_profit on Graph(barabasi-albert n=40 m=2: 40 nodes, 76 edges, undirected, synthetic): 6 decisions" in out
    )
    assert f"video  {film}\npicture  {page}\n" in out
    with av.open(str(film)) as container:
        frames = list(container.decode(video=0))
    assert len(frames) == 1 + 6 * 5 + 50
    assert (frames[0].width, frames[0].height) == SIZE
    with Image.open(page) as picture:
        assert picture.size == (1600, 1000)
        assert 40 < len(picture.convert("RGB").getcolors(1_000_000) or []) <= 128


def test_the_episode_seen_is_the_one_asked_for(tmp_path, capsys):
    def profit(**which):
        view("cascade/adopt_profit", out=tmp_path / "c.png", horizon=4, graph=star(30), **which)
        return capsys.readouterr().out.partition("profit ")[2]

    assert profit(seed=3, episode=1) == profit(seed=3, episode=1) != profit(seed=3)


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({}, "give --video FILE.mp4 for a film, --out FILE.png, or both"),
        ({"video": "x.avi"}, "must end in .mp4"),
        ({"out": "x.jpg"}, "must end in .png"),
    ],
)
def test_view_refuses_other_files(tmp_path, files, said):
    with pytest.raises(TwinloomError, match=said):
        view("cascade/adopt_profit", **{key: tmp_path / name for key, name in files.items()})


def test_snapshots_are_rise_peak_and_end(played):
    _, picture, *_ = played
    rise, peak, end = snapshots(picture.moments, 2)
    active = [m.counts[:, 2].sum() for m in picture.moments]
    assert active[peak] == max(active)
    assert rise <= peak <= end == len(picture.moments) - 1
