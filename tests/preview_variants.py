# SPDX-License-Identifier: Apache-2.0
"""Cases of the preview that are recorded cases with a change, for behaviour that is new in that minor version."""

import copy

PINNED = {"installed": "v1.11.3", "older": "v1.9.3", "newer": "v1.14.0", "unknown": "v99.0.0-x"}
ADDON = ["init", "phase", "addon", "coredns", "--config", "@DIR@/kubeadm.yaml"]
ETCD = {"run": ["init", "phase", "etcd", "local", "--config", "@DIR@/old.yaml"]}
OLD_ETCD = "etcd:\n  local:\n    imageTag: 3.7.0-0\n"


def _pin(text, tag):
    return text.replace("clusterName: prod", f"clusterName: prod\ndns:\n  imageTag: {tag}")


def _pinned_cluster(case, tag):
    for item in case["api"]["objects"]:
        if item["metadata"]["name"] == "kubeadm-config":
            item["data"]["ClusterConfiguration"] = _pin(item["data"]["ClusterConfiguration"], tag)
    return case


def _dry_run(case, *flags):
    case["files"]["old.yaml"] += OLD_ETCD
    case["steps"] = [case["steps"][0], ETCD, {**case["steps"][1], "run": [*case["steps"][1]["run"], *flags]}]
    return case


def _preflight_of_plan(case, tag):
    case["steps"] = [{"run": [*case["steps"][1]["run"][:3], "--allow-experimental-upgrades"], "silent": True,
                      "preflight": ["CoreDNS*"], "timeout": 100}]
    return _pinned_cluster(case, tag)


def _addon(case, cluster, tag):
    dns = [copy.deepcopy(item) for item in cluster["api"]["objects"] if item["metadata"]["name"] == "coredns"]
    for item in dns:
        if "data" in item:  # a user's Corefile
            item["data"]["Corefile"] = item["data"]["Corefile"].replace("errors", "errors\n    log")
    case["api"]["objects"] = dns
    case["files"]["kubeadm.yaml"] += f"dns:\n  imageTag: {tag}\n"
    case["steps"] = [{"run": ADDON, "silent": True, "timeout": 80}]
    return case


def _getent(case):
    case["steps"][0]["preflight"] = ["FileExisting-getent"]
    return case


def variants(cases):
    """Returns new cases by name. They are derived from the recorded `cases`, a dict by name."""
    def take(name):
        return copy.deepcopy(cases[name])

    diff = take("upgrade-diff")
    diff["files"]["old.yaml"] += OLD_ETCD
    diff["steps"].insert(1, ETCD)
    made = {"preflight-getent": _getent(take("preflight-files")), "upgrade-diff-etcd": diff,
            "upgrade-dry-run-etcd": _dry_run(take("upgrade-apply-dry-run"), "--allow-experimental-upgrades"),
            "upgrade-dry-run-keeps-etcd": _dry_run(take("upgrade-apply-dry-run"), "--allow-experimental-upgrades",
                                                   "--etcd-upgrade=false")}
    for kind, tag in PINNED.items():
        made[f"plan-dns-{kind}"] = _pinned_cluster(take("upgrade-plan"), tag)
        made[f"plan-checks-dns-{kind}"] = _preflight_of_plan(take("upgrade-plan"), tag)
        made[f"addon-dns-{kind}"] = _addon(take("init-api-coredns"), cases["upgrade-plan"], tag)
    return made
