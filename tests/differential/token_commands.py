# SPDX-License-Identifier: Apache-2.0
"""Random Secrets of bootstrap tokens, and random commands about them."""

import base64
import datetime
import random

TYPE = "bootstrap.kubernetes.io/token"
GROUP = "system:bootstrappers:kubeadm:default-node-token"
# Descriptions with line ends are left out, because ours escapes them.
DESCRIPTIONS = ["", "a text", "ü", "  spaces  ", "x" * 200, '"quoted"', "a: b", "- a", "{{.}}"]
IDS = ["abcdef", "000000", "zzzzzz", "a1b2c3"]
SECRET = "0123456789abcdef"

OUTPUTS = [
    [], [], ["-o", "text"], ["-o", "json"], ["-o", "yaml"], ["-o", "wide"], ["-o", ""], ["-o", "name"],
    ["-o", "jsonpath={.token}"], ["-o", "jsonpath={.expires}{.nothing}"], ["-o", "jsonpath-as-json={.groups}"],
    ["-o", "go-template={{.token}} {{.ttl}}"], ["-o", "go-template={{.nothing.at.all}}"], ["-o", "go-template={{"],
    ["-o", "json", "--show-managed-fields"], ["-o", "jsonpath={.x}", "--allow-missing-template-keys=false"],
]
TOKENS = [
    [], [], [], [], ["newone.0123456789abcdef"], ["abcdef.0123456789abcdef"], ["abcdef"], ["ABCDEF.0123456789abcdef"],
    ["newone.0123456789abcdef", "second.0123456789abcdef"], [""], ["newone.0123456789abcdeg"], ["newone.short"],
]
FLAGS = {
    "--ttl": ["0", "0s", "1h", "24h0m0s", "1.5h", "-1h", "1h30m", "x", "5", "", "2562047h", "1ns", "1d"],
    "--usages": ["signing", "authentication", "signing,authentication", "authentication,signing,signing", "", "x",
                 "signing,x", " signing"],
    "--groups": [GROUP, "system:bootstrappers:a", "system:bootstrappers:a,system:bootstrappers:b", "system:nodes", "",
                 "system:bootstrappers:", "system:bootstrappers:A", "system:bootstrappers:a-",
                 "system:bootstrappers:a:b:c", "system:bootstrappers:b,system:bootstrappers:a"],
    "--description": DESCRIPTIONS,
    "--certificate-key": ["0" * 64, "x", ""],
}
DELETED = [*IDS, *(f"{token}.{SECRET}" for token in IDS), "nobody", "nobody.0123456789abcdef", "ABCDEF", "abcde", "",
           "abcdef.x"]

ODD = ["", "x", "true", "false", "TRUE", "a,b", "system:bootstrappers:x", "abcdef", "\n"]
ODD_TIMES = ["x", "2099-01-01", "2099-01-01T00:00:00", " 2099-01-01T00:00:00Z"]


def moment(**later):
    """Returns the time in half an hour plus `later`. The remaining time is then far from a full hour, so that both
    programs round it to the same text."""
    return datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0) + datetime.timedelta(minutes=30, **later)


class Tokens:
    """Generates tokens. The same seed gives the same tokens."""

    def __init__(self, seed: int):
        self._random = random.Random(seed)

    def secrets(self) -> list:
        """Returns the Secrets in the cluster before a command. Most are valid."""
        count = self._random.choice([0, 1, 1, 2, 4])
        return [self._secret(token) for token in self._random.sample(IDS, count)]

    def _secret(self, token):
        data = {"token-id": token, "token-secret": SECRET, "usage-bootstrap-signing": "true",
                "usage-bootstrap-authentication": "true", "auth-extra-groups": GROUP}
        if self._random.random() < 0.7:
            data["expiration"] = self._expiration()
        if self._random.random() < 0.3:
            data["description"] = self._random.choice(DESCRIPTIONS)
        made = {"apiVersion": "v1", "kind": "Secret", "type": TYPE,
                "metadata": {"name": f"bootstrap-token-{token}", "namespace": "kube-system"}}
        if self._random.random() < 0.4:
            self._spoil(made, data)
        made["data"] = {key: base64.b64encode(value.encode()).decode() for key, value in data.items()}
        return made

    def _expiration(self):
        later = self._random.choice([{"hours": 1}, {"hours": 5}, {"days": 3}, {"days": 400}, {"hours": -3}])
        return moment(**later).isoformat().replace("+00:00", "Z")

    def _spoil(self, secret, data):
        key = self._random.choice(list(data))
        change = self._random.randrange(6)
        if change == 0:
            del data[key]
        elif change == 1:
            data[key] = self._random.choice(ODD)
        elif change == 2:
            data["expiration"] = self._random.choice(ODD_TIMES)
        elif change == 3:
            usage = self._random.choice(["", "x", "signing"])
            data[f"usage-bootstrap-{usage}"] = self._random.choice(["true", "false", "yes"])
        elif change == 4:
            secret["type"] = "Opaque"
        else:
            prefix = self._random.choice(["bootstrap-token-", "other-", "bootstrap-token-x"])
            secret["metadata"]["name"] = prefix + data["token-id"]

    def command(self) -> list:
        what = self._random.choices(["list", "create", "delete"], [35, 40, 25])[0]
        if what == "list":
            return ["token", "list", *self._random.choice(OUTPUTS)]
        if what == "delete":
            return ["token", "delete", *self._random.choices(DELETED, k=self._random.choice([0, 1, 1, 1, 2]))]
        dry = ["--dry-run"] if self._random.random() < 0.1 else []
        return ["token", "create", *dry, *self._random.choice(TOKENS), *self._flags()]

    def _flags(self):
        chosen = [flag for flag in FLAGS if self._random.random() < 0.3]
        flags = [f"{flag}={self._random.choice(FLAGS[flag])}" for flag in chosen]
        return flags + ["--print-join-command"] * (self._random.random() < 0.1)
