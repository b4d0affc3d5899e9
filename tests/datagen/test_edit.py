"""Parts of a dataset: every selection, renaming and splitting; frames are copied as they are coded."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import datagen
from datagen.edit import EditConfig, edit, numbers
from datagen.lerobot.verify import verify
from tests.datagen.conftest import files_of
from tests.datagen.test_formats import ACTION, HEAD, SPEC, make_episode
from twinloom.errors import TwinloomError


@pytest.fixture(scope="module")
def root(tmp_path_factory) -> Path:
    out = tmp_path_factory.mktemp("edit") / "data"
    with datagen.DatasetWriter(out, SPEC) as writer:
        for number in range(6):
            writer.add(make_episode(number, 3 + number))
    return out


def numbers_in(root: Path) -> list[int]:
    assert verify(root).problems == []
    with datagen.Dataset(root) as dataset:
        return [episode.record["number"] for episode in dataset]


@pytest.mark.parametrize(
    ("config", "left"),
    [
        (EditConfig(delete=numbers(["1", "3-4"])), [0, 2, 5]),
        (EditConfig(keep=numbers(["2,5"])), [2, 5]),
        (EditConfig(success=True), [0, 2, 3, 4, 5]),
        (EditConfig(shortest=5, longest=7), [2, 3, 4]),
        (EditConfig(tasks=["sentence 1"]), [1, 3, 5]),
        (EditConfig(tasks=["calm"], delete=numbers(["0"])), [1, 2, 3, 4, 5]),
    ],
)
def test_episodes_are_chosen(root, tmp_path, config, left):
    before = files_of(root)
    assert edit(root, tmp_path / "out", config) == {tmp_path / "out": len(left)}
    assert numbers_in(tmp_path / "out") == left
    assert files_of(root) == before
    with datagen.Dataset(root) as old, datagen.Dataset(tmp_path / "out") as new:
        for index, number in enumerate(left):
            assert np.array_equal(new.arrays(index)[ACTION], old.arrays(number)[ACTION])
            assert np.array_equal(new.frame(index, 2, HEAD), old.frame(number, 2, HEAD))


def test_names_sentences_and_cameras_change(root, tmp_path):
    config = EditConfig(rename={"head": "top", ACTION: "action.joints"}, retask={"sentence 0": "do it"})
    edit(root, tmp_path / "a", config)
    with datagen.Dataset(tmp_path / "a") as dataset:
        assert dataset.cameras == ["observation.images.top"]
        assert "action.joints" in dataset.features
        assert set(dataset.tasks.values()) == {"do it", "sentence 1"}
    edit(root, tmp_path / "b", EditConfig(cameras=["none"]))
    with datagen.Dataset(tmp_path / "b") as dataset:
        assert dataset.cameras == []
    assert numbers_in(tmp_path / "a") == numbers_in(tmp_path / "b") == list(range(6))
    assert not (tmp_path / "b/videos").exists()


def test_a_split_takes_every_episode_once(root, tmp_path):
    found = edit(root, tmp_path / "out", EditConfig(split={"train": 0.67, "val": 0.33}, seed=1))
    assert list(found.values()) == [4, 2]
    assert sorted(numbers_in(tmp_path / "out/train") + numbers_in(tmp_path / "out/val")) == list(range(6))


@pytest.mark.parametrize(
    ("config", "text"),
    [
        (EditConfig(delete=numbers(["9"])), "episodes 0 to 5, not 9"),
        (EditConfig(tasks=["nothing"]), "no task"),
        (EditConfig(rename={"x": "y"}), "no feature or camera"),
        (EditConfig(rename={ACTION: "observation.state"}), "two features"),
        (EditConfig(retask={"x": "y"}), "no sentence"),
        (EditConfig(shortest=99), "nothing"),
        (EditConfig(split={"a": 0.9, "b": 0.2}), "add up"),
        (EditConfig(cameras=["hed"]), "head"),
    ],
)
def test_what_the_dataset_does_not_have_is_refused(root, tmp_path, config, text):
    with pytest.raises(TwinloomError, match=text):
        edit(root, tmp_path / "out", config)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("word", ["x", "3-", "5-3", "-1"])
def test_words_that_name_no_episode_are_refused(word):
    with pytest.raises(TwinloomError, match="no episode"):
        numbers([word])
