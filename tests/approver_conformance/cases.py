# SPDX-License-Identifier: Apache-2.0
"""The cases of the conformance suite: each request with the rule that decides, the rule's source, and whether the
request is honest. An approver must approve honest requests, and must leave hostile requests pending or deny them."""

import dataclasses

SERVING = "kubernetes.io/kubelet-serving"
CLIENT = "kubernetes.io/kube-apiserver-client-kubelet"
NODES = "system:nodes"
AUTHENTICATED = "system:authenticated"
SERVING_USAGES = ("digital signature", "key encipherment", "server auth")
CLIENT_USAGES = ("digital signature", "key encipherment", "client auth")

# The documents that state the rules.
SIGNERS = "Kubernetes, Certificate Signing Requests, Kubernetes signers"
NODE_AUTHORIZATION = "Kubernetes, Using Node Authorization"
TLS_BOOTSTRAPPING = "Kubernetes, TLS bootstrapping"
BOOTSTRAP_TOKENS = "kubernetes/kubernetes#141419"
PKCS10 = "RFC 2986, section 4.1"
X509 = "RFC 5280, section 4.2.1"
PEM = "RFC 7468, section 7"
HOSTNAMES = "RFC 6125, section 6.4.3"
ROOT_OF_TRUST = "GHSA-x7j5-fww5-mqmv"
KEYS = "CA/Browser Forum Baseline Requirements, section 6.1.5"


@dataclasses.dataclass(frozen=True)
class Site:
    """Facts of the cluster under test: two Nodes that the suite creates, and an identity for client requests."""

    node: str = "conformance-a"
    address: str = "192.0.2.11"
    other: str = "conformance-b"
    other_address: str = "192.0.2.12"
    service: str = "10.96.0.1"
    api_server: str = ""  # its address; "" if unknown
    # The node for which the client may request a certificate. If it is "", the suite has no honest client request.
    client_node: str = ""
    client_user: str = "system:bootstrap:c0nf0r"
    client_groups: tuple = ("system:bootstrappers", "system:bootstrappers:kubeadm:default-node-token")

    @property
    def user(self):
        return f"system:node:{self.node}"


@dataclasses.dataclass(frozen=True)
class Case:
    """A certificate request. `key` and `form` change its key and its encoding (csrs.py)."""

    id: str
    rule: str
    source: str
    user: str
    common_name: str
    honest: bool = False
    groups: tuple = (NODES, AUTHENTICATED)
    organizations: tuple = (NODES,)
    names: tuple = ()
    usages: tuple = SERVING_USAGES
    signer: str = SERVING
    key: str = "ec256"
    form: str = ""
    after: str = ""  # the id of a case that must be approved first


def serving_cases(site):
    """Returns the cases for serving certificates."""
    own = {"user": site.user, "common_name": site.user, "names": (site.node, site.address)}

    def case(name, rule, source, **changes):
        return Case(f"serving/{name}", rule, source, **{**own, **changes})

    yield case("own-names", "A node gets its own name and address.", SIGNERS, honest=True)
    yield case("own-address", "A node gets its own address alone.", SIGNERS, honest=True, names=(site.address,))
    yield case("without-key-encipherment", "Key encipherment is optional.", SIGNERS, honest=True,
               usages=("digital signature", "server auth"))
    yield from hostile_requesters(case, site)
    yield from hostile_names(case, site)
    yield from hostile_subjects(case, site)
    yield from hostile_usages(case, SERVING_USAGES, "server auth", "client auth")
    yield from hostile_encodings(case)


def hostile_requesters(case, site):
    rule = "Only the node itself requests its serving certificate."
    other = f"system:node:{site.other}"
    yield case("by-another-node", rule, SIGNERS, user=other)
    yield case("for-another-node", rule, SIGNERS, user=site.user, common_name=other,
               names=(site.other, site.other_address))
    yield case("by-a-user", rule, SIGNERS, user="mallory", groups=(AUTHENTICATED,))
    yield case("by-a-user-with-the-nodes-group", rule, SIGNERS, user="mallory")
    yield case("by-a-service-account", rule, SIGNERS, user="system:serviceaccount:default:default",
               groups=("system:serviceaccounts", AUTHENTICATED))
    yield case("without-the-nodes-group", "The requester is in system:nodes.", SIGNERS, groups=(AUTHENTICATED,))
    yield case("by-the-prefix-alone", "A node's user has a name after the prefix.", SIGNERS, user="system:node:",
               common_name="system:node:")
    yield case("by-a-token", rule, SIGNERS, user=site.client_user, groups=(*site.client_groups, AUTHENTICATED))
    yield case("by-a-node-without-node", "The requester's Node exists.", NODE_AUTHORIZATION,
               user="system:node:conformance-none", common_name="system:node:conformance-none",
               names=("conformance-none", "192.0.2.99"))


def hostile_names(case, site):
    rule = "A node gets no name or address of others."
    for name, names in {
        "name-of-another-node": (site.node, site.other), "address-of-another-node": (site.node, site.other_address),
        "name-of-nobody": (site.node, "printer.example.com"), "address-of-nobody": (site.node, "198.51.100.7"),
        "only-a-foreign-name": ("printer.example.com",), "node-name-as-prefix": (f"{site.node}-2", site.address),
        "node-name-as-suffix": (f"x{site.node}", site.address),
        "node-name-as-label": (f"{site.node}.example.com", site.address),
    }.items():
        yield case(name, rule, SIGNERS, names=names)
    rule = "A node gets no name by which clients find the API server or a Service."
    for name, names in {
        "kubernetes": ("kubernetes", site.address), "kubernetes-default": ("kubernetes.default", site.address),
        "kubernetes-default-svc": ("kubernetes.default.svc", site.address),
        "kubernetes-in-the-domain": ("kubernetes.default.svc.cluster.local", site.address),
        "a-service": ("web.shop.svc.cluster.local", site.address),
        "the-service-of-the-api-server": (site.node, site.service),
    }.items():
        yield case(name, rule, ROOT_OF_TRUST, names=names)
    if site.api_server:
        yield case("address-of-the-api-server", rule, ROOT_OF_TRUST, names=(site.node, site.api_server))
    rule = "A node gets no name that stands for every machine."
    for name, names in {
        "wildcard": ("*", site.address), "wildcard-in-a-domain": ("*.example.com", site.address),
        "wildcard-of-the-cluster": ("*.cluster.local", site.address), "localhost": ("localhost", site.address),
        "loopback": (site.node, "127.0.0.1"), "loopback-6": (site.node, "::1"), "unspecified": (site.node, "0.0.0.0"),
        "link-local": (site.node, "169.254.169.254"), "multicast": (site.node, "224.0.0.1"),
        "an-address-as-a-name": ("dns:192.0.2.11", site.address),
    }.items():
        yield case(name, rule, HOSTNAMES, names=names)
    yield case("no-name", "A serving certificate has an alternative name.", SIGNERS, names=())
    yield case("a-mail-address", "Only DNS names and IP addresses are allowed.", SIGNERS,
               names=(site.node, site.address, "mail:root@example.com"))
    yield case("a-url", "Only DNS names and IP addresses are allowed.", SIGNERS,
               names=(site.node, site.address, "uri:spiffe://cluster.local/ns/kube-system/sa/admin"))


def hostile_subjects(case, site):
    yield case("another-organization", "The organisation is exactly system:nodes.", SIGNERS,
               organizations=("system:masters",))
    yield case("one-more-organization", "The organisation is exactly system:nodes.", SIGNERS,
               organizations=(NODES, "system:masters"))
    yield case("the-other-one-first", "The organisation is exactly system:nodes.", SIGNERS,
               organizations=("system:masters", NODES))
    yield case("no-organization", "The organisation is exactly system:nodes.", SIGNERS, organizations=())
    yield case("an-administrators-name", "The common name is the requester's.", SIGNERS,
               common_name="kubernetes-admin")
    yield case("no-common-name", "The common name is the requester's.", SIGNERS, common_name="")
    yield case("two-common-names", "There is one common name.", X509, form="two common names")
    yield case("a-unit", "A kubelet sends no further attribute of the subject.", SIGNERS, form="unit")
    yield case("capitals", "The common name is the requester's.", SIGNERS, common_name=site.user.upper())


def hostile_usages(case, usual, needed, other):
    rule = "Only the usages of the signer are allowed."
    for name, usages in {
        "also-the-other-usage": (*usual, other), "only-the-other-usage": ("digital signature", other),
        "signing": (*usual, "cert sign"), "code-signing": (*usual, "code signing"), "any": (*usual, "any"),
        "without-its-usage": ("digital signature", "key encipherment"), "only-its-usage": (needed,),
    }.items():
        yield case(f"usages-{name}", rule, SIGNERS, usages=usages)


def hostile_encodings(case):
    yield case("ca", "A request for a CA is no kubelet's.", X509, form="ca")
    yield case("name-constraints", "A kubelet requests no further extension.", X509, form="constraints")
    yield case("challenge-password", "A kubelet sends no further attribute.", PKCS10, form="challenge")
    yield case("broken-signature", "The request is signed with its key.", PKCS10, form="broken signature")
    yield case("two-blocks", "A request is one PEM block.", PEM, form="two blocks")
    yield case("text-before", "A request is one PEM block.", PEM, form="text before")
    yield case("rsa-1024", "Keys are strong enough.", KEYS, key="rsa1024")


def client_cases(site):
    """Returns the cases for client certificates."""
    node = site.client_node or "conformance-new"
    own = {"user": site.client_user, "common_name": f"system:node:{node}", "usages": CLIENT_USAGES, "signer": CLIENT,
           "groups": (*site.client_groups, AUTHENTICATED)}

    def case(name, rule, source, **changes):
        return Case(f"client/{name}", rule, source, **{**own, **changes})

    honest = "client/its-node" if site.client_node else ""
    rule = "A token is worth its node only."
    for name, other in {
        "another-node": "conformance-new-2", "longer": f"{node}-2", "shorter": node[:-1], "below": f"a.{node}",
        "above": f"{node}.example.com", "a-dot": f"{node}.", "capitals": node.upper(),
        "an-existing-node": site.node, "another-existing-node": site.other, "a-slash": f"{node}/x",
        "a-colon": f"{node}:x", "a-blank": f"{node} x", "the-prefix-twice": f"system:node:{node}",
    }.items():
        yield case(name, rule, BOOTSTRAP_TOKENS, common_name=f"system:node:{other}")
    for name, other in {"empty": "system:node:", "an-administrator": "kubernetes-admin",
                        "the-controller-manager": "system:kube-controller-manager"}.items():
        yield case(name, "The common name is a node's.", TLS_BOOTSTRAPPING, common_name=other)
    for name, organizations in {
        "masters": ("system:masters",), "nodes-and-masters": (NODES, "system:masters"),
        "masters-and-nodes": ("system:masters", NODES), "no-organization": (),
    }.items():
        yield case(name, "The organisation is exactly system:nodes.", SIGNERS, organizations=organizations)
    yield case("by-a-user", "Only bootstrap credentials request a first certificate.", TLS_BOOTSTRAPPING,
               user="mallory", groups=(AUTHENTICATED,))
    yield case("by-another-node", "A node requests its own certificate only.", TLS_BOOTSTRAPPING,
               user=f"system:node:{site.other}", groups=(NODES, AUTHENTICATED))
    yield case("with-a-name", "A client certificate has no alternative name.", SIGNERS, names=("kubernetes",))
    yield case("with-an-address", "A client certificate has no alternative name.", SIGNERS, names=("192.0.2.1",))
    yield from hostile_usages(case, CLIENT_USAGES, "client auth", "server auth")
    yield from hostile_encodings(case)
    if honest:
        yield case("its-node", "A token gets its node's certificate.", TLS_BOOTSTRAPPING, honest=True)
        yield case("a-second-key", "One key gets a certificate until the Node exists.", BOOTSTRAP_TOKENS,
                   after=honest)


def all_cases(site):
    return [*serving_cases(site), *client_cases(site)]
