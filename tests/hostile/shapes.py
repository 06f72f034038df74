# SPDX-License-Identifier: Apache-2.0
"""Inputs that need more memory than their size when they are parsed. Each is a function of a size, which yields
pieces."""

import base64

MIB = 1 << 20


def fill(piece, size, head=b"", tail=b""):
    """Yields `piece` repeatedly, some hundred kilobytes at a time."""
    yield head
    block = piece * max(1, 300_000 // len(piece))
    for _ in range(max(1, size // len(block))):
        yield block
    yield tail


def numbered(form, size, head=b"", tail=b""):
    """Yields pieces that differ by a number."""
    yield head
    made, i = 0, 0
    while made < size:
        block = b"".join(form % n for n in range(i, i + 10_000))
        i, made = i + 10_000, made + len(block)
        yield block
    yield tail


def nested_anchors(size):
    """Yields 900 nested anchors, each of which contains all inner ones."""
    yield b"".join(b"[&a%d " % i for i in range(900))
    yield from fill(b"x, ", size, tail=b"y")
    yield b"]" * 900


def alias_bomb(_):
    yield b"a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
    for i in range(1, 12):
        yield b"a%d: &a%d [%s]\n" % (i, i, b", ".join([b"*a%d" % (i - 1)] * 10))


def long_aliases(size):
    yield b"a: &a "
    yield from fill(b"x", min(size, MIB))
    yield from fill(b"\n-: *a", 3000, head=b"\nb:", tail=b"\n")


def long_paths(size):
    """Yields many keys, whose paths contain the long names of all their parents."""
    for i in range(30):
        yield b" " * i + b"k" * (size // 100) + b":\n"
    yield from numbered(b" " * 30 + b"a%d: 1\n", size // 2)


def deep_block(size):
    """Yields lines, each with a key one level deeper."""
    depth, made = 0, 0
    while made < size:
        yield b" " * depth + b"a:\n"
        depth, made = depth + 1, made + depth + 4


INIT = b"apiVersion: kubeadm.k8s.io/v1beta4\nkind: InitConfiguration\n"

YAML = {
    "nested anchors": nested_anchors,
    "alias bomb": alias_bomb,
    "long aliases": long_aliases,
    "merges": lambda n: fill(b"- {<<: *a}\n", n, head=b"- &a {" + b"k" * 1000 + b": v}\n"),
    "anchors": lambda n: numbered(b"- &a%d x\n", n),
    "long paths": long_paths,
    "lists in lists": lambda n: fill(b"[", n),
    "maps in maps": lambda n: fill(b"{a: ", n),
    "block lists in lists": lambda n: fill(b"- ", n),
    "complex keys": lambda n: fill(b"? ", n),
    "deep block": deep_block,
    "empty lists": lambda n: fill(b"[],", n, head=b"[", tail=b"]"),
    "numbers": lambda n: fill(b"1,", n, head=b"[", tail=b"1]"),
    "one long number": lambda n: fill(b"1", n),
    "base 60": lambda n: fill(b"1:", n, tail=b"1"),
    "keys": lambda n: numbered(b"k%d: 1\n", n),
    "one key": lambda n: fill(b"a: 1\n", n),
    "unknown fields": lambda n: numbered(b"f%d: 1\n", n, head=INIT),
    "wrong elements": lambda n: fill(b"- 1\n", n, head=INIT + b"bootstrapTokens:\n"),
    "a long word": lambda n: fill(b"x", n),
    "a long quoted text": lambda n: fill(b"x\\n", n, head=b'a: "', tail=b'"'),
    "a long block text": lambda n: fill(b"  x\n", n, head=b"a: |\n"),
    "a folded text": lambda n: fill(b"  x\n\n", n, head=b"a: >\n"),
    "an open quote": lambda n: fill(b"x\n", n, head=b'a: "'),
    "blanks": lambda n: fill(b" ", n, tail=b"x"),
    "tabs": lambda n: fill(b"\t", n, tail=b"x"),
    "lines": lambda n: fill(b"\n", n),
    "comments": lambda n: fill(b"# x\n", n),
    "documents": lambda n: fill(b"---\na\n", n),
    "tag directives": lambda n: numbered(b"%%TAG !a%d! b\n", n, tail=b"---\nx\n"),
    "tags": lambda n: fill(b"- !!binary eHg=\n", n),
    "a binary text": lambda n: fill(base64.b64encode(b"\xff" * 30), n, head=b"a: !!binary "),
    "zeros": lambda n: fill(b"\0", n),
    "no UTF-8": lambda n: fill(b"\xff", n),
    "UTF-16": lambda n: fill("- x\n".encode("utf-16-le"), n, head=b"\xff\xfe"),
    "colons": lambda n: fill(b":", n),
    "unknown aliases": lambda n: fill(b"*", n),
}

JSON = {
    "lists in lists": lambda n: fill(b"[", n),
    "objects in objects": lambda n: fill(b'{"a":', n),
    "empty lists": lambda n: fill(b"[],", n, head=b"[", tail=b"[]]"),
    "numbers": lambda n: fill(b"1,", n, head=b"[", tail=b"1]"),
    "one long number": lambda n: fill(b"1", n),
    "a long text": lambda n: fill(b"x", n, head=b'"', tail=b'"'),
    "an open text": lambda n: fill(b"x", n, head=b'"'),
    "escapes": lambda n: fill(b"\\u0000", n, head=b'"', tail=b'"'),
    "keys": lambda n: numbered(b'"k%d":1,', n, head=b"{", tail=b'"k":1}'),
    "one key": lambda n: fill(b'"a":1,', n, head=b"{", tail=b'"a":1}'),
    "blanks": lambda n: fill(b" ", n),
    "lines": lambda n: fill(b"\n", n),
    "lines of objects": lambda n: fill(b"{}\n", n),
    "zeros": lambda n: fill(b"\0", n),
    "no UTF-8": lambda n: fill(b"\xff", n, head=b'"', tail=b'"'),
}

PEM = {
    "one certificate": lambda n: fill(b"QUFB\n", n, head=b"-----BEGIN CERTIFICATE-----\n",
                                      tail=b"-----END CERTIFICATE-----\n"),
    "begins": lambda n: fill(b"-----BEGIN CERTIFICATE-----\n", n),
    "empty blocks": lambda n: fill(b"-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n", n),
    "dashes": lambda n: fill(b"-", n),
    "lines": lambda n: fill(b"\n", n),
    "text": lambda n: fill(b"x", n),
}

TEMPLATES = {
    "doubling": lambda _: [b'{{$x := "12345678"}}{{range 60}}{{$x = print $x $x}}{{end}}{{$x}}'],
    "wide": lambda _: [b'{{$x := printf "%1000000d" 1}}{{range 9999}}{{$x}}{{end}}'],
    "many variables": lambda n: fill(b'{{$x := printf "%1000000d" 1}}', min(n, 200_000)),
    "wide formats": lambda _: [b'{{printf "' + b"%1000000d" * 600 + b'"' + b" 1" * 600 + b"}}"],
    "long run": lambda _: [b"{{range 9999}}{{range 9999}}{{end}}{{end}}"],
    "deep": lambda n: fill(b"{{if 1}}", n),
    "parentheses": lambda n: fill(b"(", n, head=b"{{"),
    "text": lambda n: fill(b"x", n),
    "comments": lambda n: fill(b"{{/* x */}}", n),
}

PATHS = {
    "descents": lambda _: [b"{" + b".." * 200 + b"}"],
    "filters": lambda n: fill(b"{[?(@", n),
    "closed filters": lambda _: [b"{" + b"[?(@" * 20_000 + b")]" * 20_000 + b"}"],
    "ranges": lambda n: fill(b"{range ..}", n),
    "unions": lambda _: [b"{..['" + b"','".join([b"*"] * 5000) + b"']}"],
    "text": lambda n: fill(b"x", n),
}
