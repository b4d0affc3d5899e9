"""What is remembered: experts run, episodes recorded, datasets written, checked, merged and mixed."""

from twinloom.lazy import attach

__getattr__, __dir__ = attach(
    __name__,
    {
        "Dataset": "datagen.lerobot.read:Dataset",
        "DatasetSpec": "datagen.episode:DatasetSpec",
        "DatasetWriter": "datagen.dataset:DatasetWriter",
        "Episode": "datagen.episode:Episode",
        "FrameDataset": "datagen.frames:FrameDataset",
    },
)
