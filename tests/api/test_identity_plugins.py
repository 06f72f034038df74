# SPDX-License-Identifier: Apache-2.0
"""The plug-ins for identity documents (deploy/approver/plugins), with documents that these tests sign."""

import base64
import json
import subprocess
import time

import pytest

from approver import TOP
from identity_documents import Signer, aws_document, encoded, gcp_claims, gcp_document, rfc3339

PLUGINS = TOP / "deploy/approver/plugins"
REFUSED = 3


@pytest.fixture(scope="module")
def signer():
    return Signer("cloud")


@pytest.fixture(scope="module")
def other():
    return Signer("cloud")


def ask(plugin, arguments, document):
    query = {"apiVersion": "approver.slipway/v1alpha1", "kind": "DocumentQuery", "document": document}
    return subprocess.run([PLUGINS / plugin, *arguments], input=json.dumps(query), capture_output=True, text=True,
                          timeout=60, check=False)


@pytest.fixture
def aws(signer, tmp_path):
    (tmp_path / "aws.pem").write_text(signer.pem())
    arguments = [f"--certificates={tmp_path / 'aws.pem'}", "--account=111122223333", "--region=eu-central-1"]
    return lambda document: ask("aws-identity", arguments, document)


@pytest.fixture
def gcp(signer, tmp_path):
    (tmp_path / "gcp.json").write_text(json.dumps({"key-1": signer.pem()}))
    arguments = [f"--certificates={tmp_path / 'gcp.json'}", "--audience=nodes.cluster-one", "--project=cluster-one",
                 "--service-account=nodes@cluster-one.iam.gserviceaccount.com"]
    return lambda document: ask("gcp-identity", arguments, document)


def machine(done):
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert (answer["apiVersion"], answer["kind"]) == ("approver.slipway/v1alpha1", "Inventory")
    (item,) = answer["items"]
    return item


def is_refused(done, why):
    assert (done.returncode, done.stdout) == (REFUSED, ""), done.stderr
    assert why in done.stderr and done.stderr.count("\n") == 1


def test_an_instance_of_aws_is_called_like_its_id(aws, signer):
    created = rfc3339(60)
    assert machine(aws(aws_document(signer, pendingTime=created))) == {
        "hostname": "i-0a1b2c3d4e5f60718", "addresses": ["10.0.3.7"], "createdAt": created,
        "providerID": "aws:///eu-central-1a/i-0a1b2c3d4e5f60718"}


def test_only_amazons_certificates_count(aws, signer, other):
    is_refused(aws(aws_document(other)), "none of Amazon's certificates has signed it")
    forged = aws_document(signer).replace("\n", "")
    content = base64.b64decode(forged).replace(b"111122223333", b"111122223334")
    is_refused(aws(base64.b64encode(content).decode()), "none of Amazon's certificates")
    for text in ("", "x", "{}", json.dumps({"instanceId": "i-0a1b2c3d4e5f60718"})):
        assert aws(text).returncode == REFUSED


def test_other_accounts_and_regions_are_refused(aws, signer):
    """Each customer of Amazon can get a document for an account of their own."""
    is_refused(aws(aws_document(signer, accountId="999999999999")), "account 999999999999 is not one")
    is_refused(aws(aws_document(signer, region="us-east-1")), "region us-east-1 is not one")
    is_refused(aws(aws_document(signer, instanceId=None)), "it has no instanceId")


def test_words_of_the_creator_of_an_aws_instance_are_ignored(aws, signer):
    """kubernetes/kops#18583: a user who may create instances chooses names, tags and user data."""
    written = {"hostname": "control-plane-1", "tags": {"Name": "control-plane-1", "kubernetes.io/node": "victim"},
               "userData": "NODE_NAME=victim"}
    assert machine(aws(aws_document(signer, **written)))["hostname"] == "i-0a1b2c3d4e5f60718"
    wrapped = json.dumps({"document": aws_document(signer), **written})
    is_refused(aws(wrapped), "not the base64 text")


def test_an_instance_of_gcp_is_called_like_its_id(gcp, signer):
    item = machine(gcp(gcp_document(signer)))
    assert (item["hostname"], item["addresses"]) == ("gce-4520031799277581759", [])
    assert item["providerID"] == "gce://cluster-one/europe-west3-a/4520031799277581759"
    assert item["createdAt"] <= rfc3339(50)


def test_words_of_the_creator_of_a_gcp_instance_are_ignored(gcp, signer):
    """kubernetes/kops#18583: a user who may create instances has written the signed name and metadata."""
    written = {"instance_name": "victim", "metadata": {"cluster-name": "cluster-one", "node": "victim"},
               "labels": {"role": "control-plane"}}
    assert machine(gcp(gcp_document(signer, written)))["hostname"] == "gce-4520031799277581759"
    creators_own = {"email": "attacker@cluster-one.iam.gserviceaccount.com"}
    is_refused(gcp(gcp_document(signer, written, **creators_own)), "service account attacker@cluster-one")
    is_refused(gcp(gcp_document(signer, email_verified=False)), "is not one of this cluster")


@pytest.mark.parametrize(("changed", "why"), [
    ({"aud": "another"}, "another audience"), ({"aud": ["nodes.cluster-one"]}, "another audience"),
    ({"iss": "https://accounts.example.com"}, "issuer is not Google"), ({"exp": int(time.time()) - 120}, "not valid now"),
    ({"iat": int(time.time()) + 600}, "not valid now"), ({"exp": None}, "no period"), ({"google": {}}, "no instance")])
def test_tokens_for_other_purposes_are_refused(gcp, signer, changed, why):
    is_refused(gcp(gcp_document(signer, **changed)), why)


def test_other_projects_and_odd_ids_are_refused(gcp, signer):
    is_refused(gcp(gcp_document(signer, {"project_id": "another"})), "project another is not one")
    for odd in ("../x", "٣", ""):
        assert gcp(gcp_document(signer, {"instance_id": odd})).returncode == REFUSED


def test_only_googles_keys_count(gcp, signer, other):
    is_refused(gcp(gcp_document(other)), "Google has not signed it")
    is_refused(gcp(gcp_document(signer, header={"kid": "key-2"})), "key is none of Google's")
    is_refused(gcp(gcp_document(signer, header={"alg": "none"})), "not RS256")
    is_refused(gcp(gcp_document(signer, header={"alg": "HS256"})), "not RS256")
    head, _, signature = gcp_document(signer).split(".")
    is_refused(gcp(f"{head}.{encoded(gcp_claims({'instance_id': '1'}))}.{signature}"), "Google has not signed it")
    for text in ("", "a.b.c", "a.b", "…"):
        assert gcp(text).returncode == REFUSED


def test_another_query_is_a_failure_and_no_refusal():
    done = subprocess.run([PLUGINS / "gcp-identity", "--audience=a", "--project=p", "--service-account=s"], text=True,
                          input='{"apiVersion":"approver.slipway/v1alpha1","kind":"InventoryQuery"}',
                          capture_output=True, check=False)
    assert done.returncode not in (0, REFUSED)
