// SPDX-License-Identifier: Apache-2.0
#include "pki/request.h"

#include <fmt/core.h>
#include <openssl/err.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "base/error.h"
#include "base/strings.h"
#include "net/ip_address.h"
#include "pki/crypto.h"
#include "pki/der.h"
#include "pki/openssl.h"
#include "pki/pem_block.h"
#include "pki/pem_text.h"
#include "pki/request_key.h"

namespace pki {
namespace {

using der::Element;
using der::Reader;

constexpr std::string_view kCommonName = "2.5.4.3";
constexpr std::string_view kOrganization = "2.5.4.10";
constexpr std::string_view kExtensionRequest = "1.2.840.113549.1.9.14";
constexpr std::string_view kMicrosoftExtensionRequest = "1.3.6.1.4.1.311.2.1.14";
constexpr std::string_view kSubjectAltName = "2.5.29.17";
constexpr std::string_view kBasicConstraints = "2.5.29.19";
constexpr std::string_view kLabel = "CERTIFICATE REQUEST";

[[noreturn]] void Malformed(const std::string& what) {
  throw base::Error(base::Error::Kind::kInvalid, what);
}

// The limits of a request. A kubelet's request has one attribute, one extension, and one name for
// each of its addresses. Larger requests only cost time.
constexpr std::size_t kMostNames = 256;
constexpr std::size_t kMostParts = 32;

void RequireFew(std::size_t count, std::size_t most, std::string_view what) {
  if (count > most) {
    Malformed(fmt::format("there are more than {} {}", most, what));
  }
}

void RequireEnd(const Reader& reader, std::string_view what) {
  if (!reader.empty()) {
    Malformed(fmt::format("{} is followed by more bytes", what));
  }
}

void ReadAttributeOfName(const Element& pair, Request& request) {
  Reader parts(pair.content);
  const std::string type = der::OidText(parts.Take(der::kOid, "a name's attribute type").content);
  const std::optional<std::string> text = der::StringText(parts.Next());
  RequireEnd(parts, "a name's attribute");
  if (type == kCommonName) {
    ++request.common_names;
    if (text) {
      request.common_name = *text;
    }
  } else if (type == kOrganization) {
    ++request.organization_attributes;
    if (text) {
      request.organizations.push_back(*text);
    }
  } else {
    request.other_attributes.push_back(type);
  }
}

void ReadSubject(const Element& name, Request& request) {
  Reader sets(name.content);
  std::size_t count = 0;
  while (!sets.empty()) {
    Reader pairs(sets.Take(der::kSet, "a part of the subject").content);
    while (!pairs.empty()) {
      RequireFew(++count, kMostParts, "attributes of the subject");
      ReadAttributeOfName(pairs.Take(der::kSequence, "an attribute of the subject"), request);
    }
  }
}

std::string Ia5(std::string_view text, std::string_view kind) {
  const bool ascii =
      std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  if (!ascii) {
    Malformed(fmt::format("a {} among the alternative names is not ASCII", kind));
  }
  return std::string(text);
}

bool IsHex(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

// Refuses a URI that no program accepts (RFC 3986 §2, §3.1). The check need not be complete,
// because requests with a URI are never approved.
void CheckUri(std::string_view uri) {
  for (std::size_t i = 0; i < uri.size(); ++i) {
    const auto c = static_cast<unsigned char>(uri[i]);
    const bool bad_escape =
        uri[i] == '%' && (i + 2 >= uri.size() || !IsHex(uri[i + 1]) || !IsHex(uri[i + 2]));
    if (c < 0x20 || c == 0x7F || bad_escape) {
      Malformed("a URI among the alternative names cannot be read");
    }
  }
  const std::size_t slashes = uri.find("://");
  const std::string_view host =
      slashes == std::string_view::npos
          ? std::string_view()
          : uri.substr(slashes + 3, uri.find_first_of("/?#", slashes + 3) - slashes - 3);
  if (uri.starts_with(':') || host.find_first_of(" <>\"{}|\\^`") != std::string_view::npos ||
      host.find("..") != std::string_view::npos) {
    Malformed("a URI among the alternative names cannot be read");
  }
}

std::string_view OtherKind(std::uint8_t tag) {
  switch (tag) {
    case 0xA0:
      return "otherName";
    case 0xA3:
      return "x400Address";
    case 0xA4:
      return "directoryName";
    case 0xA5:
      return "ediPartyName";
    case 0x88:
      return "registeredID";
    default:
      return "a name of unknown kind";
  }
}

void ReadName(const Element& name, RequestNames& names) {
  switch (name.tag) {
    case 0x81:
      names.emails.push_back(Ia5(name.content, "mail address"));
      break;
    case 0x82:
      names.dns.push_back(Ia5(name.content, "DNS name"));
      break;
    case 0x86:
      names.uris.push_back(Ia5(name.content, "URI"));
      CheckUri(names.uris.back());
      break;
    case 0x87: {
      const auto address = net::IpAddress::FromBytes(name.content);
      if (!address) {
        Malformed(fmt::format("an IP address among the alternative names has {} bytes",
                              name.content.size()));
      }
      names.ips.push_back(address->Text());
      break;
    }
    default:
      names.others.emplace_back(OtherKind(name.tag));
  }
}

void ReadAltNames(std::string_view value, RequestNames& names) {
  Reader outer(value);
  Reader list(outer.Take(der::kSequence, "the list of alternative names").content);
  for (std::size_t count = 1; !list.empty(); ++count) {
    RequireFew(count, kMostNames, "alternative names");
    ReadName(list.Next(), names);
  }
  if (!outer.empty()) {
    names.others.emplace_back("bytes behind the list of alternative names");
  }
}

// Returns whether a basicConstraints value has cA TRUE (RFC 5280 §4.2.1.9).
bool IsCa(std::string_view value) {
  Reader outer(value);
  Reader parts(outer.Take(der::kSequence, "the basic constraints").content);
  return parts.PeekTag() == der::kBoolean && parts.Next().content == "\xFF";
}

void ReadExtension(const Element& extension, std::set<std::string>& seen, Request& request) {
  Reader parts(extension.content);
  const std::string oid = der::OidText(parts.Take(der::kOid, "an extension's name").content);
  const bool critical = parts.PeekTag() == der::kBoolean;
  if (critical && parts.Next().content != "\xFF") {
    Malformed("an extension says that it is not critical, which DER leaves out");
  }
  const std::string_view content = parts.Take(der::kOctetString, "an extension's value").content;
  RequireEnd(parts, "an extension's value");
  if (!seen.insert(oid).second) {
    Malformed(fmt::format("extension {} is requested twice", oid));
  }
  RequireFew(seen.size(), kMostParts, "extensions");
  if (oid == kSubjectAltName) {
    ReadAltNames(content, request.names);
  }
  // In a request with a subject, the names should not be critical (RFC 5280 §4.2.1.6).
  if (oid != kSubjectAltName || critical) {
    request.other_extensions.push_back(oid + (critical ? " (critical)" : ""));
  }
  if (oid == kBasicConstraints) {
    request.asks_for_ca = IsCa(content);
  }
}

// Reads one Extensions value. `seen` collects the OIDs of all Extensions values of the request.
void ReadExtensions(const Element& value, std::set<std::string>& seen, Request& request) {
  Reader list(value.content);
  while (!list.empty()) {
    ReadExtension(list.Take(der::kSequence, "a requested extension"), seen, request);
  }
}

// One attribute of a request: its OID and its values.
struct Attribute {
  std::string oid;
  std::vector<Element> values;
};

// Returns std::nullopt for an attribute that is not well formed.
std::optional<Attribute> ReadAttribute(const Element& whole) {
  try {
    Reader parts(whole.content);
    Attribute attribute{.oid = der::OidText(parts.Take(der::kOid, "an attribute's name").content)};
    Reader values(parts.Take(der::kSet, "an attribute's values").content);
    while (!values.empty()) {
      attribute.values.push_back(values.Next());
    }
    if (whole.tag != der::kSequence || !parts.empty() || attribute.values.empty()) {
      return {};
    }
    return attribute;
  } catch (const base::Error&) {
    return {};
  }
}

bool MentionsExtensions(const Element& attribute) {
  // Encoded OIDs. A malformed attribute that contains one of them may request extensions.
  constexpr std::string_view kRequested = "\x2A\x86\x48\x86\xF7\x0D\x01\x09\x0E";
  constexpr std::string_view kMicrosoft = "\x2B\x06\x01\x04\x01\x82\x37\x02\x01\x0E";
  constexpr std::string_view kAltName = "\x55\x1D\x11";
  return attribute.whole.find(kRequested) != std::string_view::npos ||
         attribute.whole.find(kMicrosoft) != std::string_view::npos ||
         attribute.whole.find(kAltName) != std::string_view::npos;
}

void ReadAttributes(const Element& all, Request& request) {
  der::RequireSetOrder(all.content);
  Reader list(all.content);
  std::set<std::string> seen;
  bool asked = false;
  for (std::size_t count = 1; !list.empty(); ++count) {
    RequireFew(count, kMostParts, "attributes");
    const Element whole = list.Next();
    const std::optional<Attribute> attribute = ReadAttribute(whole);
    if (!attribute) {
      request.unknown_attributes.emplace_back("damaged");
      if (MentionsExtensions(whole)) {
        request.names.others.emplace_back("a damaged attribute that speaks of extensions");
      }
      continue;
    }
    if (attribute->oid == kMicrosoftExtensionRequest) {
      request.names.others.emplace_back("Microsoft's form of requested extensions");
    }
    if (attribute->oid != kExtensionRequest || asked) {
      request.unknown_attributes.push_back(attribute->oid);
    }
    if (attribute->oid != kExtensionRequest) {
      continue;
    }
    asked = true;
    if (attribute->values.front().tag != der::kSequence) {
      Malformed("the requested extensions are not a list");
    }
    ReadExtensions(attribute->values.front(), seen, request);
    if (attribute->values.size() > 1) {
      request.names.others.emplace_back("a second list of requested extensions");
    }
  }
}

Request ReadDer(const std::string& der_text) {
  der::RequireCanonical(der_text);
  Reader text(der_text);
  Reader parts(text.Take(der::kSequence, "the request").content);
  RequireEnd(text, "the request");
  const Element info = parts.Take(der::kSequence, "what the request says");
  const Element algorithm = parts.Take(der::kSequence, "the signature's algorithm");
  const Element signature = parts.Take(der::kBitString, "the signature");
  RequireEnd(parts, "the signature");
  Reader fields(info.content);
  Request request;
  request.is_version_0 =
      fields.Take(der::kInteger, "the version").content == std::string_view("\0", 1);
  ReadSubject(fields.Take(der::kSequence, "the subject"), request);
  const Element key = fields.Take(der::kSequence, "the public key");
  ReadAttributes(fields.Take(der::kContext0Constructed, "the list of attributes"), request);
  RequireEnd(fields, "what the request says");
  const RequestSignature signing = ReadSignatureAlgorithm(algorithm);
  request.signature_text = signing.text;
  request.signature_is_strong = signing.strong;
  if (signature.content.empty() || signature.content[0] != '\0') {
    Malformed("the signature is not a whole number of bytes");
  }
  const RequestKey read = ReadRequestKey(key);
  request.key_id = base::HexEncode(Sha256(key.whole));
  request.key_text = read.text;
  request.key_is_strong = read.strong;
  request.key_only_signs = read.only_signs;
  request.signature_holds = read.known && RequestSignatureHolds(der_text);
  return request;
}

}  // namespace

std::expected<Request, RequestFault> ReadRequest(std::string_view pem) {
  using FaultKind = RequestFault::Kind;
  if (pem.size() > kMaxRequestSize) {
    return std::unexpected(RequestFault{
        FaultKind::kTooLarge,
        fmt::format("the request has {} bytes, more than {}", pem.size(), kMaxRequestSize)});
  }
  const auto block = OnlyPemBlock(pem, kLabel);
  if (!block) {
    return std::unexpected(RequestFault{
        FaultKind::kNoRequest,
        fmt::format("the request is not exactly one PEM block {}: {}", kLabel, block.error())});
  }
  try {
    return ReadDer(*block);
  } catch (const base::Error& error) {
    ERR_clear_error();
    return std::unexpected(RequestFault{FaultKind::kMalformed, error.message()});
  }
}

RequestNames AltNamesOf(const Certificate& certificate) {
  RequestNames names;
  const X509* x509 = certificate.impl().x509.get();
  for (int at = X509_get_ext_by_NID(x509, NID_subject_alt_name, -1); at >= 0;
       at = X509_get_ext_by_NID(x509, NID_subject_alt_name, at)) {
    const ASN1_OCTET_STRING* value = X509_EXTENSION_get_data(X509_get_ext(x509, at));
    ReadAltNames({reinterpret_cast<const char*>(ASN1_STRING_get0_data(value)),
                  static_cast<std::size_t>(ASN1_STRING_length(value))},
                 names);
  }
  return names;
}

std::vector<Certificate> LenientChain(std::string_view pem) {
  std::vector<Certificate> all;
  ForEachPemBlock(pem, [&](const PemBlock& block) {
    const auto* bytes = reinterpret_cast<const unsigned char*>(block.bytes.data());
    X509Ptr x509(block.label == "CERTIFICATE"
                     ? d2i_X509(nullptr, &bytes, static_cast<long>(block.bytes.size()))
                     : nullptr);
    if (x509 != nullptr && X509_get0_pubkey(x509.get()) != nullptr) {
      const Certificate found(
          std::make_shared<const Certificate::Impl>(Certificate::Impl{std::move(x509)}));
      all.push_back(found);
    }
    return true;
  });
  ERR_clear_error();
  return all;
}

}  // namespace pki
