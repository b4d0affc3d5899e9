"""The time line: late, early, overlapping and missing chunks, and the four mistakes that threw real arms around."""

from __future__ import annotations

import numpy as np
import pytest

from real.policy.chunks import ActionTimeline
from real.timing import LatencyTracker
from twinloom.errors import TwinloomError

DT = 0.04


def line(start: float, count: int, slope: float = 1.0, joints: int = 2) -> np.ndarray:
    """(H, J) actions on a straight line in time: action k at ``start + slope (k + 1) dt``."""
    return np.repeat((start + slope * DT * np.arange(1, count + 1))[:, None], joints, 1)


def trace(timeline: ActionTimeline, start: float, end: float, step: float = 0.005) -> np.ndarray:
    return np.array([timeline.sample(t)[0] for t in np.arange(start, end, step)])


def test_actions_are_due_at_their_times_and_smooth_between():
    timeline = ActionTimeline(DT, 1)
    t = DT * np.arange(1, 26)
    timeline.add(np.sin(3 * t)[:, None], 10.0, now=10.0)
    for k in range(1, 25):
        q, v, fresh = timeline.state(10.0 + t[k])
        assert q == pytest.approx(np.sin(3 * t[k]))
        assert v == pytest.approx(3 * np.cos(3 * t[k]), abs=0.05)
        assert fresh
    between = trace(timeline, 10 + t[1], 10 + t[-2])[:, 0]
    assert np.abs(between - np.sin(3 * (np.arange(10 + t[1], 10 + t[-2], 0.005) - 10))).max() < 2e-3


def test_a_step_of_a_gripper_does_not_overshoot():
    timeline = ActionTimeline(DT, 1)
    timeline.add(np.array([[1.0], [1.0], [0.0], [0.0], [0.0]]), 0.0, now=0.0)
    q = trace(timeline, 0.0, 0.2)
    assert q.min() >= 0.0
    assert q.max() <= 1.0


def test_nothing_is_known_before_the_first_chunk():
    timeline = ActionTimeline(DT, 2)
    assert timeline.sample(5.0) == (None, False)
    assert timeline.prefix(5.0, 3) is None
    timeline.reset([0.1, 0.2])
    q, fresh = timeline.sample(5.0)
    assert (q == [0.1, 0.2]).all()
    assert not fresh


def test_a_late_chunk_skips_what_was_executed_meanwhile():
    timeline = ActionTimeline(DT, 2)
    timeline.add(line(0.0, 20), 0.0, now=0.0)
    trace(timeline, 0.0, 0.4)
    added = timeline.add(line(0.2, 20), 0.2, now=0.4)  # the same line, observed at 0.2
    assert added.skipped == 5
    assert timeline.sample(0.5)[0] == pytest.approx([0.5, 0.5], abs=1e-6)
    assert timeline.remaining(0.5) == pytest.approx(12.5)


def test_mistake_a_actions_are_dropped_that_were_never_replaced():
    """Inference took 5 steps, but nothing was executed meanwhile: no action may be skipped."""
    timeline = ActionTimeline(DT, 2)
    timeline.reset([0.0, 0.0])
    first = timeline.add(line(0.0, 10), t_obs=0.0, now=0.2)
    assert (first.used, first.skipped) == (True, 0)
    assert timeline.sample(0.2 + DT)[0] == pytest.approx([DT, DT])
    trace(timeline, 0.2, 1.2)  # starved since 0.6
    late = timeline.add(line(0.4, 10), t_obs=0.5, now=1.2)
    assert late.skipped == pytest.approx(2, abs=1)  # 0.1 s of motion between the observation and the end
    counted = ActionTimeline(DT, 2)
    counted.add(line(0.0, 10), 0.0, now=0.0)
    assert counted.add(line(0.2, 10), 0.2, now=0.4, executed=2).skipped == 2


def test_mistake_b_the_first_inference_is_no_measure_of_latency():
    tracker = LatencyTracker()
    tracker.add(12.0)
    for _ in range(50):
        tracker.add(0.1)
    assert tracker.steps(DT) == 3


def test_mistake_c_the_prefix_repeats_the_last_action_instead_of_zeros():
    timeline = ActionTimeline(DT, 2)
    timeline.add(line(5.0, 4), 0.0, now=0.0)
    prefix = timeline.prefix(2 * DT, 6)
    assert prefix[:2] == pytest.approx(line(5.0, 4)[2:])
    assert (prefix[2:] == line(5.0, 4)[-1]).all()


def test_mistake_d_an_answer_slower_than_its_chunk_is_executed_from_its_beginning():
    timeline = ActionTimeline(DT, 2)
    timeline.add(line(0.0, 4), 0.0, now=0.0)
    assert not timeline.due(0.0, delay=6, horizon=4)  # asking now would answer for a time that is over
    assert timeline.due(0.17, delay=6, horizon=4)
    added = timeline.add(line(0.1, 4), t_obs=0.0, now=0.3)
    assert added == (True, 0, True, "")
    assert timeline.sample(0.3 + 4 * DT)[0] == pytest.approx(line(0.1, 4)[-1])


def test_the_next_chunk_is_asked_for_before_the_actions_run_out():
    timeline = ActionTimeline(DT, 2)
    timeline.add(line(0.0, 16), 0.0, now=0.0)
    assert not timeline.due(0.0, delay=3, horizon=16)
    assert timeline.due(16 * DT - 3.5 * DT, delay=3, horizon=16)


def test_a_new_chunk_is_blended_in():
    timeline = ActionTimeline(DT, 1, blend=4)
    timeline.add(line(0.0, 20, joints=1), 0.0, now=0.0)
    trace(timeline, 0.0, 0.4)
    timeline.add(line(0.5, 20, joints=1), 0.4, now=0.4)  # 0.1 away from where the motion is
    q = trace(timeline, 0.4, 0.9)[:, 0]
    assert q[0] == pytest.approx(0.4, abs=1e-9)
    assert np.abs(np.diff(q)).max() < 0.012  # 0.005 of it is the motion itself; a jump would be 0.1
    assert q[-1] == pytest.approx(0.5 + 0.495, abs=1e-6)
    speed = np.diff(q) / 0.005
    assert np.abs(np.diff(speed)).max() < 0.5


def test_a_chunk_that_agrees_is_not_changed_by_blending():
    timeline = ActionTimeline(DT, 1)
    timeline.add(line(0.0, 10, joints=1), 0.0, now=0.0)
    trace(timeline, 0.0, 0.2)
    timeline.add(line(0.2, 10, joints=1), 0.2, now=0.2)
    assert trace(timeline, 0.2, 0.59)[:, 0] == pytest.approx(np.arange(0.2, 0.59, 0.005), abs=1e-9)


def test_an_offset_after_starvation_is_faded_out():
    timeline = ActionTimeline(DT, 1, blend=4)
    timeline.reset([0.0])
    timeline.add(line(0.3, 10, slope=0.1, joints=1), 0.0, now=0.0)
    q = trace(timeline, 0.0, 0.3)[:, 0]
    assert q[0] == 0.0
    assert np.diff(q).max() < 0.02
    assert timeline.sample(0.2)[0] == pytest.approx(0.3 + 0.02, abs=1e-6)


def test_single_actions_are_followed_one_by_one():
    timeline = ActionTimeline(DT, 1)
    timeline.reset([0.0])
    for k in range(20):
        timeline.add([[0.05 * (k + 1)]], k * DT, now=k * DT)
        assert timeline.sample((k + 1) * DT)[0] == pytest.approx(0.05 * (k + 1))


def test_starvation_holds_the_last_action():
    timeline = ActionTimeline(DT, 1)
    timeline.add(line(0.0, 5, joints=1), 0.0, now=0.0)
    q, v, fresh = timeline.state(1.0)
    assert (q[0], v[0], fresh) == (pytest.approx(0.2), 0.0, False)
    assert timeline.remaining(1.0) == 0.0


def test_an_older_observation_does_not_undo_a_newer_one():
    timeline = ActionTimeline(DT, 1)
    timeline.add(line(0.0, 10, joints=1), 0.2, now=0.3)
    added = timeline.add(line(9.0, 10, joints=1), 0.1, now=0.4)
    assert not added.used
    assert "0.100 s before" in added.reason
    assert timeline.sample(0.5)[0] < 1.0


@pytest.mark.parametrize(
    ("chunk", "text"),
    [
        (np.zeros((4, 3)), "shape (H, 2) with H >= 1, got (4, 3)"),
        (np.zeros(2), "got (2,)"),
        (np.zeros((0, 2)), "got (0, 2)"),
        ([[0.0, 1.0], [np.nan, 0.0]], "nan in action 1, joint 0"),
    ],
)
def test_a_bad_chunk_is_refused_and_the_old_one_goes_on(chunk, text):
    timeline = ActionTimeline(DT, 2)
    timeline.add(line(0.0, 10), 0.0, now=0.0)
    with pytest.raises(TwinloomError) as caught:
        timeline.add(chunk, 0.1, now=0.1)
    assert text in str(caught.value)
    assert timeline.sample(0.2)[0] == pytest.approx([0.2, 0.2])


def test_a_time_line_needs_a_rate():
    with pytest.raises(TwinloomError, match="dt > 0"):
        ActionTimeline(0.0, 2)
