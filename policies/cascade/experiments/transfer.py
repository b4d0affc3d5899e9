"""Transfer: policies of three training worlds and all baselines, on graphs they never saw.

``policies experiment transfer [--jobs 2 --steps 150000]`` trains on synthetic Barabasi-Albert graphs, evaluates in the
deployment world (the exact renewal process) in common episodes, and writes docs/results/cascade/transfer (every policy
and baseline on every graph), transfer_ratio (renewal-trained against the others), transfer_worlds (what the training
worlds make of each graph), transfer_r0 (the same comparison over R0) and transfer_training (what the trainings took).
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence

import tyro

from policies.cascade.experiments import resumable
from policies.cascade.experiments.transfer_plan import TransferConfig, plan


def main(words: Sequence[str]) -> int:
    """Body of the command."""
    options = tyro.cli(TransferConfig, prog="policies experiment transfer", args=list(words))
    what = plan(options)
    resumable.run(what.cells(), options.work, options.jobs, options.dry)
    if options.dry:
        return 0
    from policies.cascade.experiments import transfer_report as report

    report.write(what, options, shlex.join(["policies", "experiment", "transfer", *words]))
    return 0
