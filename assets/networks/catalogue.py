"""Networks by name: public data sets that users bring, synthetic stand-ins, and any file."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from assets.networks.degree_sequences import TWITTER, YOUTUBE, StandIn
from assets.networks.graph import Graph, from_edges
from assets.networks.load import read_edges
from twinloom.arguments import ensure, is_whole
from twinloom.errors import TwinloomError, UnknownNameError
from twinloom.registry import Registry

FOLDER_VARIABLE = "TWINLOOM_NETWORKS"
SNAP = "https://snap.stanford.edu/data"
_EGO = "McAuley and Leskovec, Learning to Discover Social Circles in Ego Networks, NIPS 2012"
_FEATHER = "Rozemberczki and Sarkar, Characteristic Functions on Graphs, CIKM 2020"


@dataclass(frozen=True)
class NetworkRecord:
    """One known network.

    Attributes:
        name: what `load` calls it.
        nodes, edges: what it must have; edges are undirected pairs, or ``arcs`` where the data set is directed.
        k_max, kappa: largest degree and mean excess degree of its undirected form.
        files: names under which its edge list is looked for, also with .gz; empty if it is generated.
        source: page to fetch it from.
        cite: whom to cite.
        directed: whether the file lists arcs, whose number is ``edges``.
        stand_in: how a synthetic one is made.
        command: what makes the file in a FOLDER, if it is not fetched by hand.
    """

    name: str
    nodes: int
    edges: int
    k_max: int
    kappa: float
    files: tuple[str, ...] = ()
    source: str = ""
    cite: str = ""
    directed: bool = False
    stand_in: StandIn | None = None
    command: str = ""


NETWORKS: Registry[NetworkRecord] = Registry("network", "assets list networks")
for _record in (
    NetworkRecord(
        "facebook_combined", 4_039, 88_234, 1_045, 105.6, ("facebook_combined.txt",), f"{SNAP}/ego-Facebook.html", _EGO
    ),
    NetworkRecord(
        "lastfm_asia", 7_624, 27_806, 216, 24.4, ("lastfm_asia.txt", "lastfm_asia_edges.csv"),
        f"{SNAP}/feather-lastfm-social.html", _FEATHER,
    ),
    NetworkRecord(
        "deezer_europe", 28_281, 92_752, 172, 15.2, ("deezer_europe.txt", "deezer_europe_edges.csv"),
        f"{SNAP}/feather-deezer-social.html", _FEATHER,
    ),
    NetworkRecord(
        "debian_maintainers", 1_997, 5_872, 139, 19.8, ("debian_maintainers.txt",),
        "https://www.debian.org/releases/bookworm/", "Debian 12.15, who maintains packages together",
        command="python -m assets.networks.debian FOLDER",
    ),
    NetworkRecord(
        "twitter", 81_306, 1_768_149, TWITTER.k_max, TWITTER.kappa, ("twitter_combined.txt",),
        f"{SNAP}/ego-Twitter.html", _EGO, directed=True,
    ),
    NetworkRecord(
        "youtube", 1_134_890, 2_987_624, YOUTUBE.k_max, YOUTUBE.kappa, ("com-youtube.ungraph.txt",),
        f"{SNAP}/com-Youtube.html",
        "Yang and Leskovec, Defining and Evaluating Network Communities based on Ground-truth, ICDM 2012",
    ),
    *(NetworkRecord(s.name, s.nodes, s.edges, s.k_max, s.kappa, stand_in=s) for s in (TWITTER, YOUTUBE)),
):  # fmt: skip
    NETWORKS.register(_record.name, _record)


def load(name: str | Path, path: str | Path | None = None, *, directed: bool = False, seed: int = 0) -> Graph:
    """A network by name, or any edge list by path.

    Args:
        name: a name of `NETWORKS`, or the path of a file (see `read_edges` for more options and the report).
        path: where the file of a named data set is; None: it is looked for in the folder that the environment
            variable TWINLOOM_NETWORKS names. Its numbers of nodes and edges must be those of the data set.
        directed: whether edges lead one way. Ego-Twitter, which lists arcs, becomes undirected unless this is set.
        seed: of a generated network.

    Raises:
        TwinloomError: unknown name, missing file, a file that is not the named data set, or an
            argument of the wrong kind.
    """
    ensure(isinstance(name, (str, Path)), f"{name!r} is no network; give a name or the path of a file")
    ensure(is_whole(seed) and seed >= 0, f"seed is a whole number from 0, not {seed!r}")
    known = str(name) in NETWORKS
    if path is not None or known:
        record = NETWORKS[str(name)]
        if record.stand_in is not None:
            if path is not None:
                raise TwinloomError(f"{name} is generated; leave path out, or read the file with load({str(path)!r})")
            return record.stand_in.generate(np.random.default_rng(seed))
        return _read(record, find_file(record) if path is None else Path(path), directed)
    if Path(name).exists() or os.sep in str(name) or "." in str(name):
        return read_edges(name, directed)[0]
    raise UnknownNameError("network", str(name), NETWORKS, NETWORKS.list_command)


def find_file(record: NetworkRecord) -> Path:
    """The file of a data set in the user's folder. Raises TwinloomError, saying where to get it, if it is not there."""
    folder = os.environ.get(FOLDER_VARIABLE, "")
    candidates = [Path(folder) / f"{file}{ending}" for file in record.files for ending in ("", ".gz")]
    for candidate in candidates if folder else []:
        if candidate.is_file():
            return candidate
    where = f"{folder} holds none of {', '.join(c.name for c in candidates)}"
    how = f"make it with {record.command}" if record.command else f"fetch {record.files[-1]} from {record.source}"
    raise TwinloomError(
        f"{record.name}: {where if folder else f'{FOLDER_VARIABLE} does not name a folder of edge lists'}; "
        f"{how}, and set {FOLDER_VARIABLE} to its folder or pass path"
    )


def _read(record: NetworkRecord, path: Path, directed: bool) -> Graph:
    """The graph of a data set's file, after a check of its counts."""
    graph, report = read_edges(path, directed=record.directed or directed, name=record.name)
    # self-loops are no edges here, but count where a data set was published with them
    if graph.n != record.nodes or record.edges not in (graph.edges, graph.edges + report.loops):
        unit = "arcs" if record.directed else "edges"
        raise TwinloomError(
            f"{path} is not {record.name}: it has {graph.n:,} nodes and {graph.edges:,} {unit}, not {record.nodes:,} "
            f"and {record.edges:,} ({record.source}); load({str(path)!r}) takes it as it is"
        )
    if record.directed and not directed:
        graph = replace(from_edges(graph.n, graph.pairs(), name=graph.name), labels=graph.labels)
    return graph
