# SPDX-License-Identifier: Apache-2.0
"""Directories of random patches: `Patches(seed, bases).write(directory)`."""

import copy
import json
import pathlib
import random

import yaml

from .mutation import paths

TARGETS = ["kube-apiserver", "kube-controller-manager", "kube-scheduler", "etcd"]
KUBELET = "kubeletconfiguration"
KUBE_PROXY = "kubeproxydaemonset"
COREDNS = "corednsdeployment"
VALUES = yaml.safe_load((pathlib.Path(__file__).parent / "patch_values.yaml").read_text())

TYPES = {"+strategic": 45, "+merge": 25, "+json": 25, "": 5, "+other": 1}  # with their weights
OPERATIONS = {"add": 30, "replace": 30, "remove": 12, "test": 8, "copy": 8, "move": 8, "other": 1, None: 1}
PARTS = {"containers": 45, "metadata": 20, "spec": 35, "what is not a part": 3}
DIRECTIVES = ["replace", "delete", "merge", "other", None, 1]
ODD_OBJECTS = [{"kind": "Pod"}, {"kind": "X"}, {"apiVersion": "v2"}, {"apiVersion": None}, {"x": 1}, {"spec": None},
               {"spec": []}, {"metadata": None}, {"$patch": "delete"}]
PLAIN = ["x", "--a=b", "Always", 1, 1.5, True, None, [], {}, ["a"], {"name": "a"}, {"a": "b"},
         {"name": "x", "value": "y"}]
MERGE_KEYS = ("name", "mountPath", "ip")


def named(member):
    """Returns the entry of $setElementOrder for a member of a list: the member's merge keys, or the member itself."""
    return {key: member[key] for key in MERGE_KEYS if key in member} if isinstance(member, dict) else member


class Patches:
    """Generates directories of patches; the same seed gives the same directories. `bases` are the objects to patch, by
    target."""

    def __init__(self, seed: int, bases: dict):
        self._random = random.Random(seed)
        self._bases = bases

    def write(self, directory) -> str:
        """Creates the files of one directory, and returns their contents."""
        shown = ""
        for _ in range(self._random.choice([1, 1, 1, 2, 3])):
            target = self._random.choice(list(self._bases))
            kind = self._weighted(TYPES)
            suffix = self._random.choice([".yaml", ".yaml", ".json"] * 8 + [".yml", ""])
            name = target + self._random.choice(["", "", "0", "1", "-x"]) + kind + suffix
            text = self._text([self._patch(target, kind) for _ in range(self._random.choice([1, 1, 1, 2]))], suffix)
            (directory / name).write_text(text)
            shown += f"--- {name}\n{text}\n"
        return shown

    def _weighted(self, weights):
        return self._random.choices(list(weights), list(weights.values()))[0]

    def _text(self, patches, suffix):
        if suffix == ".json":
            return "\n---\n".join(json.dumps(patch) for patch in patches)
        flow = self._random.random() < 0.1
        text = "---\n".join(yaml.safe_dump(patch, default_flow_style=flow) for patch in patches)
        return self._random.choice(["", "", "", "---\n", "# a comment\n"]) + text

    def _patch(self, target, kind):
        if self._random.random() < 0.03:
            return self._random.choice([None, {}] if kind == "+merge" else [None, {}, [], "text", 1])
        if kind == "+json":
            return [self._operation(self._bases[target]) for _ in range(self._random.choice([1, 1, 2, 4]))]
        if target == KUBELET:
            return self._some(VALUES["configuration"])
        if target in (KUBE_PROXY, COREDNS):
            return {"spec": {"template": self._pod(self._bases[target]["spec"]["template"])}}
        return self._pod(self._bases[target])

    def _some(self, fields):
        """Returns a few of the fields. Some values are lists of a few possible elements."""
        made = {}
        for key in self._random.sample(list(fields), self._random.choice([1, 1, 2, 3])):
            made[key] = copy.deepcopy(self._random.choice(fields[key]))
            if key in VALUES["lists"]:
                count = self._random.choice([0, 1, 1, 2, 3])
                made[key] = [copy.deepcopy(self._random.choice(fields[key])) for _ in range(count)]
            self._direct(made, key)
        return made

    def _direct(self, made, key):
        """Sometimes adds a patch directive, next to a field or in it. Never adds an empty order, because upstream fails
        for it. Never adds a delete list that is not a list, because upstream takes it for the field's value."""
        value = made[key]
        chance = self._random.random()
        directive = {"$patch": self._random.choice(DIRECTIVES)}
        if chance < 0.03:
            made |= directive
        elif chance < 0.06 and isinstance(value, dict):
            value |= directive
        elif chance < 0.09 and isinstance(value, list):
            value.append(directive)
        elif chance < 0.12 and value != []:
            made[f"$setElementOrder/{key}"] = self._order(value)
        elif chance < 0.14 and key not in VALUES["lists"]:
            made[f"$deleteFromPrimitiveList/{key}"] = self._random.choice([["a"], [], ["--allow-privileged=true"]])
        elif chance < 0.16:
            made["$retainKeys"] = self._random.choice([[key], [], "x", ["name", key]])

    def _order(self, value):
        order = [named(member) for member in value if member is not None] if isinstance(value, list) else ["a"]
        self._random.shuffle(order)
        return order or ["a"]

    def _pod(self, base):
        made = {}
        parts = {self._weighted(PARTS) for _ in range(self._random.choice([1, 1, 2]))}
        for part in sorted(parts):  # the last part may replace earlier ones
            if part == "containers":
                made["spec"] = {self._random.choice(["containers"] * 8 + ["initContainers"]): self._containers(base)}
            elif part == "what is not a part":
                made |= copy.deepcopy(self._random.choice(ODD_OBJECTS))
            else:
                made[part] = made.get(part, {}) | self._some(VALUES[part])
        return made

    def _containers(self, base):
        container = self._some(VALUES["container"])
        if self._random.random() < 0.9:
            container.setdefault("name", base["spec"]["containers"][0]["name"])
        second = [self._some(VALUES["container"]) | {"name": "second"}] if self._random.random() < 0.2 else []
        return [container, *second]

    def _pointer(self, base):
        """Returns a JSON pointer to a field of the base, or a slightly wrong pointer. Nearly all pointers begin with a
        slash, because upstream drops the first name of others."""
        path = [str(key).replace("~", "~0").replace("/", "~1") for key in self._random.choice(paths(base))]
        chance = self._random.random()
        if chance < 0.25:
            path[-1] = self._random.choice(["-", "x", "0", "00", "-1", "99", "", "~", "a~1b", "1"])
        elif chance < 0.4:
            path.append(self._random.choice(["-", "x", "0", "labels", "-1"]))
        text = "/" + "/".join(path)
        return text if self._random.random() < 0.95 else self._random.choice(["", "/", text + "/", None, 1])

    def _operation(self, base):
        operation = self._weighted(OPERATIONS)
        made = {"op": operation, "path": self._pointer(base)}
        if operation in ("copy", "move"):
            made["from"] = self._pointer(base)
        elif operation != "remove":
            made["value"] = copy.deepcopy(self._random.choice(PLAIN))
        if self._random.random() < 0.04:
            made.pop(self._random.choice(list(made)))
        return made
