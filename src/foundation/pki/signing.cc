// SPDX-License-Identifier: Apache-2.0
// New certificates and requests. The extensions have the order and the criticality of Kubernetes'
// own tools (reference: pki.md §2).
#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <ctime>

#include "base/rows.h"
#include "net/ip_address.h"
#include "pki/certificate.h"
#include "pki/cross_sign.h"
#include "pki/crypto.h"
#include "pki/openssl.h"
#include "pki/usages.h"

namespace pki {
namespace {

using OctetsPtr = std::unique_ptr<ASN1_OCTET_STRING, Deleter<ASN1_OCTET_STRING_free>>;
using GeneralNamesPtr = std::unique_ptr<GENERAL_NAMES, Deleter<GENERAL_NAMES_free>>;
using ExtensionPtr = std::unique_ptr<X509_EXTENSION, Deleter<X509_EXTENSION_free>>;

void FreeExtensions(X509_EXTENSIONS* list) {
  sk_X509_EXTENSION_pop_free(list, X509_EXTENSION_free);
}
using ExtensionsPtr = std::unique_ptr<X509_EXTENSIONS, Deleter<FreeExtensions>>;

constexpr const char* kFailure = "cannot make a certificate";

// Returns PrintableString (X.680 §41.4) where that suffices, else UTF8String, as Go does.
int StringType(std::string_view text) {
  const bool printable = std::ranges::all_of(text, [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view(" '()+,-./:=?").contains(c);
  });
  return printable ? V_ASN1_PRINTABLESTRING : V_ASN1_UTF8STRING;
}

// The RDN of a name's entry: a new RDN or the previous one.
enum class Rdn { kOwn = 0, kPrevious = -1 };

void AddEntry(X509_NAME* name, int nid, std::string_view text, Rdn rdn) {
  Check(X509_NAME_add_entry_by_NID(name, nid, StringType(text), Bytes(text),
                                   static_cast<int>(text.size()), -1, static_cast<int>(rdn)) == 1,
        kFailure);
}

// Puts all organizations into one RDN, as Go's pkix.Name does.
void FillName(X509_NAME* name, const Subject& subject) {
  Rdn rdn = Rdn::kOwn;
  for (const std::string& organization : subject.organizations) {
    AddEntry(name, NID_organizationName, organization, rdn);
    rdn = Rdn::kPrevious;
  }
  if (!subject.common_name.empty()) {
    AddEntry(name, NID_commonName, subject.common_name, Rdn::kOwn);
  }
}

void AddGeneralName(GENERAL_NAMES* names, int type, ASN1_STRING* value) {
  GENERAL_NAME* name = GENERAL_NAME_new();
  Check(name != nullptr && value != nullptr, kFailure);
  GENERAL_NAME_set0_value(name, type, value);
  Check(sk_GENERAL_NAME_push(names, name) > 0, kFailure);
}

ASN1_OCTET_STRING* Octets(std::string_view bytes) {
  ASN1_OCTET_STRING* octets = ASN1_OCTET_STRING_new();
  Check(octets != nullptr && ASN1_STRING_set(octets, bytes.data(), static_cast<int>(bytes.size())),
        kFailure);
  return octets;
}

GeneralNamesPtr ToGeneralNames(const SubjectAltNames& names) {
  GeneralNamesPtr all(sk_GENERAL_NAME_new_null());
  Check(all != nullptr, kFailure);
  for (const std::string& dns : names.dns_names) {
    ASN1_IA5STRING* text = ASN1_IA5STRING_new();
    Check(text != nullptr && ASN1_STRING_set(text, dns.data(), static_cast<int>(dns.size())) == 1,
          kFailure);
    AddGeneralName(all.get(), GEN_DNS, text);
  }
  for (const std::string& address : names.ip_addresses) {
    const auto read = net::IpAddress::Parse(address);
    if (!read) {
      throw base::Error(base::Error::Kind::kInvalid,
                        fmt::format("\"{}\" is not an IP address", address));
    }
    AddGeneralName(all.get(), GEN_IPADD, Octets(read->Octets()));
  }
  return all;
}

void AddExtension(X509* x509, int nid, const char* value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, nullptr, x509, nullptr, nullptr, 0);
  const ExtensionPtr extension(X509V3_EXT_nconf_nid(nullptr, &context, nid, value));
  Check(extension != nullptr && X509_add_ext(x509, extension.get(), -1) == 1, kFailure);
}

void AddUsages(X509* x509, const std::vector<ExtendedKeyUsage>& usages) {
  if (usages.empty()) {
    return;
  }
  std::string names;
  for (const ExtendedKeyUsage usage : usages) {
    names += names.empty() ? "" : ",";
    names += OBJ_nid2sn(base::RowOf(kUsages, usage, &UsageRow::usage).nid);
  }
  AddExtension(x509, NID_ext_key_usage, names.c_str());
}

void AddAltNames(X509* x509, const SubjectAltNames& names) {
  if (!names.empty()) {
    const GeneralNamesPtr all = ToGeneralNames(names);
    Check(X509_add1_ext_i2d(x509, NID_subject_alt_name, all.get(), 0, X509V3_ADD_DEFAULT) == 1,
          kFailure);
  }
}

// Identifies the key by the first 160 bits of the SHA-256 of its bits: method 1 of RFC 7093.
void AddSubjectKeyId(X509* x509) {
  const ASN1_BIT_STRING* bits = X509_get0_pubkey_bitstr(x509);
  const std::string digest = Sha256({reinterpret_cast<const char*>(ASN1_STRING_get0_data(bits)),
                                     static_cast<std::size_t>(ASN1_STRING_length(bits))});
  const OctetsPtr id(ASN1_OCTET_STRING_new());
  Check(
      id != nullptr && ASN1_OCTET_STRING_set(id.get(), Bytes(digest), 20) == 1 &&
          X509_add1_ext_i2d(x509, NID_subject_key_identifier, id.get(), 0, X509V3_ADD_DEFAULT) == 1,
      kFailure);
}

// Copies the CA's key id. If the CA has no key id, the leaf gets none.
void AddAuthorityKeyId(X509* x509, X509* ca) {
  const ASN1_OCTET_STRING* id = X509_get0_subject_key_id(ca);
  if (id == nullptr) {
    return;
  }
  const std::unique_ptr<AUTHORITY_KEYID, Deleter<AUTHORITY_KEYID_free>> authority(
      AUTHORITY_KEYID_new());
  Check(authority != nullptr, kFailure);
  authority->keyid = ASN1_OCTET_STRING_dup(id);
  Check(X509_add1_ext_i2d(x509, NID_authority_key_identifier, authority.get(), 0,
                          X509V3_ADD_DEFAULT) == 1,
        kFailure);
}

// Draws a random serial number from 1 … 2^63−2.
void SetSerial(X509* x509) {
  const BnPtr limit(BN_new());
  const BnPtr serial(BN_new());
  Check(limit != nullptr && serial != nullptr && BN_set_bit(limit.get(), 63) == 1 &&
            BN_sub_word(limit.get(), 2) == 1 && BN_rand_range(serial.get(), limit.get()) == 1 &&
            BN_add_word(serial.get(), 1) == 1 &&
            BN_to_ASN1_INTEGER(serial.get(), X509_get_serialNumber(x509)) != nullptr,
        kFailure);
}

// Refuses times that ASN.1 cannot express: GeneralizedTime writes four digits of a year.
void SetTimes(X509* x509, const CertificateSpec& spec) {
  constexpr std::chrono::sys_days kEnd{std::chrono::year(10000) / 1 / 1};
  const bool possible = spec.not_before < kEnd && spec.not_after < kEnd;
  if (!possible ||
      ASN1_TIME_set(X509_getm_notBefore(x509), spec.not_before.time_since_epoch().count()) ==
          nullptr ||
      ASN1_TIME_set(X509_getm_notAfter(x509), spec.not_after.time_since_epoch().count()) ==
          nullptr) {
    FailOpenSsl(base::Error::Kind::kInvalid, "a certificate cannot be valid for so long");
  }
}

X509Ptr Begin(const CertificateSpec& spec, const PublicKey& key) {
  X509Ptr x509(X509_new());
  Check(x509 != nullptr && X509_set_version(x509.get(), X509_VERSION_3) == 1 &&
            X509_set_pubkey(x509.get(), key.impl().key.get()) == 1,
        kFailure);
  SetSerial(x509.get());
  SetTimes(x509.get(), spec);
  FillName(X509_get_subject_name(x509.get()), spec.subject);
  return x509;
}

// Go's crypto/rsa, and so the whole control plane, refuses smaller keys.
void RequireSize(const EVP_PKEY* key) {
  constexpr int kLeastBits = 1024;
  if (EVP_PKEY_is_a(key, "RSA") == 1 && EVP_PKEY_get_bits(key) < kLeastBits) {
    throw base::Error(
        base::Error::Kind::kInvalid,
        fmt::format(
            "an RSA key of {} bits is too small to sign with: Kubernetes accepts none below {}",
            EVP_PKEY_get_bits(key), kLeastBits));
  }
}

Certificate Finish(X509Ptr x509, const PrivateKey& signer) {
  EVP_PKEY* key = signer.impl().key.get();
  RequireSize(key);
  Check(X509_sign(x509.get(), key, SignatureDigest(key)) > 0, "cannot sign a certificate");
  // Parse the encoding again: the result is then the certificate that every other program reads.
  unsigned char* out = nullptr;
  const int size = i2d_X509(x509.get(), &out);
  const BytesPtr owner(out);
  const unsigned char* in = out;
  X509Ptr read(size > 0 ? d2i_X509(nullptr, &in, size) : nullptr);
  Check(read != nullptr, "cannot read a new certificate back");
  return Certificate(std::make_shared<const Certificate::Impl>(Certificate::Impl{std::move(read)}));
}

// Adds the key usage of a leaf or a CA for the key that the certificate already has.
enum class Holder { kLeaf, kAuthority };
void AddKeyUsage(X509* x509, Holder holder, bool ecdsa_enciphers) {
  const EVP_PKEY* key = X509_get0_pubkey(x509);
  const bool enciphers = EVP_PKEY_is_a(key, "RSA") == 1 || (ecdsa_enciphers && !IsMlDsa(key));
  const std::string usage =
      fmt::format("critical,digitalSignature{}{}", enciphers ? ",keyEncipherment" : "",
                  holder == Holder::kAuthority ? ",keyCertSign" : "");
  AddExtension(x509, NID_key_usage, usage.c_str());
}

void AddCaRights(X509* x509, bool ecdsa_enciphers) {
  AddKeyUsage(x509, Holder::kAuthority, ecdsa_enciphers);
  AddExtension(x509, NID_basic_constraints, "critical,CA:TRUE");
  AddSubjectKeyId(x509);
}

}  // namespace

void CheckPair(const KeyPair& ca) {
  if (X509_check_private_key(ca.certificate.impl().x509.get(), ca.key.impl().key.get()) != 1) {
    FailOpenSsl(base::Error::Kind::kInvalid,
                "the certificate authority's key does not belong to its certificate");
  }
}

Certificate NewSelfSignedCa(const CertificateSpec& spec, const PrivateKey& key) {
  X509Ptr x509 = Begin(spec, key.Public());
  Check(X509_set_issuer_name(x509.get(), X509_get_subject_name(x509.get())) == 1, kFailure);
  AddCaRights(x509.get(), spec.ecdsa_enciphers);
  AddAltNames(x509.get(), spec.alt_names);
  return Finish(std::move(x509), key);
}

Certificate CrossSign(const Certificate& ca, const KeyPair& signer) {
  CheckPair(signer);
  X509* issuer = signer.certificate.impl().x509.get();
  X509Ptr x509 = Begin({.subject = {},
                        .alt_names = {},
                        .usages = {},
                        .not_before = ca.not_before(),
                        .not_after = std::min(ca.not_after(), signer.certificate.not_after())},
                       ca.public_key());
  // Copies the names byte by byte. With any other encoding, clients could not verify the chain.
  X509_NAME* subject = X509_get_subject_name(ca.impl().x509.get());
  Check(X509_set_subject_name(x509.get(), subject) == 1 &&
            X509_set_issuer_name(x509.get(), X509_get_subject_name(issuer)) == 1,
        kFailure);
  const std::uint32_t usage = X509_get_key_usage(ca.impl().x509.get());
  AddCaRights(x509.get(), (usage & X509v3_KU_KEY_ENCIPHERMENT) != 0);
  AddAuthorityKeyId(x509.get(), issuer);
  return Finish(std::move(x509), signer.key);
}

Certificate Sign(const CertificateSpec& spec, const PublicKey& key, const KeyPair& ca) {
  CheckPair(ca);
  X509* issuer = ca.certificate.impl().x509.get();
  X509Ptr x509 = Begin(spec, key);
  Check(X509_set_issuer_name(x509.get(), X509_get_subject_name(issuer)) == 1, kFailure);
  AddKeyUsage(x509.get(), Holder::kLeaf, spec.ecdsa_enciphers);
  AddUsages(x509.get(), spec.usages);
  AddExtension(x509.get(), NID_basic_constraints, "critical,CA:FALSE");
  AddAuthorityKeyId(x509.get(), issuer);
  AddAltNames(x509.get(), spec.alt_names);
  return Finish(std::move(x509), ca.key);
}

std::string NewRequest(const Subject& subject, const SubjectAltNames& alt_names,
                       const PrivateKey& key) {
  const X509ReqPtr request(X509_REQ_new());
  Check(request != nullptr && X509_REQ_set_version(request.get(), X509_REQ_VERSION_1) == 1 &&
            X509_REQ_set_pubkey(request.get(), key.impl().key.get()) == 1,
        kFailure);
  FillName(X509_REQ_get_subject_name(request.get()), subject);
  if (!alt_names.empty()) {
    X509_EXTENSIONS* made = nullptr;
    const GeneralNamesPtr all = ToGeneralNames(alt_names);
    const int added =
        X509V3_add1_i2d(&made, NID_subject_alt_name, all.get(), 0, X509V3_ADD_DEFAULT);
    const ExtensionsPtr extensions(made);
    Check(added == 1 && X509_REQ_add_extensions(request.get(), made) == 1, kFailure);
  }
  EVP_PKEY* signer = key.impl().key.get();
  Check(X509_REQ_sign(request.get(), signer, SignatureDigest(signer)) > 0,
        "cannot sign a certificate request");
  return WritePem([&](BIO* out) { return PEM_write_bio_X509_REQ(out, request.get()); });
}

}  // namespace pki
