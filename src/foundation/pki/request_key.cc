// SPDX-License-Identifier: Apache-2.0
#include "pki/request_key.h"

#include <fmt/core.h>
#include <openssl/err.h>

#include <algorithm>

#include "base/error.h"
#include "pki/openssl.h"

namespace pki {
namespace {

[[noreturn]] void Malformed(const std::string& what) {
  ERR_clear_error();
  throw base::Error(base::Error::Kind::kInvalid, what);
}

// Curve is an elliptic curve of NIST by its OID (SEC 2, appendix A).
struct Curve {
  std::string_view oid;
  std::string_view text;
  bool strong;
};
constexpr Curve kCurves[] = {
    {"1.3.132.0.33", "ECDSA-P224", false},
    {"1.2.840.10045.3.1.7", "ECDSA-P256", true},
    {"1.3.132.0.34", "ECDSA-P384", true},
    {"1.3.132.0.35", "ECDSA-P521", true},
};

// A signature algorithm: RSA's have the parameter NULL, the others none.
struct Signing {
  std::string_view oid;
  std::string_view text;
  bool strong;
  std::uint8_t parameters;  // tag; 0 for none
};
constexpr Signing kSignings[] = {
    {"1.2.840.113549.1.1.4", "RSA-MD5", false, der::kNull},
    {"1.2.840.113549.1.1.5", "RSA-SHA1", false, der::kNull},
    {"1.2.840.113549.1.1.11", "RSA-SHA256", true, der::kNull},
    {"1.2.840.113549.1.1.12", "RSA-SHA384", true, der::kNull},
    {"1.2.840.113549.1.1.13", "RSA-SHA512", true, der::kNull},
    {"1.2.840.10045.4.1", "ECDSA-SHA1", false, 0},
    {"1.2.840.10045.4.3.2", "ECDSA-SHA256", true, 0},
    {"1.2.840.10045.4.3.3", "ECDSA-SHA384", true, 0},
    {"1.2.840.10045.4.3.4", "ECDSA-SHA512", true, 0},
    {"1.3.101.112", "Ed25519", true, 0},
    {"2.16.840.1.101.3.4.3.17", "ML-DSA-44", true, 0},
    {"2.16.840.1.101.3.4.3.18", "ML-DSA-65", true, 0},
    {"2.16.840.1.101.3.4.3.19", "ML-DSA-87", true, 0},
};

// A parameter set of ML-DSA by its OID (RFC 9881 §2).
struct ParameterSet {
  std::string_view oid;
  std::string_view text;
  std::size_t key_bytes;
};
constexpr ParameterSet kParameterSets[] = {
    {"2.16.840.1.101.3.4.3.17", "ML-DSA-44", 1312},
    {"2.16.840.1.101.3.4.3.18", "ML-DSA-65", 1952},
    {"2.16.840.1.101.3.4.3.19", "ML-DSA-87", 2592},
};

// The algorithm's whole parameters; an element with tag 0 if it has none.
struct KeyAlgorithm {
  std::string oid;
  der::Element parameters;
};

EvpPkeyPtr Decode(std::string_view whole) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(whole.data());
  return EvpPkeyPtr(d2i_PUBKEY(nullptr, &bytes, static_cast<long>(whole.size())));
}

void CheckPositive(const der::Element& number, std::string_view what) {
  const bool positive = !number.content.empty() &&
                        (static_cast<unsigned char>(number.content[0]) & 0x80U) == 0 &&
                        number.content != std::string_view("\0", 1);
  if (!positive) {
    Malformed(fmt::format("the RSA key's {} is not positive", what));
  }
}

RequestKey ReadRsa(const der::Element& key, const KeyAlgorithm& algorithm, std::string_view bits) {
  if (algorithm.parameters.tag != der::kNull || !algorithm.parameters.content.empty()) {
    Malformed("the RSA key's parameters are not NULL");
  }
  der::Reader outer(bits);
  der::Reader numbers(outer.Take(der::kSequence, "the RSA key").content);
  CheckPositive(numbers.Take(der::kInteger, "the RSA key's modulus"), "modulus");
  CheckPositive(numbers.Take(der::kInteger, "the RSA key's exponent"), "exponent");
  if (!outer.empty() || !numbers.empty()) {
    Malformed("the RSA key is followed by more bytes");
  }
  const EvpPkeyPtr decoded = Decode(key.whole);
  if (decoded == nullptr) {
    Malformed("the RSA key cannot be read");
  }
  const int size = EVP_PKEY_get_bits(decoded.get());
  return {.text = fmt::format("RSA-{}", size), .known = true, .strong = size >= 2048};
}

RequestKey ReadEcdsa(const der::Element& key, const KeyAlgorithm& algorithm,
                     std::string_view bits) {
  const std::string oid =
      algorithm.parameters.tag == der::kOid ? der::OidText(algorithm.parameters.content) : "";
  const auto* curve = std::ranges::find(kCurves, oid, &Curve::oid);
  if (curve == std::end(kCurves) || bits.empty() || bits[0] != '\x04') {
    Malformed("the ECDSA key's curve or form is not supported");
  }
  if (Decode(key.whole) == nullptr) {
    Malformed("the ECDSA key is not on its curve");
  }
  return {.text = std::string(curve->text), .known = true, .strong = curve->strong};
}

RequestKey ReadEdwards(const KeyAlgorithm& algorithm, std::string_view bits,
                       std::string_view name) {
  if (algorithm.parameters.tag != 0 || bits.size() != 32) {
    Malformed(fmt::format("the {} key has parameters, or does not have 32 bytes", name));
  }
  const bool signs = name == "Ed25519";
  return {.text = std::string(name), .known = signs, .strong = signs};
}

RequestKey ReadMlDsa(const ParameterSet& set, const KeyAlgorithm& algorithm,
                     std::string_view bits) {
  if (algorithm.parameters.tag != 0 || bits.size() != set.key_bytes) {
    Malformed(fmt::format("the {} key has parameters, or does not have {} bytes", set.text,
                          set.key_bytes));
  }
  return {.text = std::string(set.text), .known = true, .strong = true, .only_signs = true};
}

}  // namespace

RequestKey ReadRequestKey(const der::Element& key) {
  der::Reader parts(key.content);
  der::Reader names(parts.Take(der::kSequence, "the key's algorithm").content);
  KeyAlgorithm algorithm{.oid = der::OidText(names.Take(der::kOid, "the key's algorithm").content),
                         .parameters = {}};
  if (!names.empty()) {
    algorithm.parameters = names.Next();
  }
  const std::string_view padded = parts.Take(der::kBitString, "the key").content;
  if (!parts.empty() || !names.empty() || padded.empty()) {
    Malformed("the public key is followed by more bytes or empty");
  }
  const std::string_view bits = padded.substr(1);
  if (algorithm.oid == "1.2.840.113549.1.1.1") {
    return ReadRsa(key, algorithm, bits);
  }
  if (algorithm.oid == "1.2.840.10045.2.1") {
    return ReadEcdsa(key, algorithm, bits);
  }
  const auto* set = std::ranges::find(kParameterSets, algorithm.oid, &ParameterSet::oid);
  if (set != std::end(kParameterSets)) {
    return ReadMlDsa(*set, algorithm, bits);
  }
  if (algorithm.oid == "1.3.101.112") {
    return ReadEdwards(algorithm, bits, "Ed25519");
  }
  if (algorithm.oid == "1.3.101.110") {
    return ReadEdwards(algorithm, bits, "X25519");
  }
  if (algorithm.oid == "1.2.840.10040.4.1") {
    if (Decode(key.whole) == nullptr) {
      Malformed("the DSA key cannot be read");
    }
    return {.text = "DSA"};
  }
  return {.text = algorithm.oid};
}

RequestSignature ReadSignatureAlgorithm(const der::Element& algorithm) {
  der::Reader parts(algorithm.content);
  const std::string oid = der::OidText(parts.Take(der::kOid, "the signature's algorithm").content);
  const auto* known = std::ranges::find(kSignings, oid, &Signing::oid);
  if (known == std::end(kSignings)) {
    return {.text = oid};
  }
  const std::uint8_t tag = parts.PeekTag();
  if (tag != 0) {
    parts.Next();
  }
  const bool fits = tag == known->parameters && parts.empty();
  return {.text = std::string(known->text) + (fits ? "" : " with other parameters"),
          .strong = known->strong && fits};
}

bool RequestSignatureHolds(const std::string& der_text) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(der_text.data());
  const X509ReqPtr request(d2i_X509_REQ(nullptr, &bytes, static_cast<long>(der_text.size())));
  EVP_PKEY* key = request == nullptr ? nullptr : X509_REQ_get0_pubkey(request.get());
  const bool holds = key != nullptr && X509_REQ_verify(request.get(), key) == 1;
  ERR_clear_error();
  return holds;
}

}  // namespace pki
