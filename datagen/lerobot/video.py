"""Video files: encoding frames, joining clips without encoding them again, and reading exactly frame k."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, NamedTuple, cast

import av
import numpy as np
from av.container import InputContainer, OutputContainer
from av.error import FFmpegError

from datagen.episode import Clip
from datagen.lerobot.codec import GOP, Codec
from twinloom.errors import TwinloomError

BITEXACT = {"fflags": "+bitexact"}  # no time stamps and no library versions in the file


class _Sink:
    """A binary file as PyAV sees it. Only the first failure counts: PyAV raises it, and would print any further one."""

    def __init__(self, file: BinaryIO) -> None:
        self._file, self._failed = file, False

    def _try(self, work: Callable[[], int], otherwise: int) -> int:
        if self._failed:
            return otherwise
        try:
            return work()
        except OSError:
            self._failed = True
            raise

    def write(self, data: bytes) -> int:
        return self._try(lambda: self._file.write(data), len(data))

    def seek(self, offset: int, whence: int = 0) -> int:
        return self._try(lambda: self._file.seek(offset, whence), offset)

    def tell(self) -> int:
        return self._try(self._file.tell, 0)


class VideoWriter:
    """Encodes RGB frames into an MP4.

    Args:
        file: binary file open for writing; Python's own, so that a full disk raises OSError.
        width, height: pixels.
        fps: frames per second.
    """

    def __init__(self, file: BinaryIO, width: int, height: int, fps: int, codec: Codec) -> None:
        self._shape = (height, width, 3)
        self._container: OutputContainer = av.open(_Sink(file), "w", format="mp4", options=BITEXACT)
        options = codec.encoder_options()
        stream = cast(av.VideoStream, self._container.add_stream(codec.encoder, rate=fps, options=options))
        stream.width, stream.height = width, height
        stream.pix_fmt = codec.pix_fmt(width, height)
        stream.codec_context.gop_size = GOP
        stream.codec_context.thread_count = 1
        self._stream = stream
        self.frames = 0

    def write(self, frame: np.ndarray) -> None:
        """Append one (H, W, 3) uint8 frame. Raises ValueError on another shape or dtype."""
        if frame.shape != self._shape or frame.dtype != np.uint8:
            raise ValueError(f"a frame is {self._shape} uint8, got {frame.shape} {frame.dtype}")
        image = av.VideoFrame.from_ndarray(np.ascontiguousarray(frame), format="rgb24")
        image.pts = self.frames
        self._container.mux(self._stream.encode(image))
        self.frames += 1

    def close(self) -> None:
        """Flush the encoder and write the index of the file."""
        self._container.mux(self._stream.encode(None))
        self._container.close()


class Packet(NamedTuple):
    """One coded frame: its number in the file, its decoding order number, and whether it stands alone."""

    index: int
    order: int
    is_key: bool
    size: int


def open_video(path: Path) -> tuple[InputContainer, av.VideoStream]:
    """Open an MP4 for reading.

    Raises:
        TwinloomError: the file is missing, damaged or holds no video.
    """
    try:
        container = av.open(str(path))
    except (FFmpegError, OSError) as error:
        raise TwinloomError(f"{path} is not a readable video: {error}") from error
    if not container.streams.video:
        container.close()
        raise TwinloomError(f"{path} holds no video")
    stream = container.streams.video[0]
    stream.thread_type = "NONE"
    return container, stream


_NAMES = {"libdav1d": "av1", "libsvtav1": "av1", "libx264": "h264", "libx265": "hevc"}


def probe(path: Path, fps: int) -> dict[str, Any]:
    """Codec facts of a video file as info.json has them, as far as the file tells."""
    container, stream = open_video(path)
    with container:
        name = stream.codec_context.name
        return {
            "video.height": stream.height,
            "video.width": stream.width,
            "video.codec": _NAMES.get(name, name),
            "video.pix_fmt": stream.pix_fmt,
            "video.fps": fps,
            "video.channels": 3,
            "has_audio": bool(container.streams.audio),
        }


def _packets(path: Path, fps: int) -> Iterator[tuple[Packet, av.Packet, av.VideoStream]]:
    """Coded frames of a file in decoding order, with their exact frame numbers.

    Raises:
        TwinloomError: a frame does not lie on the grid of 1/fps seconds, or the file ends early.
    """
    container, stream = open_video(path)
    with container:
        if stream.time_base is None:
            raise TwinloomError(f"{path} has no time base")
        exact = 1 / (stream.time_base * fps)  # ticks per frame
        ticks = exact.numerator if exact.denominator == 1 else exact  # whole numbers are much faster
        try:
            for packet in container.demux(stream):
                if packet.size == 0:
                    continue
                if packet.pts is None or packet.dts is None:
                    raise TwinloomError(f"{path}: a frame has no time stamp")
                index, rest = divmod(packet.pts, ticks)
                if rest:
                    seconds = float(packet.pts * stream.time_base)
                    raise TwinloomError(f"{path}: a frame at {seconds:.6f} s is not on the {fps} Hz grid")
                yield Packet(index, round(packet.dts / ticks), packet.is_keyframe, packet.size), packet, stream
        except (FFmpegError, OSError) as error:
            raise TwinloomError(f"{path} is damaged: {error}") from error


def scan(path: Path, fps: int) -> Iterator[Packet]:
    """Coded frames of a file in decoding order, without decoding them."""
    for packet, _, _ in _packets(path, fps):
        yield packet


def coded(path: Path, fps: int, start: int, length: int) -> Iterator[bytes]:
    """The coded bytes of ``length`` frames from frame ``start`` on."""
    for facts, packet, _ in _packets(path, fps):
        if start <= facts.index < start + length:
            yield bytes(packet)


def join(file: BinaryIO, clips: Iterable[Clip], fps: int) -> None:
    """Write clips one after the other into an MP4 without encoding them again.

    The bytes depend on the coded frames alone: joining in several steps gives the same file as joining at once.

    Args:
        file: binary file open for writing.
        clips: neighbours from one source file should follow each other; then it is read once.
        fps: of all clips.

    Raises:
        TwinloomError: a clip is damaged, too short, begins without a key frame, or was encoded with other settings.
    """
    output: OutputContainer = av.open(_Sink(file), "w", format="mp4", options=BITEXACT)
    frame = Fraction(1, fps)
    target: av.VideoStream | None = None
    header: bytes | None = None
    written = 0
    source: Path | None = None
    position = 0
    packets: Iterator[tuple[Packet, av.Packet, av.VideoStream]] = iter(())
    for clip in clips:
        if clip.path != source or clip.start < position:
            source, packets = clip.path, _packets(clip.path, fps)
        taken = 0
        for facts, packet, stream in packets:
            if facts.index < clip.start:
                continue
            if taken == 0 and not (facts.is_key and facts.index == clip.start):
                raise TwinloomError(f"{clip.path}: frame {clip.start} is no key frame, so no clip can begin there")
            if target is None:
                target = output.add_stream_from_template(stream, opaque=True)
                # A demuxer reports the mean rate of what it read; carried over, it would depend on how often we joined.
                target.codec_context.bit_rate = 0
                header = stream.codec_context.extradata
            elif stream.codec_context.extradata != header:
                raise TwinloomError(f"{clip.path} was encoded with other settings than the clips before it")
            packet.stream = target
            packet.time_base = frame
            packet.pts = facts.index - clip.start + written
            packet.dts = facts.order - clip.start + written
            packet.duration = 1
            output.mux(packet)
            taken += 1
            if taken == clip.length:
                break
        if taken < clip.length:
            end = clip.start + clip.length
            raise TwinloomError(f"{clip.path} ends {clip.length - taken} frames before frame {end}")
        written += clip.length
        position = clip.start + clip.length
    output.close()


class VideoReader:
    """Random access to the frames of one video file.

    Args:
        path: MP4.
        fps: frames per second of the dataset.
    """

    def __init__(self, path: Path, fps: int) -> None:
        self.path = path
        self._container, self._stream = open_video(path)
        if self._stream.time_base is None:
            raise TwinloomError(f"{path} has no time base")
        self._ticks = 1 / (self._stream.time_base * fps)
        self._next = 0  # number of the frame the decoder would give next
        self._frames = self._decode()

    def _decode(self) -> Iterator[av.VideoFrame]:
        try:
            yield from self._container.decode(self._stream)
        except (FFmpegError, OSError) as error:
            raise TwinloomError(f"{self.path} is damaged: {error}") from error

    def frame(self, index: int) -> np.ndarray:
        """Frame ``index`` of the file as (H, W, 3) uint8.

        Raises:
            TwinloomError: the file has no such frame or is damaged.
        """
        if not self._next <= index < self._next + 2 * GOP:
            try:
                self._container.seek(int(index * self._ticks), stream=self._stream, backward=True)
            except (FFmpegError, OSError) as error:
                raise TwinloomError(f"{self.path} is damaged: {error}") from error
            self._frames = self._decode()
        for image in self._frames:
            number = round((image.pts or 0) / self._ticks)
            self._next = number + 1
            if number == index:
                return image.to_ndarray(format="rgb24", threads=1)  # threads would be missing after a fork
            if number > index:
                break
        raise TwinloomError(f"{self.path} has no frame {index}")

    def close(self) -> None:
        """Release the file."""
        self._container.close()

    def __enter__(self) -> VideoReader:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
