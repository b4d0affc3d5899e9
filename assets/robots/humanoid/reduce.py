"""Taking joints away: the links they moved become one with their parents."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from assets.robots.humanoid.inertia import moved
from assets.robots.humanoid.tree import FootBox, Link, LinkTree
from twinloom.transforms import Quat, inverse, matrix_to_quat, pose, quat_multiply


def without(tree: LinkTree, slots: Iterable[str]) -> LinkTree:
    """The same body with the joints of ``slots`` rigid, in their canonical zero; no link is left without a joint."""
    gone = set(slots)
    frames = tree.frames(tree.positions())
    links: list[Link] = []
    at: dict[int, tuple[int, int]] = {}  # link -> (new index, link whose frame it shares)

    for index, link in enumerate(tree.links):
        if link.hinge is not None and link.hinge.slot in gone:
            new, host = at[link.parent]
            at[index] = (new, host)
            extra = moved(link.inertia, inverse(frames[host]) @ frames[index])
            links[new] = replace(links[new], inertia=links[new].inertia + extra)
            continue
        at[index] = (len(links), index)
        if link.hinge is None:
            links.append(link)
            continue
        new, host = at[link.parent]
        T = inverse(frames[host]) @ frames[link.parent] @ pose(link.pos, link.quat)
        place = tuple(T[:3, 3].tolist())
        links.append(replace(link, parent=new, pos=place, quat=matrix_to_quat(T[:3, :3])))
    names = [link.name for link in tree.links]
    return replace(tree, links=tuple(links), feet=tuple(_moved(box, names, at, links, frames) for box in tree.feet))


def _moved(box: FootBox, names: list[str], at: dict[int, tuple[int, int]], links: list[Link], frames) -> FootBox:

    index = names.index(box.link)
    new, host = at[index]
    if host == index:
        return box
    T = inverse(frames[host]) @ frames[index]
    place = (T @ [*box.pos, 1.0])[:3]
    quat: Quat = quat_multiply(matrix_to_quat(T[:3, :3]), box.quat)
    return replace(box, link=links[new].name, pos=tuple(place.tolist()), quat=quat)
