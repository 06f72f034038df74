# SPDX-License-Identifier: Apache-2.0
"""An API server controlled by an attacker: any number of certificate requests, of any size.

Serves the approver's reads by plain HTTP: lists in pages, watches that stay open, single requests. Counts Events and
discards them.
"""

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

CSRS = "/apis/certificates.k8s.io/v1/certificatesigningrequests"
SERVING = "kubernetes.io/kubelet-serving"


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, body, status=200):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def watch(self, events):
        """Sends `events`, which may grow during the watch."""
        self.send_response(200)
        self.send_header("Connection", "close")
        self.end_headers()
        bookmark = {"type": "BOOKMARK", "object": {"metadata": {"resourceVersion": "1"}}}
        self.wfile.write(json.dumps(bookmark).encode() + b"\n")
        self.wfile.flush()
        sent = 0
        while not self.server.ends.wait(0.1):
            for event in events[sent:]:
                self.wfile.write(json.dumps(event).encode() + b"\n")
                sent += 1
        self.close_connection = True

    def do_GET(self):
        server, url = self.server, urlsplit(self.path)
        query = {name: values[0] for name, values in parse_qs(url.query).items()}
        if query.get("watch"):
            self.watch(server.later if SERVING in query.get("fieldSelector", "") else [])
        elif url.path == CSRS:
            self.page(query)
        elif url.path.startswith(CSRS + "/"):
            self.answer(server.request(int(url.path.rsplit("-", 1)[1])))
        elif url.path.rsplit("/", 1)[1] in ("nodes", "configmaps"):
            self.answer(b'{"metadata":{"resourceVersion":"1"},"items":[]}')
        else:
            self.answer(b'{"kind":"Status","reason":"NotFound"}', 404)

    def page(self, query):
        server = self.server
        count = server.count if SERVING in query.get("fieldSelector", "") else 0
        begin = int(query.get("continue", 0))
        end = min(count, begin + int(query.get("limit", count)))
        more = b',"continue":"%d"' % end if end < count else b""
        items = b",".join(server.request(i) for i in range(begin, end))
        self.answer(b'{"metadata":{"resourceVersion":"1"%s},"items":[%s]}' % (more, items))
        server.served = max(server.served, end)

    def do_POST(self):
        event = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.told.add(event.get("involvedObject", {}).get("name"))
        self.server.events += 1
        self.answer(b"{}", 201)


class HostileServer(ThreadingHTTPServer):
    """An API server with `count` requests. Request i has texts[i % len(texts)] as its base64 spec.request, and a name
    that begins with `prefix`. `told` collects the names of the requests for which the approver has created Events."""

    daemon_threads = True

    def __init__(self, count, texts, prefix="csr"):
        super().__init__(("127.0.0.1", 0), Handler)
        self.count, self.texts, self.prefix, self.served, self.events = count, texts, prefix, 0, 0
        self.later, self.told = [], set()
        self.ends = threading.Event()
        self.created = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def request(self, i):
        whole = {"metadata": {"name": f"{self.prefix}-{i}", "uid": f"uid-{i}", "resourceVersion": "1",
                              "creationTimestamp": self.created},
                 "spec": {"signerName": SERVING, "username": "system:node:evil",
                          "groups": ["system:nodes", "system:authenticated"],
                          "usages": ["digital signature", "key encipherment", "server auth"],
                          "request": "%"}}
        return json.dumps(whole).encode().replace(b"%", self.texts[i % len(self.texts)])

    def tell(self, name, user, text):
        """Adds a request, which the watch reports."""
        made = json.loads(self.request(0))
        made["metadata"] |= {"name": name, "uid": name, "resourceVersion": "2"}
        made["spec"] |= {"username": user, "request": text.decode()}
        self.later.append({"type": "ADDED", "object": made})

    def kubeconfig(self, path):
        path.write_text(json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": "c",
            "clusters": [{"name": "c", "cluster": {"server": f"http://127.0.0.1:{self.server_address[1]}"}}],
            "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
            "users": [{"name": "u", "user": {}}]}))
        return path

    def end(self):
        self.ends.set()
        self.shutdown()
        self.server_close()
