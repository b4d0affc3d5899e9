"""Videos and images of cascades: layout, colours, what is on an image, the files of `sim view`."""

from __future__ import annotations

import av
import gymnasium
import numpy as np
import pytest
from PIL import Image

import sim.envs  # noqa: F401 (registers the environments)
from assets.networks.generate import barabasi_albert, erdos_renyi, star, stochastic_block
from assets.networks.graph import from_edges
from sim.cascade.problems import PROBLEMS
from sim.cascade.process import models
from sim.cascade.view import plots
from sim.cascade.view.demo import environment, rule
from sim.cascade.view.episode import play, view
from sim.cascade.view.frames import SIZE, EpisodeFigure, video_frames
from sim.cascade.view.layout import MAX_NODES, layout
from sim.cascade.view.poster import poster, snapshots, with_palette
from sim.cascade.view.style import EFFORT, Moment, colours, control_names, result, rgb, round_top, tier_colours
from twinloom.errors import TwinloomError


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


def test_a_node_without_neighbours_stays_near_the_rest():
    graph = stochastic_block([80, 80], [[6, 0.2], [0.2, 6]], rng())
    linked = graph.degree > 0
    place = layout(graph)
    assert not linked.all()
    assert np.ptp(place[:, 1]) < 1.35 * np.ptp(place[linked, 1])


def test_huge_graphs_are_refused():
    with pytest.raises(TwinloomError, match="too many for an image"):
        layout(from_edges(MAX_NODES + 1, []))


def lightness(values: list[str]) -> np.ndarray:
    """L* of CIELAB: what every eye and a grey printer can tell apart."""
    found = rgb(values)
    linear = np.where(found <= 0.04045, found / 12.92, ((found + 0.055) / 1.055) ** 2.4)
    return 116 * np.cbrt(linear @ [0.2126, 0.7152, 0.0722]) - 16


@pytest.mark.parametrize("model", [models.sis(), models.sir(), models.seir(), models.adopt(), models.thresh()])
def test_colours_of_compartments_differ_in_lightness(model):
    assert len(colours(model)) == model.size
    assert np.diff(np.sort(lightness(colours(model)))).min() > 9
    assert not set(EFFORT) & set(colours(model))


@pytest.mark.parametrize(("k", "apart"), [(1, 0), (2, 40), (3, 20), (5, 8)])
def test_colours_of_tiers_differ_in_lightness(k, apart):
    found = tier_colours(k)
    assert len(set(found)) == k
    assert np.all(np.diff(lightness(found)) > apart)


def test_scales_end_at_round_numbers():
    assert [round_top(share) for share in (0, 0.0013, 0.01, 0.034, 0.05, 0.11, 0.2, 0.41, 0.83, 1.0)] == [
        0.001, 0.002, 0.01, 0.04, 0.06, 0.2, 0.2, 0.6, 1.0, 1.0
    ]  # fmt: skip
    assert round_top(0.7) == 0.8


def test_results_are_in_the_words_of_the_problem():
    assert result(PROBLEMS["adopt_profit"], 0.154) == "profit 0.15 a node"
    assert result(PROBLEMS["escape"], -0.001) == "profit 0.00 a node"
    assert result(PROBLEMS["epidemic_mitigate"], -0.41) == "cost 0.41 a node"
    assert result(PROBLEMS["epidemic_mitigate"], 0.0) == "cost 0.00 a node"


def test_controls_are_named_for_people():
    assert control_names(["seed/tier0", "boost/tier2", "price"], 3) == ["seed hubs", "boost others", "price"]
    assert control_names(["boost/tier1"], 5) == ["boost tier 1"]


def mean_return(problem: str, share: float, episodes: int = 12) -> float:
    """Of the rule of thumb on its small network, its efforts times ``share``."""
    env = environment(problem)
    found = []
    for seed in range(episodes):
        (observation, _), over, total = env.reset(seed=seed), False, 0.0
        while not over:
            action = share * rule(env, observation)
            assert env.action_space.contains(action)
            observation, reward, terminated, truncated, _ = env.step(action)
            over, total = terminated or truncated, total + reward
        found.append(total)
    return float(np.mean(found))


def test_the_rule_of_thumb_earns_by_selling():
    assert mean_return("adopt_profit", 1.0) > 0.15  # nothing: 0


def test_the_rule_of_thumb_makes_an_epidemic_cheaper():
    assert mean_return("epidemic_mitigate", 1.0) > 0.3 * mean_return("epidemic_mitigate", 0.0)


def test_a_bold_spend_pays_where_a_timid_one_loses():
    bold, timid, nothing = (mean_return("escape", share) for share in (1.0, 0.25, 0.0))
    assert bold > 1.3 * nothing
    assert nothing > 0 > timid


@pytest.fixture(scope="module")
def played():
    env = environment("cascade/adopt_profit", render_mode="rgb_array", horizon=9)
    moments = play(env, rule, seed=2)
    return env, moments


def share_of(image: np.ndarray, colour: str) -> float:
    """Share of the pixels of the network's part that have this colour."""
    part = image[70:640, :690].astype(int)
    return float(np.mean(np.abs(part - (rgb([colour])[0] * 255)).max(axis=2) < 12))


def test_an_image_shows_the_state(played):
    env, moments = played
    arena = env.episodes.arena()
    figure = EpisodeFigure(arena, controls=True)
    first, image = figure.draw(moments[:1]), figure.draw(moments)
    assert first.shape == image.shape == (SIZE[1], SIZE[0], 3)
    assert image.dtype == np.uint8
    assert first.std() > 5
    counts = np.asarray(arena.sim.counts[0]).sum(axis=0)
    palette = colours(arena.model)
    for c in range(len(palette)):
        assert (share_of(image, palette[c]) > 0) == (counts[c] > 0)
    assert share_of(image, palette[2]) > share_of(first, palette[2])


def test_moments_are_the_course_of_the_episode(played):
    env, moments = played
    assert [m.time for m in moments] == list(range(10))
    assert moments[0].action is None
    assert moments[0].profit == 0
    seeds = env.episodes.arena().actions.slice("seed")
    assert moments[1].action[seeds].tolist() == [1, 0, 0]
    assert not any(m.action[seeds].any() for m in moments[2:])  # the rule still asks, but no seed is left
    assert moments[-1].profit == pytest.approx(env.episodes.ledger.profit[0] / 220)
    assert np.array_equal(moments[-1].counts, env.episodes.arena().sim.counts[0])


def test_frames_lead_from_the_last_state_to_this_one(played):
    env, moments = played
    frames = list(EpisodeFigure(env.episodes.arena(), controls=True).frames(moments, 3))
    assert len(frames) == 3
    assert np.any(moments[-1].state != moments[-2].state)
    away = [np.abs(frame.astype(int) - frames[-1])[70:640, :690].mean() for frame in frames]
    assert away[0] > away[1] > away[2] == 0


def test_a_video_keeps_its_scale(played):
    env, moments = played
    figure = EpisodeFigure(env.episodes.arena(), controls=True)
    tops = [figure._curves.axes.get_ylim()[1] for _ in video_frames(figure, moments)]
    assert len(set(tops)) == 1
    assert tops[0] == pytest.approx(1.02 * round_top(np.max([m.counts.sum(axis=0)[1:] / 220 for m in moments])))


def rendered() -> gymnasium.Env:
    return gymnasium.make("cascade/epidemic_mitigate-v0", render_mode="rgb_array", graph=barabasi_albert(60, 2, rng()))


def test_environments_render():
    env = rendered()
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.unwrapped.render()
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


def test_rendering_once_at_the_end_shows_the_whole_course():
    images = []
    for always in (True, False):
        env = rendered()
        env.reset(seed=1)
        for _ in range(30):
            if always:
                env.render()
            env.step(np.zeros(env.action_space.shape, np.float32))
        images.append(env.render())
    assert np.array_equal(*images)


def test_nothing_is_recorded_without_a_render_mode():
    env = environment("adopt_profit")
    env.reset(seed=0)
    assert env.render() is None
    with pytest.raises(TwinloomError, match="nothing was recorded"):
        _ = env.moments


def test_a_world_without_nodes_is_not_drawn():
    env = gymnasium.make("cascade/adopt_profit-v0", render_mode="rgb_array", world="ode", graph=star(9))
    env.reset(seed=0)
    with pytest.raises(TwinloomError, match="mean field without nodes"):
        env.render()


def test_one_tier_has_no_rings():
    options = {"tiers": "global", "graph": erdos_renyi(40, 4, rng())}
    one = environment("cascade/adopt_profit", render_mode="rgb_array", **options)
    one.reset(seed=0)
    assert one.render().shape == (SIZE[1], SIZE[0], 3)


def test_view_writes_a_video_and_an_image(tmp_path, capsys):
    video, page = tmp_path / "c.mp4", tmp_path / "c.png"
    options = {"seed": 1, "horizon": 6, "graph": barabasi_albert(40, 2, rng())}
    moments = view("cascade/adopt_profit", video=video, out=str(page), **options)
    assert len(moments) == 7
    out = capsys.readouterr().out
    assert (
        "adopt_profit on Graph(barabasi-albert n=40 m=2: 40 nodes, 76 edges, undirected, synthetic): 6 decisions" in out
    )
    assert f"video  {video}\nimage  {page}\n" in out
    with av.open(str(video)) as container:
        frames = list(container.decode(video=0))
    assert len(frames) == 1 + 6 * 5 + 50
    assert (frames[0].width, frames[0].height) == SIZE
    with Image.open(page) as image:
        assert image.size == (1600, 1000)
        assert 40 < len(image.convert("RGB").getcolors(1_000_000) or []) <= 256


def test_colours_of_a_poster_are_exact_on_large_graphs(tmp_path, monkeypatch):
    """On many thousand lines half transparent a median cut alone forgets the colours of the legend."""
    graph = barabasi_albert(4000, 8, rng())
    monkeypatch.setattr(plots, "layout", lambda graph: rng().random((graph.n, 2)))
    env = environment("adopt_profit", graph=graph)
    env.reset(seed=0)
    arena = env.episodes.arena()
    state = rng().integers(0, arena.model.size, graph.n).astype(np.int8)
    tier = arena.scenario.tiers.index
    counts = np.array([np.bincount(state[tier == k], minlength=arena.model.size) for k in range(3)])
    poster(arena, [Moment(0.0, state, counts)], tmp_path / "page.png", "title")
    with Image.open(tmp_path / "page.png") as image:
        legend = np.asarray(image.convert("RGB"))[20:65, 860:].reshape(-1, 3)
    palette = np.round(255 * rgb(colours(arena.model)))
    assert len(np.unique(palette, axis=0)) == arena.model.size
    for colour in palette:
        assert (legend == colour).all(axis=1).sum() > 80
    assert (tmp_path / "page.png").stat().st_size < 800_000


def test_a_palette_keeps_what_it_is_told_and_takes_the_nearest_else():
    image = rng().integers(0, 256, (60, 80, 3)).astype(np.uint8)
    image[:2, :2] = (213, 94, 0)
    found = np.asarray(with_palette(image, ["#d55e00", "#ffffff"]).convert("RGB")).astype(int)
    assert np.all(found[:2, :2] == (213, 94, 0))
    used = np.unique(found.reshape(-1, 3), axis=0)
    best = ((image[:, :, None].astype(int) - used) ** 2).sum(axis=3).min(axis=2)
    assert np.array_equal(((found - image) ** 2).sum(axis=2), best)


def test_the_episode_seen_is_the_one_asked_for(tmp_path, capsys):
    def profit(**which):
        view("cascade/adopt_profit", out=tmp_path / "c.png", horizon=4, graph=star(30), **which)
        return capsys.readouterr().out.partition("profit ")[2]

    assert profit(seed=3, episode=1) == profit(seed=3, episode=1) != profit(seed=3)


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({}, "give --video FILE.mp4 for a video, --out FILE.png, or both"),
        ({"video": "x.avi"}, "must end in .mp4"),
        ({"out": "x.jpg"}, "must end in .png"),
    ],
)
def test_view_refuses_other_files(tmp_path, files, said):
    with pytest.raises(TwinloomError, match=said):
        view("cascade/adopt_profit", **{key: tmp_path / name for key, name in files.items()})


def test_snapshots_are_rise_peak_and_end(played):
    _, moments = played
    rise, peak, end = snapshots(moments, 2)
    active = [m.counts[:, 2].sum() for m in moments]
    assert active[peak] == max(active)
    assert rise <= peak <= end == len(moments) - 1


def test_too_large_a_graph_and_a_mean_field_are_refused_before_anything_is_played(tmp_path, monkeypatch):
    monkeypatch.setattr("sim.cascade.view.episode.play", lambda *_: pytest.fail("worked for nothing"))
    with pytest.raises(TwinloomError, match="too many for an image"):
        view("adopt_profit", out=tmp_path / "c.png", graph=barabasi_albert(MAX_NODES + 1, 1, rng()))
    monkeypatch.undo()
    with pytest.raises(TwinloomError, match="mean field without nodes"):
        view("adopt_profit", out=tmp_path / "c.png", world="ode")
