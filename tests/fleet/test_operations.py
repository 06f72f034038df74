# SPDX-License-Identifier: Apache-2.0
"""Operations other than an upgrade: a new configuration, a backup, a restart. Also maintenance windows, and objects
that the operator cannot process."""

import json
import subprocess

import pytest

from changes.test_backup_s3 import KEYS, Server
from cluster.processes import wait_until
from components import store
from fleet.runs import (IMAGE, NAMESPACE, apply, fleet, nodes, path_of,
                        reaches, status, write_operation)

pytestmark = pytest.mark.ours

API_SERVER = "/etc/kubernetes/manifests/kube-apiserver.yaml"
KUBELET = "/var/lib/kubelet/config.yaml"
CLIENT = "/var/lib/kubelet/pki/kubelet-client-current.pem"
CRD = "crd/clusteroperations.operations.slipway"
# The public key of an age identity. The private key is not needed.
RECIPIENT = "age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p"
REFUSAL = {
    "apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicy", "metadata": {"name": "no-jobs"},
    "spec": {
        "matchConstraints": {"resourceRules": [
            {"apiGroups": ["batch"], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["jobs"]}]},
        "validations": [{"expression": "false", "message": "no Jobs today", "reason": "Forbidden"}],
    },
}
BINDING = {
    "apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicyBinding",
    "metadata": {"name": "no-jobs"}, "spec": {"policyName": "no-jobs", "validationActions": ["Deny"]},
}


@pytest.fixture(scope="module")
def cluster(new_fleet):
    """A control plane and a worker, with the operator."""
    return new_fleet(["control"], ["worker"])


def condition(host, name, kind):
    return next((entry for entry in status(host, name).get("conditions", []) if entry["type"] == kind), {})


def test_an_object_changes_the_configuration_of_every_node(cluster):
    control, worker = (machine.host for machine in cluster.machines)
    apply(cluster, "more-pods", {"configApply": {"set": ["apiServer.extraArgs.v=3", "kubelet.maxPods=99"]}})
    watched = cluster.first.kubeadm("fleet", "watch", "more-pods", timeout=600)
    assert watched.code == 0, watched.text
    assert "worker: Done" in watched.stdout and "more-pods: Complete, 2/2 done" in watched.stdout
    assert "--v=3" in control.read(API_SERVER)
    for host in (control, worker):
        assert "maxPods: 99" in host.read(KUBELET)
    logs = fleet(cluster, "logs", "more-pods", "--node", "worker")
    assert "==> worker: more-pods-" in logs and "==> control" not in logs, logs
    listed = json.loads(fleet(cluster, "status", "-o", "json"))
    assert "more-pods" in {item["metadata"]["name"] for item in listed["items"]}
    picture = fleet(cluster, "timeline", "more-pods")
    assert "<svg" in picture and "control" in picture and "worker" in picture
    [first, *_] = status(control, "more-pods")["nodes"]
    assert first["startTime"] < first["completionTime"]
    apply(cluster, "the-same", {"configApply": {"set": ["apiServer.extraArgs.v=3", "kubelet.maxPods=99"]}})
    reaches(cluster, "the-same", "Complete")


def test_an_object_backs_a_control_plane_up(cluster, tmp_path):
    host = cluster.first.host
    builder = store.Builder(lambda _: None)
    identity = tmp_path / "backup.key"
    subprocess.run([builder.tool("age-keygen"), "-o", identity], check=True, capture_output=True)
    made = subprocess.run([builder.tool("age-keygen"), "-y", identity], check=True, capture_output=True, text=True)
    host.run("mkdir", "-p", "/var/backups")
    apply(cluster, "backup", {"backup": {"destination": "/var/backups", "recipients": [made.stdout.strip()]}})
    reaches(cluster, "backup", "Complete")
    [file] = host.run("sh", "-c", "ls /var/backups/kubeadm-control-*").stdout.split()
    host.copy(identity, "/root/backup.key")
    verified = cluster.first.kubeadm("backup", "verify", file, "--identity", "/root/backup.key", "--require-etcd",
                                     timeout=300)
    assert verified.code == 0, verified.text


def backs_up_to_bucket(cluster, name, phase):
    apply(cluster, name, {"backup": {"destination": "s3://backups/b/", "recipients": [RECIPIENT],
                                     "credentialsSecret": "keys"}})
    reaches(cluster, name, phase)
    return status(cluster.first.host, name)["message"]


def test_the_credentials_of_a_bucket_reach_kubeadm_on_the_host(cluster):
    """An operation backs up to a bucket. Without a Secret it fails because it lacks credentials. With the Secret it
    fails only at the S3 service, which does not run."""
    host = cluster.first.host
    assert "no credentials for S3" in backs_up_to_bucket(cluster, "no-keys", "Failed")
    host.kubectl("-n", NAMESPACE, "create", "secret", "generic", "keys", *(f"--from-literal={key}" for key in KEYS))
    assert "127.0.0.1:7070" in backs_up_to_bucket(cluster, "no-service", "Failed")
    assert "bench-secret" not in host.kubectl("-n", NAMESPACE, "get", "jobs,pods", "-o", "yaml")


def test_an_object_backs_up_to_a_bucket(cluster):
    server = Server(cluster.first.host)
    backs_up_to_bucket(cluster, "bucket", "Complete")
    [name] = server.objects()
    assert name.startswith("b/kubeadm-control-"), name


def is_ready(host, name):
    return any(entry["type"] == "Ready" and entry["status"] == "True"
               for entry in nodes(host)[name]["status"]["conditions"])


def boot_ids(host):
    return {name: node["status"]["nodeInfo"]["bootID"] for name, node in nodes(host).items()}


def test_an_object_restarts_the_hosts_that_ask_for_it(cluster):
    host = cluster.first.host
    before = boot_ids(host)
    worker = cluster.machines[1].host
    worker.run("touch", "/var/run/reboot-required")
    apply(cluster, "kernel", {"reboot": {"ifRequired": True}})
    reaches(cluster, "kernel", "Complete", 600)
    after = boot_ids(host)
    assert after["worker"] != before["worker"] and after["control"] == before["control"]
    assert not any(node["spec"].get("unschedulable") for node in nodes(host).values())
    worker.run("rm", "/var/run/reboot-required")


def test_an_object_restarts_every_host(cluster):
    """An operation restarts all hosts, including the host of the API server and of the operator's leader."""
    host = cluster.first.host
    before = boot_ids(host)
    apply(cluster, "all", {"reboot": {}})
    reaches(cluster, "all", "Complete", 900)
    after = boot_ids(host)
    assert all(after[name] != before[name] for name in before), (before, after)
    assert not any(node["spec"].get("unschedulable") for node in nodes(host).values())


def certificate_of(host):
    return host.run("openssl", "x509", "-in", CLIENT, "-noout", "-serial").stdout


def test_an_object_recovers_kubelets_that_still_run(cluster):
    """The kubelet's certificate is deleted from the worker's disk. The kubelet still runs with it, but could not
    restart. The operation must issue a new certificate, for which it needs a token."""
    control, worker = (machine.host for machine in cluster.machines)
    kept = certificate_of(control)
    worker.run("rm", CLIENT)
    apply(cluster, "no-token", {"recover": {}})
    reaches(cluster, "no-token", "Failed")
    assert "kubeadm token create" in status(control, "no-token")["message"]
    token = cluster.first.kubeadm("token", "create", "--ttl", "10m").stdout.strip()
    control.kubectl("-n", NAMESPACE, "create", "secret", "generic", "token", f"--from-literal=BOOTSTRAP_TOKEN={token}")
    apply(cluster, "recovery", {"recover": {"tokenSecret": "token"}})
    reaches(cluster, "recovery", "Complete")
    assert certificate_of(control) == kept, "a valid certificate stays"
    renewed = certificate_of(worker)
    worker.run("systemctl", "restart", "kubelet")
    cluster.wait_healthy()
    assert token not in control.kubectl("-n", NAMESPACE, "get", "jobs,pods", "-o", "yaml")
    apply(cluster, "forced", {"recover": {"force": True, "tokenSecret": "token"}})
    reaches(cluster, "forced", "Complete")
    assert certificate_of(control) != kept and certificate_of(worker) != renewed


def test_an_object_names_the_remedy_for_a_refused_kubelet(cluster):
    """A kubelet has lost its certificate and was restarted, so that the API server refuses it. The operation must name
    the remedy, and continue after `kubeadm node recover` on that node."""
    control, worker = (machine.host for machine in cluster.machines)
    worker.run("rm", CLIENT)
    worker.run("systemctl", "restart", "kubelet")
    assert wait_until(lambda: not is_ready(control, "worker"), 180)
    apply(cluster, "refused-kubelet", {"recover": {}})
    assert wait_until(lambda: 'run "kubeadm node recover" on that node' in
                      status(control, "refused-kubelet").get("message", ""), 120), status(control, "refused-kubelet")
    token = cluster.first.kubeadm("token", "create", "--ttl", "10m").stdout.strip()
    recovered = cluster.machines[1].kubeadm("node", "recover", "--token", token)
    assert recovered.code == 0, recovered.text
    reaches(cluster, "refused-kubelet", "Complete")


def test_no_node_begins_outside_the_maintenance_windows(cluster):
    host = cluster.first.host
    never = {"start": "0 0 30 2 *", "duration": "1h", "timeZone": "Europe/Berlin"}
    apply(cluster, "closed", {"renewCertificates": {}, "maintenanceWindows": [never]})
    assert wait_until(lambda: "outside the maintenance windows" in status(host, "closed").get("message", ""), 400)
    assert {node["stage"] for node in status(host, "closed")["nodes"]} == {"Pending"}
    fleet(cluster, "abort", "closed")
    always = {"start": "* * * * *", "duration": "1h"}
    apply(cluster, "open", {"renewCertificates": {}, "maintenanceWindows": [always]})
    reaches(cluster, "open", "Complete")


def test_a_refused_job_stalls_only_its_own_object(cluster):
    host = cluster.first.host
    host.write("/root/policy.json", json.dumps({"apiVersion": "v1", "kind": "List", "items": [REFUSAL, BINDING]}))
    host.kubectl("apply", "-f", "/root/policy.json")
    dry = ("-n", NAMESPACE, "create", "job", "dry", "--image=i", "--dry-run=server")
    assert wait_until(lambda: "created" not in host.kubectl(*dry, check=False), 60), "the API server knows the policy"
    apply(cluster, "refused", {"renewCertificates": {}})
    apply(cluster, "waiting", {"renewCertificates": {}})
    assert wait_until(lambda: condition(host, "refused", "Stalled").get("status") == "True", 120), status(host, "refused")
    assert "no Jobs today" in condition(host, "refused", "Stalled")["message"]
    assert status(host, "waiting")["message"] == "waits for operation refused"
    events = json.loads(host.kubectl("get", "events", "-o", "json"))["items"]
    assert "Stalled" in {event["reason"] for event in events if event["involvedObject"]["name"] == "refused"}
    host.kubectl("delete", "-f", "/root/policy.json")
    reaches(cluster, "refused", "Complete")
    assert condition(host, "refused", "Stalled")["status"] == "False"
    reaches(cluster, "waiting", "Complete")


def test_objects_that_cannot_be_read_fail_and_the_next_one_runs(cluster):
    """An administrator has replaced the CRD's schema by one that admits every object. Operations that the operator
    cannot read must fail, and the next valid one must run."""
    host = cluster.first.host
    before = json.loads(host.kubectl("get", CRD, "-o", "json"))["spec"]["versions"]
    loose = [dict(version, schema={"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}})
             for version in before]
    host.kubectl("patch", CRD, "--type=merge", "-p", json.dumps({"spec": {"versions": loose}}))
    bad = {"a-text": "text", "a-list": [1], "no-action": {}, "other-action": {"burn": {}},
           "other-type": {"upgrade": 5}, "large": {"upgrade": {"version": "v1.37.2", "kubeletCommand": "x" * 900_000}},
           "field": {"renewCertificates": {}, "colour": "red"}, "dotted.name": {"renewCertificates": {}}}

    def created(name, spec):
        write_operation(host, name, spec)
        return wait_until(lambda: "created" in host.kubectl("create", "-f", path_of(name), check=False), 60, pause=2)

    for name, spec in bad.items():
        assert created(name, spec), name
    assert created("good", {"renewCertificates": {}})
    reaches(cluster, "good", "Complete")
    for name in bad:  # an operation created in the same second may be processed after the good one
        assert wait_until(lambda: status(host, name).get("phase") == "Failed", 60), (name, status(host, name))
        assert status(host, name)["message"], name
    for name in bad:
        fleet(cluster, "abort", name)
    assert wait_until(lambda: not set(bad) & set(fleet(cluster, "status").split()), 60)
    host.kubectl("patch", CRD, "--type=merge", "-p", json.dumps({"spec": {"versions": before}}))


def test_the_plan_of_each_operation_is_shown_without_a_change(cluster):
    for spec, shown in [({"configApply": {"set": ["apiServer.extraArgs.v=3"]}}, "config apply --yes --set="),
                        ({"backup": {"destination": "/b", "recipients": ["age1x"]}}, "backup create /b"),
                        ({"reboot": {}}, "drain, fleet host-reboot"),
                        ({"recover": {"force": True}}, "worker   node recover --force")]:
        write_operation(cluster.first.host, "shown", spec)
        outcome = cluster.first.kubeadm("fleet", "run", path_of("shown"), "--image", IMAGE, "--dry-run")
        assert outcome.code == 0 and shown in outcome.stdout, outcome.text
