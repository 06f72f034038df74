# SPDX-License-Identifier: Apache-2.0
"""The inventories `http` and `exec` against a real API server."""

import http.server
import json
import os
import ssl
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from approver import TOP, World
from control_plane import eventually
from test_approver import api, program, start  # noqa: F401 - fixtures

sys.path.insert(0, str(Path(TOP) / "tests" / "hostile"))
from world import PEM, Authority  # noqa: E402

ALONE = ("--leader-elect=false", "--disable-status-controller")
QUICK = (*ALONE, "--inventory-refresh=1s", "--inventory-timeout=2s")


@pytest.fixture
def world(api):  # noqa: F811
    world = World(api)
    world.clear()
    return world


def is_left(world, name, reason):
    eventually(lambda: reason in world.events(name))
    assert world.conditions(name) == []


def is_approved(world, name):
    return eventually(lambda: world.certificate(name))


def inventory(*hosts, **more):
    return json.dumps({"apiVersion": "approver.slipway/v1alpha1", "kind": "Inventory", **more,
                       "items": [host if isinstance(host, dict) else {"hostname": host} for host in hosts]})


class Endpoint:
    """An HTTPS server that sends `text` to clients with a certificate of our CA and the right token."""

    def __init__(self, directory):
        authority = Authority("inventory")
        (directory / "ca.crt").write_text(authority.pem())
        context = authority.server(directory)
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(directory / "ca.crt")
        secret = directory / "secret"
        secret.mkdir()
        key = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "approver")])
        (secret / "tls.crt").write_bytes(authority._sign(name, key.public_key(), False).public_bytes(PEM))
        (secret / "tls.key").write_bytes(key.private_bytes(PEM, serialization.PrivateFormat.PKCS8,
                                                           serialization.NoEncryption()))
        (secret / "token").write_text("inventory-token\n")
        self.secret = secret
        self.text, self.status, self.headers, self.asked = inventory(), 200, {}, 0
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                outer.asked += 1
                allowed = self.headers.get("Authorization") == "Bearer inventory-token"
                body = outer.text.encode()
                self.send_response(outer.status if allowed else 401)
                for header, value in {"Content-Length": str(len(body)), **outer.headers}.items():
                    self.send_header(header, value)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.flags = ("--inventory=http", f"--inventory-http-url=https://127.0.0.1:{self.server.server_port}/hosts",
                      f"--inventory-http-ca={directory / 'ca.crt'}", f"--inventory-http-credentials={secret}", *QUICK)


@pytest.fixture
def endpoint(tmp_path):
    endpoint = Endpoint(tmp_path)
    yield endpoint
    endpoint.server.shutdown()
    endpoint.server.server_close()


def explained(program, plane, name, flags):  # noqa: F811
    config = plane.kubeconfig("approver")
    flags = [flag for flag in flags if flag not in ALONE]
    done = subprocess.run([program, "explain", name, "-o", "json", f"--workload-cluster-kubeconfig={config}",
                           f"--management-cluster-kubeconfig={config}", *flags], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def test_an_endpoint_lists_hosts(world, start, endpoint):  # noqa: F811
    start(*endpoint.flags).ready()
    name = world.token_csr("remote")
    is_left(world, name, "client-no-machine-with-internal-dns")
    endpoint.text = inventory({"hostname": "remote", "addresses": ["10.0.0.5"]})
    is_approved(world, name)
    world.node("remote")
    is_approved(world, world.serving_csr("remote", ["remote", "10.0.0.5"]))
    is_left(world, world.serving_csr("remote", ["remote", "10.0.0.6"], "-other"), "serving-exhausted")


def test_an_unreadable_endpoint_attests_nothing_and_says_why(world, start, endpoint, program, plane):  # noqa: F811
    endpoint.text = inventory("was-listed")
    approver = start(*endpoint.flags).ready()
    eventually(lambda: approver.metric("mapi_max_pending_csr") == 101)
    endpoint.status = 503
    eventually(lambda: approver.metric("mapi_max_pending_csr") == 100)
    name = world.token_csr("was-listed")
    is_left(world, name, "machine-list-failed")
    assert 'reason="machine-list-failed"' in approver.get("/metrics")
    verdict = explained(program, plane, name, endpoint.flags)
    assert verdict["reason"] == "machine-list-failed"
    assert "inventory http: it answers with status 503" in json.dumps(verdict)
    endpoint.status = 200
    is_approved(world, name)


def test_an_answer_that_may_not_be_cached_is_queried_before_each_approval(world, start, endpoint):  # noqa: F811
    endpoint.text = inventory("uncached")
    flags = [*endpoint.flags, "--inventory-refresh=1h"]
    approver = start(*flags).ready()
    eventually(lambda: approver.metric("mapi_max_pending_csr") == 101)
    endpoint.text, before = inventory("another"), endpoint.asked
    name = world.token_csr("uncached")
    is_left(world, name, "client-no-machine-with-internal-dns")
    assert endpoint.asked > before


def test_a_wrong_token_gets_nothing(world, start, endpoint):  # noqa: F811
    endpoint.text = inventory("guarded")
    (endpoint.secret / "token").write_text("wrong")
    start(*endpoint.flags).ready()
    name = world.token_csr("guarded")
    is_left(world, name, "machine-list-failed")
    (endpoint.secret / "token").write_text("inventory-token")
    is_approved(world, name)


def test_a_program_lists_hosts(world, start, tmp_path, program, plane):  # noqa: F811
    hosts, plugin = tmp_path / "hosts.json", tmp_path / "plugin"
    hosts.write_text(inventory("by-program", {"hostname": "old", "createdAt": "2026-01-01T00:00:00Z"}))
    plugin.write_text('#!/bin/sh\ngrep -q InventoryQuery || exit 4\ncat "$1"\n')
    os.chmod(plugin, stat.S_IRWXU)
    flags = ("--inventory=exec", f"--inventory-exec={plugin}", f"--inventory-exec-args={hosts}", *QUICK)
    approver = start(*flags).ready()
    is_approved(world, world.token_csr("by-program"))
    old = world.token_csr("old")
    is_left(world, old, "client-outside-time-window")
    assert explained(program, plane, old, flags)["reason"] == "client-outside-time-window"
    plugin.write_text("#!/bin/sh\necho 'no credentials' >&2\nexit 3\n")
    eventually(lambda: approver.metric("mapi_max_pending_csr") == 100)
    later = world.token_csr("by-program-later")
    is_left(world, later, "machine-list-failed")
    told = [rule["compared"] for rule in explained(program, plane, later, flags)["rules"]]
    assert any('failed with status 3: "no credentials"' in text for text in told), told
