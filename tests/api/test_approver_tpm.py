# SPDX-License-Identifier: Apache-2.0
"""Machines that join with their TPM 2.0: credential activation by a TPM in software, and a real API server that signs."""

import time

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec

from approver import CSRS, request_pem
from control_plane import eventually
from test_approver import api, program, start, world  # noqa: F401 - fixtures
from test_approver_identities import Endpoint, install, names_of
from tpm import Tpm

VALID = 60  # seconds, of a challenge


@pytest.fixture(scope="module")
def tpm(tmp_path_factory):
    tpm = Tpm(tmp_path_factory.mktemp("tpm"))
    yield tpm
    tpm.down()


@pytest.fixture(scope="module")
def other(tmp_path_factory):
    tpm = Tpm(tmp_path_factory.mktemp("other-tpm"))
    yield tpm
    tpm.down()


@pytest.fixture
def key():
    return ec.generate_private_key(ec.SECP256R1())


class Machines(Endpoint):
    """An approver whose inventory lists endorsement keys."""

    def __init__(self, directory, plane, start, hosts):  # noqa: F811
        inventory = directory / "hosts.yaml"
        inventory.write_text("".join(f"- {{hostname: {name}, endorsementKey: '{key}'}}\n" if key else
                                     f"- {{hostname: {name}}}\n" for name, key in hosts.items()))
        super().__init__(directory, plane, start, "--inventory=tokens,file", f"--inventory-file={inventory}",
                         "--identity-tpm")
        eventually(lambda: self.approver.metric("mapi_max_pending_csr") == 100 + len(hosts))

    def challenge(self, node, key, tpm, **changed):
        """The first question; returns it with the status and the answer."""
        question = {"request": request_pem(f"system:node:{node}", key=key).decode(),
                    "endorsementKey": tpm.endorsement_key, "attestationKey": tpm.attestation_key, **changed}
        return (question, *self.post(question))

    def answer(self, node, key, tpm):
        """The second question, with the opened challenge."""
        question, status, answer = self.challenge(node, key, tpm)
        assert status == 200, answer
        return {**question, "challenge": answer["challenge"], "secret": tpm.open(answer["credential"])}

    def join(self, node, key, tpm):
        """The certificate, or the refusal."""
        response = self.answer(node, key, tpm)

        def ask():
            status, answer = self.post(response)
            assert status in (200, 202, 403), answer
            return answer.get("certificate") or (status == 403 and answer["message"])
        found = eventually(ask)
        return x509.load_pem_x509_certificate(found.encode()) if "BEGIN" in found else found


@pytest.fixture
def machines(world, api, start, plane, tmp_path, tpm):  # noqa: F811
    install(world, api)
    return Machines(tmp_path, plane, start, {"panda": tpm.key_id, "bear": f"sha256:{'0' * 64}", "plain": None})


def test_a_tpm_gets_the_certificate_of_its_node(machines, world, key, tpm):  # noqa: F811
    certificate = machines.join("panda", key, tpm)
    assert names_of(certificate) == ["system:nodes", "system:node:panda"]
    assert certificate.public_key() == key.public_key()
    (request,) = world.api("GET", CSRS)[1]["items"]
    assert request["spec"]["extra"]["identity.slipway/endorsement-key"] == [tpm.key_id]


def test_an_unlisted_tpm_gets_no_challenge(machines, world, key, other):  # noqa: F811
    _, status, answer = machines.challenge("panda", key, other)
    assert (status, answer["message"]) == (403, f"no inventory lists the endorsement key {other.key_id}")
    assert world.api("GET", CSRS)[1]["items"] == []


def test_another_tpm_cannot_open_the_challenge(machines, world, key, tpm, other):  # noqa: F811
    """A machine that shows the endorsement key of another one."""
    question, status, answer = machines.challenge("panda", key, tpm, attestationKey=other.attestation_key)
    assert status == 200
    with pytest.raises(RuntimeError):
        other.open(answer["credential"])
    with pytest.raises(RuntimeError):
        tpm.open(answer["credential"])  # it has no such attestation key
    status, answer = machines.post({**question, "challenge": answer["challenge"], "secret": "AAAA"})
    assert (status, answer["message"]) == (403, "the TPM has not opened the challenge")
    assert world.api("GET", CSRS)[1]["items"] == []


@pytest.mark.parametrize("node", ["bear", "plain"])
def test_a_tpm_gets_the_name_of_no_other_node(machines, world, key, tpm, node):  # noqa: F811
    assert "client-endorsement-key" in machines.join(node, key, tpm)


def test_a_name_that_no_inventory_lists_gets_no_certificate(machines, key, tpm):
    response = machines.answer("stranger", key, tpm)
    eventually(lambda: "client-no-machine-with-internal-dns" in machines.post(response)[1].get("message", ""))


def test_a_token_gets_no_certificate_of_a_node_with_a_tpm(machines, world):  # noqa: F811
    name = world.token_csr("panda")
    eventually(lambda: "client-endorsement-key" in world.events(name))
    assert world.conditions(name) == []


def test_an_answer_is_for_one_request(machines, world, key, tpm):  # noqa: F811
    """A thief has recorded the answer, and sends it with a key of its own, before and after the machine."""
    response = machines.answer("panda", key, tpm)
    thief = request_pem("system:node:panda", key=ec.generate_private_key(ec.SECP256R1())).decode()
    status, answer = machines.post({**response, "request": thief})
    assert status == 409 and "for another request" in answer["message"]
    assert machines.post(response)[0] in (200, 202), "the thief has not used the challenge up"
    assert machines.post({**response, "request": thief})[0] == 409
    assert len(world.api("GET", CSRS)[1]["items"]) == 1


def test_an_expired_challenge_proves_nothing(machines, world, key, tpm):  # noqa: F811
    response = machines.answer("panda", key, tpm)
    time.sleep(VALID + 1)
    status, answer = machines.post(response)
    assert status == 409 and "has expired" in answer["message"]
    assert world.api("GET", CSRS)[1]["items"] == []


def test_a_node_that_has_joined_gets_no_second_certificate(machines, world, key, tpm):  # noqa: F811
    world.node("panda")
    assert "client-node-exists" in machines.join("panda", key, tpm)


def test_only_attestation_keys_count(machines, key, tpm):
    status, answer = machines.challenge("panda", key, tpm, attestationKey=tpm.other_key())[1:]
    assert status == 403 and "not a restricted signing key" in answer["message"]
    for odd in ("", "AAAA", "x"):
        assert machines.challenge("panda", key, tpm, attestationKey=odd)[1] == 400
    for odd in ("x", request_pem("x").decode()):
        assert machines.challenge("panda", key, tpm, endorsementKey=odd)[1] == 400
