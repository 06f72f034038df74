# SPDX-License-Identifier: Apache-2.0
"""Network add-ons as their users install them: the manifest of the add-on's own module, and images of its programs."""

import dataclasses
import json
import subprocess
from collections.abc import Callable

import yaml

from components import golang, images, recipes, store

PODS, PODS6 = "10.244.0.0/16", "fd00:10:244::/48"


def _module_file(directory, module, path):
    """Returns the text of a file of a module in the module cache."""
    environment = golang.environment((recipes.HERE / directory / "go.mod").read_text(), golang.installed_version())
    place = recipes.HERE / directory
    subprocess.run(["go", "mod", "download", module], cwd=place, env=environment, check=True, capture_output=True)
    listed = subprocess.run(["go", "list", "-m", "-f", "{{.Dir}}", module], cwd=place, env=environment, check=True,
                            capture_output=True, text=True)
    with open(f"{listed.stdout.strip()}/{path}", encoding="utf-8") as file:
        return file.read()


def _containers(item):
    pod = item["spec"]["template"]["spec"]
    return [*pod.get("initContainers", []), *pod["containers"]]


def _flannel():
    text = _module_file("flannel", "github.com/flannel-io/flannel", "Documentation/kube-flannel.yml")
    items = list(yaml.safe_load_all(text))
    for item in items:
        if item["kind"] == "ConfigMap":
            network = json.loads(item["data"]["net-conf.json"])
            network.update({"Network": PODS, "EnableIPv6": True, "IPv6Network": PODS6})
            plugins = json.loads(item["data"]["cni-conf.json"])
            plugins["cniVersion"] = "0.3.1"  # the newest that the older plug-in knows
            item["data"] = {"net-conf.json": json.dumps(network), "cni-conf.json": json.dumps(plugins)}
    return items


def _kube_router():
    text = _module_file("kube-router", "github.com/cloudnativelabs/kube-router/v2", "daemonset/kubeadm-kuberouter.yaml")
    items = list(yaml.safe_load_all(text))
    for item in items:
        if item["kind"] == "ConfigMap":
            network = json.loads(item["data"]["cni-conf.json"])
            network["plugins"][0]["hairpinMode"] = True  # without it, no Pod reaches itself by its own Service
            item["data"]["cni-conf.json"] = json.dumps(network)
        if item["kind"] == "DaemonSet":
            for container in _containers(item):
                container.update({"image": "slipway.test/kube-router:1", "imagePullPolicy": "IfNotPresent"})
            item["spec"]["template"]["spec"]["containers"][0]["args"].append("--enable-ipv6=true")
    return items


def _tools(*names):
    return {f"/bin/{name}": images.tool(name) for name in names}


def _flannel_images(program, manifest):
    daemon = next(item for item in manifest if item["kind"] == "DaemonSet")
    plugin, flannel = (_containers(daemon)[index]["image"] for index in (0, -1))
    yield images.Image(plugin, images.with_libraries({"/flannel": program("flannel-cni"), **_tools("cp")}))
    files = {"/opt/bin/flanneld": program("flanneld"), "/opt/bin/install-conf": program("flannel-install-conf")}
    yield images.Image(flannel, {**images.packet_filter_files(), **files})


def _kube_router_images(program, manifest):
    reference = _containers(next(item for item in manifest if item["kind"] == "DaemonSet"))[0]["image"]
    tools = images.with_libraries(_tools("sh", "cp", "mv", "rm", "sysctl"))
    path = "/usr/local/bin/kube-router"
    yield images.Image(reference, {**images.packet_filter_files(), **tools, path: program("kube-router")}, path)


@dataclasses.dataclass(frozen=True)
class Addon:
    """A network add-on. `interface` is the one that it creates on each node."""

    name: str
    manifest: Callable
    images: Callable
    interface: str
    has_policies: bool

    def install(self, cluster, directory):
        """Imports the images on every host, and applies the manifest."""
        builder = store.Builder(lambda _: None)
        manifest = self.manifest()
        for number, image in enumerate(self.images(builder.tool, manifest)):
            archive = directory / f"{self.name}-{number}.tar"
            images.write_archive(image, archive)
            for machine in cluster.machines:
                machine.host.copy(archive, f"/root/{archive.name}")
                machine.host.run("ctr", "-n", "k8s.io", "images", "import", f"/root/{archive.name}", timeout=300)
        first = cluster.first.host
        first.write("/root/network.yaml", yaml.safe_dump_all(manifest))
        first.kubectl("apply", "-f", "/root/network.yaml")


ADDONS = [Addon("flannel", _flannel, _flannel_images, "flannel.1", has_policies=False),
          Addon("kube-router", _kube_router, _kube_router_images, "kube-bridge", has_policies=True)]
