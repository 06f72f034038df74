# SPDX-License-Identifier: Apache-2.0
"""Certificates, and a server whose behaviour the test defines."""

import base64
import contextlib
import datetime
import email.utils
import hashlib
import hmac
import ipaddress
import json
import socket
import ssl
import threading

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

PEM = serialization.Encoding.PEM


def _general_name(text):
    try:
        return x509.IPAddress(ipaddress.ip_address(text))
    except ValueError:
        return x509.DNSName(text)


class Authority:
    """A certificate authority."""

    def __init__(self, name):
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        self.certificate = self._sign(self.name, self.key.public_key(), True)

    @classmethod
    def of(cls, certificate, key):
        """Returns the CA whose certificate and key are in these PEM files."""
        authority = cls.__new__(cls)
        authority.key = serialization.load_pem_private_key(key.read_bytes(), None)
        authority.certificate = x509.load_pem_x509_certificate(certificate.read_bytes())
        authority.name = authority.certificate.subject
        return authority

    def _sign(self, subject, key, is_ca, names=()):
        now = datetime.datetime.now(datetime.timezone.utc)
        builder = (x509.CertificateBuilder().subject_name(subject).issuer_name(self.name).public_key(key)
                   .serial_number(x509.random_serial_number()).not_valid_before(now - datetime.timedelta(days=9))
                   .not_valid_after(now + datetime.timedelta(days=9))
                   .add_extension(x509.BasicConstraints(ca=is_ca, path_length=None), critical=True))
        if not is_ca:
            names = [_general_name(name) for name in ("127.0.0.1", "localhost", *names)]
            builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=False)
        return builder.sign(self.key, hashes.SHA256())

    def pem(self):
        return self.certificate.public_bytes(PEM).decode()

    def pin(self):
        """Returns the hash of the CA's key, in the form of --discovery-token-ca-cert-hash."""
        spki = self.certificate.public_key().public_bytes(serialization.Encoding.DER,
                                                          serialization.PublicFormat.SubjectPublicKeyInfo)
        return "sha256:" + hashlib.sha256(spki).hexdigest()

    def server(self, directory, *names):
        """Returns a TLS server's context with a certificate for the loopback address and for other names."""
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "server")])
        chain, secret = directory / "server.crt", directory / "server.key"
        chain.write_bytes(self._sign(subject, key.public_key(), False, names).public_bytes(PEM))
        secret.write_bytes(key.private_bytes(PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(chain, secret)
        return context


def kubeconfig(server, ca_pem, token="a-secret-token"):
    return json.dumps({
        "apiVersion": "v1", "kind": "Config", "current-context": "c",
        "clusters": [{"name": "c", "cluster": {
            "server": server, **({"certificate-authority-data": _base64(ca_pem)} if ca_pem else {})}}],
        "users": [{"name": "u", "user": {"token": token}}],
        "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}]})


def _base64(text):
    return base64.b64encode(text.encode()).decode()


def cluster_info(text, token=None):
    """Returns ConfigMap cluster-info, signed with a token by RFC 7515 (HS256, with a detached payload)."""
    data = {"kubeconfig": text}
    if token:
        identity, secret = token.split(".")
        part = lambda raw: base64.urlsafe_b64encode(raw).rstrip(b"=")  # noqa: E731
        header = part(json.dumps({"alg": "HS256", "kid": identity}, separators=(",", ":")).encode())
        mac = hmac.new(secret.encode(), header + b"." + part(text.encode()), hashlib.sha256).digest()
        data["jws-kubeconfig-" + identity] = (header + b".." + part(mac)).decode()
    now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    return {"apiVersion": "v1", "kind": "ConfigMap", "data": data,
            "metadata": {"name": "cluster-info", "namespace": "kube-public", "creationTimestamp": now}}


def answer(status, body, headers=()):
    """Returns a complete HTTP response as bytes."""
    body = body if isinstance(body, bytes) else (body if isinstance(body, str) else json.dumps(body)).encode()
    date = email.utils.formatdate(usegmt=True)
    lines = [f"HTTP/1.1 {status} Whatever", "Content-Type: application/json", f"Content-Length: {len(body)}",
             f"Date: {date}", *headers]
    return ("\r\n".join(lines) + "\r\n\r\n").encode() + body


class Server:
    """A server on an address, or on the socket `path`. `behave(request)` yields arbitrary pieces of bytes; a request is
    its first line and its headers. The connection is closed after the last piece."""

    def __init__(self, behave, context=None, path=None, host="127.0.0.1", port=0):
        self.behave, self.context = behave, context
        self.requests, self.sent = [], 0
        self._ends = threading.Event()
        self._socket = socket.create_server(str(path), family=socket.AF_UNIX, backlog=64) if path else \
            socket.create_server((host, port), backlog=64)
        self.port = None if path else self._socket.getsockname()[1]
        self.address = f"{host}:{self.port}"
        self.url = f"{'https' if context else 'http'}://{self.address}"
        threading.Thread(target=self._accept, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._ends.set()
        self._socket.close()

    def secrets(self):
        """Returns the credentials that clients have sent."""
        return [line for request in self.requests for line in request.splitlines()
                if line.lower().startswith("authorization:")]

    def wait(self, seconds):
        """Waits until the test ends, or for that many seconds. For slow behaviours."""
        return self._ends.wait(seconds)

    def _accept(self):
        while not self._ends.is_set():
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        with contextlib.suppress(OSError, ssl.SSLError):
            connection.settimeout(60)
            if self.context:
                connection = self.context.wrap_socket(connection, server_side=True)
            head = b""
            while b"\r\n\r\n" not in head:
                piece = connection.recv(65536)
                if not piece:
                    return
                head += piece
            request = head.split(b"\r\n\r\n")[0].decode(errors="replace")
            self.requests.append(request)
            self._answer(connection, request)
        connection.close()

    def _answer(self, connection, request):
        for piece in self.behave(request):
            connection.sendall(piece)
            self.sent += len(piece)
            if self._ends.is_set():
                break


class Proxy(Server):
    """A proxy that connects every CONNECT to one server, whatever name was requested."""

    def __init__(self, target, context=None):
        super().__init__(lambda request: iter([answer(405, "")]), context)
        self.target = target

    def _answer(self, connection, request):
        if not request.startswith("CONNECT "):
            super()._answer(connection, request)
            return
        with socket.create_connection(("127.0.0.1", self.target.port)) as other:
            connection.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
            # Only one thread at a time reads or writes a TLS connection. Each read waits for at most a tenth of a
            # second.
            pair = {connection: other, other: connection}
            for end in pair:
                end.settimeout(0.1)
            while not self._ends.is_set():
                for end, opposite in pair.items():
                    with contextlib.suppress(TimeoutError):
                        piece = end.recv(65536)
                        if not piece:
                            return
                        opposite.sendall(piece)
