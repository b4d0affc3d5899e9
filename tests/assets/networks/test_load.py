"""Edge lists of every kind a user may bring: what is kept, merged, dropped, and what is refused at which line."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assets.networks.load import NO_ID, read_edges
from twinloom.errors import TwinloomError

PATH = [[0, 1], [1, 2]]


@pytest.fixture
def write(tmp_path):
    def put(content: str | bytes, name: str = "edges.txt") -> Path:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return put


@pytest.mark.parametrize(
    "content",
    [
        "0 1\n1 2\n",
        "0 1\n1 2",  # no newline at the end
        "0\t1\r\n1\t2\r\n",
        "0 1\r1 2\r",  # line ends of old Macintoshes
        "0 1\r1 2\n",  # the last one is not
        "0 1\r\n1 2\r",
        "# a\r\r0 1\r1 2\r\n",
        "ann bob\rbob cat\n",
        "0,1\n1,2\n",
        "0;1\n1;2\n",
        "0 , 1\n 1,2 \n",
        "  0   1  \n\t1 \t 2\t\n",
        "0\t1\n1 2\n",  # tabs here, spaces there
        '"0","1"\n"1","2"\n',
        "\ufeff0 1\n1 2\n",
        "# comment\n% another\n\n0 1\n# in between\n1 2\n\n",
        "source,target\n0,1\n1,2\n",
        "# Nodes: 3 Edges: 2\n# FromNodeId\tToNodeId\n0\t1\n1\t2\n",
        "0 1 {}\n1 2 {'weight': 3, 'since': 1999}\n",  # networkx
        "0 1 # a remark\n1 2 # another\n",
        "0,1,New York,\n1,2,Rome,x\n",  # a text column with blanks
        "0\t1\t5.0\n1\t2\t-3\n",
        "%%MatrixMarket matrix coordinate pattern symmetric\n% a comment\n3 3 2\n2 1\n3 2\n",
        "10 20\n20 99999999999\n",
        "-5 0\n0 7\n",
        "+1 02\n2 3\n",
        "9223372036854775806 9223372036854775807\n-9223372036854775807 9223372036854775806\n",
        "ann bob\nbob cat\n",
        "source target\nann bob\nbob cat\n",
        "Ann Smith\tBob\nBob\tCid the 2nd\n",
        '"Smith, Ann","Smith, Bob"\n"Smith, Bob","Smith, Cid"\n',
        "añ\tbö\nbö\tçé\n",
    ],
)
def test_one_path_of_three_nodes_in_many_spellings(write, content):
    graph, report = read_edges(write(content))
    assert (graph.n, graph.pairs().tolist()) == (3, PATH)
    assert (report.nodes, report.edges, report.rows) == (3, 2, 2)
    assert not graph.directed
    assert graph.name == "edges"
    assert not graph.synthetic


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_compression_is_told_by_the_content(write, pack):
    assert read_edges(write(pack(b"0 1\n1 2\n"), "edges.txt"))[0].pairs().tolist() == PATH
    assert read_edges(write(b"0 1\n1 2\n", "plain.gz"))[0].pairs().tolist() == PATH
    two_members = gzip.compress(b"0 1\n") + gzip.compress(b"1 2\n")
    assert read_edges(write(two_members, "parts.gz"))[0].pairs().tolist() == PATH


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-8-sig"])
def test_other_unicode_forms(write, encoding):
    content = ("" if encoding == "utf-8-sig" else "\ufeff") + "zoë bob\nbob cat\n"
    graph, _ = read_edges(write(content.encode(encoding)))
    assert graph.labels.tolist() == ["bob", "cat", "zoë"]


def test_everything_is_accounted_for(write):
    graph, report = read_edges(write("# head\n\n5 9\n9 5\n5 9\n7 7\n9 12\n12 9\n12 9\n"))
    assert graph.labels.tolist() == [5, 7, 9, 12]
    assert graph.pairs().tolist() == [[0, 2], [2, 3]]
    assert (report.rows, report.edges, report.loops, report.repeated, report.reversed) == (7, 2, 1, 2, 2)
    assert report.rows == report.edges + report.loops + report.repeated + report.reversed
    assert (report.isolated, report.comments, report.blanks) == (1, 1, 1)
    assert "\n".join(report.lines()[1:]) == (
        "  kept     4 nodes, 2 edges; 1 node without any\n"
        "  merged   2 repeated lines, 2 reversed lines\n"
        "  dropped  1 self-loop\n"
        "  skipped  1 comment line, 1 blank line\n"
        "  ids      integers 5 to 12 with 4 gaps, numbered in ascending order"
    )
    assert report.lines()[0].endswith("7 lines with an edge, read as undirected: a line a b is also b a")


def test_direction_is_a_choice(write):
    path = write("0 1\n1 0\n1 2\n1 2\n")
    graph, report = read_edges(path, directed=True)
    assert graph.directed
    assert graph.pairs().tolist() == [[0, 1], [1, 0], [1, 2]]
    assert (report.edges, report.repeated, report.reversed) == (3, 1, 0)
    assert "directed: a line a b is an arc from a to b" in report.lines()[0]
    assert read_edges(path)[0].edges == 2


@pytest.mark.parametrize(
    ("content", "nodes", "labels", "pairs"),
    [
        ("0 1\n1 3\n", 5, None, [[0, 1], [1, 3]]),  # ids keep their place
        ("1 2\n2 5\n", 5, [1, 2, 3, 4, 5], [[0, 1], [1, 4]]),  # counted from 1
        ("10 20\n", 4, [10, 20, NO_ID, NO_ID], [[0, 1]]),
        ("a b\n", 3, ["a", "b", ""], [[0, 1]]),
        ("# nothing\n", 2, None, []),
    ],
)
def test_isolated_nodes_are_declared(write, content, nodes, labels, pairs):
    graph, report = read_edges(write(content), nodes=nodes)
    assert graph.n == nodes
    assert graph.pairs().tolist() == pairs
    assert report.isolated == nodes - len({v for pair in pairs for v in pair})
    assert (None if graph.labels is None else graph.labels.tolist()) == labels


def test_a_comment_that_counts_nodes_leads_to_the_flag(write):
    _, report = read_edges(write("# Nodes: 5 Edges: 2\n0 1\n1 2\n"))
    assert report.lines()[-1] == "  note     a comment speaks of 5 nodes; --nodes 5 keeps the isolated ones"
    _, report = read_edges(write("# Nodes: 3 Edges: 7\n0 1\n1 2\n"))
    assert report.lines()[-1] == "  note     a comment speaks of 7 edges"


def test_a_matrix_declares_its_nodes(write):
    graph, report = read_edges(
        write("%%MatrixMarket matrix coordinate real general\n4 4 2\n1 2 0.5\n3 1 2e-1\n"), weights=2
    )
    assert (graph.n, report.isolated) == (4, 1)
    assert graph.weights == pytest.approx([0.5, 0.2, 0.5, 0.2])
    assert graph.labels.tolist() == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("entries", "pairs"),
    [("5 5 3\n2 1\n3 2\n4 4\n", PATH), ("5 5 1\n5 1\n", [[0, 4]]), ("5 5 0\n", [])],
)
@pytest.mark.parametrize("options", [{}, {"text": True}])
def test_ids_of_a_matrix_begin_with_1_whatever_is_isolated(write, entries, pairs, options):
    content = "%%MatrixMarket matrix coordinate pattern symmetric\n" + entries
    graph, report = read_edges(write(content), **options)
    assert graph.labels.tolist() == [1, 2, 3, 4, 5]
    assert graph.pairs().tolist() == pairs
    assert graph.find([1, 5]).tolist() == [0, 4]
    assert "node i is id i + 1" in report.ids
    assert read_edges(write(content), nodes=7)[0].labels.tolist() == [1, 2, 3, 4, 5, 6, 7]


def test_weights_are_taken_only_when_asked_for(write):
    path = write("0 1 2.5 100\n1 0 .5 101\n1 2 1e1 102\n2 3 0 103\n")
    graph, report = read_edges(path)
    assert graph.weights is None
    assert graph.edges == 3
    assert any("ignored  2 further columns" in line for line in report.lines())
    graph, report = read_edges(path, weights=2)
    assert graph.pairs().tolist() == PATH
    assert graph.n == 4
    assert graph.weights.tolist() == [2.5, 2.5, 10, 10]
    assert (report.weightless, report.conflicts, report.reversed) == (1, 1, 1)
    text = "\n".join(report.lines())
    assert "dropped  1 line of weight 0" in text
    assert "1 merged line had a smaller weight than the one kept" in text
    assert read_edges(write("a,b,2\nb,c,3\n"), weights=2)[0].weights.tolist() == [2, 2, 3, 3]


@pytest.mark.parametrize(
    ("content", "options"),
    [
        ("source;target;weight\n1;2;0,5\n2;3;1,25\n", {}),
        ("1;2;0,5\n2;3;1,25\n", {}),
        ("1; 2; 5E-1\n2; 3; 1,25\n", {}),
        ('"ann";"bob";"0,5"\n"bob";"cat";"1,25"\n', {}),
        ("ann;bob;0,5\nbob;cat;1,25\n", {}),
        ("0,5;1;2\n1,25;2;3\n", {"columns": (1, 2), "weights": 0}),
        ("1;2;x,y;0,5\n2;3;z;1,25\n", {"weights": 3}),
        ("1 2,0.5\n2 3,1.25\n", {}),  # more than one kind of separator in a line
    ],
)
def test_semicolons_may_stand_around_decimal_commas(write, content, options):
    graph, report = read_edges(write(content), **({"weights": 2} | options))
    assert graph.pairs().tolist() == PATH
    assert graph.weights.tolist() == [0.5, 0.5, 1.25, 1.25]
    assert report.weightless == 0


@pytest.mark.parametrize("content", ["1,2,a;b\n2,3,c;d\n", "ann,bob,a;b\nbob,cat,c;d\n", "1;2;a,b\n2;3;c,d\n"])
def test_other_columns_may_hold_the_other_separator(write, content):
    assert read_edges(write(content))[0].pairs().tolist() == PATH


def test_the_report_says_what_it_did_not_use(write):
    _, report = read_edges(write("1,2,0,5\n"), weights=2)  # 0, or 0.5? The file cannot tell
    assert "  weights  column 2 (counted from 0); 1 further column ignored" in report.lines()
    _, report = read_edges(write("source,target\n1,5,9\n"))
    assert report.lines()[-1] == "  note     the header names 2 columns, the lines have 3"


@settings(max_examples=200, deadline=None)
@given(st.floats(1e-30, 1e30, allow_subnormal=False), st.sampled_from(["r", ".6e", ".3f", "g"]))
def test_weights_are_read_as_python_reads_them(tmp_path_factory, value, form):
    text = repr(value) if form == "r" else format(value, form)
    path = tmp_path_factory.mktemp("w") / "w.txt"
    path.write_text(f"0 1 {text}\n")
    graph, _ = read_edges(path, weights=2)
    expected = float(text)
    if expected > 0:
        assert graph.weights[0] == pytest.approx(np.float32(expected), rel=1e-6)
    else:
        assert graph.edges == 0


def test_columns_can_be_chosen(write):
    path = write(",from,to,w\n0,7,8,1.5\n1,8,9,2\n")
    with pytest.raises(TwinloomError, match=r"seems to number the rows.*--columns 1 2"):
        read_edges(path)
    graph, _ = read_edges(path, columns=(1, 2), weights=3)
    assert graph.labels.tolist() == [7, 8, 9]
    assert graph.weights.tolist() == [1.5, 1.5, 2, 2]
    turned, _ = read_edges(path, columns=(2, 1), directed=True)
    assert turned.pairs().tolist() == [[1, 0], [2, 1]]


def test_numbers_can_be_taken_as_words(write):
    path = write("007 7\n7 8\n")
    assert read_edges(path)[0].n == 2
    graph, _ = read_edges(path, text=True)
    assert graph.labels.tolist() == ["007", "7", "8"]
    mixed = write("42 ann\nann bob\n")
    assert read_edges(mixed)[0].labels.tolist() == ["42", "ann", "bob"]


def test_a_header_can_be_forced_and_denied(write):
    path = write("left right\nann bob\n")
    assert read_edges(path)[0].edges == 2
    graph, report = read_edges(path, header=True)
    assert graph.edges == 1
    assert report.header == "left right"
    assert "header (left right)" in "\n".join(report.lines())
    assert read_edges(write("source target\n"), header=False)[0].labels.tolist() == ["source", "target"]


@pytest.mark.parametrize(
    ("content", "options", "said"),
    [
        ("0 1\n1 2\n3\n", {}, "line 3 has 1 column; source and target should stand in the columns 0 and 1"),
        ("0 1\n# x\n\n1 2a\n", {}, 'line 4 has the id "2a", not an integer like those before it'),
        ("0,1\n1,\n", {}, 'line 2 has the id "", not an integer'),
        ("0 1\n1 99999999999999999999\n", {}, "line 2 has the id 99999999999999999999, more than 64 bits"),
        ("0 1 2 3\n1 2\n", {}, "line 2 has 2 columns, the lines before it 4"),
        ("0 1\n1 2 3 4\n", {}, "line 2 has 4 columns, the lines before it 2"),
        ("0 1 1.0\n1 2 x\n", {"weights": 2}, 'line 2 has the weight "x", not a number >= 0'),
        ("0 1 1.0\n1 2 -1\n", {"weights": 2}, 'line 2 has the weight "-1"'),
        ("0 1 1.0\n1 2 nan\n", {"weights": 2}, 'line 2 has the weight "nan"'),
        ("0 1 1\n1 2 1e39\n", {"weights": 2}, 'line 2 has the weight "1e39"; 0, or 1.2e-38 to 3.4e\\+38, is allowed'),
        ("a b 1\nb c 1e-39\n", {"weights": 2}, 'line 2 has the weight "1e-39"; 0, or 1.2e-38 to'),
        ("a,b,1\nb,c,nan\n", {"weights": 2}, 'line 2 has the weight "nan"'),
        ("a,b,1\nb,c,1_0\n", {"weights": 2}, 'line 2 has the weight "1_0"'),
        ("1 2 1\n2 3 1,5\n", {"weights": 2}, r'line 2 has the weight "1,5": write it with a decimal point \(1.5\)'),
        ("1\t2\t0,5\n", {"weights": 2}, r'line 1 has the weight "0,5": write it with a decimal point \(0.5\)'),
        ("1;2;1\n2;3;,5\n", {"weights": 2}, r'line 2 has the weight ",5": write it with a decimal point \(.5\)'),
        ('1,2,"0,5"\n', {"weights": 2}, r'line 1 has the weight "0,5": write it with a decimal point \(0.5\)'),
        ('a,b,"0,5"\n', {"weights": 2}, r'line 1 has the weight "0,5": write it with a decimal point \(0.5\)'),
        ("1;2;1.234,5\n", {"weights": 2}, 'line 1 has the weight "1.234,5", not a number >= 0'),
        ("u,v,w\n1,2,0,5\n", {"weights": 2}, "the header names 3 columns, the lines have 4, so the weight may stand"),
        ("0 1 1.0\n1 2 1e999\n", {"weights": 2}, 'line 2 has the weight "1e999"'),
        ("0 1\n", {"weights": 2}, "line 1 has 2 columns; .* the weight in 2"),
        ("a\tb\t1\nb\tc\t-1\n", {"weights": 2}, 'line 2 has the weight "-1", not a number >= 0'),
        ("a b\nb\n", {}, "line 2 has 1 columns, the lines before it have 2"),
        ("a\n", {}, "line 1 has 1 columns"),
        ("a,b\nb,\n", {}, "line 2 has an empty id"),
        ("1.0 2.0\n", {}, "line 1 has the ids 1.0, 2.0: write integers"),
        ("", {}, "no edges in it"),
        ("# only comments\n", {}, "no edges in it"),
        ("source,target\n", {}, "no edges in it"),
        ("0 1\n1 2\n", {"nodes": 2}, "2 nodes were declared, but it names 3"),
        ("a b\nb c\n", {"nodes": 2}, "2 nodes were declared, but it names 3"),
        ("0 1\n", {"nodes": 0}, "nodes=0: 1 to"),
        ("0 1\n", {"columns": (0, 0)}, "must differ"),
        ("0 1\n", {"columns": (0, -1)}, "counted from 0"),
        ("0 1\n", {"weights": 1}, "must differ"),
        ("%%MatrixMarket matrix coordinate pattern general\n3 4 1\n1 2\n", {}, "only square matrices"),
        ("%%MatrixMarket matrix coordinate pattern general\n3 3 2\n1 2\n", {}, "announces 2 entries, 1 follow"),
        ("%%MatrixMarket matrix coordinate pattern general\n3 3 1\n0 2\n", {}, "a matrix of 3 nodes are 1 to 3"),
        ("%%MatrixMarket matrix coordinate pattern general\n3 3 1\n1 4\n", {}, "it has 1 to 4"),
        ("%%MatrixMarket matrix coordinate pattern general\n0 0 0\n", {}, "line 2: a network has 1 to"),
        ("%%MatrixMarket matrix coordinate pattern symmetric\n3 3 1\n2 1\n", {"directed": True}, "leads both ways"),
        ("%%MatrixMarket matrix array real general\n3 3\n1\n2\n", {}, "only square matrices"),
        ("%%MatrixMarket matrix coordinate pattern general\n2147483648 2147483648 1\n", {}, "a network has 1 to"),
        (f"%%MatrixMarket matrix coordinate pattern general\n{'9' * 5000} {'9' * 5000} 1\n", {}, "only square"),
        ("%%MatrixMarket matrix coordinate pattern general\n²² ²² 3\n", {}, "only square matrices"),
        ("<!DOCTYPE html>\n<html>404</html>", {}, "is a web page"),
        (b"\n<p>\xff</p>\n", {}, "is a web page"),
        ("# exported\n<graphml>\n", {}, "is a web page or XML"),
        ('[{"source":1,"target":2}]', {}, "is JSON, not a text of .* export the edges as two columns"),
        ('{"source": 1, "target": 2}\n{"source": 2, "target": 3}\n', {}, "is JSON"),
        ("# nodes\n\n [\n  [1, 2],\n  [2, 3]\n]\n", {}, "is JSON"),
        ('["ann", "bob"]\n["bob", "cat"]\n', {"text": True}, "is JSON"),
        ("[[0, 1], [1, 2]]", {}, "is JSON"),
        ("graph [\n node [\n id 0\n]\n]\n", {}, "is GML or DOT"),
        ("digraph G {\n a -> b\n}\n", {}, "is GML or DOT"),
        ('*Vertices 2\n1 "a"\n2 "b"\n*Arcs\n1 2\n', {}, "is Pajek"),
        ("0 1\n", {"nodes": "5"}, "nodes='5': how many nodes there are is a whole number"),
        ("0 1\n", {"nodes": 5.5}, "nodes=5.5"),
        ("0 1\n", {"nodes": True}, "nodes=True"),
        ("0 1\n", {"columns": ("a", "b")}, r"columns=\('a', 'b'\): give two whole numbers"),
        ("0 1\n", {"columns": 1}, "columns=1"),
        ("0 1\n", {"columns": (0, 1, 2)}, "columns="),
        ("0 1\n", {"weights": "2"}, "weights='2': give the place of the column"),
        (b"ann\xff bob\n", {}, "line 1 is not UTF-8"),
        (b"0\x001\x002", {}, "is binary"),
        (b"PK\x03\x04rest", {}, "is a zip archive; unpack it"),
        (gzip.compress(b"0 1\n" * 5000, mtime=0)[:60], {}, "damaged gzip file .* download it again"),
        (gzip.compress(b"0 1\n" * 50, mtime=0)[:-6] + b"xxxxxx", {}, "damaged gzip file"),
        (b"\x1f\x8b\x08\x00 not really", {}, "damaged gzip file"),
    ],
)
def test_what_is_no_edge_list_is_refused_in_one_line(write, content, options, said):
    path = write(content)
    with pytest.raises(TwinloomError, match=said) as caught:
        read_edges(path, **options)
    assert "\n" not in str(caught.value)
    assert (
        str(path) in str(caught.value)
        or any(f"{name}=" in str(caught.value) for name in options)
        or ("they are counted from 0" in str(caught.value))
    )


@pytest.mark.parametrize("ids", ["0 1 {%s}\n1 2 {%s}\n", "ann bob {%s}\nbob cat {%s}\n"])
def test_weights_in_braces_of_networkx_are_used_or_spoken_of(write, ids):
    path = write(ids % ("'weight': 3.0", "'since': 1999, 'weight': 0.5, 'kind': 'x'"))
    graph, report = read_edges(path, weights=2)
    assert graph.weights.tolist() == [3, 3, 0.5, 0.5]
    if ids.startswith("0"):
        graph, report = read_edges(path)
        assert graph.weights is None
        assert any("ignored  the weight in braces of 2 lines" in line for line in report.lines())


@pytest.mark.parametrize(
    "content",
    [
        "person friend since\nann bob 1999\nbob cat 2001\n",
        "buyer,seller,price\nann,bob,1.5\nbob,cat,2\n",
        "source_name,target_name\nann,bob\nbob,cat\n",
    ],
)
def test_a_header_of_words_is_no_edge(write, content):
    graph, report = read_edges(write(content))
    assert (graph.labels.tolist(), graph.pairs().tolist()) == (["ann", "bob", "cat"], PATH)
    assert report.header


def test_a_first_line_that_may_be_a_header_is_spoken_of(write):
    _, report = read_edges(write("left right\nann bob\nbob cat\ncat ann\n"))
    said = "ids of the first line (left right) stand nowhere else; if they name the columns, say header=True (--header)"
    assert report.lines()[-1].endswith(said)
    assert read_edges(write("ann bob\nbob cat\ncat dan\n"))[1].doubtful is None


def test_ids_that_only_look_foreign_are_words(write):
    graph, _ = read_edges(write("[deleted] (bob)\n[deleted] graph\n٣ graphs\n"))
    assert graph.labels.tolist() == ["(bob)", "[deleted]", "graph", "graphs", "٣"]
    assert read_edges(write("٣ ٤\n"))[0].labels.tolist() == ["٣", "٤"]  # digits, but not those of integers here


@pytest.mark.parametrize(
    ("content", "options"),
    [("%%MatrixMarket matrix coordinate pattern general\n2000000000 2000000000 1\n1 2\n", {}),
     ("0 1\n", {"nodes": 2_000_000_000})],
)  # fmt: skip
def test_more_nodes_than_the_memory_holds_are_refused(write, monkeypatch, content, options):
    monkeypatch.setattr("assets.networks.load.memory_gib", lambda: 16.0)
    with pytest.raises(TwinloomError, match="2,000,000,000 nodes take 60 GiB of memory, this machine has 16"):
        read_edges(write(content), **options)


def test_every_line_counts_whatever_ends_it(write):
    _, report = read_edges(write("1 2\r3 4\n5 6\r7 8\n# x\r\n\r9 10"))
    assert (report.rows, report.comments, report.blanks) == (5, 1, 1)
    with pytest.raises(TwinloomError, match="line 3 has 1 column"):
        read_edges(write("1 2\r3 4\r5\n"))


def test_a_claim_of_absurd_size_is_no_claim(write):
    assert read_edges(write(f"# Nodes: {'9' * 5000}\n0 1\n"))[1].claims == {}
    assert read_edges(write("# Nodes: 1,134,890 Edges: 7\n0 1\n"))[1].claims == {"edges": 7}


def test_missing_files_folders_and_archives(write, tmp_path):
    with pytest.raises(TwinloomError, match="does not exist"):
        read_edges(tmp_path / "none.txt")
    with pytest.raises(TwinloomError, match="cannot read"):
        read_edges(tmp_path)
    with pytest.raises(TwinloomError, match=r"cannot read .* null"):
        read_edges("a\0b")
    with pytest.raises(TwinloomError, match="path is None"):
        read_edges(None)
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        member = tarfile.TarInfo("edges.txt")
        member.size = 4
        archive.addfile(member, io.BytesIO(b"0 1\n"))
    with pytest.raises(TwinloomError, match="is a tar archive; unpack it"):
        read_edges(write(buffer.getvalue(), "edges.tar.gz"))


IDS = st.one_of(st.integers(0, 9), st.integers(-(2**63) + 1, 2**63 - 1))


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.tuples(IDS, IDS), min_size=1, max_size=30),
    st.booleans(),
    st.sampled_from([" ", "\t", ",", ";", " , ", "   "]),
    st.sampled_from(["\n", "\r\n"]),
    st.booleans(),
    st.booleans(),
)
def test_any_integers_equal_networkx(tmp_path_factory, pairs, directed, mark, end, text, last):
    path = tmp_path_factory.mktemp("e") / "e.txt"
    path.write_bytes((end.join(f"{a}{mark}{b}" for a, b in pairs) + end * last).encode())
    graph, report = read_edges(path, directed, text=text)
    expected = nx.DiGraph(pairs) if directed else nx.Graph(pairs)
    loops = list(nx.selfloop_edges(expected))
    expected.remove_edges_from(loops)
    assert (graph.n, graph.edges) == (expected.number_of_nodes(), expected.number_of_edges())
    labels = np.arange(graph.n) if graph.labels is None else graph.labels
    kind = str if text else int
    assert sorted(labels.tolist()) == labels.tolist() == sorted(kind(node) for node in expected)
    found = {(labels[a], labels[b]) for a, b in graph.pairs()}
    assert found == {
        (kind(a), kind(b)) if directed or kind(a) < kind(b) else (kind(b), kind(a)) for a, b in expected.edges
    }
    assert report.rows == len(pairs) == report.edges + report.loops + report.repeated + report.reversed


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=60) | st.text("0123456789 \t,;#%\n\r-+.ea\"'", max_size=60).map(str.encode))
def test_any_bytes_give_a_graph_or_one_clear_line(tmp_path_factory, content):
    path = tmp_path_factory.mktemp("b") / "b.txt"
    path.write_bytes(content)
    for options in ({}, {"weights": 2}, {"text": True}):
        try:
            graph, report = read_edges(path, **options)
        except TwinloomError as error:
            assert "\n" not in str(error)  # noqa: PT017 (either outcome is fine)
        else:
            assert graph.n >= 1
            assert report.lines()


def test_a_large_file_takes_seconds(tmp_path):
    import time

    rng = np.random.default_rng(0)
    pairs = rng.integers(0, 150_000, (300_000, 2))
    path = tmp_path / "large.txt"
    path.write_text("\n".join(f"{a}\t{b}" for a, b in pairs.tolist()))
    read_edges(path)
    began = time.process_time()
    graph, report = read_edges(path)
    assert time.process_time() - began < 1.5
    assert report.rows == 300_000
    assert graph.n == len(np.unique(pairs))
