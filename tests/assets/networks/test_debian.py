"""The network of people who maintain Debian packages together: who is read off an index, and what is refused."""

from __future__ import annotations

import gzip
import hashlib
import io
import lzma

import pytest

from assets.networks import debian
from assets.networks.load import read_edges
from twinloom.errors import TwinloomError

INDEX = """Package: abacus
Maintainer: Debian Science Team <debian-science@lists.debian.org>
Uploaders: Ada Lovelace <ada@example.org>, "Babbage, Charles" <cb@example.org>,
 Grace Hopper <grace@example.org>
Version: 1.0

Package: loom
Maintainer: ADA Lovelace <ada@other.org>
Uploaders: Grace Hopper <grace@example.org>, Loom Packagers <loom@tracker.debian.org>
Description: a line
 and its end, Maintainer: nobody <no@example.org>

Package: alone
Maintainer: Joseph Jacquard <jj@example.org>
"""


@pytest.fixture
def mirror(monkeypatch):
    packed = lzma.compress(INDEX.encode())
    monkeypatch.setattr(debian, "SHA256", hashlib.sha256(packed).hexdigest())
    monkeypatch.setattr(debian.urllib.request, "urlopen", lambda *_, **__: io.BytesIO(packed))
    return packed


@pytest.fixture(autouse=True)
def apt(monkeypatch, tmp_path_factory):
    folder = tmp_path_factory.mktemp("apt")
    (folder / "sources.list.d").mkdir()
    (folder / "sources.list").write_text(
        "# deb http://off.example/debian bookworm main\ndeb http://one.example/debian/ bookworm main\n"
        "deb http://one.example/debian-security bookworm-security main\n"
    )
    (folder / "sources.list.d" / "debian.sources").write_text(
        "Types: deb\nURIs: http://one.example/debian https://two.example/mirror/debian\nSuites: bookworm\n"
    )
    monkeypatch.setattr(debian, "APT", folder)
    return folder


def test_mirrors_are_those_of_apt(apt):
    assert debian.mirrors(apt) == ["http://one.example/debian", "https://two.example/mirror/debian"]


def test_no_host_of_a_mirror_stands_in_the_source():
    import re

    from twinloom.machine import REPOSITORY

    hosts = re.compile(r"https?://(deb|ftp|snapshot|archive|security|mirrors?)\.[\w.]*(debian|ubuntu)")
    files = [file for room in ("assets", "sim", "docs") for file in (REPOSITORY / room).rglob("*.*")]
    texts = {
        file: file.read_text(encoding="utf-8") for file in files if file.suffix in (".py", ".md", ".json", ".toml")
    }
    assert [str(file) for file, text in texts.items() if hosts.search(text)] == []


def test_the_index_may_be_a_file(mirror, monkeypatch, tmp_path):
    monkeypatch.setattr(debian.urllib.request, "urlopen", lambda *_, **__: pytest.fail("went to the network"))
    (tmp_path / "Sources.xz").write_bytes(mirror)
    assert debian.main([str(tmp_path), str(tmp_path / "Sources.xz")]) == 0
    with pytest.raises(TwinloomError, match=r"cannot read .*none.xz: No such file.*give the index as a file"):
        debian.main([str(tmp_path), str(tmp_path / "none.xz")])


def test_a_machine_without_a_mirror_is_told_what_to_do(monkeypatch, tmp_path):
    monkeypatch.setattr(debian, "APT", tmp_path / "nothing")
    with pytest.raises(TwinloomError, match=r"names no mirror of Debian; give the index as a file: Sources\.xz"):
        debian.main([str(tmp_path)])


def test_people_share_packages_and_groups_are_left_out():
    first, second, third = INDEX.split("\n\n")
    assert debian.people(first) == {"ada lovelace", "babbage, charles", "grace hopper"}
    assert debian.people(second) == {"ada lovelace", "grace hopper"}
    assert debian.people(third) == {"joseph jacquard"}
    assert debian.people("") == set()
    assert debian.edges(INDEX) == [(0, 1), (0, 2), (1, 2)]


def test_the_file_holds_numbers_only_and_is_the_same_every_time(mirror, tmp_path, capsys):
    assert debian.main([str(tmp_path / "new")]) == 0
    file = tmp_path / "new" / "debian_maintainers.txt.gz"
    assert capsys.readouterr().out.strip() == str(file)
    before = file.read_bytes()
    assert set(gzip.decompress(before).decode().partition("\n")[2]) <= set("0123456789 \n")
    assert read_edges(file)[0].edges == 3
    debian.main([str(tmp_path / "new")])
    assert file.read_bytes() == before


def test_another_index_is_refused_and_nothing_is_written(mirror, monkeypatch, tmp_path):
    monkeypatch.setattr(debian, "SHA256", "0" * 64)
    with pytest.raises(TwinloomError, match="has checksum"):
        debian.main([str(tmp_path)])
    assert not list(tmp_path.iterdir())


def test_without_a_mirror_one_line_says_so(monkeypatch, tmp_path):
    def gone(*_, **__):
        raise OSError("Name or service not known")

    monkeypatch.setattr(debian.urllib.request, "urlopen", gone)
    with pytest.raises(TwinloomError, match="cannot be fetched: Name or service"):
        debian.main([str(tmp_path)])


@pytest.mark.parametrize("words", [[], ["a", "b", "c"], ["--help"]])
def test_usage(words):
    with pytest.raises(TwinloomError, match="usage"):
        debian.main(words)
