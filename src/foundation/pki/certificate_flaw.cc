// SPDX-License-Identifier: Apache-2.0
#include "pki/certificate_flaw.h"

#include <openssl/err.h>

#include <algorithm>
#include <ctime>
#include <iterator>

#include "pki/der.h"

namespace pki {
namespace {

using der::Element;
using der::Reader;

// Tags of the fields of TBSCertificate and of a GeneralName.
constexpr std::uint8_t kVersion = 0xA0;
constexpr std::uint8_t kExtensions = 0xA3;
constexpr std::uint8_t kMail = 0x81;
constexpr std::uint8_t kDnsName = 0x82;
constexpr std::uint8_t kUri = 0x86;
constexpr std::uint8_t kIpAddress = 0x87;

[[noreturn]] void Fail(const std::string& what) {
  throw base::Error(base::Error::Kind::kInvalid, what);
}

void RequireName(const Element& name) {
  for (Reader sets(name.content); !sets.empty();) {
    for (Reader attributes(sets.Take(der::kSet, "a part of a name").content);
         !attributes.empty();) {
      Reader attribute(attributes.Take(der::kSequence, "a part of a name").content);
      der::OidText(attribute.Take(der::kOid, "the type of a name's part").content);
      if (!der::StringText(attribute.Next())) {
        Fail("a name has a part that is not a string");
      }
    }
  }
}

// Returns whether the text is ASCII. A URI must also be free of blanks and control characters.
bool IsText(std::uint8_t tag, std::string_view text) {
  return std::ranges::all_of(text, [tag](char c) {
    const auto octet = static_cast<unsigned char>(c);
    return octet < 0x80 && (tag != kUri || (octet > 0x20 && octet != 0x7F));
  });
}

void RequireAltNames(std::string_view value) {
  Reader whole(value);
  for (Reader names(whole.Take(der::kSequence, "the list of names").content); !names.empty();) {
    const Element name = names.Next();
    const bool is_text = name.tag == kMail || name.tag == kDnsName || name.tag == kUri;
    if ((is_text && !IsText(name.tag, name.content)) ||
        (name.tag == kIpAddress && name.content.size() != 4 && name.content.size() != 16)) {
      Fail("one of its names is malformed");
    }
  }
}

// Key usage, basic constraints, policy mappings, policy constraints, and inhibitAnyPolicy.
constexpr std::string_view kStrict[] = {"2.5.29.15", "2.5.29.19", "2.5.29.33", "2.5.29.36",
                                        "2.5.29.54"};

void RequireExtension(const Element& extension) {
  Reader parts(extension.content);
  const std::string type = der::OidText(parts.Take(der::kOid, "an extension's type").content);
  bool critical = false;
  if (parts.PeekTag() == der::kBoolean) {
    const Element flag = parts.Next();
    der::RequireCanonical(flag.whole);
    critical = flag.content == "\xFF";
  }
  const std::string_view value = parts.Take(der::kOctetString, "an extension's value").content;
  if (critical && (type == "2.5.29.35" || type == "2.5.29.14")) {
    Fail("an identifier of a key is marked as critical");
  }
  if (std::ranges::find(kStrict, type) != std::end(kStrict)) {
    der::RequireCanonical(value);
  }
  if (type == "2.5.29.17") {
    RequireAltNames(value);
  }
}

bool IsPositive(const Element& number) {
  der::RequireCanonical(number.whole);
  return static_cast<signed char>(number.content[0]) > 0 ||
         (number.content[0] == 0 && number.content.size() > 1);
}

void RequireRsaKey(std::string_view key) {
  Reader whole(key);
  Reader numbers(whole.Take(der::kSequence, "the RSA key").content);
  const bool modulus = IsPositive(numbers.Take(der::kInteger, "the RSA key's modulus"));
  if (!modulus || !IsPositive(numbers.Take(der::kInteger, "the RSA key's exponent"))) {
    Fail("a number of its RSA key is not positive");
  }
}

void RequireKey(const Element& info, const EVP_PKEY& key) {
  Reader parts(info.content);
  Reader algorithm(parts.Take(der::kSequence, "its key's algorithm").content);
  const std::string_view bits = parts.Take(der::kBitString, "its key").content;
  algorithm.Take(der::kOid, "its key's algorithm");
  if (!bits.starts_with('\0')) {
    Fail("its key is not a whole number of bytes");
  }
  if (EVP_PKEY_is_a(&key, "RSA") == 1) {
    algorithm.Take(der::kNull, "the NULL of its RSA key's algorithm");
    RequireRsaKey(bits.substr(1));
  } else if (EVP_PKEY_is_a(&key, "EC") == 1) {
    if (!IsSupportedKey(&key)) {
      Fail("its key is on a curve that Kubernetes does not know");
    }
    if (!bits.substr(1).starts_with('\x04')) {
      Fail("the point of its key is compressed");
    }
  } else if (IsMlDsa(&key) && !algorithm.empty()) {
    Fail("its ML-DSA key has parameters");
  }
}

void RequireTimes(const X509& x509) {
  std::tm ignored{};
  if (ASN1_TIME_to_tm(X509_get0_notBefore(&x509), &ignored) != 1 ||
      ASN1_TIME_to_tm(X509_get0_notAfter(&x509), &ignored) != 1) {
    Fail("one of its dates cannot be read");
  }
}

void RequireParts(const X509& x509, std::string_view der) {
  Reader whole(der);
  Reader outer(whole.Take(der::kSequence, "the certificate").content);
  Reader fields(outer.Take(der::kSequence, "the certificate").content);
  outer.Take(der::kSequence, "the algorithm of its signature");
  if (!outer.Take(der::kBitString, "its signature").content.starts_with('\0')) {
    Fail("its signature is not a whole number of bytes");
  }
  if (fields.PeekTag() == kVersion) {
    der::RequireCanonical(fields.Next().content);
  }
  der::RequireCanonical(fields.Take(der::kInteger, "its serial number").whole);
  fields.Take(der::kSequence, "the algorithm of its signature");
  RequireName(fields.Take(der::kSequence, "its issuer"));
  fields.Take(der::kSequence, "its validity");
  RequireTimes(x509);
  RequireName(fields.Take(der::kSequence, "its subject"));
  RequireKey(fields.Take(der::kSequence, "its key"), *X509_get0_pubkey(&x509));
  while (!fields.empty()) {
    const Element field = fields.Next();
    if (field.tag == kExtensions) {
      Reader list(field.content);
      for (Reader all(list.Take(der::kSequence, "its extensions").content); !all.empty();) {
        RequireExtension(all.Take(der::kSequence, "an extension"));
      }
    }
  }
}

// Checks that OpenSSL can decode every extension that it knows. When OpenSSL parses a certificate,
// it ignores malformed extensions.
void RequireKnownExtensions(const X509& x509) {
  for (int i = 0; i < X509_get_ext_count(&x509); ++i) {
    X509_EXTENSION* extension = X509_get_ext(&x509, i);
    const X509V3_EXT_METHOD* method = X509V3_EXT_get(extension);
    if (method == nullptr || method->it == nullptr) {
      continue;
    }
    void* read = X509V3_EXT_d2i(extension);
    if (read == nullptr) {
      Fail("one of its extensions cannot be read");
    }
    ASN1_item_free(static_cast<ASN1_VALUE*>(read), ASN1_ITEM_ptr(method->it));
  }
}

void Require(X509& x509, std::string_view der) {
  if (X509_get_version(&x509) < X509_VERSION_1 || X509_get_version(&x509) > X509_VERSION_3) {
    Fail("its version is unknown");
  }
  if (ASN1_STRING_type(X509_get0_serialNumber(&x509)) == V_ASN1_NEG_INTEGER) {
    Fail("its serial number is negative");
  }
  const X509_ALGOR* algorithm = nullptr;
  X509_get0_signature(nullptr, &algorithm, &x509);
  if (X509_ALGOR_cmp(algorithm, X509_get0_tbs_sigalg(&x509)) != 0) {
    Fail("it names two algorithms for one signature");
  }
  RequireParts(x509, der);
  RequireKnownExtensions(x509);
  if ((X509_get_extension_flags(&x509) & EXFLAG_INVALID) != 0) {
    Fail("one of its extensions cannot be read, or is there twice");
  }
}

}  // namespace

std::string CertificateFlaw(X509& x509, std::string_view der) {
  try {
    Require(x509, der);
    return "";
  } catch (const base::Error& error) {
    ERR_clear_error();
    return error.message();
  }
}

}  // namespace pki
