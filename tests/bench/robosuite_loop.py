"""Run by an interpreter that has robosuite: steps and renders its two-arm environment, prints frames per CPU second."""

import sys
import time

import numpy as np
import robosuite

CAMERAS = ("agentview", "robot0_eye_in_hand", "robot1_eye_in_hand")


def main(frames: int, width: int, height: int, fps: int) -> None:
    """Actions of zero hold the arms still; the first steps are not timed."""
    env = robosuite.make(
        "TwoArmLift",
        robots=["Panda", "Panda"],
        has_renderer=False,
        has_offscreen_renderer=True,
        use_camera_obs=True,
        camera_names=list(CAMERAS),
        camera_heights=height,
        camera_widths=width,
        control_freq=fps,
        horizon=frames + 10,
    )
    env.reset()
    action = np.zeros_like(env.action_spec[0])
    for _ in range(5):
        env.step(action)
    start = time.process_time()
    for _ in range(frames):
        env.step(action)
    print(frames / (time.process_time() - start))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
