"""Data loaders on a dataset: every start method of workers, windows in time, padding, and readers after a fork."""

from __future__ import annotations

import multiprocessing as mp
import pickle

import pytest

from datagen.lerobot.read import Dataset
from tests.datagen.conftest import FIXTURE
from twinloom.errors import InvalidSettingsError

torch = pytest.importorskip("torch")
FrameDataset = pytest.importorskip("datagen.frames").FrameDataset
FRONT, ACTION = "observation.images.front", "action"
WINDOWS = {ACTION: [0.0, 0.05, 0.1], FRONT: [-0.05, 0.0]}


def darken(image: torch.Tensor) -> torch.Tensor:
    """A transform that worker processes can import."""
    return image * 0.5


def read_in_child(dataset: Dataset, queue) -> None:
    queue.put([int(dataset.frame(episode, 7, FRONT).sum()) for episode in (0, 2, 1, 0)])
    queue.put([dataset.arrays(episode)[ACTION].shape for episode in (0, 1)])
    dataset.close()


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_an_opened_reader_works_in_other_processes(method):
    """A forked child that read from an opened dataset waited for ever for threads of the colour conversion."""
    context = mp.get_context(method)
    with Dataset(FIXTURE) as dataset:
        expected = [int(dataset.frame(episode, 7, FRONT).sum()) for episode in (0, 2, 1, 0)]
        shapes = [dataset.arrays(episode)[ACTION].shape for episode in (0, 1)]
        queue = context.Queue()
        children = [context.Process(target=read_in_child, args=(dataset, queue)) for _ in range(2)]
        for child in children:
            child.start()
        answers = [queue.get(timeout=120) for _ in range(4)]
        for child in children:
            child.join(60)
            assert child.exitcode == 0
        assert answers.count(expected) == 2
        assert answers.count(shapes) == 2
        assert int(dataset.frame(0, 7, FRONT).sum()) == expected[0]
        assert int(pickle.loads(pickle.dumps(dataset)).frame(0, 7, FRONT).sum()) == expected[0]


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_four_workers_give_what_one_process_gives(method):
    dataset = FrameDataset(FIXTURE, delta_timestamps=WINDOWS, image_transforms=darken)
    dataset[5]  # opened before the workers start
    subset = torch.utils.data.Subset(dataset, list(range(0, len(dataset), 37)))
    loader = torch.utils.data.DataLoader(
        subset, batch_size=2, num_workers=4, multiprocessing_context=method, timeout=60
    )
    batches = list(loader)
    assert [int(i) for batch in batches for i in batch["index"]] == list(range(0, len(dataset), 37))
    for batch in batches:
        for row, index in enumerate(batch["index"]):
            alone = dataset[int(index)]
            for name in (ACTION, FRONT, "observation.state", ACTION + "_is_pad", FRONT + "_is_pad"):
                assert torch.equal(batch[name][row], alone[name]), name
            assert batch["task"][row] == alone["task"]


def test_windows_are_the_neighbours_and_padding_says_where_there_are_none():
    dataset = FrameDataset(FIXTURE, delta_timestamps=WINDOWS, episodes=[2, 0])
    with Dataset(FIXTURE) as source:
        arrays, length = source.arrays(2), source.row(2)["length"]
        assert len(dataset) == length + source.row(0)["length"]
        first, last = dataset[0], dataset[length - 1]
        assert first[FRONT + "_is_pad"].tolist() == [True, False]
        assert last[ACTION + "_is_pad"].tolist() == [False, True, True]
        assert torch.equal(last[ACTION], torch.from_numpy(arrays[ACTION][[length - 1] * 3]))
        item = dataset[10]
        assert torch.equal(item[ACTION], torch.from_numpy(arrays[ACTION][10:13]))
        image = torch.from_numpy(source.frame(2, 9, FRONT)).permute(2, 0, 1) / 255
        assert torch.equal(item[FRONT][0], image)
        assert item["observation.state"].shape == (14,)
        assert int(item["episode_index"]) == 2
        assert int(dataset[length]["episode_index"]) == 0
        assert item["task"] == source.tasks[int(arrays["task_index"][10])]


@pytest.mark.parametrize(
    ("deltas", "text"),
    [({ACTION: [0.03]}, "multiples of 1/20"), ({"nothing": [0.0]}, "no feature"), ({ACTION: []}, "at nothing")],
)
def test_windows_that_do_not_fit_are_refused(deltas, text):
    with pytest.raises(InvalidSettingsError, match=text):
        FrameDataset(FIXTURE, delta_timestamps=deltas)
