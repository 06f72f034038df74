# SPDX-License-Identifier: Apache-2.0
"""A name server whose answers the test defines, and the DNS messages (RFC 1035 §4) in these answers."""

import dataclasses
import ipaddress
import socket
import struct
import threading

A, CNAME, AAAA = 1, 5, 28
RESPONSE, TRUNCATED = 0x8000, 0x0200
SERVFAIL, NXDOMAIN = 2, 3


@dataclasses.dataclass(frozen=True)
class Query:
    """A received query: the id, the encoded name, the record type, and whether it came by TCP."""

    id: int
    name: bytes
    type: int
    tcp: bool

    @classmethod
    def of(cls, message, tcp):
        end = message.index(0, 12) + 1
        return cls(struct.unpack("!H", message[:2])[0], message[12:end], struct.unpack("!H", message[end:end + 2])[0], tcp)


def encoded(name):
    return b"".join(bytes([len(label)]) + label.encode() for label in name.split(".")) + b"\0"


def record(owner, kind, data):
    return owner + struct.pack("!HHIH", kind, 1, 60, len(data)) + data


def address(query, text="10.0.0.5", owner=None):
    """Returns a list with an A record of the address, or an empty list if the query is for another type."""
    packed = ipaddress.ip_address(text).packed
    return [record(owner or query.name, A, packed)] if query.type == A else []


def reply(query, records=(), flags=0, **other):
    """Returns the response with these answer records; `other` replaces fields of the question."""
    query = dataclasses.replace(query, **other)
    header = struct.pack("!6H", query.id, RESPONSE | flags, 1, len(records), 0, 0)
    return header + query.name + struct.pack("!HH", query.type, 1) + b"".join(records)


class NameServer:
    """Sends each message that `behave(query)` returns, over UDP and TCP on the same port of the loopback address."""

    def __init__(self, behave):
        self.behave, self.queries, self.stop = behave, [], threading.Event()
        self.tcp = socket.create_server(("127.0.0.1", 0))
        self.port = self.tcp.getsockname()[1]
        self.udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.udp.bind(("127.0.0.1", self.port))

    def __enter__(self):
        for serve in (self._serve_udp, self._serve_tcp):
            threading.Thread(target=serve, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.stop.set()
        self.udp.close()
        self.tcp.close()

    def _answers(self, message, tcp):
        query = Query.of(message, tcp)
        self.queries.append(query)
        return self.behave(query)

    def _serve_udp(self):
        while not self.stop.is_set():
            try:
                message, sender = self.udp.recvfrom(4096)
                for answer in self._answers(message, tcp=False):
                    self.udp.sendto(answer, sender)
            except OSError:
                return

    def _serve_tcp(self):
        while not self.stop.is_set():
            try:
                connection, _ = self.tcp.accept()
            except OSError:
                return
            threading.Thread(target=self._serve_connection, args=(connection,), daemon=True).start()

    def _serve_connection(self, connection):
        with connection:
            try:
                while size := connection.recv(2):
                    for answer in self._answers(connection.recv(struct.unpack("!H", size)[0]), tcp=True):
                        connection.sendall(struct.pack("!H", len(answer)) + answer)
            except OSError:
                return
