# SPDX-License-Identifier: Apache-2.0
"""A name server for tests. It answers queries for A and AAAA records of the given names, over UDP and TCP.

    {"address": "127.0.0.53",                  the address on which it listens, port 53
     "names": {"api.corp": ["127.0.0.50"]},    IPv4 and IPv6 addresses of each name
     "mode": "plain"}                          or "truncated": complete answers only by TCP;
                                               "silent": reads and never answers;
                                               "ipv4": never answers for AAAA
"""

import socket
import struct
import threading

TYPES = {1: socket.AF_INET, 28: socket.AF_INET6}  # A, AAAA
NXDOMAIN = 3
RESPONSE, TRUNCATED, AUTHORITATIVE = 0x8000, 0x0200, 0x0400


def question(query):
    """Returns (name, type, the question's bytes) of a DNS message (RFC 1035 §4.1)."""
    labels, at = [], 12
    while query[at]:
        labels.append(query[at + 1:at + 1 + query[at]].decode())
        at += 1 + query[at]
    (kind,) = struct.unpack_from("!H", query, at + 1)
    return ".".join(labels).lower(), kind, query[12:at + 5]


class Server:
    def __init__(self, spec, log):
        self.names, self.mode, self.log = spec["names"], spec.get("mode", "plain"), log
        family = socket.AF_INET6 if ":" in spec["address"] else socket.AF_INET
        self.datagrams = socket.socket(family, socket.SOCK_DGRAM)
        self.streams = socket.socket(family, socket.SOCK_STREAM)
        self.streams.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        for listening in (self.datagrams, self.streams):
            listening.bind((spec["address"], 53))
        self.streams.listen()
        for serve in (self.serve_datagrams, self.serve_streams):
            threading.Thread(target=serve, daemon=True).start()

    def answer(self, query, transport):
        name, kind, asked = question(query)
        edns = struct.unpack_from("!H", query, 10)[0] > 0
        self.log.append({"name": name, "type": kind, "transport": transport, "edns": edns})
        flags, records = RESPONSE | AUTHORITATIVE, b""
        addresses = [text for text in self.names.get(name, []) if (":" in text) == (kind == 28)]
        if name not in self.names:
            flags |= NXDOMAIN
        elif self.mode == "truncated" and transport == "udp":
            flags, addresses = flags | TRUNCATED, []
        for text in addresses:
            raw = socket.inet_pton(TYPES[kind], text)
            records += struct.pack("!HHHIH", 0xC00C, kind, 1, 60, len(raw)) + raw
        return query[:2] + struct.pack("!HHHHH", flags, 1, len(addresses), 0, 0) + asked + records

    def serve_datagrams(self):
        while True:
            query, client = self.datagrams.recvfrom(4096)
            if self.mode == "silent" or (self.mode == "ipv4" and question(query)[1] == 28):
                self.log.append({"name": question(query)[0], "transport": "udp", "unanswered": True})
            else:
                self.datagrams.sendto(self.answer(query, "udp"), client)

    def serve_streams(self):
        while True:
            stream, _ = self.streams.accept()
            with stream, stream.makefile("rb") as queries:
                while head := queries.read(2):
                    reply = self.answer(queries.read(struct.unpack("!H", head)[0]), "tcp")
                    stream.sendall(struct.pack("!H", len(reply)) + reply)
