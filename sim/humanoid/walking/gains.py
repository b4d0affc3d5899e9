"""The gains of the walking controller, dimensionless, so that one set suits many sizes.

Lengths are in leg lengths L, times in √(L/g), frequencies in √(g/L), weights relative to one another.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class WalkingGains:
    """What the controller is tuned with. Every number is positive.

    Attributes:
        step_time: time of a step.
        shift_time: time of the weight shift before the first step.
        double_support: part of a step during which both feet carry.
        swing_height: how high a foot is lifted.
        touchdown_depth: how far under the floor a foot is sent, so that it arrives in time on uneven ground.
        width_factor: lateral DCM offset relative to the periodic gait's.
        least_width: smallest lateral distance of the feet, relative to the stance width.
        cop_gain: centre of pressure per error of the DCM while stepping, m/m.
        stand_gain: the same while standing.
        cop_range: part of the half sole that the centre of pressure may use.
        lookahead: part of the present centre of pressure that is expected to last until touch-down.
        height: height of the centre of mass relative to the standing pose.
        height_frequency, pelvis_frequency, swing_frequency, posture_frequency: of the second-order tasks.
        sole_frequency: at which a tipped sole that carries is turned back to level.
        com_weight, pelvis_weight, swing_weight, posture_weight: of the tasks.
        force_weight: on the distance of the vertical contact forces from their share of the weight.
        moment_weight: on the distance of the contact moments from those of the wanted centre of pressure.
        yaw_weight: further factor for the moments about the vertical, which a sole has little of.
        arrival: part of the step after which the swing foot is to be over its target.
        least_time: time to go that the swing foot is planned with at least, in steps.
        ramp: part of the step during which the swing foot is released.
    """

    step_time: float = 1.35
    shift_time: float = 1.6
    double_support: float = 0.03
    swing_height: float = 0.071
    touchdown_depth: float = 0.006
    width_factor: float = 0.82
    least_width: float = 0.59
    cop_gain: float = 1.86
    stand_gain: float = 2.5
    cop_range: float = 0.49
    lookahead: float = 0.53
    height: float = 0.985
    height_frequency: float = 2.3
    pelvis_frequency: float = 3.0
    swing_frequency: float = 8.4
    posture_frequency: float = 5.3
    sole_frequency: float = 4.0
    com_weight: float = 2.7
    pelvis_weight: float = 3.2
    swing_weight: float = 6.7
    posture_weight: float = 0.032
    force_weight: float = 0.023
    moment_weight: float = 0.49
    yaw_weight: float = 6.5
    arrival: float = 0.955
    least_time: float = 0.41
    ramp: float = 0.2
