# SPDX-License-Identifier: Apache-2.0
"""The list of surviving mutants (tests/mutate/survivors.md), and the threshold that each library must reach."""

import collections
import importlib.machinery
import importlib.util

from docs.fences import TOP

LOADER = importlib.machinery.SourceFileLoader("mutate", str(TOP / "tests/mutate/mutate"))
mutate = importlib.util.module_from_spec(importlib.util.spec_from_loader("mutate", LOADER))
LOADER.exec_module(mutate)


def test_each_explanation_is_of_a_line_that_is_there():
    assert set(mutate.explained().values()) == {"equivalent", "explained"}
    assert list(mutate.gone(mutate.explained())) == []


def test_a_line_that_is_gone_is_seen():
    survivor = "src/foundation/net/cidr.cc: no such line -> another"
    assert list(mutate.gone([survivor])) == [survivor]
    assert list(mutate.gone(["src/none.cc: x -> y"])) == ["src/none.cc: x -> y"]


def test_a_library_passes_if_enough_mutants_are_killed():
    def ends(**counts):
        return mutate.report({"library": collections.Counter(counts)})
    assert ends(killed=9, survived=1) == 0
    assert ends(killed=8, survived=2) == 1
    assert ends(killed=8, explained=2) == 1, "an explanation does not kill"
    assert ends(killed=8, equivalent=2) == 0, "nobody can kill these"


def test_the_files_of_each_library_are_there():
    assert {library for library, _ in mutate.decisions()} == set(mutate.LIBRARIES)
