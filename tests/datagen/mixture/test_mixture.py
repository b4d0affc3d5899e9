"""Windows of mixtures: aligned, masked, resampled, labelled, and the same in any worker."""

import numpy as np
import pytest
import torch

from datagen.mixture.config import MixtureConfig, SourceConfig
from datagen.mixture.mixture import Mixture
from datagen.mixture.source import resampled_times
from datagen.mixture.windows import MixtureLoader, WindowDataset
from tests.datagen.fake import read_number
from twinloom.errors import InvalidSettingsError, TwinloomError, UnknownNameError
from twinloom.features import ACTION, IMAGES, STATE

HEAD = IMAGES + "head"


def config(*sources: SourceConfig, **changes) -> MixtureConfig:
    return MixtureConfig(sources, **({"horizon": 4, "batch_size": 8, "image_size": (32, 24)} | changes))


def test_a_window_is_the_observation_and_the_actions_that_follow(make):
    mixture = Mixture(config(SourceConfig(str(make("real"))), normalization="min_max"))
    windows = WindowDataset(mixture)
    item = windows[3]
    scale = mixture.normalizers[0]
    assert scale[STATE].restored(item[STATE]) == pytest.approx([3.0, 4.0], abs=1e-4)
    assert scale[ACTION].restored(item[ACTION])[:, 0] == pytest.approx([6.0, 8.0, 10.0, 12.0], abs=1e-4)
    assert read_number(item[HEAD].transpose(1, 2, 0)) == 3
    assert item["domain"] == 0
    assert item["task"] == "sentence 0"
    assert item["action_mask"].all()
    last = windows[19]
    assert last["action_is_pad"].tolist() == [False, True, True, True]
    assert last["progress"] == 1.0
    assert read_number(windows[25][HEAD].transpose(1, 2, 0)) == 1 << 8 | 5
    with pytest.raises(IndexError):
        windows[40]


def test_differences_are_refused_with_a_table(make):
    one, other = make("real"), make("sim", fps=50, names=("b", "c"), cameras=("front",))
    with pytest.raises(InvalidSettingsError) as refused:
        Mixture(config(SourceConfig(str(one)), SourceConfig(str(other), "sim")))
    text = str(refused.value)
    for word in ("rates differ", "states differ", "actions differ", "sim without head", "fps  real: 25; sim: 50"):
        assert word in text
    assert "state  real: a, b; sim: b, c" in text


def test_names_cameras_and_rates_are_brought_together(make):
    one, other = make("real"), make("sim", fps=50, names=("b", "c"), cameras=("front",), length=40)
    sim = SourceConfig(str(other), "sim", cameras={"head": "front"}, names={"a": "c"})
    mixture = Mixture(config(SourceConfig(str(one)), sim, fps=25, align="names", normalization="min_max"))
    assert mixture.names[ACTION] == ("a", "b")
    assert [len(source) for source in mixture.sources] == [40, 40]
    item = WindowDataset(mixture)[40 + 5]  # frame 5 at 25 Hz is frame 10 at 50 Hz: element b is 5, c is 6
    assert mixture.normalizers[1][STATE].restored(item[STATE]) == pytest.approx([6.0, 5.0], abs=1e-4)
    assert read_number(item[HEAD].transpose(1, 2, 0)) == 10
    assert item["domain"] == 1


def test_elements_and_cameras_that_a_source_lacks_are_masked(make):
    one, other = make("real", names=("a", "b", "c")), make("sim", names=("b", "d"), cameras=())
    sources = (SourceConfig(str(one)), SourceConfig(str(other), "sim"))
    mixture = Mixture(config(*sources, align="names", missing_cameras=True))
    assert mixture.names[STATE] == ("a", "b", "c", "d")
    item = WindowDataset(mixture)[45]
    assert item["action_mask"].tolist() == [False, True, False, True]
    assert item["state_mask"].tolist() == [False, True, False, True]
    assert not item["image_mask"].any()
    assert not item[HEAD].any()
    assert (item[ACTION][:, [0, 2]] == 0.0).all()


def test_a_scale_for_each_domain_or_one_for_all(make):
    one, other = make("real"), make("sim", offset=100.0)
    sources = (SourceConfig(str(one)), SourceConfig(str(other), "sim"))
    shared = Mixture(config(*sources, p_target=0.5, normalization="min_max")).normalizers
    assert shared[0][STATE].center[0] == shared[1][STATE].center[0] == pytest.approx(59.5)
    apart = Mixture(config(*sources, p_target=0.5, normalization="min_max", scope="domain")).normalizers
    assert apart[1][STATE].center[0] - apart[0][STATE].center[0] == pytest.approx(100.0)


@pytest.mark.parametrize("start_method", ["fork", "spawn"])
def test_workers_give_the_same_batches(make, start_method):
    one, other = make("real"), make("sim", episodes=6)
    mixture = Mixture(config(SourceConfig(str(one)), SourceConfig(str(other), "sim"), p_target=0.25))
    alone = list(MixtureLoader(mixture).batches(steps=6))
    shared = list(MixtureLoader(mixture, workers=4, start_method=start_method).batches(steps=6))
    for a, b in zip(alone, shared, strict=True):
        assert torch.equal(a["index"], b["index"])
        assert torch.equal(a[HEAD], b[HEAD])
        assert a["task"] == b["task"]
        assert int((a["domain"] == 0).sum()) == 2
    later = list(MixtureLoader(mixture).batches(step=4, steps=6))
    assert torch.equal(later[0]["index"], alone[4]["index"])


def test_more_target_samples_weigh_less(make):
    one, other = make("real"), make("sim", episodes=6)
    sources = (SourceConfig(str(one)), SourceConfig(str(other), "sim"))
    loader = MixtureLoader(Mixture(config(*sources, p_target=0.125, min_target=4)))
    batch = next(iter(loader.batches(steps=1)))
    target = batch["domain"] == 0
    assert int(target.sum()) == 4
    weight = batch["loss_weight"]
    assert float(weight[target].sum() / weight.sum()) == pytest.approx(0.125)


def test_images_are_decoded_once(make, monkeypatch):
    root = make("real")
    Mixture(config(SourceConfig(str(root))))
    monkeypatch.setattr("datagen.lerobot.read.Dataset.images", lambda *_: pytest.fail("decoded again"))
    Mixture(config(SourceConfig(str(root))))


def test_episodes_and_tasks_are_chosen(make):
    root = str(make("real", episodes=3))
    assert len(Mixture(config(SourceConfig(root, episodes=2, task="bimanual/calm")))) == 40
    with pytest.raises(TwinloomError, match="has 3 episodes to learn from, and 5"):
        Mixture(config(SourceConfig(root, episodes=5)))
    with pytest.raises(UnknownNameError, match="calm"):
        Mixture(config(SourceConfig(root, task="clam")))


def test_rates_that_do_not_divide_are_interpolated():
    assert resampled_times(7, 30, 20).tolist() == [0.0, 1.5, 3.0, 4.5, 6.0]
    assert resampled_times(3, 25, 25).tolist() == [0.0, 1.0, 2.0]
    assert np.diff(resampled_times(4, 10, 20)).tolist() == [0.5] * 6


def test_the_command_says_what_differs_and_where_to_search(make, capsys):
    from datagen.mixture.commands import mixture

    one, other = make("real"), make("sim", episodes=30)
    assert mixture(one, (other,)) == 0
    said = capsys.readouterr().out
    assert "p_target: search from 0.0625" in said
    assert mixture(one, (make("odd", fps=50),)) == 1
    assert "differs: fps  real: 25; odd: 50" in capsys.readouterr().out
