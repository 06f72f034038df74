# SPDX-License-Identifier: Apache-2.0
"""Commands send traces to a collector, and work without it."""

import json
import os
import socket
import subprocess
import threading
import time

import pytest

from components import golang, recipes, store

TRACE = "0af7651916cd43dd8448eb211c80319c"
PARENT = "b7ad6b7169203331"


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


@pytest.fixture
def collector(tmp_path):
    """A receiver that decodes requests as OpenTelemetry's collector does. Yields its address, and a function that
    returns its spans."""
    program = store.root() / "programs" / golang.key(recipes.TOOLS["otlp-receiver"])
    assert program.exists(), "tests/components/build --tool otlp-receiver makes it"
    port, file = free_port(), tmp_path / "spans"
    with subprocess.Popen([program, f"127.0.0.1:{port}", file]) as process:
        deadline = time.monotonic() + 30
        while socket.socket().connect_ex(("127.0.0.1", port)) != 0:
            assert time.monotonic() < deadline and process.poll() is None
            time.sleep(0.05)
        yield f"http://127.0.0.1:{port}", lambda: [json.loads(line) for line in file.read_text().splitlines()]
        process.kill()


@pytest.fixture
def traced(request):
    def run(endpoint, *words, under=()):
        environment = {**os.environ, "OTEL_EXPORTER_OTLP_ENDPOINT": endpoint,
                       "TRACEPARENT": f"00-{TRACE}-{PARENT}-01"}
        return subprocess.run([*under, request.config.getoption("--kubeadm"), *words], env=environment,
                              capture_output=True, text=True, timeout=60, check=False)

    return run


def test_a_failed_command_sends_one_span_without_its_arguments(traced, collector):
    endpoint, spans = collector
    token = "abcdef.0123456789abcdef"
    done = traced(endpoint, "token", "delete", token, "--kubeconfig", "/missing")
    assert done.returncode == 1 and "spans are lost" not in done.stderr, done.stderr
    [span] = spans()
    assert (span["Name"], span["Trace"], span["Parent"]) == ("kubeadm token delete", TRACE, PARENT)
    assert span["Status"] == "Error"
    assert 0 < span["Begin"] <= span["End"]
    assert span["Resource"]["service.name"] == "kubeadm" and span["Resource"]["host.name"]
    assert "0123456789abcdef" not in json.dumps(span) and "/missing" not in json.dumps(span)


def test_the_phases_of_a_run_are_below_its_span(traced, collector, tmp_path):
    endpoint, spans = collector
    done = traced(endpoint, "init", "phase", "certs", "ca", "--cert-dir", str(tmp_path / "pki"))
    assert done.returncode == 0, done.stderr
    by_name = {span["Name"]: span for span in spans()}
    command = by_name["kubeadm init phase certs ca"]
    assert (command["Trace"], command["Parent"], command["Status"]) == (TRACE, PARENT, "Ok")


def test_a_command_without_an_endpoint_sends_nothing(traced, collector):
    _, spans = collector
    done = traced("", "config", "print", "init-defaults")
    assert done.returncode == 0 and done.stderr == ""
    assert spans() == []


@pytest.fixture(params=["silent", "nonsense", "endless", "closed"])
def broken(request):
    """The address of a collector that never answers, answers with garbage, does not end its answer, or is down."""
    if request.param == "closed":
        yield f"http://127.0.0.1:{free_port()}"
        return
    answers = {"silent": b"", "nonsense": b"\0\xff" * 500, "endless": b"HTTP/1.1 200 OK\r\n\r\n"}

    def answer(connection):
        with connection:
            try:
                connection.recv(65536)
                connection.sendall(answers[request.param])
                while request.param == "endless":
                    connection.sendall(b"x")
                    time.sleep(0.1)
                time.sleep(8 if request.param == "silent" else 0)
            except OSError:
                pass  # the command has closed the connection

    def serve(server):
        while True:
            try:
                connection, _ = server.accept()
            except OSError:
                return
            threading.Thread(target=answer, args=(connection,), daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=serve, args=(server,), daemon=True).start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}"


def test_no_collector_changes_a_result_or_delays_it_for_long(traced, broken):
    begin = time.monotonic()
    done = traced(broken, "config", "print", "init-defaults")
    assert done.returncode == 0 and "kind: InitConfiguration" in done.stdout
    assert "1 spans are lost" in done.stderr
    assert time.monotonic() - begin < 6, "2 s, and the start of a process on a loaded machine"


def test_a_silent_name_server_delays_a_command_no_longer(traced, tmp_path):
    if os.geteuid() != 0:
        pytest.skip("needs root for a mount namespace")
    (tmp_path / "resolv.conf").write_text("nameserver 127.0.0.1\noptions timeout:30 attempts:5\n")
    under = ["unshare", "-mn", "sh", "-c",
             f'ip link set lo up && ip addr add 192.0.2.1/32 dev lo && '
             f'mount --bind {tmp_path}/resolv.conf /etc/resolv.conf && exec "$@"', "sh"]
    begin = time.monotonic()
    silent = ["python3", "-c", "import socket,subprocess,sys\n"
              "s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.bind(('127.0.0.1', 53))\n"
              "sys.exit(subprocess.run(sys.argv[1:]).returncode)"]
    done = traced("http://collector.test:4318", "config", "print", "init-defaults", under=[*under, *silent])
    assert done.returncode == 0 and "1 spans are lost" in done.stderr, done.stderr
    assert time.monotonic() - begin < 8
