# SPDX-License-Identifier: Apache-2.0
"""Certificate requests in PEM: honest and hostile ones."""

import base64
import ipaddress
import textwrap

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import AttributeOID, NameOID


def general_name(text):
    """Returns the name of an IP address or DNS name; the prefixes `dns:`, `mail:` and `uri:` select another kind."""
    kind, _, rest = text.partition(":")
    if kind == "mail":
        return x509.RFC822Name(rest)
    if kind == "uri":
        return x509.UniformResourceIdentifier(rest)
    if kind == "dns":
        return x509.DNSName(rest)
    try:
        return x509.IPAddress(ipaddress.ip_address(text))
    except ValueError:
        return x509.DNSName(text)


def subject(case):
    attributes = [x509.NameAttribute(NameOID.ORGANIZATION_NAME, name) for name in case.organizations]
    if case.form == "unit":
        attributes.append(x509.NameAttribute(NameOID.ORGANIZATIONAL_UNIT_NAME, "kubelets"))
    names = [case.common_name] if case.common_name else []
    if case.form == "two common names":
        names.insert(0, "kubernetes-admin")
    return x509.Name(attributes + [x509.NameAttribute(NameOID.COMMON_NAME, name) for name in names])


def new_key(kind):
    return rsa.generate_private_key(65537, 1024) if kind == "rsa1024" else ec.generate_private_key(ec.SECP256R1())


def request_pem(case):
    """Returns the request of the case in PEM."""
    builder = x509.CertificateSigningRequestBuilder().subject_name(subject(case))
    if case.names:
        names = x509.SubjectAlternativeName([general_name(name) for name in case.names])
        builder = builder.add_extension(names, False)
    if case.form == "ca":
        builder = builder.add_extension(x509.BasicConstraints(True, None), True)
    if case.form == "constraints":
        builder = builder.add_extension(x509.NameConstraints([x509.DNSName("example.com")], None), True)
    if case.form == "challenge":
        builder = builder.add_attribute(AttributeOID.CHALLENGE_PASSWORD, b"secret")
    signed = builder.sign(new_key(case.key), hashes.SHA256())
    return reshaped(case.form, signed)


def reshaped(form, signed):
    pem = signed.public_bytes(serialization.Encoding.PEM)
    if form == "two blocks":
        return pem + pem
    if form == "text before":
        return b"a text\n" + pem
    if form == "broken signature":
        der = bytearray(signed.public_bytes(serialization.Encoding.DER))
        der[-1] ^= 1
        return pem_of(bytes(der))
    return pem


def pem_of(der):
    body = "\n".join(textwrap.wrap(base64.b64encode(der).decode(), 64))
    return f"-----BEGIN CERTIFICATE REQUEST-----\n{body}\n-----END CERTIFICATE REQUEST-----\n".encode()
