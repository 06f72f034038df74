# SPDX-License-Identifier: Apache-2.0
"""Runs cluster-machine-approver against a real API server, whose controller manager signs certificates."""

import json
import subprocess
import urllib.error

import pytest
from cryptography import x509

from approver import BOOTSTRAPPER, CAPI, NAMESPACE, TOP, Api, Approver, World
from control_plane import eventually


@pytest.fixture(scope="session")
def program(request):
    build = request.config.getoption("--build")
    subprocess.run(["cmake", "--build", build, "--target", "machine_approver_program"], check=True,
                   stdout=subprocess.DEVNULL)
    return build / "bin" / "cluster-machine-approver"


@pytest.fixture(scope="session")
def api(plane):
    api = Api(plane)
    for namespace in (NAMESPACE, "machines", "openshift-config-managed"):
        api.make("/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}})
    api.apply(TOP / "tests/api/testdata/machines.yaml")
    for file in ("base/rbac.yaml", "base/lease.yaml", "overlays/openshift/approver/rbac.yaml",
                 "overlays/openshift/renewal-ca.yaml", "overlays/cluster-api/rbac.yaml"):
        api.apply(TOP / "deploy/approver" / file, NAMESPACE)
    api.make("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", {
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding",
        "metadata": {"name": "bootstrapper"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole",
                    "name": "system:node-bootstrapper"},
        "subjects": [{"kind": "User", "apiGroup": "rbac.authorization.k8s.io", "name": BOOTSTRAPPER},
                     {"kind": "Group", "apiGroup": "rbac.authorization.k8s.io", "name": "system:bootstrappers"}]})
    _, answer = api("POST", f"/api/v1/namespaces/{NAMESPACE}/serviceaccounts/machine-approver-sa/token",
                    {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}})
    plane._write_kubeconfig("approver", {"token": answer["status"]["token"]})
    for group in ("machine.openshift.io", "cluster.x-k8s.io", "config.openshift.io", "network.openshift.io",
                  "k8s.ovn.org"):
        eventually(lambda group=group: api("GET", f"/apis/{group}")[0] == 200)
    return api


@pytest.fixture
def world(api):
    return World(api)


@pytest.fixture
def start(program, plane, tmp_path):
    running = []

    def begin(*flags, **options):
        flags = flags or ("--api-group-version=machine.openshift.io/v1beta1",
                          "--api-group-version=cluster.x-k8s.io")
        running.append(Approver(program, plane, tmp_path / f"approver-{len(running)}.log", *flags, **options))
        return running[-1]

    yield begin
    for each in running:
        each.kill()
        print(each.log.read_text()[-3000:])


def test_a_client_request_waits_for_its_machine(world, start):
    start().ready()
    name = world.client_csr("early")
    eventually(lambda: world.events(name) == ["client-no-machine-with-internal-dns"])
    assert world.conditions(name) == []
    world.machine("early")
    pem = eventually(lambda: world.certificate(name))
    assert pem
    condition = world.csr(name)["status"]["conditions"][0]
    assert (condition["type"], condition["reason"]) == ("Approved", "NodeCSRApprove")


def test_machines_of_cluster_api_attest_as_well(world, start):
    start().ready()
    world.machine("capi-one", group=CAPI)
    assert eventually(lambda: world.certificate(world.client_csr("capi-one")))


def test_a_serving_request_is_signed_with_the_names_of_its_machine(world, start):
    start().ready()
    world.node("worker")
    world.machine("worker-machine", node="worker", addresses=[
        {"type": "Hostname", "address": "Worker."}, {"type": "InternalIP", "address": "FD00:0::1"}])
    name = world.serving_csr("worker", ["worker", "fd00::1"])
    pem = eventually(lambda: world.certificate(name))
    import base64
    names = x509.load_pem_x509_certificate(base64.b64decode(pem)).extensions.get_extension_for_class(
        x509.SubjectAlternativeName).value
    assert names.get_values_for_type(x509.DNSName) == ["worker"]


def test_an_unattested_request_is_left_with_an_event(world, start):
    approver = start().ready()
    world.node("taken")
    world.machine("taken")
    world.machine("uri")
    refused = {world.client_csr("taken"): "client-node-exists",
               world.client_csr("uri", names=["spiffe://uri/x"]): "serving-not-a-node-user",
               world.serving_csr("nobody", ["nobody"]): "serving-exhausted"}
    for name, reason in refused.items():
        eventually(lambda name=name, reason=reason: world.events(name) == [reason])
        assert world.conditions(name) == []
    metrics = approver.get("/metrics")
    assert 'machine_approver_decisions_total{decision="ignore",reason="client-node-exists"}' in metrics
    assert "mapi_max_pending_csr 1" in metrics


def test_explain_lists_every_rule(world, start, program, plane):
    name = world.client_csr("explained")
    config = plane.kubeconfig("approver")
    done = subprocess.run([program, "explain", name, "-o", "json", f"--workload-cluster-kubeconfig={config}",
                           f"--management-cluster-kubeconfig={config}"], capture_output=True, text=True, check=True)
    verdict = json.loads(done.stdout)
    assert (verdict["decision"], verdict["reason"]) == ("retry", "client-no-machine-with-internal-dns")
    assert [rule["rule"] for rule in verdict["rules"] if not rule["passed"]] == ["machine-found"]


def test_health_and_a_graceful_end(api, start):
    approver = start().ready()
    assert approver.get("/healthz") == "ok\n"
    with pytest.raises(urllib.error.HTTPError):
        approver.get("/other")
    eventually(approver.leads)
    assert approver.end() == 0
    lease = api("GET", f"/apis/coordination.k8s.io/v1/namespaces/{NAMESPACE}/leases/"
                       "cluster-machine-approver-leader")[1]
    assert lease["spec"]["holderIdentity"] == ""


def test_the_status_of_the_cluster_operator_is_restored(api, start):
    start().ready()
    path = "/apis/config.openshift.io/v1/clusteroperators/machine-approver"

    def status():
        code, answer = api("GET", path)
        return answer.get("status", {}) if code == 200 else {}

    eventually(lambda: status().get("versions") == [{"name": "operator", "version": "unknown"}])
    assert {each["type"]: each["status"] for each in status()["conditions"]} == {
        "Available": "True", "Degraded": "False", "Progressing": "False", "Upgradeable": "True"}
    api("PATCH", path + "/status", {"status": {"versions": []}})
    eventually(lambda: status().get("versions"))


def approvals_written(api):
    """Returns the number of approvals that the API server has accepted since its start."""
    _, text = api("GET", "/metrics")
    lines = [line for line in text.splitlines() if line.startswith("apiserver_request_total{")
             and 'code="200"' in line and 'subresource="approval"' in line and 'verb="PUT"' in line]
    return sum(int(float(line.rsplit(" ", 1)[1])) for line in lines)


def test_another_replica_continues_after_the_leader_is_killed(world, start):
    before = approvals_written(world.api)
    first, second = start().ready(), start().ready()
    leader, other = eventually(lambda: (first, second) if first.leads() else (second, first) if second.leads()
                               else None)
    names = []
    for i in range(40):
        world.machine(f"many-{i}")
        names.append(world.client_csr(f"many-{i}"))
        if i == 20:
            leader.kill()
    eventually(other.leads)
    for name in names:
        eventually(lambda name=name: world.conditions(name))
        assert world.conditions(name) == ["Approved"]
    # One approval may have been in flight when the leader was killed: the API server does not count unanswered
    # requests.
    assert approvals_written(world.api) - before in (len(names) - 1, len(names)), "each approved once"
    assert first.process.poll() is None or second.process.poll() is None


def test_approvals_continue_after_the_api_server_restarts(world, start, plane):
    # Runs without leader election: a leader exits if it cannot renew its Lease for 2 s, which the restart may take.
    start("--api-group-version=machine.openshift.io/v1beta1", "--leader-elect=false").ready()
    for i in range(10):
        world.machine(f"restart-{i}")
    names = [world.client_csr(f"restart-{i}") for i in range(5)]
    plane.restart_apiserver()
    names += [world.client_csr(f"restart-{i}") for i in range(5, 10)]
    for name in names:
        eventually(lambda name=name: world.conditions(name) == ["Approved"])


def judge(program, text):
    done = subprocess.run([program, "judge", "--input", "-"], input=text, capture_output=True, text=True, timeout=60,
                          check=False)
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()], done.stderr


def test_judge_prints_a_verdict_a_line(program):
    csr = {"metadata": {"name": "a"}, "spec": {"username": "x", "groups": [], "usages": [], "request": ""}}
    lines = [json.dumps({"csr": csr}), json.dumps({"csr": None}), "[]", json.dumps({"inputs": {"csr": csr}})]
    status, verdicts, _ = judge(program, "\n".join(lines))
    assert status == 0
    assert [(each["decision"], each["reason"]) for each in verdicts] == [
        ("retry", "bad-pem"), ("ignore", "invalid-call"), ("ignore", "invalid-call"), ("retry", "bad-pem")]
    assert set(verdicts[0]) == {"decision", "reason", "rules"}
    assert all(set(rule) == {"rule", "passed", "compared"} for rule in verdicts[0]["rules"])
    assert judge(program, json.dumps({"csr": csr}, indent=2))[1][0]["reason"] == "bad-pem"


def test_judge_requires_valid_input(program):
    assert judge(program, "")[0] == 1
    assert "input line 2" in judge(program, "{}\n{")[2]


@pytest.mark.parametrize("flags, status, words", [
    (["--nonsense"], 2, "unknown flag"),
    (["--api-group-version=a/b/c"], 255, "Invalid API Group Version value: a/b/c"),
    (["--api-group-version=apps/v1"], 255, "unsupported APIGroup apps"),
    (["--apigroup=cluster.x-k8s.io", "--api-group-version=cluster.x-k8s.io"], 255, "Cannot set both"),
    (["--serving-renewal=sometimes"], 2, "--serving-renewal must be"),
    (["--workload-cluster-kubeconfig=/nowhere", "--management-cluster-kubeconfig=/nowhere"], 255, "/nowhere"),
])
def test_invalid_flags_end_the_program_at_its_start(program, flags, status, words):
    done = subprocess.run([program, *flags], capture_output=True, text=True, timeout=30, check=False)
    assert done.returncode == status
    assert words in done.stderr


def test_a_missing_configuration_ends_the_program(program, tmp_path):
    missing = tmp_path / "typo.yaml"
    for command in ([], ["explain", "some"]):
        done = subprocess.run([program, *command, f"--config={missing}"], capture_output=True, text=True, timeout=30,
                              check=False)
        assert done.returncode == (255 if not command else 1)
        assert f"configuration file {missing} is not there" in done.stderr


def test_a_malformed_configuration_ends_the_program(program, tmp_path):
    config = tmp_path / "config.yaml"
    for text in ("nodeClientCert: {disabled: 'true'}", "nodeClientCert: {disable: true}", "a: [", "- x"):
        config.write_text(text)
        done = subprocess.run([program, f"--config={config}"], capture_output=True, text=True, timeout=30, check=False)
        assert done.returncode == 255
        assert str(config) in done.stderr
