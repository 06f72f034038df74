# SPDX-License-Identifier: Apache-2.0
"""Damaged states of a node's /etc/kubernetes: `States(seed, material).spoil(directory)` changes a healthy directory at
random, and returns descriptions of its changes."""

import base64
import datetime
import json
import os
import random
import shutil
from pathlib import Path

import yaml
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.x509.oid import NameOID

NOW = datetime.datetime.now(datetime.UTC)
DAY = datetime.timedelta(days=1)
PAIRS = ["ca", "apiserver", "apiserver-kubelet-client", "front-proxy-ca", "front-proxy-client", "etcd/ca",
         "etcd/server", "etcd/peer", "etcd/healthcheck-client", "apiserver-etcd-client"]
KUBECONFIGS = ["admin.conf", "super-admin.conf", "kubelet.conf", "controller-manager.conf", "scheduler.conf"]


def pem_of_key(key, form=serialization.PrivateFormat.TraditionalOpenSSL, password=None):
    secret = serialization.BestAvailableEncryption(password) if password else serialization.NoEncryption()
    return key.private_bytes(serialization.Encoding.PEM, form, secret)


def certificate(key, name, issuer=None, issuer_key=None, begin=-DAY, end=365 * DAY, is_ca=False, sans=(), usages=()):
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    builder = (x509.CertificateBuilder().subject_name(subject).issuer_name(issuer.subject if issuer else subject)
               .public_key(key.public_key()).serial_number(x509.random_serial_number())
               .not_valid_before(NOW + begin).not_valid_after(NOW + end))
    if is_ca is not None:
        builder = builder.add_extension(x509.BasicConstraints(is_ca, None), critical=True)
    if sans:
        builder = builder.add_extension(x509.SubjectAlternativeName([x509.DNSName(san) for san in sans]), False)
    if usages:
        builder = builder.add_extension(x509.ExtendedKeyUsage(usages), False)
    algorithm = None if isinstance(issuer_key or key, ed25519.Ed25519PrivateKey) else hashes.SHA256()
    return builder.sign(issuer_key or key, algorithm)


def pem_of(cert):
    return cert.public_bytes(serialization.Encoding.PEM)


class Material:
    """Keys and CAs that are created once for all states."""

    def __init__(self):
        self.rsa = rsa.generate_private_key(65537, 2048)
        self.small = rsa.generate_private_key(65537, 1024)
        self.ec = ec.generate_private_key(ec.SECP256R1())
        self.ec384 = ec.generate_private_key(ec.SECP384R1())
        self.ed = ed25519.Ed25519PrivateKey.generate()
        self.other_ca = certificate(self.rsa, "kubernetes", is_ca=True)


class States:
    def __init__(self, seed, material):
        self._random = random.Random(seed)
        self._made = material

    def spoil(self, directory: Path) -> list[str]:
        """Makes up to three changes below the directory (an /etc/kubernetes)."""
        return [self._one(directory) for _ in range(self._random.choice([0, 1, 1, 1, 2, 3]))]

    def _one(self, directory):
        act = self._random.choice([self._certificate, self._certificate, self._key, self._key, self._kubeconfig,
                                   self._kubeconfig, self._kubeconfig, self._file, self._account_key, self._external])
        return act(directory)

    def _pair(self, directory):
        name = self._random.choice(PAIRS)
        return name, directory / "pki" / f"{name}.crt", directory / "pki" / f"{name}.key"

    def _authority(self, directory, name):
        base = "etcd/ca" if name.startswith("etcd") or name == "apiserver-etcd-client" else (
            "front-proxy-ca" if name.startswith("front") else "ca")
        return directory / "pki" / f"{base}.crt", directory / "pki" / f"{base}.key"

    def _certificate(self, directory):
        name, crt, key = self._pair(directory)
        how = self._random.choice(["gone", "other's", "expired", "future", "not signed by it", "chain", "text", "crlf",
                                   "garbage", "empty", "header", "twice", "no ca", "other names", "key inside",
                                   "signed again", "trailing", "without end"])
        said = f"{name}.crt {how}"
        try:
            old = crt.read_bytes()
            own = serialization.load_pem_private_key(key.read_bytes(), None)
            read = x509.load_pem_x509_certificate(old)
        except (OSError, ValueError, TypeError):
            return said + " (not)"
        if how == "gone":
            crt.unlink()
            return said
        ca_crt, ca_key = self._authority(directory, name)
        try:
            ca = x509.load_pem_x509_certificate(ca_crt.read_bytes())
            signer = serialization.load_pem_private_key(ca_key.read_bytes(), None)
        except (OSError, ValueError, TypeError):
            ca, signer = self._made.other_ca, self._made.rsa
        is_ca = name.endswith("ca")
        ca, signer = (None, None) if is_ca else (ca, signer)
        common = read.subject.get_attributes_for_oid(NameOID.COMMON_NAME)[0].value
        made = {
            "other's": lambda: pem_of(certificate(self._made.rsa, common, ca, signer, is_ca=is_ca)),
            "expired": lambda: pem_of(certificate(own, common, ca, signer,
                                                  -9 * DAY, -2 * DAY, is_ca)),
            "future": lambda: pem_of(certificate(own, common, ca, signer,
                                                 2 * DAY, 9 * DAY, is_ca)),
            "not signed by it": lambda: pem_of(certificate(own, common, self._made.other_ca, self._made.rsa,
                                                           is_ca=is_ca)),
            "chain": lambda: old + pem_of(self._made.other_ca),
            "text": lambda: b"a remark\n\n" + old + b"and another\n",
            "crlf": lambda: old.replace(b"\n", b"\r\n"),
            "garbage": lambda: b"nothing\n",
            "empty": lambda: b"",
            "header": lambda: old.replace(b"CERTIFICATE-----\n", b"CERTIFICATE-----\nA: b\n\n", 1),
            "twice": lambda: old + old,
            "no ca": lambda: pem_of(certificate(own, common, ca, signer,
                                                is_ca=self._random.choice([None, False]))),
            "other names": lambda: pem_of(certificate(own, common, ca, signer,
                                                      is_ca=is_ca, sans=["elsewhere"])),
            "key inside": lambda: key.read_bytes() + old,
            "signed again": lambda: pem_of(certificate(own, common, ca, signer,
                                                      is_ca=is_ca, end=30 * DAY)),
            "trailing": lambda: old + b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
            "without end": lambda: old.rstrip()[:-3],
        }[how]()
        crt.write_bytes(made)
        return said

    def _key(self, directory):
        name, _, key = self._pair(directory)
        how = self._random.choice(["gone", "another", "pkcs8", "encrypted", "ec", "ed25519", "garbage", "empty", "text",
                                   "ec with parameters", "certificate", "small"])
        said = f"{name}.key {how}"
        try:
            own = serialization.load_pem_private_key(key.read_bytes(), None)
        except (OSError, ValueError, TypeError):
            return said + " (not)"
        if how == "gone":
            key.unlink()
            return said
        parameters = (b"-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n")
        key.write_bytes({
            "another": lambda: pem_of_key(self._made.rsa),
            "pkcs8": lambda: pem_of_key(own, serialization.PrivateFormat.PKCS8),
            "encrypted": lambda: pem_of_key(own, serialization.PrivateFormat.PKCS8, b"x"),
            "ec": lambda: pem_of_key(self._made.ec),
            "ed25519": lambda: pem_of_key(self._made.ed, serialization.PrivateFormat.PKCS8),
            "garbage": lambda: b"nothing\n",
            "empty": lambda: b"",
            "text": lambda: b"a remark\n" + key.read_bytes(),
            "ec with parameters": lambda: parameters + pem_of_key(self._made.ec),
            "certificate": lambda: pem_of(self._made.other_ca),
            "small": lambda: pem_of_key(self._made.small),
        }[how]())
        return said

    def _kubeconfig(self, directory):
        path = directory / self._random.choice(KUBECONFIGS)
        how = self._random.choice(["gone", "server", "server's scheme", "json", "files", "relative files", "no context",
                                   "other names", "garbage", "empty", "other ca", "no ca", "expired", "token", "no user",
                                   "documents", "insecure", "comment", "no server", "tabs", "version", "bad base64",
                                   "chain", "own user", "proxy"])
        said = f"{path.name} {how}"
        if not path.is_file():
            return said + " (not)"
        if how == "gone":
            path.unlink()
            return said
        text = path.read_text()
        try:
            config = yaml.safe_load(text)
            cluster, user = config["clusters"][0]["cluster"], config["users"][0]["user"]
        except (yaml.YAMLError, TypeError, KeyError, IndexError):
            return said + " (not)"
        def encoded(data):
            return base64.b64encode(data).decode()

        match how:
            case "server":
                cluster["server"] = self._random.choice(
                    ["https://10.20.30.41:6443", "https://other:6443", "https://10.20.30.40:6443/", "https://10.20.30.40",
                     "https://[::1]:6443"])
            case "server's scheme":
                cluster["server"] = cluster.get("server", "").replace("https", "http")
            case "files" | "relative files":
                if "client-certificate-data" not in user:
                    return said + " (not)"
                pem = directory / f"{path.stem}.pem"
                pem.write_bytes(base64.b64decode(user.pop("client-certificate-data"))
                                + base64.b64decode(user.pop("client-key-data", "")))
                name = pem.name if how == "relative files" else f"/etc/kubernetes/{pem.name}"
                user["client-certificate"] = user["client-key"] = name
            case "no context":
                config["current-context"] = self._random.choice(["", "nope"])
            case "other names":
                for old, new in (("kubernetes-admin", "me"), ("system:node", "node"), ("@kubernetes", "@mine")):
                    text = text.replace(old, new)
                config = yaml.safe_load(text)
            case "other ca":
                cluster["certificate-authority-data"] = encoded(pem_of(self._made.other_ca))
            case "no ca":
                cluster.pop("certificate-authority-data", None)
            case "expired":
                user["client-certificate-data"] = encoded(pem_of(certificate(
                    self._made.rsa, "x", self._made.other_ca, self._made.rsa, -9 * DAY, -2 * DAY)))
                user["client-key-data"] = encoded(pem_of_key(self._made.rsa))
            case "token":
                user.clear()
                user["token"] = "t"
            case "no user":
                config["users"] = self._random.choice([[], None])
            case "insecure":
                cluster["insecure-skip-tls-verify"] = True
            case "no server":
                cluster.pop("server", None)
            case "version":
                config["apiVersion"] = "v2"
            case "bad base64":
                user["client-certificate-data"] = "=" + user.get("client-certificate-data", "")
            case "chain":
                cluster["certificate-authority-data"] = encoded(
                    base64.b64decode(cluster.get("certificate-authority-data", "")) + pem_of(self._made.other_ca))
            case "own user":
                config["users"].append({"name": "other", "user": {"token": "t"}})
            case "proxy":
                cluster["proxy-url"] = "http://proxy:3128"
                cluster["tls-server-name"] = "x"
        made = {"json": lambda: json.dumps(config), "garbage": lambda: "nothing: [", "empty": lambda: "",
                "documents": lambda: text + "---\n" + text, "comment": lambda: "# a remark\n" + text,
                "tabs": lambda: "\t" + text}.get(how, lambda: yaml.safe_dump(config))()
        path.write_text(made)
        return said

    def _account_key(self, directory):
        which = self._random.choice(["sa.key", "sa.pub"])
        how = self._random.choice(["gone", "another", "garbage", "empty", "ec"])
        path = directory / "pki" / which
        if how == "gone":
            path.unlink(missing_ok=True)
            return f"{which} gone"
        key = self._made.ec if how == "ec" else self._made.rsa
        public = key.public_key().public_bytes(serialization.Encoding.PEM,
                                               serialization.PublicFormat.SubjectPublicKeyInfo)
        path.write_bytes({"garbage": b"nothing\n", "empty": b""}.get(
            how, pem_of_key(key) if which == "sa.key" else public))
        return f"{which} {how}"

    def _external(self, directory):
        names = self._random.sample(["ca", "front-proxy-ca", "etcd/ca"], self._random.choice([1, 1, 2, 3]))
        for name in names:
            (directory / "pki" / f"{name}.key").unlink(missing_ok=True)
        return f"no key of {names}"

    def _file(self, directory):
        """Replaces a file by a directory or a link, or changes its mode or content, or its directory."""
        paths = sorted(path for path in directory.rglob("*") if path.is_file() and not path.is_symlink())
        if not paths:
            return "nothing"
        path = self._random.choice(paths)
        how = self._random.choice(["directory", "link", "dangling link", "mode", "readable", "bom", "mode of directory",
                                   "no directory"])
        match how:
            case "directory":
                path.unlink()
                path.mkdir()
            case "link":
                real = directory / f"real-{path.name}"
                shutil.move(path, real)
                path.symlink_to(real.name if path.parent == directory else os.path.relpath(real, path.parent))
            case "dangling link":
                path.unlink()
                path.symlink_to("/nowhere/at-all")
            case "mode":
                path.chmod(0o400)
            case "readable":
                path.chmod(0o644)
            case "bom":
                path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
            case "mode of directory":
                path.parent.chmod(0o700)
            case "no directory":
                shutil.rmtree(directory / "pki" / "etcd", ignore_errors=True)
                return "no pki/etcd"
        return f"{path.relative_to(directory)} {how}"
