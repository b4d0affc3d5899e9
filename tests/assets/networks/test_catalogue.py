"""Networks by name, their published measures, and the commands about them."""

from __future__ import annotations

import gzip
import json
import os
import re

import numpy as np
import pytest

from assets.cli import main
from assets.networks import catalogue, docs
from assets.networks.catalogue import FOLDER_VARIABLE, NETWORKS, NetworkRecord, find_file, load
from assets.networks.stats import measure
from twinloom.errors import TwinloomError, UnknownNameError
from twinloom.registry import Registry


def real(name: str):
    """A real network, or a skip that says how to run the test."""
    try:
        find_file(NETWORKS[name])
    except TwinloomError as missing:
        pytest.skip(str(missing))
    return load(name)


@pytest.mark.parametrize(
    ("name", "nodes", "edges", "k_max", "mean", "median", "kappa", "core"),
    [
        ("facebook_combined", 4_039, 88_234, 1_045, 43.69, 25, 105.6, 115),
        ("lastfm_asia", 7_624, 27_806, 216, 7.29, 4, 24.4, 20),
        ("deezer_europe", 28_281, 92_752, 172, 6.56, 4, 15.2, 12),
    ],
)
def test_real_networks_have_their_published_measures(name, nodes, edges, k_max, mean, median, kappa, core):
    graph = real(name)
    stats = measure(graph)
    assert (stats.nodes, stats.edges, stats.max_degree, stats.median_degree) == (nodes, edges, k_max, median)
    assert stats.mean_degree == pytest.approx(mean, abs=0.005)
    assert stats.kappa == pytest.approx(kappa, abs=0.05)
    assert stats.max_core == core
    assert stats.components == 1
    assert not graph.synthetic
    record = NETWORKS[name]
    assert (record.nodes, record.edges, record.k_max) == (nodes, edges, k_max)
    assert record.kappa == kappa
    if name == "facebook_combined":
        assert stats.triangles == 1_612_010
        assert stats.clustering == pytest.approx(0.6055, abs=5e-5)


def test_measures_of_a_small_graph_by_hand(tmp_path):
    path = tmp_path / "g.txt"
    path.write_text("0 1\n1 2\n2 0\n2 3\n4 5\n")
    stats = measure(load(path))
    assert (stats.components, stats.largest, stats.max_core, stats.triangles) == (2, 4, 2, 1)
    assert stats.clustering == pytest.approx((1 + 1 + 1 / 3) / 6)
    assert stats.kappa == pytest.approx((4 + 4 + 9 + 1 + 1 + 1) / 10 - 1)
    arcs = measure(load(path, directed=True))
    assert (arcs.edges, arcs.components, arcs.triangles, arcs.clustering) == (5, 2, 1, stats.clustering)


@pytest.fixture
def pretend(monkeypatch, tmp_path):
    """A catalogue of two tiny data sets, with files as SNAP lays them out."""
    registry: Registry[NetworkRecord] = Registry("network", "assets list networks")
    registry.register("pair", NetworkRecord("pair", 3, 2, 2, 0.5, ("pair.txt", "pair_edges.csv"), "https://pair", "A"))
    registry.register("arcs", NetworkRecord("arcs", 3, 3, 2, 0.5, ("arcs.txt",), "https://arcs", "B", directed=True))
    monkeypatch.setattr(catalogue, "NETWORKS", registry)
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    return tmp_path


def test_files_are_found_in_the_users_folder(pretend, monkeypatch):
    with pytest.raises(
        TwinloomError, match=r"holds none of pair.txt, pair.txt.gz, .* fetch pair_edges.csv from https://pair"
    ):
        load("pair")
    (pretend / "pair_edges.csv").write_text("node_1,node_2\n0,1\n1,2\n")
    assert load("pair").edges == 2
    (pretend / "pair.txt.gz").write_bytes(gzip.compress(b"0 1\n0 2\n"))
    assert load("pair").pairs().tolist() == [[0, 1], [0, 2]]
    assert load("pair").name == "pair"
    monkeypatch.delenv(FOLDER_VARIABLE)
    with pytest.raises(TwinloomError, match="TWINLOOM_NETWORKS does not name a folder"):
        load("pair")
    assert load("pair", path=pretend / "pair_edges.csv").pairs().tolist() == [[0, 1], [1, 2]]


def test_the_counts_of_a_named_file_are_checked(pretend):
    wrong = pretend / "pair.txt"
    wrong.write_text("0 1\n1 2\n2 3\n")
    with pytest.raises(TwinloomError, match=r"is not pair: it has 4 nodes and 3 edges, not 3 and 2"):
        load("pair")
    assert load(wrong).edges == 3


def test_a_data_set_of_arcs_is_checked_as_such_and_becomes_undirected(pretend):
    (pretend / "arcs.txt").write_text("10 20\n20 10\n20 30\n10 20\n")
    graph = load("arcs")
    assert (graph.n, graph.edges, graph.directed) == (3, 2, False)
    assert graph.labels.tolist() == [10, 20, 30]
    assert load("arcs", directed=True).edges == 3
    (pretend / "arcs.txt").write_text("10 20\n20 30\n")
    with pytest.raises(TwinloomError, match="2 arcs, not 3 and 3"):
        load("arcs")


def test_twitter_and_youtube_must_be_the_real_ones(tmp_path):
    path = tmp_path / "some.txt"
    path.write_text("0 1\n")
    for name, nodes in (("twitter", "81,306"), ("youtube", "1,134,890")):
        with pytest.raises(TwinloomError, match=f"is not {name}: it has 2 nodes and 1 .*, not {nodes}"):
            load(name, path=path)


@pytest.mark.slow
def test_a_file_of_the_size_of_youtube_passes_its_check(tmp_path):
    path = tmp_path / "com-youtube.ungraph.txt"
    np.savetxt(path, load("youtube-like").pairs(), fmt="%d", delimiter="\t", header="Nodes: 1134890 Edges: 2987624")
    graph = load("youtube", path=path)
    assert (graph.n, graph.edges, graph.synthetic) == (1_134_890, 2_987_624, False)


def test_stand_ins_are_synthetic_and_depend_on_their_seed_alone():
    first, again, other = load("twitter-like"), load("twitter-like"), load("twitter-like", seed=1)
    assert first.synthetic
    assert np.array_equal(first.indices, again.indices)
    assert not np.array_equal(first.indices, other.indices)


def test_names_that_do_not_exist(tmp_path):
    with pytest.raises(UnknownNameError, match="Did you mean facebook_combined"):
        load("facebook_combind")
    with pytest.raises(UnknownNameError, match="unknown network"):
        load("facebok", path=tmp_path)
    with pytest.raises(TwinloomError, match="does not exist"):
        load("facebook.txt.gz")
    with pytest.raises(TwinloomError, match="is generated; leave path out"):
        load("twitter-like", path=tmp_path / "x")
    with pytest.raises(TwinloomError, match="None is no network"):
        load(None)
    with pytest.raises(TwinloomError, match="seed is a whole number from 0, not '1'"):
        load("twitter-like", seed="1")


@pytest.fixture
def command(monkeypatch, capsys):
    def run(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.argv", ["assets", *arguments])
        with pytest.raises(SystemExit) as end:
            main()
        return int(end.value.code or 0), *capsys.readouterr()

    return run


def test_list_networks(command, monkeypatch):
    monkeypatch.delenv(FOLDER_VARIABLE, raising=False)
    code, out, _ = command("list", "networks")
    assert code == 0
    assert all(name in out for name in NETWORKS)
    assert out.count("synthetic") == 2
    assert out.count("https://snap.stanford.edu/data/") == 5
    assert f"set {FOLDER_VARIABLE} to the folder of the files" in out
    assert re.search(r"debian_maintainers .* make the file .* python -m assets.networks.debian FOLDER", out)


def test_graph_info_says_what_it_read_and_measured(command, tmp_path):
    path = tmp_path / "g.txt"
    path.write_text("# four\n1 2\n2 1\n2 3\n3 3\n3 4\n")
    code, out, _ = command("graph", "info", str(path))
    assert code == 0
    for line in (
        "kept     4 nodes, 3 edges", "merged   1 reversed line", "dropped  1 self-loop", "node i is id i + 1",
        "degree     mean 1.50, median 1.5, largest 2", "components 1; the largest holds 100.0%", "tiers",
    ):  # fmt: skip
        assert line in out
    code, out, _ = command("graph", "info", str(path), "--directed", "--nodes", "6", "--json")
    found = json.loads(out)
    assert (code, found["nodes"], found["edges"], found["directed"], found["reading"]["isolated"]) == (0, 6, 4, True, 2)


def test_graph_info_prints_the_kappa_that_environments_use(command, tmp_path):
    path = tmp_path / "g.txt"
    path.write_text("0 1\n0 2\n0 3\n3 4\n1 0\n")
    directed = load(path, directed=True)
    assert directed.kappa == pytest.approx((1 * 3 + 1 + 1 - 2) / 5)  # of <k_in k_out>, less the arcs back
    code, out, _ = command("graph", "info", str(path), "--directed")
    assert code == 0
    assert "kappa      0.6 mean excess degree along arcs, as environments use it; R0 = transmissibility x kappa" in out
    assert measure(directed).kappa == directed.kappa
    assert "kappa      1 mean excess degree; R0" in command("graph", "info", str(path))[1]


def test_graph_info_prints_the_range_of_weights(command, tmp_path):
    path = tmp_path / "g.txt"
    path.write_text("0;1;0,5\n1;2;2\n2;1;3,5\n2;3;0\n")
    code, out, _ = command("graph", "info", str(path), "--weights", "2")
    assert code == 0
    assert "weights    0.5 to 3.5, mean 2" in out
    assert "R0 = mean transmissibility of the edges x kappa" in out
    found = json.loads(command("graph", "info", str(path), "--weights", "2", "--json")[1])
    assert found["weights"] == [0.5, 2.0, 3.5]
    assert "weights  " not in command("graph", "info", str(path))[1]


def test_graph_info_of_one_isolated_node(command, tmp_path):
    path = tmp_path / "g.txt"
    path.write_text("7 7\n")
    code, out, _ = command("graph", "info", str(path), "--json")
    assert (code, json.loads(out)["kappa"], json.loads(out)["nodes"]) == (0, None, 1)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["info", "no/such/file.txt"], "does not exist"),
        (["info", "twiter-like"], "Did you mean twitter-like?"),
        (["info", os.devnull], "no edges in it"),
        (["info", "twitter-like", "--weights", "2"], "is a network of known form, without --weights"),
    ],
)
def test_graph_info_answers_mistakes_in_one_line(command, arguments, said):
    code, out, err = command("graph", *arguments)
    assert (code, out) == (2, "")
    assert err.startswith("error: ")
    assert said in err
    assert err.count("\n") == 1


def test_the_table_of_the_documentation_equals_the_catalogue():
    page = docs.PAGE.read_text(encoding="utf-8")
    assert docs.with_table(page) == page
