"""Making textures and objects beside reading or compiling ready-made ones."""

from __future__ import annotations

import io

from tests.bench.harness import Samples, benchmark, rates

SIZE = 256
CLUTTER = 20


@benchmark(
    "assets/texture_vs_png_decode", unit="textures/s", peer=f"Pillow decoding the same {SIZE} px PNG from memory"
)
def texture() -> Samples:
    """One texture of every kind, drawn by us, against the alternative of shipping image files."""
    from PIL import Image

    from assets.textures.procedural import KINDS, texture

    files = []
    for kind in KINDS:
        buffer = io.BytesIO()
        Image.fromarray(texture(kind, 0, SIZE)).save(buffer, "png")
        files.append(buffer.getvalue())

    def draw() -> None:
        for kind in KINDS:
            texture(kind, 1, SIZE)

    def decode() -> None:
        for file in files:
            Image.open(io.BytesIO(file)).load()

    return rates(draw, decode, work=len(files))


@benchmark("assets/objects_vs_mujoco_compile", unit="objects/s", peer="MjSpec.compile of the same objects, ready-made")
def objects() -> Samples:
    """Objects made from recipes and put into a spec, against MuJoCo compiling that spec."""
    import mujoco

    from assets.objects import library
    from assets.objects.build import add_object

    keys = library.clutter_pool()[:: len(library.clutter_pool()) // CLUTTER][:CLUTTER]

    def make() -> mujoco.MjSpec:
        library.load.cache_clear()
        spec = mujoco.MjSpec()
        for k, key in enumerate(keys):
            add_object(spec, library.load(*key), str(k), (k, 0, 0))
        return spec

    ready = make()
    return rates(make, ready.compile, work=len(keys))
