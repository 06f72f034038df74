# SPDX-License-Identifier: Apache-2.0
"""The state of a node and its cluster that must be the same whether or not a command was killed."""

import json
import re

from cluster.trees import tree

# Files, data and sockets of running programs.
FOREIGN = re.compile(
    r"^/var/lib/(etcd|cni)/|^/run/"
    r"|^/var/lib/kubelet/(?!config\.yaml$|kubeadm-flags\.env$|instance-config\.yaml$|pki)"
    r"|^/etc/(machine-id|mtab|resolv\.conf)|^/$|^/root$|^/root/\.kube$|^/var/lib$|/stopper$"
    r"|/etcd/member/(snap|wal)/[0-9a-f-]+\.(snap|wal)$"  # their number depends on etcd's state at that moment
)
# Files whose content differs each time: keys and files derived from them, names and units that contain a time, and the
# order of etcd's members.
DRAWN = re.compile(r"/pki/|\.conf(\.csr)? |/var/lib/slipway|/tmp/|/etcd\.yaml|/kubeadm-config-keep\.service")
NUMBERS = re.compile(r"\d{2,}")

KINDS = (
    "configmaps,secrets,serviceaccounts,roles,rolebindings,clusterroles,clusterrolebindings,"
    "daemonsets,deployments,services,nodes"
)

# Objects that controllers create automatically, some time later.
LATER = re.compile(r"ServiceAccount .*/(?!(coredns|kube-proxy)$)|ConfigMap .*/kube-root-ca.crt$")
SIGNED = "jws-kubeconfig-"  # in cluster-info; the signature for a random token

# Finds keys that match neither their certificate nor the new certificate beside it, and certificates that their CA did
# not sign. Its argument is the directory, by default /etc/kubernetes.
SPLIT = r"""
cd "${1:-/etc/kubernetes}"
key_of() { openssl pkey -in "$1" -pubout 2>&1; }
public_of() { openssl x509 -in "$1" -noout -pubkey 2>&1; }
for certificate in $(find pki -name '*.crt'); do
  key=${certificate%.crt}.key
  [ ! -e "$key" ] || [ "$(key_of "$key")" = "$(public_of "$certificate")" ] ||
    { [ -e "$certificate.new" ] && [ "$(key_of "$key")" = "$(public_of "$certificate.new")" ]; } ||
    echo "$key is not of $certificate"
  case $certificate in
    pki/rotate-ca/*) continue ;; # a future CA, which is self-signed
    */etcd/*|*etcd-client*) ca=pki/etcd/ca.crt ;; *front-proxy*) ca=pki/front-proxy-ca.crt ;; *) ca=pki/ca.crt ;;
  esac
  openssl verify -CAfile $ca "$certificate" >/dev/null || echo "$certificate is not signed by $ca"
done
for request in $(find pki -name '*.csr'); do
  key=${request%.csr}.key
  [ "$(key_of "$key")" = "$(openssl req -in "$request" -noout -pubkey)" ] || echo "$request is not of $key"
done
for file in *.conf; do
  [ -e "$file" ] || continue
  for field in certificate key; do
    sed -n "s/ *client-$field-data: //p" "$file" | base64 -d >/tmp/of.$field
  done
  if [ -e "$file.csr" ]; then
    [ "$(key_of /tmp/of.key)" = "$(openssl req -in "$file.csr" -noout -pubkey)" ] ||
      echo "$file.csr is not of $file"
    continue
  fi
  [ ! -s /tmp/of.key ] || [ "$(key_of /tmp/of.key)" = "$(public_of /tmp/of.certificate)" ] ||
    echo "the key of $file is not of its certificate"
done
rm -f /tmp/of.*
"""


def split_pairs(host):
    """Returns mismatched pairs, one per line."""
    return host.run("sh", "-c", SPLIT, check=False).stdout.splitlines()


def node_state(host):
    """Returns path → type, mode and owner, and the content if it follows from the configuration."""
    state = {}
    for path, text in tree(host).items():
        if FOREIGN.search(path):
            continue
        if DRAWN.search(path + " "):
            path, text = NUMBERS.sub("N", path), " ".join(text.split()[:3])
        state[path] = text
    return state


def cluster_state(host):
    """Returns the objects of the cluster, without random values and counters."""
    found = {}
    listed = json.loads(host.kubectl("get", KINDS, "--all-namespaces", "-o", "json"))
    for each in listed["items"]:
        metadata = each["metadata"]
        name = re.sub(r"bootstrap-token-.*", "bootstrap-token-…", metadata["name"])
        data = [key for key in each.get("data") or {} if not key.startswith(SIGNED)]
        facts = {"labels": metadata.get("labels", {}), "data": sorted(data)}
        if each["kind"] == "Node":
            taints = [taint["key"] for taint in each["spec"].get("taints", [])]
            facts["taints"] = sorted(key for key in taints if "not-ready" not in key)
        name = f"{each['kind']} {metadata.get('namespace', '')}/{name}"
        if not LATER.match(name):
            found[name] = json.dumps(facts, sort_keys=True)
    return found
