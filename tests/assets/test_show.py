"""The table of objects and the contact sheets."""

import io

import numpy as np
import pytest
from PIL import Image
from rich.console import Console

from assets.objects import library
from assets.objects.show import CELL, LABEL, contact_sheet, list_objects, parse_names, render
from twinloom.errors import TwinloomError, UnknownNameError


def test_list_names_every_category():
    console = Console(width=240, record=True, file=io.StringIO())
    console.print(list_objects(["apple", "laptop"]))
    text = console.export_text()
    assert "apple" in text
    assert "lid_edge" in text
    assert "2 categories, 16 instances" in text


def test_names_of_categories_and_instances():
    assert [a.key for a in parse_names(["apple", "bottle/3"], per_category=2)] == ["apple/0", "apple/1", "bottle/3"]
    assert len(parse_names(["apple"])) == library.instances("apple")
    with pytest.raises(UnknownNameError, match="Did you mean apple"):
        parse_names(["aple"])
    with pytest.raises(TwinloomError, match="write bottle or bottle/3"):
        parse_names(["apple/first"])
    with pytest.raises(TwinloomError, match="no instance 99"):
        parse_names(["apple/99"])
    with pytest.raises(TwinloomError, match="no objects are named"):
        parse_names([])


def test_picture_shows_the_object_and_its_frames():
    assets = [library.load("apple", 0), library.load("cabinet", 0)]
    plain, marked = list(render(assets)), list(render(assets, grasps=True))
    assert all(i.shape == (CELL[1], CELL[0], 3) for i in plain)
    red = plain[0][CELL[1] // 2, CELL[0] // 2].astype(int)
    assert red[0] > red[1] + 60, "a red apple fills the middle of its image"
    assert np.abs(marked[1].astype(int) - plain[1]).max() > 60, "grasp frames are drawn"


def test_contact_sheet_is_written_whole_or_not_at_all(tmp_path):
    out = tmp_path / "sheets" / "two.png"
    assert contact_sheet(["apple"], out, per_category=2, columns=3, colors=64) == 2
    with Image.open(out) as sheet:
        assert sheet.size == (3 * CELL[0], CELL[1] + LABEL)
    assert [p.name for p in out.parent.iterdir()] == ["two.png"]
    with pytest.raises(TwinloomError):
        contact_sheet(["aple"], tmp_path / "none.png")
    assert not (tmp_path / "none.png").exists()
