# SPDX-License-Identifier: Apache-2.0
"""The time of day jumps. It is one for the whole machine: whoever lets this run lends its clock."""

import time

# Seconds. A kubelet takes the container that it has just started for older than the one before, when the clock was
# put back by more than that one's age, and tries to start it again and again.
AWAY = (-20, 20)


class SteppedClock:
    """Sets this machine's clock wrong and right again by turns; whatever happens, it is right at the end."""

    def __init__(self):
        time.sleep(max(AWAY))  # what runs is older than a step
        self._true = time.time() - time.monotonic()  # what no step moves
        self._wrong = False

    def step(self, chance):
        self._wrong = not self._wrong
        self._set(chance.choice(AWAY) if self._wrong else 0)

    def restore(self):
        self._set(0)

    def _set(self, seconds):
        time.clock_settime(time.CLOCK_REALTIME, self._true + time.monotonic() + seconds)
