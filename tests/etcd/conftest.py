# SPDX-License-Identifier: Apache-2.0
"""Finds the modules of the suites, and the built programs."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
