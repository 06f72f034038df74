# SPDX-License-Identifier: Apache-2.0
"""Steps the time of day, which is shared by the whole machine: running this changes its clock."""

import time

# Seconds. If the clock is set back by more than the age of the previous container, a kubelet takes the new
# container for the older one. It then retries forever.
AWAY = (-20, 20)


class SteppedClock:
    """Steps this machine's clock: `step` sets it alternately wrong and right again, and `restore` sets it right."""

    def __init__(self):
        time.sleep(max(AWAY))  # running processes must be older than a step
        self._true = time.time() - time.monotonic()  # the offset of the right time, which no step changes
        self._wrong = False

    def step(self, chance):
        self._wrong = not self._wrong
        self._set(chance.choice(AWAY) if self._wrong else 0)

    def restore(self):
        self._set(0)

    def _set(self, seconds):
        time.clock_settime(time.CLOCK_REALTIME, self._true + time.monotonic() + seconds)
