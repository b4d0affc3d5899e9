"""``policies view``: a policy at work on a network, as a video or an image; what its critics expect."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import tyro

from twinloom.errors import TwinloomError

if TYPE_CHECKING:
    from policies.cascade.resolve import Chosen

NAME, FILE, POLICY = (tyro.conf.arg(metavar=text) for text in ("NAME", "FILE", "POLICY"))


def view(
    policy: Annotated[str, tyro.conf.Positional, POLICY],
    problem: Annotated[str | None, NAME] = None,
    on: Annotated[str | None, NAME] = None,
    world: Annotated[str, NAME] = "exact",
    r0: float | None = None,
    seed: int = 0,
    episode: int = 0,
    out: Annotated[Path | None, FILE] = None,
    video: Annotated[Path | None, FILE] = None,
    critics: Annotated[Path | None, FILE] = None,
    episodes: int = 200,
) -> int:
    """Watch a policy control a cascade.

    Args:
        policy: run or checkpoint folder, or a baseline: null, random, constant, degree_targeted, bang_bang, mpc.
        problem: of a baseline; a checkpoint brings its own. adopt_profit if not given.
        on: graph by name or file (assets list networks); a small generated one if not given.
        world: exact, renewal or markov.
        r0: reproduction number without control; the problem's if not given.
        seed: of the episode, and of the first of those for --critics.
        episode: which episode of that seed is shown.
        out: write this PNG file: the episode in one image.
        video: write this MP4 file.
        critics: write this PNG file: returns of many episodes beside the distribution that the critics learned.
        episodes: how many, for --critics.
    """
    refusals = {
        "give --out FILE.png for an image, --video FILE.mp4 for a video, --critics FILE.png, or several": not (
            out or video or critics
        ),
        f"--critics {critics}: the name must end in .png": critics is not None and critics.suffix.lower() != ".png",
        f"--seed {seed} and --episode {episode} must not be negative": min(seed, episode) < 0,
        f"--episodes {episodes} must be at least 2": episodes < 2,
    }
    if found := [text for text, applies in refusals.items() if applies]:
        raise TwinloomError("; ".join(found))
    from policies.cascade.config import evaluation_graph
    from policies.cascade.resolve import problem_of, resolve

    problem = problem_of([policy], problem)
    given: dict[str, Any] = {"world": world, "r0": r0} | ({} if on is None else {"graph": evaluation_graph(on)})
    chosen = resolve(policy, problem, given)
    if critics is not None and not hasattr(chosen.policy, "atoms"):
        raise TwinloomError(f"{policy} has no critics; leave --critics out")
    if out is not None or video is not None:
        from sim.cascade.view.episode import view as show

        chosen.policy.reset()
        show(
            f"cascade/{chosen.problem}", seed=seed, episode=episode, video=video, out=out, act=acting(chosen.policy),
            actor=policy, **chosen.options,
        )  # fmt: skip
    if critics is not None:
        compare(chosen, critics, title=f"{chosen.problem}, {policy}", episodes=episodes, seed=seed)
        print(f"critics  {critics}")
    return 0


def acting(policy: Any) -> Any:
    """The policy as a function of environment and observation, as `sim.cascade.view.episode.view` takes it.

    The function raises TwinloomError if the policy was trained to see or to command other numbers.
    """
    import numpy as np

    from policies.cascade.evaluate import View, check_fit

    def act(env: Any, observation: Any) -> Any:
        episodes = env.episodes
        check_fit(policy, env)
        return policy.act_batch(observation[None], View(episodes.arena(), episodes.ledger, np.ones(1, bool)))[0]

    return act


def compare(chosen: Chosen, path: Path, *, title: str, episodes: int, seed: int = 0) -> None:
    """Draw discounted returns of episodes beside the atoms that the critics had for their starts.

    Args:
        chosen: a policy with critics, and where it acts: on the small graph of `sim.cascade.view.demo` without a graph.
        path: PNG file.
        title: above.
        episodes, seed: how many, and the seed of the first.
    """
    from policies.cascade.evaluate import evaluate
    from policies.cascade.figures import outcomes_and_quantiles
    from sim.cascade.env.single import CascadeEnv
    from sim.cascade.view.demo import network

    options: dict[str, Any] = {"graph": network(chosen.problem)} | chosen.options
    start, _ = (env := CascadeEnv(chosen.problem, **options)).reset(seed=seed)
    graph = env.episodes.arena().scenario.graph
    atoms = chosen.policy.atoms(start[None])  # type: ignore[attr-defined]
    returns = evaluate(chosen.policy, chosen.problem, options, episodes, seed).discounted
    where = f"{episodes} episodes on {graph.name or 'a graph'} ({graph.n:,} nodes)"
    outcomes_and_quantiles(returns, atoms, path, title=title, subtitle=f"{where}; atoms of all critics at the start")
