"""One SEIR epidemic on the YouTube-like graph in a process of its own: ``python -m tests.bench.youtube_like leap``.

Prints JSON: CPU seconds and peak memory of everything since the interpreter started: imports, generating the graph of
1.13 million nodes, cutting it into tiers, and 60 days in steps of 1/8 day (leap) or of none (exact).
"""

from __future__ import annotations

import json
import resource
import sys
import time

DAYS, SEEDS, BETA = 60, 100, 0.05


def main(engine: str) -> None:
    """Run the epidemic with one engine and print what it took."""
    import numpy as np

    from assets.networks.generate import youtube_like
    from assets.networks.tiers import cut
    from sim.cascade.process import models
    from sim.cascade.simulator import CascadeSim

    graph = youtube_like(np.random.default_rng(0))
    sim = CascadeSim(graph, models.seir(BETA), engine=engine, tiers=cut(graph, k=3))  # type: ignore[arg-type]
    sim.reset(SEEDS)
    start = time.process_time()
    for _ in range(DAYS):
        sim.advance(1.0)
    now = time.process_time()
    result = {
        "cpu_s": now,
        "epidemic_cpu_s": now - start,
        "peak_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "infected": int(graph.n - sim.counts[0, :, 0].sum()),
    }
    print(json.dumps(result))


if __name__ == "__main__":
    main(sys.argv[1])
