# SPDX-License-Identifier: Apache-2.0
"""An API server in memory that never validates an object. Phases of kubeadm write objects, other commands read them,
and a test replaces any field."""

import copy
import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit

PATH = re.compile(r"/(?:api/v1|apis/(?P<group>[^/]+)/(?P<version>[^/]+))"
                  r"(?:/namespaces/(?P<namespace>[^/]+)(?=/))?/(?P<resource>[^/]+)(?:/(?P<name>[^/]+))?(?:/(?P<sub>.+))?$")
VERSION = {"major": "1", "minor": "36", "gitVersion": "v1.36.0", "gitCommit": "x", "platform": "linux/amd64"}


def _matches(item, selector):
    """Returns True if the object has the labels of the selector."""
    labels = (item.get("metadata") or {}).get("labels") or {}
    wanted = [part.split("=", 1) for part in selector.split(",") if "=" in part]
    present = [part for part in selector.split(",") if part and "=" not in part]
    return all(labels.get(key) == value for key, value in wanted) and all(key in labels for key in present)


class Store:
    """Objects by resource, namespace and name. `read` has the keys of the objects that were returned."""

    def __init__(self, objects=None):
        self.objects = copy.deepcopy(objects or {})
        self.read = set()
        self.settings = {}  # the kubelet's settings, as in /configz
        self.served = 0
        self.odd = {}  # by key: objects that replace those of `objects` in responses; selectors use `objects`

    def get(self, key):
        self.read.add(key)
        return self.odd[key] if key in self.odd else self.objects.get(key)

    def list(self, resource, namespace, selector):
        keys = [key for key, item in self.objects.items()
                if key[0] == resource and namespace in (None, key[1]) and _matches(item, selector)]
        return [self.get(key) for key in keys]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def _answer(self, code, body):
        data = (body if isinstance(body, str) else json.dumps(body)).encode()
        self.send_response(code)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _status(self, code, reason):
        self._answer(code, {"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": reason, "code": code,
                            "message": reason})

    def _handle(self):
        store = self.server.store
        store.served += 1
        url = urlsplit(self.path)
        length = int(self.headers.get("Content-Length") or 0)
        body = json.loads(self.rfile.read(length)) if length else None
        if url.path == "/version":
            return self._answer(200, VERSION)
        if url.path in ("/readyz", "/livez", "/healthz"):
            return self._answer(200, "ok")
        if url.path.endswith("/configz"):
            return self._answer(200, {"kubeletconfig": store.settings})
        found = PATH.match(url.path)
        if not found or found["sub"]:
            return self._status(404, "NotFound")
        query = {key: values[0] for key, values in parse_qs(url.query).items()}
        namespace = found["namespace"]
        key = (found["resource"], namespace or "", unquote(found["name"] or ""))
        return getattr(self, f"_{self.command.lower()}")(store, key, namespace, query, body)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _handle

    def _get(self, store, key, namespace, query, _):
        if key[2]:
            item = store.get(key) if key in store.objects else None
            return self._answer(200, item) if key in store.objects else self._status(404, "NotFound")
        items = store.list(key[0], namespace, query.get("labelSelector", ""))
        return self._answer(200, {"kind": "List", "apiVersion": "v1", "metadata": {"resourceVersion": "1"},
                                  "items": items})

    def _post(self, store, key, namespace, _, body):
        key = (key[0], namespace or "", body["metadata"].get("name", "generated"))
        if key in store.objects:
            return self._status(409, "AlreadyExists")
        body["metadata"].setdefault("uid", "a-uid")
        if key[0] == "jobs":  # a Job is complete immediately
            body["status"] = {"succeeded": 1, "conditions": [{"type": "Complete", "status": "True"}]}
        store.objects[key] = body
        return self._answer(201, body)

    def _put(self, store, key, _, __, body):
        store.objects[key] = body
        return self._answer(200, body)

    def _patch(self, store, key, _, __, body):
        def merge(to, patch):
            for name, value in patch.items():
                if isinstance(value, dict) and isinstance(to.get(name), dict):
                    merge(to[name], value)
                else:
                    to[name] = value
        if key not in store.objects:
            return self._status(404, "NotFound")
        if isinstance(body, dict):
            merge(store.objects[key], body)
        return self._answer(200, store.objects[key])

    def _delete(self, store, key, *_):
        store.objects.pop(key, None)
        return self._answer(200, {"kind": "Status", "apiVersion": "v1", "status": "Success"})


class ApiServer:
    def __init__(self, context, address, port=6443):
        class Quiet(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_):
                pass  # the client has closed the connection

        self._server = Quiet(("0.0.0.0", port), Handler)
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True,
                                                  do_handshake_on_connect=False)
        self._server.store = Store()
        self.port = self._server.server_address[1]
        self.url = f"https://{address}:{self.port}"
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    @property
    def store(self):
        return self._server.store

    @store.setter
    def store(self, store):
        self._server.store = store

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()
