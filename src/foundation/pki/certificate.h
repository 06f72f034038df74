// SPDX-License-Identifier: Apache-2.0
// X.509 certificates (RFC 5280) and certificate signing requests (RFC 2986).
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pki/key.h"

namespace pki {

// Subject of a certificate; Kubernetes reads O as groups and CN as the user name.
struct Subject {
  std::string common_name;
  std::vector<std::string> organizations;
  bool operator==(const Subject&) const = default;
};

// SubjectAltNames in the order given: DNS names first, then IP addresses (text form).
struct SubjectAltNames {
  std::vector<std::string> dns_names;
  std::vector<std::string> ip_addresses;
  bool empty() const { return dns_names.empty() && ip_addresses.empty(); }
  bool operator==(const SubjectAltNames&) const = default;
};

// ExtendedKeyUsage is a purpose of RFC 5280 §4.2.1.12.
enum class ExtendedKeyUsage {
  kServerAuth,
  kClientAuth,
  kCodeSigning,
  kEmailProtection,
  kTimeStamping,
  kOcspSigning,
  kAny
};

// The content of a new certificate (reference: pki.md §1, §2).
struct CertificateSpec {
  Subject subject;
  SubjectAltNames alt_names;
  std::vector<ExtendedKeyUsage> usages;
  std::chrono::sys_seconds not_before;
  std::chrono::sys_seconds not_after;
  // A certificate for an ECDSA key has keyEncipherment, too (Kubernetes before v1.38).
  bool ecdsa_enciphers = false;
};

// An X.509 certificate (RFC 5280) that was read or issued. Immutable; copies share it.
class Certificate {
 public:
  // FromPem reads the first CERTIFICATE block. ChainFromPem reads all such blocks. Other blocks are
  // skipped. Both throw base::Error(kInvalid) if the input lacks such a block, or if a block that
  // they read is malformed.
  static Certificate FromPem(std::string_view pem);
  static std::vector<Certificate> ChainFromPem(std::string_view pem);

  std::string Pem() const;
  std::string Der() const;
  std::string SerialHex() const;  // upper-case hex digits
  Subject subject() const;
  std::string IssuerText() const;  // "CN=kubernetes"
  SubjectAltNames alt_names() const;
  std::vector<ExtendedKeyUsage> usages() const;  // without unknown usages
  bool is_ca() const;                            // basicConstraints CA:TRUE
  std::chrono::sys_seconds not_before() const;
  std::chrono::sys_seconds not_after() const;
  PublicKey public_key() const;
  bool operator==(const Certificate& other) const;  // same DER

  // Returns whether the certificate is valid for a DNS name (one left-most "*" label matches one
  // label) or an IP address.
  bool CoversName(std::string_view dns_name_or_ip) const;

  struct Impl;
  explicit Certificate(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  const Impl& impl() const { return *impl_; }

 private:
  std::shared_ptr<const Impl> impl_;
};

// A certificate and its key.
struct KeyPair {
  Certificate certificate;
  PrivateKey key;
};

// Throws base::Error(kInvalid) if a CA's key does not match its certificate.
void CheckPair(const KeyPair& ca);

// Issues a CA certificate for `key` with the names of `spec`. keyUsage (keyEncipherment as in Sign)
// and basicConstraints are critical. subjectKeyIdentifier is the first 160 bits of the SHA-256 of
// the public key (RFC 7093 §2). The certificate has no extended key usages.
Certificate NewSelfSignedCa(const CertificateSpec& spec, const PrivateKey& key);

// Issues a leaf certificate for `key`, signed by `ca` with the algorithm of the CA's key.
// keyEncipherment is set for an RSA key and never for an ML-DSA key (RFC 9881 §5); for an ECDSA key
// the spec decides. Throws base::Error(kInvalid) if the CA's key does not match its certificate.
Certificate Sign(const CertificateSpec& spec, const PublicKey& key, const KeyPair& ca);

// Returns a PEM CSR ("CERTIFICATE REQUEST") with subject and SANs.
std::string NewRequest(const Subject& subject, const SubjectAltNames& alt_names,
                       const PrivateKey& key);

// If `now` is not set, the certificates may be expired or not valid yet.
struct ChainOptions {
  std::vector<Certificate> intermediates = {};
  std::optional<std::chrono::sys_seconds> now = {};
};
// Verifies the chain leaf → intermediates → one of `roots`. Checks names (bytewise, like Go),
// signatures, CA flags and validity. Returns the reason of a failure, in OpenSSL's words. A root
// need not be self-signed. Each certificate whose subject is an issuer's name costs a signature
// check, so do not pass untrusted lists.
std::optional<std::string> ChainProblem(const Certificate& leaf,
                                        const std::vector<Certificate>& roots,
                                        const ChainOptions& options);

// Returns "sha256:" + lower-case hex SHA-256 of the certificate's SubjectPublicKeyInfo (the form of
// RFC 7469; value of --discovery-token-ca-cert-hash).
std::string Pin(const Certificate& certificate);

}  // namespace pki
