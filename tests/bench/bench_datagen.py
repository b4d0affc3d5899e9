"""Writing, encoding and reading of datasets beside the libraries underneath."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np

from tests.bench.harness import Samples, benchmark, rates
from twinloom.features import IMAGE_AXES

KEYS = tuple(f"observation.images.{name}" for name in ("head", "left_wrist", "right_wrist"))
SIZE = (240, 320)  # height, width
FPS, LENGTH = 25, 100


def images(count: int = LENGTH) -> list[np.ndarray]:
    """Smooth moving patterns, which cost an encoder about as much as a rendered scene."""
    y, x = np.mgrid[: SIZE[0], : SIZE[1]]
    waves = [np.sin(x / 23 + t / 5) + np.cos(y / 17 - t / 7) + np.sin((x + 2 * y) / 61) for t in range(count)]
    return [np.stack([w * 40 + 128, w * 30 + 100, w * -20 + 90], -1).astype(np.uint8) for w in waves]


@benchmark("datagen/encode_vs_bare_x264", unit="images/cpu-s", peer="libx264 through PyAV, nothing else")
def encode() -> Samples:
    """Three cameras with statistics, beside the encoder alone."""
    import av

    from datagen.encode import EpisodeEncoder
    from datagen.lerobot.codec import GOP, codecs

    codec, frames = codecs["h264"], images()
    folder = tempfile.TemporaryDirectory()
    root = Path(folder.name)

    def ours() -> None:
        with EpisodeEncoder(root, dict.fromkeys(KEYS, SIZE), LENGTH, FPS, codec) as encoder:
            for frame in frames:
                encoder.put(dict.fromkeys(KEYS, frame))

    def bare() -> None:
        for key in KEYS:
            with av.open(str(root / f"{key}.bare.mp4"), "w") as container:
                stream = container.add_stream("libx264", rate=FPS, options=codec.encoder_options())
                stream.height, stream.width = SIZE
                stream.pix_fmt = "yuv420p"
                stream.codec_context.gop_size, stream.codec_context.thread_count = GOP, 1
                for frame in frames:
                    container.mux(stream.encode(av.VideoFrame.from_ndarray(frame, format="rgb24")))
                container.mux(stream.encode(None))

    with folder:
        return rates(ours, bare, LENGTH * len(KEYS))


@benchmark("datagen/append_at_1000_vs_at_0", unit="episodes/cpu-s", peer="the same commits into an empty dataset")
def append() -> Samples:
    """Writing must cost the same however large the dataset is: a commit as a run makes it then, late and early."""
    import shutil

    from datagen.collect import REWRITTEN
    from datagen.episode import DatasetSpec, Episode, Feature
    from datagen.lerobot.codec import codecs
    from datagen.lerobot.write import Writer
    from datagen.staging import StagedEpisode, stage_episode

    before = 1000
    batch = before // REWRITTEN
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        features = {"action": Feature("float32", (16,), tuple(f"a{i}" for i in range(16)))}
        features[KEYS[0]] = Feature("video", (*SIZE, 3), IMAGE_AXES)
        spec = DatasetSpec(FPS, "none", "bench", features, "none")
        frames = [{KEYS[0]: frame} for frame in images(10)]
        episode = Episode("t", "Do it", {"action": np.zeros((10, 16), np.float32)}, frames, True, (0,), {}, {})
        stage_episode(root / "staged", 0, episode, spec, codecs["h264"], 1)
        entry = StagedEpisode(root / "staged", 0).entry
        entries = [replace(entry, sentences=[f"Do it, {i % 50}"]) for i in range(batch)]
        videos = {KEYS[0]: codecs["h264"].info(SIZE[1], SIZE[0], FPS)}
        large = Writer(root / "large", spec, videos)
        while large.state.episodes < before:
            large.append(entries)

        state, sums = large.state, large.manifest

        def late() -> None:  # from the same point each time: what lies beyond the state is surplus of a broken commit
            large.state, large.manifest = state, sums.copy()
            large.append(entries)

        def early() -> None:
            shutil.rmtree(root / "small", ignore_errors=True)
            Writer(root / "small", spec, videos).append(entries)

        return rates(late, early, batch)


@benchmark("datagen/read_video_vs_bare_decode", unit="images/cpu-s", peer="PyAV decoding the file from front to back")
def read_video() -> Samples:
    """Every frame of an episode through the dataset reader's exact addressing."""
    import av

    from datagen.lerobot.codec import codecs
    from datagen.lerobot.video import VideoReader, VideoWriter

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "video.mp4"
        with path.open("wb") as file:
            writer = VideoWriter(file, SIZE[1], SIZE[0], FPS, codecs["h264"])
            for frame in images():
                writer.write(frame)
            writer.close()

        def ours() -> None:
            with VideoReader(path, FPS) as reader:
                for index in range(LENGTH):
                    reader.frame(index)

        def bare() -> None:
            with av.open(str(path)) as container:
                container.streams.video[0].thread_type = "NONE"
                for frame in container.decode(video=0):
                    frame.to_ndarray(format="rgb24")

        return rates(ours, bare, LENGTH)
