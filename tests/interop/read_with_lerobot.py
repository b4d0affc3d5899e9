"""Read datasets with LeRobot's own code and print what it sees, as JSON. Runs in LeRobot's environment, not in ours."""

from __future__ import annotations

import hashlib
import json
import sys

from lerobot.datasets.lerobot_dataset import LeRobotDataset


def main() -> None:
    root, *wanted = sys.argv[1:]
    dataset = LeRobotDataset("local/dataset", root=root, video_backend="pyav")
    frames = []
    for index in (int(word) for word in wanted):
        item = dataset[index]
        frames.append(
            {
                "task": item["task"],
                "action": item["action"].tolist(),
                "episode": int(item["episode_index"]),
                "images": {
                    key: hashlib.sha256((item[key] * 255).round().byte().permute(1, 2, 0).numpy().tobytes()).hexdigest()
                    for key in dataset.meta.video_keys
                },
                "shapes": {key: list(item[key].shape) for key in dataset.meta.video_keys},
            }
        )
    stats = {name: value["mean"].reshape(-1).tolist() for name, value in dataset.meta.stats.items()}
    print(json.dumps({"episodes": dataset.num_episodes, "frames": len(dataset), "stats": stats, "items": frames}))


if __name__ == "__main__":
    main()
