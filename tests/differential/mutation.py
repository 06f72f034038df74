# SPDX-License-Identifier: Apache-2.0
"""Changes configurations at random: `Mutator(seed, version).configuration()` returns a changed configuration."""

import copy
import pathlib
import random

import yaml

from . import values

SEEDS_VERSION = "v1.37.2"  # the version in the seed files
SEEDS = sorted((pathlib.Path(__file__).parent / "seeds").glob("*.yaml"))
# These configurations are accepted by a dry run of `join`.
JOINS = sorted((pathlib.Path(__file__).parent / "seeds").glob("joins/*.yaml"))


def paths(node, prefix=()):
    """Returns every path below a node, as tuples of keys and indexes."""
    children = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    found = []
    for key, child in children:
        found += [(*prefix, key), *paths(child, (*prefix, key))]
    return found


def at(node, path):
    for key in path:
        node = node[key]
    return node


class Mutator:
    """Generates changed configurations of clusters of `version`. The same seed gives the same configurations."""

    def __init__(self, seed: int, version: str, seeds=SEEDS):
        self._random = random.Random(seed)
        self._version = version
        self._seeds = seeds

    def configuration(self) -> str:
        documents = list(yaml.safe_load_all(
            self._random.choice(self._seeds).read_text().replace(SEEDS_VERSION, self._version)))
        for _ in range(self._random.choice([1, 1, 1, 2, 3])):
            self._change(documents)
        text = "---\n".join(yaml.safe_dump(document, default_flow_style=self._random.random() < 0.1,
                                           allow_unicode=True) for document in documents)
        return self._spoilt(text) if self._random.random() < 0.12 else text

    def _value(self):
        return copy.deepcopy(self._random.choice(values.VALUES))

    def _change(self, documents):
        index = self._random.randrange(len(documents))
        document = documents[index]
        places = paths(document)
        if not places:
            return
        path = self._random.choice(places)
        parent, key = at(document, path[:-1]), path[-1]
        kinds = {"apiVersion": values.API_VERSIONS, "kind": values.KINDS}
        if key in kinds and self._random.random() < 0.8:
            parent[key] = self._random.choice(kinds[key])
            return
        change = self._random.choices(
            [self._replace, self._remove, self._add, self._rename, self._copy], [60, 8, 8, 6, 6])[0]
        if self._random.random() < 0.12:
            self._change_stream(documents, index)
        else:
            change(document, parent, key)

    def _replace(self, _document, parent, key):
        parent[key] = self._value()

    def _remove(self, _document, parent, key):
        del parent[key]

    def _add(self, _document, parent, _key):
        if isinstance(parent, dict):
            parent[self._random.choice(values.KEYS)] = self._value()
        else:
            parent.append(self._value())

    def _rename(self, _document, parent, key):
        if isinstance(key, str):
            other = self._random.choice([key.upper(), key.lower(), key + "s", key.capitalize()])
            parent[other] = parent.pop(key)

    def _copy(self, document, parent, key):
        parent[key] = copy.deepcopy(at(document, self._random.choice(paths(document))))

    def _change_stream(self, documents, index):
        choice = self._random.randrange(3)
        if choice == 0:
            documents.append(copy.deepcopy(documents[index]))
        elif choice == 1 and len(documents) > 1:
            documents.pop(index)
        else:
            documents.insert(self._random.randrange(len(documents) + 1), self._random.choice([
                None, {}, [], "text", {"kind": "ConfigMap", "apiVersion": "v1"},
                {"apiVersion": self._random.choice(values.API_VERSIONS),
                 "kind": self._random.choice(values.KINDS)}]))

    def _spoilt(self, text):
        lines = text.split("\n")
        number = self._random.randrange(len(lines))
        line = lines[number]
        lines[number] = self._random.choice([
            " " + line, line.lstrip(), line + "\n" + line, "\t" + line, line + " # c",
            line.replace(":", "", 1), line.replace(": ", ": !!str ", 1), line.replace(": ", ": &x ", 1),
            line.replace(": ", ": *x ", 1)])
        return "\n".join(lines)
