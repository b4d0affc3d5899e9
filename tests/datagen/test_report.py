"""The report page: complete, self-contained, small, and its images show the right frames."""

from __future__ import annotations

import base64
import io
import json
import re
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from datagen.account import ACCOUNT, write_timing
from datagen.episode import DatasetSpec, Episode, Feature
from datagen.lerobot.codec import codecs
from datagen.lerobot.write import Writer
from datagen.report import write_report
from datagen.report.images import TILE_HEIGHT
from datagen.report.ranges import ranges
from datagen.staging import StagedEpisode, stage_episode
from twinloom.errors import TwinloomError
from twinloom.features import IMAGE_AXES

CAMERA = "observation.images.head"
COLOURS = [(200, 40, 40), (40, 180, 60), (50, 70, 210), (220, 200, 40)]


def spec(size=(64, 96), video=True):
    features = {"observation.state": Feature("float32", (2,), ("a", "b"), "rad")}
    if video:
        features[CAMERA] = Feature("video", (*size, 3), IMAGE_AXES)
    return DatasetSpec(10, "franka-panda", "sim/mujoco", features, "joints")


def painted(colour, size=(64, 96)):
    return np.full((*size, 3), colour, np.uint8)


def episode(task, frames, instruction="Do it", record=None, failures=()):
    images = [{CAMERA: frame} for frame in frames]
    state = np.linspace(0, 1, 2 * len(frames), dtype=np.float32).reshape(-1, 2)
    instructions = {"seen": ["Do it now"], "unseen": ["Please do it"]}
    extra = {"instructions": instructions, "failures": list(failures), "timing": {"render": 2.0, "encode": 1.0}}
    return Episode(task, instruction, {"observation.state": state}, images, True, (0, 1, 2, 0), record or {}, extra)


def build(root, episodes, spec):
    videos = {CAMERA: codecs["h264"].info(96, 64, 10)} if CAMERA in spec.features else {}
    writer = Writer(root, spec, videos)
    for slot, item in enumerate(episodes):
        if not videos:
            item.images = []
        stage_episode(root, slot, item, spec, codecs["h264"], 1 + len(item.extra["failures"]))
    staged = [StagedEpisode(root, slot) for slot in range(len(episodes))]
    writer.append([s.entry for s in staged])
    write_timing(root, [(slot, {"render": 2.0, "encode": 1.0}) for slot in range(len(staged))])
    return root


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    root = tmp_path_factory.mktemp("with space") / "dämo"
    first = [episode("click_bell", [painted(c)] * 3, f"Ring <b>{i}</b> & go") for i, c in enumerate(COLOURS)]
    for i, bell in enumerate(first):
        bell.extra["views"] = {"objects": 1.0 if i else 0.5, "robot": 0.1 * i, "robot_95": 0.2 * i}
    walk = episode("hanging_mug", [painted(c) for c in COLOURS], failures=["no feasible grasp"])
    build(root, [*first, walk], spec())
    account = {
        "seconds": {"write": 0.5, "render": 10.0, "plan": 1.0},
        "last_run": {"made": 5, "wall_s": 12.0},
        "renderer": "llvmpipe",
        "tasks": {
            "click_bell": {"asked": 4, "attempts": 4, "reasons": {}},
            "hanging_mug": {"asked": 2, "attempts": 6, "reasons": {"no feasible grasp": 5}},
            "lift_pot": {"asked": 1, "attempts": 3, "reasons": {"dropped": 3}},
        },
    }
    (root / ACCOUNT).write_text(json.dumps(account))
    write_report(root)
    return root


@pytest.fixture(scope="module")
def text(dataset):
    return (dataset / "report.html").read_text(encoding="utf-8")


def image(url):
    return Image.open(io.BytesIO(base64.b64decode(url.partition(",")[2]))).convert("RGB")


def near(pixel, colour):
    return all(abs(a - b) < 25 for a, b in zip(pixel, colour, strict=True))


def test_nothing_is_loaded_from_elsewhere(text):
    assert re.findall(r'(?:src|href)="(?!data:image/jpeg;base64,|#)[^"]*"', text) == []
    assert "@import" not in text
    assert "url(" not in text


def test_text_from_the_data_is_escaped(text):
    assert "Ring &lt;b&gt;0&lt;/b&gt; &amp; go" in text
    assert "<b>0</b>" not in text


def test_the_table_shows_what_was_asked_made_and_why_not(text):
    rows = {
        r[0]: r for r in (re.findall(r"<td[^>]*>(.*?)</td>", row) for row in re.findall(r"<tr>(.*?)</tr>", text)) if r
    }
    cells = [re.sub("<.*?>", "", cell) for cell in rows["hanging_mug"]]
    assert cells[1:7] == ["1/2", "6", "4", "0.4", "3", "no feasible grasp 5"]
    assert [re.sub("<.*?>", "", cell) for cell in rows["lift_pot"]][1:7] == ["0/1", "3", "–", "–", "–", "dropped 3"]
    assert 'class="short">1/2' in text
    assert 'class="full">4/4' in text


def test_views_are_told_of_the_tasks_whose_episodes_tell_them(text):
    section = text.partition('id="views"')[2].partition("<h2")[0]
    rows = [re.findall(r"<td[^>]*>(.*?)</td>", row) for row in re.findall(r"<tr>(.*?)</tr>", section)]
    assert [row for row in rows if row] == [["click_bell", "75.0%", "15.0%", "60.0%"]]


def test_time_is_split_by_stage_in_the_order_of_work(text):
    shares = re.findall(r"</i>(\w+) (\d+)%</span>", text)
    assert shares == [("plan", "9"), ("render", "87"), ("write", "4")]


def test_the_strip_shows_first_to_last_frame(text):
    url = re.search(r'<h3>hanging_mug</h3>.*?src="([^"]+)"', text, re.DOTALL)
    strip = image(url[1])
    width = strip.width // len(COLOURS)
    assert strip.height == TILE_HEIGHT
    assert all(near(strip.getpixel((width // 2 + i * width, 60)), colour) for i, colour in enumerate(COLOURS))


def test_the_sheet_shows_the_first_frame_of_each_draw(text, dataset):
    figure = re.search(r"<figcaption>click_bell</figcaption><div>(.*?)</div>", text)
    urls = re.findall(r'src="([^"]+)"', figure[1])
    assert len(urls) == len(COLOURS)
    assert all(near(image(url).getpixel((60, 60)), colour) for url, colour in zip(urls, COLOURS, strict=True))
    sheet = Image.open(dataset / "contact_sheet.png")
    colours = {pixel for _, pixel in sheet.getcolors(2**20)}
    assert all(any(near(pixel, colour) for pixel in colours) for colour in COLOURS)


def test_commands_quote_the_folder(text):
    assert re.search(r"datagen verify &#x27;.*with space.*dämo&#x27;", text)


def test_fifty_tasks_of_the_worst_pictures_stay_small(tmp_path):
    rng = np.random.default_rng(0)
    noise = [rng.integers(0, 256, (240, 320, 3), np.uint8) for _ in range(7)]
    large = spec((240, 320))
    stage_episode(tmp_path, 0, episode("noise", noise), large, codecs["h264"], 1)
    entry = StagedEpisode(tmp_path, 0).entry
    entries = [replace(entry, extra=entry.extra | {"task_name": f"task_{i:02d}"}) for i in range(50)]
    Writer(tmp_path, large, {CAMERA: codecs["h264"].info(320, 240, 10)}).append(entries)
    assert write_report(tmp_path).stat().st_size < 4_000_000


def test_a_dataset_without_video_and_account(tmp_path):
    build(tmp_path, [episode("click_bell", [None] * 3)], spec(video=False))
    page = write_report(tmp_path).read_text(encoding="utf-8")
    assert "click_bell" in page
    assert "<img" not in page
    assert not (tmp_path / "contact_sheet.png").exists()
    assert "cost, s" not in page
    assert "why attempts failed" not in page


def test_the_page_may_lie_elsewhere(dataset, tmp_path):
    page = write_report(dataset, tmp_path / "page")
    assert page == tmp_path / "page" / "report.html"
    assert page.read_bytes() == (dataset / "report.html").read_bytes()
    assert (tmp_path / "page" / "contact_sheet.png").exists()


def test_no_dataset_is_one_clear_line(tmp_path):
    with pytest.raises(TwinloomError, match="no LeRobot dataset"):
        write_report(tmp_path)


def test_ranges_are_those_of_the_records():
    def record(bias, clutter):
        things = [{"clutter": True, "category": "cup", "index": i} for i in range(clutter)]
        things.append({"clutter": False, "category": "mug", "index": clutter})
        scene = {"table_bias": bias, "latency": 3, "placements": things, "surfaces": {"table": f"seen/wood/{clutter}"}}
        return {"scene": scene}

    spread, variety = ranges([record(-0.02, 1), record(0.01, 5), record(0.03, 3)])
    found = {r.name: r for r in spread}
    assert set(found) == {"distractors in the scene", "table height, cm from 74 cm"}  # constant latency is no range
    height = found["table height, cm from 74 cm"]
    assert (height.lowest, height.highest) == pytest.approx((-2, 3))
    assert height.mean == pytest.approx(2 / 3)
    assert sum(height.histogram) == 3
    kinds = {v.name: v for v in variety}
    assert (kinds["distractor objects"].count, kinds["distractor objects"].examples[0]) == (5, "cup/0")
    assert kinds["task objects"].count == kinds["table surfaces"].count == 3
    assert ranges([{}, {"other": 1}]) == ([], [])
