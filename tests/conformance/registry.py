# SPDX-License-Identifier: Apache-2.0
"""A registry of the test images, for tests that pull an image even if the host has it.

Serves the OCI archive of `images.directory` over HTTP, read-only. Hosts query it instead of registry.k8s.io.
"""

import contextlib
import http.server
import json
import re
import tarfile
import threading

MIRRORED = "registry.k8s.io"


class Content:
    """The manifests and blobs of an archive."""

    def __init__(self, archive):
        self.archive = archive
        with tarfile.open(archive) as file:
            entries = json.load(file.extractfile("index.json"))["manifests"]
        self.tags = {entry["annotations"]["io.containerd.image.name"]: entry for entry in entries}
        self.media = {entry["digest"]: entry["mediaType"] for entry in entries}

    def find(self, repository, kind, reference):
        """Returns (media type, digest, bytes). Raises KeyError if the archive lacks the object."""
        digest = reference
        if kind == "manifests" and ":" not in reference:
            digest = self.tags[f"{MIRRORED}/{repository}:{reference}"]["digest"]
        with tarfile.open(self.archive) as file:
            content = file.extractfile("blobs/sha256/" + digest.removeprefix("sha256:")).read()
        return self.media.get(digest, "application/octet-stream"), digest, content


def _handler(content):
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            found = re.fullmatch(r"/v2/(.+)/(manifests|blobs)/([^/?]+)(\?.*)?", self.path)
            try:
                media, digest, body = content.find(*found.groups()[:3]) if found else ("application/json", "", b"{}")
            except KeyError:
                return self._answer(404, "application/json", "", b"{}")
            return self._answer(200, media, digest, body)

        do_HEAD = do_GET

        def _answer(self, status, media, digest, body):
            self.send_response(status)
            self.send_header("Content-Type", media)
            self.send_header("Content-Length", str(len(body)))
            if digest:
                self.send_header("Docker-Content-Digest", digest)
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(body)

        def log_message(self, *_):
            pass

    return Handler


@contextlib.contextmanager
def serving(archive, address):
    """Serves the archive at an unused port of the address; yields its URL."""
    server = http.server.ThreadingHTTPServer((address, 0), _handler(Content(archive)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://{address}:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()


def use(host, url):
    """Configures a host's containerd to query this registry. No restart is needed."""
    host.write(f"/etc/containerd/certs.d/{MIRRORED}/hosts.toml", f'server = "{url}"\n')
