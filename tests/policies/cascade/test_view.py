"""policies view: what it writes, whose actions it shows, and refusals."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from policies.cascade import view
from policies.cli import app
from sim.cascade.view.demo import environment
from sim.cascade.view.episode import play
from twinloom.errors import TwinloomError

CHECKPOINT = "assets/checkpoints/adopt_profit"


@pytest.fixture(scope="module")
def graph(tmp_path_factory) -> str:
    path = tmp_path_factory.mktemp("graph") / "small.txt"
    path.write_text("".join(f"{a} {b}\n" for a, b in np.random.default_rng(0).integers(0, 60, (150, 2)) if a != b))
    return str(path)


def test_a_checkpoint_is_shown_with_its_critics(graph, tmp_path, capsys):
    page, critics = tmp_path / "page.png", tmp_path / "critics.png"
    words = ["--on", graph, "--out", str(page), "--critics", str(critics), "--episodes", "4"]
    assert app.run(["view", CHECKPOINT, *words]) == 0
    assert f"image  {page}\ncritics  {critics}\n" in capsys.readouterr().out
    for path, size in ((page, (1600, 1000)), (critics, (1280, 640))):
        with Image.open(path) as image:
            assert image.size == size


def test_the_policy_acts_on_what_it_sees():
    import policies

    policy = policies.load(CHECKPOINT)
    env = environment("adopt_profit", render_mode="rgb_array", horizon=5)
    seen = []

    def remembered(env, observation):
        seen.append(observation)
        return view.acting(policy)(env, observation)

    moments = play(env, remembered, seed=1)
    boost = env.episodes.arena().actions.slice("boost")
    for observation, moment in zip(seen, moments[1:], strict=True):
        np.testing.assert_allclose(moment.action[boost], policy.act_batch(observation[None])[0][boost], atol=1e-6)


def test_baselines_are_given_the_cascade(graph, tmp_path, capsys):
    """Bang-bang looks at the counts of the simulator, through the `View`."""
    from policies.cascade.baselines import BangBang

    env = environment("epidemic_mitigate", render_mode="rgb_array", horizon=12)
    size = len(env.action_names)
    moments = play(env, view.acting(BangBang(np.ones(size), np.zeros(size), 0.0, below=False)), seed=0)
    assert all(moment.action.min() == 1 for moment in moments[1:])
    view.view("null", on=graph, out=tmp_path / "null.png")
    assert "40 decisions, profit 0.00 a node" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["null"], "give --out FILE.png for an image, --video FILE.mp4 for a video, --critics FILE.png, or several"),
        (["null", "--out", "x.jpg"], "--out x.jpg: the name must end in .png"),
        (["null", "--critics", "x.jpg"], "--critics x.jpg: the name must end in .png"),
        (["null", "--critics", "x.png"], "null has no critics; leave --critics out"),
        (["null", "--out", "x.png", "--seed", "-1"], "must not be negative"),
        (["nul", "--out", "x.png"], "Did you mean null?"),
        (["null", "--out", "x.png", "--on", "nowhere"], 'unknown network "nowhere"'),
        (["null", "--out", "x.png", "--world", "ode"], "mean field without nodes"),
        (["expert:bimanual/click_bell", "--out", "x.png"], "there is no view of policies of bimanual"),
        (["assets/checkpoints/click_bell", "--out", "x.png"], "--episodes 1 --video FOLDER"),
    ],
)
def test_mistakes_are_one_line(words, said):
    with pytest.raises(TwinloomError) as caught:
        app.run(["view", *words])
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_policy_that_sees_other_numbers_is_refused():
    import policies
    from sim.cascade.env.single import CascadeEnv

    env = CascadeEnv("adopt_profit", features="basic")
    observation, _ = env.reset(seed=0)
    with pytest.raises(TwinloomError, match="52 observations, this environment has 16"):
        view.acting(policies.load(CHECKPOINT))(env, observation)
