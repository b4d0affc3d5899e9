"""Small desk cabinet: a casing, fixed drawers below, and one drawer at the top that slides out."""

from __future__ import annotations

import numpy as np

from assets.objects.artwork import grain
from assets.objects.assemble import assemble
from assets.objects.boards import boards
from assets.objects.describe import phrases
from assets.objects.grasps import point
from assets.objects.handles import bar_grasps, bar_handle
from assets.objects.library import category
from assets.objects.model import Joint, Material, ObjectAsset, Part, Shape
from assets.objects.palette import WOODS, paint, printed

# width, depth (cm), colour or wood of the casing, of the fronts, of the handles, number of drawers
MODELS = [
    (28.0, 22.0, "oak", "oak", "silver", 2),
    (30.0, 22.0, "white", "light blue", "gold", 2),
    (26.0, 21.0, "walnut", "cream", "black", 3),
]
BOARD, THIN, FRONT, PLAY = (
    0.010,
    0.006,
    0.012,
    0.003,
)  # thickness of casing, drawer and front; play at each side, metres
TOP_HEIGHT = 0.080  # height of the top drawer's compartment
TRAVEL = 0.18
BAR, BAR_GAP = 0.0065, 0.036


def surface(rng: np.random.Generator, name: str) -> Material:
    """Painted, or grained if the name is a wood."""
    return printed(grain(rng, WOODS[name], 96), "wood") if name in WOODS else paint(name, "matte")


@category("cabinet", len(MODELS), synonyms=("box_with_lid",))
def cabinet(rng: np.random.Generator, index: int) -> ObjectAsset:
    """Front at -y. The joint "drawer" is 0 when closed; the point "drawer" lies on the middle of its floor."""
    width, depth, casing, fronts, metal, count = MODELS[index]
    w, d = width / 100, depth / 100
    lower = 0.062 * (count - 1)  # height of the fixed drawers
    h = 3 * BOARD + lower + TOP_HEIGHT
    shelf = BOARD + lower
    case, face, handle = surface(rng, casing), surface(rng, fronts), paint(metal, "metal")
    shapes: list[Shape] = boards(
        [
            ((BOARD, d, h), (-w / 2 + BOARD / 2, 0, h / 2)),
            ((BOARD, d, h), (w / 2 - BOARD / 2, 0, h / 2)),
            ((w, BOARD, h), (0, d / 2 - BOARD / 2, h / 2)),
            ((w, d, BOARD), (0, 0, BOARD / 2)),
            ((w, d, BOARD), (0, 0, shelf + BOARD / 2)),
            ((w, d, BOARD), (0, 0, h - BOARD / 2)),
        ],
        case,
    )
    each = lower / (count - 1)
    fixed = [BOARD + each * (k + 0.5) for k in range(count - 1)]
    shapes += boards([((w - 0.006, FRONT, each - 0.004), (0, -d / 2 - FRONT / 2, z)) for z in fixed], face)
    for z in fixed:
        shapes += bar_handle((0, -d / 2 - FRONT, z), (1, 0, 0), (0, -1, 0), 0.07, 0.012, 0.005, handle)

    # The drawer's frame lies in the middle of its front's lower edge, on the face of the casing.
    inner, length, deep = w - 2 * BOARD - 2 * PLAY, d - BOARD - 0.006, TOP_HEIGHT - 0.016
    back, side = length - THIN / 2, inner / 2 - THIN / 2
    tray = boards(
        [
            ((inner, length, THIN), (0, length / 2, PLAY + THIN / 2)),
            ((THIN, length, deep), (-side, length / 2, PLAY + deep / 2)),
            ((THIN, length, deep), (side, length / 2, PLAY + deep / 2)),
            ((inner, THIN, deep), (0, back, PLAY + deep / 2)),
        ],
        paint(WOODS["pine"], "wood"),
    )
    front = boards([((w - 0.006, FRONT, TOP_HEIGHT + 0.010), (0, -0.001 - FRONT / 2, TOP_HEIGHT / 2))], face)
    foot = (0, -0.001 - FRONT, TOP_HEIGHT / 2)
    drawer = Part(
        "drawer",
        (*tray, *front, *bar_handle(foot, (1, 0, 0), (0, -1, 0), 0.10, BAR_GAP, BAR, handle)),
        mass=0.45,
        parent="base",
        pos=(0, -d / 2, shelf + BOARD),
        joint=Joint("slide", axis=(0, -1, 0), limits=(0.0, TRAVEL), damping=2.0, frictionloss=1.0),
    )
    bar = (0, foot[1] - BAR_GAP - BAR, foot[2])
    grasps = bar_grasps(
        "handle",
        "drawer",
        bar,
        (1, 0, 0),
        (0, 1, 0),
        2 * BAR,
        angles=(0, -0.4, -0.8, -1.2, -np.pi / 2),
        shifts=(0, 0.02, -0.02),
    )
    floor = point("drawer", (0, length / 2, PLAY + THIN), part="drawer")
    style = casing if casing in WOODS else "wooden"
    nouns = ("cabinet", "drawer cabinet", "desk drawer unit")
    words = phrases(rng, nouns, fronts if fronts not in WOODS else "brown", style, "small", "",
                    (f"{metal} handles", f"{('two', 'three')[count - 2]} drawers"))  # fmt: skip
    base = Part("base", tuple(shapes), mass=3.5)
    return assemble("cabinet", index, (base, drawer), words, grasps=grasps, points=(floor,), clutter=False)
