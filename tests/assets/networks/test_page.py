"""The Python blocks of docs/cascade/networks.md run as they stand."""

from __future__ import annotations

import gzip
import re

import pytest

from assets.networks.docs import PAGE

BLOCKS = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("block", BLOCKS, ids=range(len(BLOCKS)))
def test_blocks_run(block, tmp_path, monkeypatch):
    (tmp_path / "my_edges.txt.gz").write_bytes(gzip.compress(b"0 1\n1 2\n2 0\n"))
    monkeypatch.chdir(tmp_path)
    names: dict = {}
    exec(block, names)
    if "env" in names:
        observation, _ = names["env"].reset(seed=0)
        assert observation.shape == names["env"].observation_space.shape
    elif "seeds" in names:
        graph = names["graph"]
        assert (graph.n, graph.edges, graph.weights.max()) == (77, 254, 31)
        assert graph.labels[names["seeds"]].tolist() == ["Valjean", "Javert"]
    else:
        assert names["graph"].edges > 0


def test_the_page_shows_every_way():
    assert len(BLOCKS) >= 5
