"""What a run says before it begins and after it ends."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from datagen.account import STAGES, Account
from datagen.settings import CollectConfig
from twinloom.machine import versions
from twinloom.progress import duration


def heading(settings: CollectConfig, episodes: int, workers: int, out: Path) -> str:
    """Two lines that say what will be done."""
    version = ".".join(versions().get("twinloom", "0").split(".")[:2])
    parts = [
        f"twinloom {version}",
        "datagen",
        f"{plural(len(settings.tasks), 'task')} x {plural(episodes, 'episode')}",
        f"robot {settings.robot}",
        f"engine {settings.engine}",
        plural(workers, "worker"),
        f"out {out}",
    ]
    width, height = settings.size
    axes = " ".join(settings.randomize) or "none"
    cameras = f"cameras {' '.join(settings.cameras)} at {width}x{height}, {settings.fps} Hz"
    return f"{' · '.join(parts)}\nrandomize {axes} · {cameras} · seed {settings.seed}"


def table(account: Account) -> str:
    """One line per task: made of asked, a mark, and why attempts failed."""
    width = max(map(len, account.tasks))
    digits = len(str(max(task.asked for task in account.tasks.values())))
    lines = []
    for name, task in account.tasks.items():
        mark = "✓" if task.made >= task.asked else "✗"
        why = f"  {plural(task.attempts, 'attempt')}: {counts(task.reasons)}" if task.reasons else ""
        lines.append(f"  {name:<{width}}  {task.made:>{digits}}/{task.asked}  {mark}{why}")
    return "\n".join(lines)


def totals(account: Account, out: Path) -> str:
    """Lines with what was kept, what failed, how large it is and where the time went."""
    failed = f" ({counts(account.reasons)})" if account.reasons else ""
    size = sum(path.stat().st_size for path in out.rglob("*") if path.is_file())
    first = [
        f"{plural(account.made, 'episode')} kept of {account.asked:,} asked, "
        f"{plural(account.attempts, 'attempt')}{failed}",
        f"{account.frames:,} frames x {plural(account.cameras, 'camera')}",
        f"{size / 1e6:,.1f} MB",
        duration(account.wall_s),
    ]
    lines = [" · ".join(first)]
    total = sum(account.seconds.values())
    if total > 0:
        shares = [f"{s} {account.seconds[s] / total:.0%}".replace("%", " %") for s in STAGES if s in account.seconds]
        rate = account.made_now / account.wall_s * 3600 if account.wall_s > 0 else 0.0
        pace = f"      {rate:,.0f} episodes/hour on this machine" if account.made_now else ""
        lines.append(f"time: {'  '.join(shares)}{pace}")
    return "\n".join(lines)


def counts(reasons: Counter[str]) -> str:
    """ "4 no feasible grasp, 2 dropped", the most frequent first."""
    return ", ".join(f"{count} {reason}" for reason, count in reasons.most_common())


def plural(count: int, noun: str) -> str:
    """ "1 task", "2,000 tasks"."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
