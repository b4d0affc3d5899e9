"""Recipes: what they may say, how pieces become shapes, and how an object finds its resting pose."""

import numpy as np
import pytest

from assets.objects import library, meshes
from assets.objects.primitives import Piece, collision_shapes, copies, touched, visual_mesh
from assets.objects.recipe import cook, parse, recipes
from assets.objects.resting_pose import centre_of_mass, corners, resting_turn
from assets.objects.shapes import box, capsule, cylinder, reach, sphere
from tests.assets.closed import is_closed
from twinloom.errors import InvalidSettingsError

BOX = {"nouns": ["box"], "mass": 100, "pieces": [{"box": [10, 20, 30]}]}


def test_library_is_large_enough():
    names = library.categories()
    assert len(names) >= 147
    assert sum(library.instances(n) for n in names) >= 731


def test_every_recipe_is_registered_as_clutter_and_small_enough_for_a_table():
    pool = set(library.clutter_pool())
    for name, recipe in recipes().items():
        for k in range(recipe.instances):
            asset = library.load(name, k)
            assert (name, k) in pool
            assert asset.clutter
            assert np.hypot(asset.extents[0], asset.extents[1]) / 2 < 0.15, asset.key
            assert 0.002 < asset.mass < 2, asset.key


def test_the_pool_agrees_with_the_objects():
    pool = set(library.clutter_pool())
    for name in library.categories():
        for k in range(library.instances(name)):
            assert ((name, k) in pool) == library.load(name, k).clutter


def test_nothing_floats_or_sinks_into_the_table():
    """Visual and collision shapes reach equally low."""
    for name, recipe in recipes().items():
        for k in range(recipe.instances):
            (part,) = library.load(name, k).parts
            lowest = [
                min(-reach(s, np.array([0, 0, -1.0])) for s in part.shapes if s.role == role)
                for role in ("visual", "collision")
            ]
            assert abs(lowest[0] - lowest[1]) < 0.004, f"{name}/{k}: visual and collision bottoms at {lowest}"


def test_same_instance_same_object_and_other_instance_other_size():
    recipe = recipes()["apple"]
    first, again = (cook(recipe, np.random.default_rng(5), 1) for _ in range(2))
    assert first.extents == again.extents
    assert cook(recipe, np.random.default_rng(6), 1).extents != first.extents


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"colour": 1}, 'unknown key "colour"'),
        ({"pieces": [{"bxo": [1, 2, 3]}]}, 'piece 0: unknown key "bxo"'),
        ({"pieces": [{"at": [0, 0, 1]}]}, "exactly one of"),
        ({"pieces": [{"box": [1, 2, 3], "cyl": [1, 2]}]}, "exactly one of"),
        ({"pieces": [{"box": [1, 2, 3], "color": "mauve"}]}, '"mauve" is neither'),
        ({"pieces": [{"box": [1, 2, 3], "finish": "shiny"}]}, 'finish "shiny"'),
        ({"colors": {"main": ["reddish"]}}, 'no colour is called "reddish"'),
    ],
)
def test_a_wrong_recipe_is_explained(change, message):
    with pytest.raises(InvalidSettingsError, match=message):
        parse("thing", {**BOX, **change})


def test_all_problems_of_a_recipe_are_told_at_once():
    with pytest.raises(InvalidSettingsError) as error:
        parse("thing", {"pieces": [{"bxo": 1}], "wheels": 4})
    assert len(error.value.problems) == 4


@pytest.mark.parametrize(
    "piece",
    [
        Piece(box=(10, 20, 30)),
        Piece(box=(10, 20, 30), round=3),
        Piece(cyl=(20, 30)),
        Piece(cyl=(20, 10, 30), round=2),
        Piece(ball=(30, 20, 25)),
        Piece(lathe=[(10, 0), (14, 10), (5, 30)]),
        Piece(lathe=[(8, 0), (12, 0), (12, 9), (8, 9), (8, 0)]),
        Piece(slab=[(0, 0), (10, 0), (0, 10)], height=4),
        Piece(slab=[(0, 10), (10, 0), (0, 0)], height=4),
        Piece(rod=[(0, 0, 0), (10, 0, 5), (20, 0, 0)], thick=4),
    ],
)
def test_pieces_are_closed_and_face_outwards(piece):
    mesh = visual_mesh(piece, (1.0, 1.2, 0.9))
    assert is_closed(mesh)
    assert meshes.volume(mesh) > 0
    if piece.rod is None:
        for part in touched(piece):
            assert is_closed(part)
            assert meshes.volume(part) > 0


def test_collision_shapes_cover_the_visual_mesh():
    for piece in (
        Piece(ball=(40, 40, 40)),
        Piece(cyl=(30, 20, 40)),
        Piece(lathe=[(10, 0), (16, 12), (6, 40)], turn=(0, 90, 0)),
    ):
        visual, solid = visual_mesh(piece, (1, 1, 1)), collision_shapes(piece, (1, 1, 1), 0.8)
        for direction in np.random.default_rng(0).normal(size=(50, 3)):
            d = direction / np.linalg.norm(direction)
            outer = max(reach(s, d) for s in solid)
            assert outer == pytest.approx((visual.vertices @ d).max(), abs=0.0028)


def test_primitives_are_used_where_they_fit():
    def kinds(piece, scale=(1.1, 1.1, 0.9)):
        return [s.kind for s in collision_shapes(piece, scale, 0.8)]

    assert kinds(Piece(box=(10, 20, 30))) == ["box"]
    assert kinds(Piece(cyl=(20, 30))) == ["cylinder"]
    assert kinds(Piece(cyl=(20, 30)), (1.1, 1.0, 1.0)) == ["mesh"]
    assert kinds(Piece(box=(10, 20, 30), turn=(30, 0, 0))) == ["mesh"]
    assert kinds(Piece(rod=[(0, 0, 0), (10, 0, 5), (20, 0, 0)])) == ["capsule", "capsule"]
    assert kinds(Piece(label="A", size=(10, 10))) == []
    assert kinds(Piece(box=(1, 1, 1), collision=False)) == []


def test_copies():
    assert [c.at for c in copies(Piece(box=(1, 1, 1), grid=(3, 1, 10, 0)))] == [(-10, 0, 0), (0, 0, 0), (10, 0, 0)]
    ring = [c.at for c in copies(Piece(box=(1, 1, 1), ring=(4, 5)))]
    assert np.allclose(ring, [(5, 0, 0), (0, 5, 0), (-5, 0, 0), (0, -5, 0)])
    mirrored = list(copies(Piece(box=(1, 1, 1), at=(3, 1, 2), turn=(10, 20, 30), mirror=True)))
    assert mirrored[1].at == (-3, 1, 2)
    assert mirrored[1].turn == (10, -20, -30)


def test_resting_turn_lays_a_leaning_plank_flat():
    lean = np.radians(10)
    plank = box(0.2, 0.1, 0.01, (0, 0, 0), quat=(np.cos(lean / 2), np.sin(lean / 2), 0, 0), role="collision")
    normal = resting_turn([plank]) @ [0, -np.sin(lean), np.cos(lean)]
    assert normal == pytest.approx([0, 0, 1], abs=1e-6)
    flat = box(0.2, 0.1, 0.01, (0, 0, 0), role="collision")
    assert np.array_equal(resting_turn([flat]), np.eye(3))


def test_resting_turn_tips_over_what_is_top_heavy_to_one_side():
    foot, arm = (
        box(0.02, 0.02, 0.02, (0, 0, 0.01), role="collision"),
        box(0.2, 0.02, 0.02, (0.1, 0, 0.1), role="collision"),
    )
    turn = resting_turn([foot, arm])
    assert np.degrees(np.arccos(turn[2, 2])) > 20


def test_centre_of_mass_is_weighted_by_volume():
    shapes = [
        box(0.1, 0.1, 0.1, (0, 0, 0), role="collision"),
        cylinder(0.05, 0.1, (1, 0, 0), role="collision"),
        sphere(0.05, (0, 1, 0), role="collision"),
        capsule((0, 0, 1), (0, 0, 1.1), 0.02, role="collision"),
    ]
    volumes = np.array([1e-3, np.pi * 2.5e-4, 4 / 3 * np.pi * 1.25e-4, np.pi * 4e-4 * (0.1 + 4 / 3 * 0.02)])
    centres = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1.05)])
    assert centre_of_mass(shapes) == pytest.approx(volumes @ centres / volumes.sum(), rel=5e-3)


def test_corners_span_the_shape():
    for shape in (
        box(0.1, 0.2, 0.3, (1, 2, 3), role="collision"),
        capsule((0, 0, 0), (0.1, 0, 0.05), 0.02, role="collision"),
    ):
        for d in np.eye(3):
            assert (corners(shape) @ d).max() == pytest.approx(reach(shape, d), abs=1e-9)


def test_no_phrase_says_a_word_twice():
    for name in library.categories():
        for k in range(library.instances(name)):
            asset = library.load(name, k)
            for phrase in (*asset.seen, *asset.unseen):
                words = phrase.split()
                assert len(set(words)) == len(words), f"{asset.key}: {phrase}"


def test_confusion_goes_both_ways():
    assert "soy_sauce" in library.synonyms("bottle"), "declared by the soy sauce only"
    assert "bottle" in library.load("soy_sauce", 0).synonyms
    for name in library.categories():
        for other in set(library.synonyms(name)) & set(library.categories()):
            assert name in library.synonyms(other)
