# SPDX-License-Identifier: Apache-2.0
"""A TPM 2.0 in software (swtpm), used by tpm2-tools as `join --tpm` does."""

import base64
import hashlib
import os
import subprocess
from pathlib import Path

from cryptography.hazmat.primitives import serialization

from control_plane import eventually


class Tpm:
    """One TPM, whose endorsement key is in `key_id` as an inventory lists it."""

    def __init__(self, directory):
        self.directory = Path(directory)
        (self.directory / "state").mkdir(parents=True)
        path = self.path("socket")
        self.environment = f"swtpm:path={path}"
        self.process = subprocess.Popen(
            ["swtpm", "socket", "--tpm2", "--tpmstate", f"dir={self.directory}/state", "--flags",
             "not-need-init,startup-clear", "--server", f"type=unixio,path={path}",
             "--ctrl", f"type=unixio,path={path}.ctrl"])
        eventually(lambda: Path(path).exists() and Path(f"{path}.ctrl").exists())
        self.run("createek", "-c", self.path("ek.ctx"), "-G", "rsa", "-f", "pem", "-u", self.path("ek.pem"))
        self.new_attestation_key()
        self.endorsement_key = Path(self.path("ek.pem")).read_text()
        key = serialization.load_pem_public_key(self.endorsement_key.encode())
        der = key.public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
        self.key_id = f"sha256:{hashlib.sha256(der).hexdigest()}"

    def path(self, name):
        return str(self.directory / name)

    def run(self, program, *arguments):
        done = subprocess.run([f"tpm2_{program}", "-Q", *arguments], capture_output=True, text=True, check=False,
                              env={**os.environ, "TPM2TOOLS_TCTI": self.environment})
        if done.returncode != 0:
            raise RuntimeError(done.stderr)
        if program != "flushcontext":
            self.run("flushcontext", "-t")  # without a resource manager

    def new_attestation_key(self):
        self.run("createak", "-C", self.path("ek.ctx"), "-c", self.path("ak.ctx"), "-G", "ecc", "-g", "sha256",
                 "-s", "ecdsa", "-u", self.path("ak.pub"))
        self.attestation_key = base64.b64encode(Path(self.path("ak.pub")).read_bytes()).decode()

    def other_key(self):
        """The public area of a key that signs anything: no attestation key."""
        self.run("createprimary", "-C", "o", "-c", self.path("primary.ctx"))
        self.run("create", "-C", self.path("primary.ctx"), "-G", "ecc", "-u", self.path("other.pub"),
                 "-r", self.path("other.priv"))
        return base64.b64encode(Path(self.path("other.pub")).read_bytes()).decode()

    def open(self, credential):
        """The secret in a credential. A TPM that it is not for raises RuntimeError."""
        Path(self.path("credential")).write_bytes(base64.b64decode(credential))
        session = self.path("session.ctx")
        subprocess.run(["tpm2_startauthsession", "-Q", "--policy-session", "-S", session], check=True,
                       env={**os.environ, "TPM2TOOLS_TCTI": self.environment})
        try:
            self.run("policysecret", "-S", session, "-c", "endorsement")
            self.run("activatecredential", "-c", self.path("ak.ctx"), "-C", self.path("ek.ctx"),
                     "-i", self.path("credential"), "-o", self.path("secret"), "-P", f"session:{session}")
        finally:
            self.run("flushcontext", session)
        return base64.b64encode(Path(self.path("secret")).read_bytes()).decode()

    def down(self):
        self.process.kill()
        self.process.wait()
