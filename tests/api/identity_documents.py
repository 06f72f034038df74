# SPDX-License-Identifier: Apache-2.0
"""Identity documents of two clouds in their own formats, signed with keys that these tests create."""

import base64
import datetime
import json
import time

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.hazmat.primitives.serialization import pkcs7
from cryptography.x509.oid import NameOID

PEM, DER = serialization.Encoding.PEM, serialization.Encoding.DER


class Signer:
    """A cloud's RSA-2048 key and its certificate."""

    def __init__(self, name):
        self.key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        now = datetime.datetime.now(datetime.timezone.utc)
        self.certificate = (x509.CertificateBuilder().subject_name(subject).issuer_name(subject)
                            .public_key(self.key.public_key()).serial_number(x509.random_serial_number())
                            .not_valid_before(now - datetime.timedelta(days=1))
                            .not_valid_after(now + datetime.timedelta(days=1)).sign(self.key, hashes.SHA256()))

    def pem(self):
        return self.certificate.public_bytes(PEM).decode()


def rfc3339(seconds_ago=0):
    moment = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(seconds=seconds_ago)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def aws_claims(**changed):
    """The content of latest/dynamic/instance-identity/document."""
    return {"accountId": "111122223333", "architecture": "x86_64", "availabilityZone": "eu-central-1a",
            "billingProducts": None, "devpayProductCodes": None, "marketplaceProductCodes": None,
            "imageId": "ami-0123456789abcdef0", "instanceId": "i-0a1b2c3d4e5f60718", "instanceType": "m7i.large",
            "kernelId": None, "pendingTime": rfc3339(), "privateIp": "10.0.3.7", "ramdiskId": None,
            "region": "eu-central-1", "version": "2017-09-30", **changed}


def aws_document(signer, **changed):
    """The text of latest/dynamic/instance-identity/rsa2048: PKCS #7 with the content, base64 in lines of 64."""
    content = json.dumps(aws_claims(**changed), indent=2).encode()
    der = (pkcs7.PKCS7SignatureBuilder().set_data(content)
           .add_signer(signer.certificate, signer.key, hashes.SHA256())
           .sign(DER, [pkcs7.PKCS7Options.Binary, pkcs7.PKCS7Options.NoCapabilities]))
    text = base64.b64encode(der).decode()
    return "\n".join(text[i:i + 64] for i in range(0, len(text), 64))


def encoded(value):
    raw = value if isinstance(value, bytes) else json.dumps(value, separators=(",", ":")).encode()
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def gcp_claims(instance=None, **changed):
    """The claims of a token with format=full."""
    now = int(time.time())
    compute = {"project_id": "cluster-one", "project_number": 739419398126, "zone": "europe-west3-a",
               "instance_id": "4520031799277581759", "instance_name": "worker-a",
               "instance_creation_timestamp": now - 60, **(instance or {})}
    return {"aud": "nodes.cluster-one", "azp": "102510237120401209011", "sub": "102510237120401209011",
            "email": "nodes@cluster-one.iam.gserviceaccount.com", "email_verified": True,
            "iss": "https://accounts.google.com", "iat": now, "exp": now + 3600,
            "google": {"compute_engine": compute}, **changed}


def gcp_document(signer, instance=None, header=None, **changed):
    head = {"alg": "RS256", "kid": "key-1", "typ": "JWT", **(header or {})}
    signed = f"{encoded(head)}.{encoded(gcp_claims(instance, **changed))}"
    return f"{signed}.{encoded(signer.key.sign(signed.encode(), padding.PKCS1v15(), hashes.SHA256()))}"
