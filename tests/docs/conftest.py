# SPDX-License-Identifier: Apache-2.0
"""Fixtures: the programs that the manual describes."""

import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from components import recipes, store  # noqa: E402
from docs.fences import TOP  # noqa: E402


@pytest.fixture(scope="session")
def programs():
    """A PATH with our programs first, and with kubectl if the components are built."""
    directory = os.environ.get("PROGRAMS", TOP / "build" / "bin")
    kubectl = store.release_directory(recipes.DEFAULT_RELEASE) / "bin"
    return f"{directory}:{os.environ['PATH']}:{kubectl}"
