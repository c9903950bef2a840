# SPDX-License-Identifier: Apache-2.0
"""Detectors to compare: values in, first indices of new levels out. Each is used as its documentation says.

These detectors are no requirements of this project; a missing one is reported and skipped. Otava requires
another version of NumPy than ours, and needs none of its other requirements here:

    uv pip install jumpavg ruptures && uv pip install --no-deps apache-otava
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np
from detection_score import Detector
from nalm_core.changepoints.detect import detect

THRESHOLD = 0.05
BEFORE = 10
"""Maximum number of values since the last change that the threshold compares with."""


def _nalm() -> Detector:
    return lambda values: [one.index for one in detect(values)]


def _threshold() -> Detector:
    def found(values: list[float]) -> list[int]:
        changes = [0]
        for index in range(1, len(values)):
            before = np.mean(values[max(changes[-1], index - BEFORE) : index])
            if abs(values[index] / before - 1) > THRESHOLD:
                changes.append(index)
        return changes[1:]

    return found


def _jumpavg() -> Detector:
    from jumpavg.classify import classify

    def found(values: list[float]) -> list[int]:
        lengths = [len(group.run_list) for group in classify(values)]
        return [int(at) for at in np.cumsum(lengths)[:-1]]

    return found


def _otava() -> Detector:
    from otava.analysis import compute_change_points

    return lambda values: [int(one.index) for one in compute_change_points(values, max_pvalue=0.001)[0]]


def _ruptures() -> Detector:
    """Exact segmentation by least squares, penalised as BIC does; noise from differences of neighbours."""
    from ruptures import KernelCPD

    def found(values: list[float]) -> list[int]:
        y = np.log(np.maximum(values, 1e-12))
        scale = max(1.4826 * float(np.median(np.abs(np.diff(y)))) / np.sqrt(2), 1e-9)
        fitted = KernelCPD(kernel="linear", min_size=3).fit(y[:, None] / scale)
        return [int(at) for at in fitted.predict(pen=2 * np.log(len(y)))[:-1]]

    return found


_MAKERS: dict[str, Callable[[], Detector]] = {
    "nalm": _nalm,
    "jumpavg": _jumpavg,
    "otava": _otava,
    "ruptures": _ruptures,
    "threshold_5_percent": _threshold,
}


def contenders() -> dict[str, Detector]:
    """The installed detectors."""
    found = {}
    for name, make in _MAKERS.items():
        try:
            found[name] = make()
        except ImportError as error:
            print(
                f"{name} is left out: {error}; detection_contenders.py says how to install it",
                file=sys.stderr,
            )
    return found
