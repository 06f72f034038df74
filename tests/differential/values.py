# SPDX-License-Identifier: Apache-2.0
"""Random values for fields of configurations: valid, nearly valid, or invalid."""

DIGEST = "sha256:" + "a" * 64

ADDRESSES = [
    "1.2.3.4", "010.0.0.1", "::1", "fe80::1%eth0", "fe80::1", "::ffff:1.2.3.4", "127.0.0.1", "0.0.0.0",
    "224.0.0.1", "169.254.1.1", "255.255.255.255", "10.0.0.0/8", "10.0.0.1/8", "10.96.0.0/30",
    "10.96.0.0/29", "10.96.0.0/28", "10.96.0.0/27", "fd00::/125", "10.0.0.0/33", "fd00::/108", "fd00::/64",
    "fd00::/48", "10.0.0.0/16,fd00::/112", "10.0.0.0/16,10.1.0.0/16",
    "10.0.0.0/16,fd00::/112,10.2.0.0/16", " 10.0.0.0/16", "x:6443", "x.y.z", "x_y:6443", "x:0", "x:65536",
    "x:abc", "[::1]:6443", "[::1]", "::1:6443", "1.2.3.4:6443", "1.2.3.4:",
]
URLS = ["https://x:6443", "unix:///run/x.sock", "/run/x.sock", "run/x.sock", "npipe:////x",
        "tcp://1.2.3.4:5", "http://x"]
VERSIONS = ["v1.37.2", "1.37", "1.36.1", "v1.34.0", "v1.33.0", "v1.37.9", "v1.37.2-alpha.0+abc",
            "v1.37.2+build.1", "1.37.2 "]
DURATIONS = ["24h", "1h1m", "0s", "0", "-5s", "1.5h", "1d", "9999999h", "10000000h", "5"]
NUMBERS = [5, -1, 0, 1, 65535, 65536, 2147483648, -2147483649, 9223372036854775808, 1.5, 1e3]
TEXTS = [
    "", " ", "a", "A.B", "-", "null", "yes", "on", "0x10", "1_000", "1e3", "~", "2020-01-01",
    "2020-01-01T00:00:00Z", "a\nb", "ü", "\u2028", "a b", "a,b", "a=b", "a/b", "../a", "/", "/a/", "./a",
    "/etc/kubernetes/pki", "etc", "control-plane", "node.Name", "Node-1", "node_1", "a" * 64, "a" * 254,
    "a.b-c", "abcdef.0123456789abcdef", "ABCDEF.0123456789abcdef", "abcdef.0123456789abcde", DIGEST,
    "sha256:a", "SHA256:" + "A" * 64, "md5:aa", "RSA-2048", "RSA-3072", "RSA-4096", "RSA-1024",
    "ECDSA-P256", "ECDSA-P384", "rsa-2048", "Never", "Always", "IfNotPresent", "Sometimes",
]
STRUCTURES = [
    True, False, None, [], {}, ["a"], [1], [""], [None], ["a", "a"],
    ["1.2.3.4", "::1", "*.a.b", "*", "a_b", "A"], ["10.0.0.0/8"], {"a": "b"}, {"": ""}, {"a": 1},
    {"a": True}, {"a": None}, [{"name": "a", "value": "b"}], [{"name": "", "value": "b"}], [{"name": "a"}],
    [{"value": "a"}], [{"name": "a", "value": 1}],
    [{"name": "a", "value": "b"}, {"name": "a", "value": "c"}],
    [{"name": "a", "hostPath": "/a", "mountPath": "/b"}],
    [{"name": "A_", "hostPath": "a", "mountPath": "b", "pathType": "File"}],
    [{"key": "a", "effect": "NoSchedule"}], [{"key": "", "value": "v", "effect": "x"}], [DIGEST],
    ["sha256:x"], ["signing", "authentication"], ["signing"], ["x"],
    ["system:bootstrappers:kubeadm:default-node-token"], ["system:nodes"], {"PublicKeysECDSA": True},
    {"RootlessControlPlane": True}, {"ControlPlaneKubeletLocalMode": False}, {"Nope": True},
    {"NodeLocalCRISocket": True},
]
VALUES = ADDRESSES + URLS + VERSIONS + DURATIONS + NUMBERS + TEXTS + STRUCTURES

KEYS = ["kind", "apiVersion", "name", "foo", "imageRepository", "dns", "etcd", "local", "external",
        "extraArgs", "certSANs", "timeouts", "taints", "Networking", "kubernetesversion", "endpoints",
        "caFile"]
API_VERSIONS = [
    "kubeadm.k8s.io/v1beta4", "kubeadm.k8s.io/v1beta2", "kubeadm.k8s.io/v1", "kubeadm.k8s.io/v1beta5",
    "kubeadm.k8s.io/", "kubeadm.k8s.io", "kubelet.config.k8s.io/v1beta1", "kubelet.config.k8s.io/v1",
    "kubeproxy.config.k8s.io/v1alpha1", "example.org/v1", "v1", "", None, 1, "a/b/c",
]
KINDS = ["InitConfiguration", "ClusterConfiguration", "JoinConfiguration", "ResetConfiguration",
         "UpgradeConfiguration", "KubeletConfiguration", "KubeProxyConfiguration", "ClusterStatus",
         "initConfiguration", "Nope", "", None, 1]
