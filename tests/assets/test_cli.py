"""The ``assets`` command: what it prints, its exit codes, and the generated page about robots."""

from __future__ import annotations

import pytest
from PIL import Image

from assets.check import findings
from assets.cli import main
from assets.robots import robots
from assets.robots.docs import PAGE, with_table


@pytest.fixture
def command(monkeypatch, capsys):
    def run(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.argv", ["assets", *arguments])
        with pytest.raises(SystemExit) as end:
            main()
        return int(end.value.code or 0), *capsys.readouterr()

    return run


def test_list_robots_names_all_with_licence(command):
    code, out, _ = command("list", "robots")
    assert code == 0
    assert all(name in out for name in robots())
    assert "franka-panda (default)" in out
    assert out.count("own shapes") >= 3


def test_list_textures(command):
    code, out, _ = command("list", "textures")
    assert code == 0
    assert "wood" in out
    assert "10000 seen" in out


def test_show_draws_robots_and_objects(command, tmp_path):
    code, out, _ = command("show", "piper", "ARX-X5", "--out", str(tmp_path / "robots.png"))
    assert (code, out) == (0, f"2 drawn in {tmp_path / 'robots.png'}\n")
    with Image.open(tmp_path / "robots.png") as image:
        assert image.size == (1040, 960)
        assert len(image.convert("RGB").getcolors(100_000) or []) > 100
    code, _, _ = command("show", "bottle/0", "--out", str(tmp_path / "bottle.png"))
    assert code == 0
    assert (tmp_path / "bottle.png").stat().st_size > 1000


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["pipper"], "Did you mean piper?"),
        (["piper", "bottle"], "do not go into one image"),
        (["franka-panda"], "run: assets pull franka-panda"),
    ],
)
def test_show_answers_mistakes_in_one_line(command, tmp_path, monkeypatch, names, said):
    monkeypatch.setenv("TWINLOOM_CACHE", str(tmp_path))
    code, out, error = command("show", *names, "--out", str(tmp_path / "image.png"))
    assert (code, out) == (2, "")
    assert said in error
    assert error.count("\n") == 1
    assert not (tmp_path / "image.png").exists()


def test_pull_says_what_there_is_to_do(command):
    code, out, _ = command("pull", "piper")
    assert (code, out) == (0, "piper: own shapes\n")
    code, _, error = command("pull", "pipper")
    assert code == 2
    assert "Did you mean piper?" in error


def test_check_counts_and_names(command, monkeypatch):
    def some(what):
        yield from (("good", ""), ("bad", "it is bent"))

    monkeypatch.setattr("assets.check.findings", some)
    code, out, _ = command("check", "robots", "textures")
    assert code == 1
    assert out == "robot bad: it is bent\nrobots: 1 in order\ntexture bad: it is bent\ntextures: 1 in order\n"


def test_textures_are_in_order():
    assert [problem for _, problem in findings("textures") if problem] == []


def test_page_about_robots_equals_records_and_results():
    page = PAGE.read_text(encoding="utf-8")
    assert with_table(page) == page, "run: python -m assets.robots.docs"


def test_every_robot_has_its_image():
    for name in robots():
        image = PAGE.parents[1] / "img" / "robots" / f"{name}.png"
        assert 10_000 < image.stat().st_size < 150_000, f"run: python -m assets.robots.show ({name})"
