// SPDX-License-Identifier: Apache-2.0
#include "pki/certificate.h"

#include <fmt/core.h>
#include <openssl/err.h>

#include <algorithm>
#include <ctime>

#include "base/strings.h"
#include "net/ip_address.h"
#include "pki/certificate_flaw.h"
#include "pki/crypto.h"
#include "pki/openssl.h"
#include "pki/pem_text.h"
#include "pki/usages.h"

namespace pki {
namespace {

bool IsCertificate(const PemBlock& block) {
  return block.label == "CERTIFICATE" && !block.has_headers;
}

Certificate Decode(std::string_view der) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(der.data());
  const auto* end = bytes + der.size();
  X509Ptr x509(d2i_X509(nullptr, &bytes, static_cast<long>(der.size())));
  if (x509 == nullptr || bytes != end || X509_get0_pubkey(x509.get()) == nullptr) {
    FailOpenSsl(base::Error::Kind::kInvalid, "a certificate cannot be read");
  }
  if (const std::string flaw = CertificateFlaw(*x509, der); !flaw.empty()) {
    throw base::Error(base::Error::Kind::kInvalid,
                      fmt::format("a certificate cannot be read: {}", flaw));
  }
  return Certificate(std::make_shared<const Certificate::Impl>(Certificate::Impl{std::move(x509)}));
}

std::string TextOf(const ASN1_STRING* value) {
  unsigned char* out = nullptr;
  const int size = ASN1_STRING_to_UTF8(&out, value);
  const BytesPtr owner(out);
  return size < 0 ? "" : std::string(reinterpret_cast<const char*>(out), size);
}

std::chrono::sys_seconds TimeOf(const ASN1_TIME* value) {
  std::tm parts{};
  if (ASN1_TIME_to_tm(value, &parts) != 1) {
    FailOpenSsl(base::Error::Kind::kInvalid, "a certificate's date cannot be read");
  }
  using namespace std::chrono;
  const sys_days day = year(parts.tm_year + 1900) / month(parts.tm_mon + 1) / parts.tm_mday;
  return day + hours(parts.tm_hour) + minutes(parts.tm_min) + seconds(parts.tm_sec);
}

std::string AddressText(const ASN1_OCTET_STRING* octets) {
  const auto address =
      net::IpAddress::FromBytes({reinterpret_cast<const char*>(ASN1_STRING_get0_data(octets)),
                                 static_cast<std::size_t>(ASN1_STRING_length(octets))});
  return address ? address->Text() : "";
}

// Compares a DNS name with a pattern of RFC 6125 §6.4.3: "*" matches exactly the left-most label.
bool MatchesName(std::string_view pattern, std::string_view name) {
  const std::string wanted = base::ToLower(pattern);
  const std::string given = base::ToLower(name);
  if (wanted == given) {
    return true;
  }
  const std::size_t dot = given.find('.');
  return wanted.starts_with("*.") && dot != std::string::npos && dot > 0 &&
         wanted.substr(1) == given.substr(dot);
}

}  // namespace

Certificate Certificate::FromPem(std::string_view pem) {
  std::optional<Certificate> found;
  ForEachPemBlock(pem, [&](const PemBlock& block) {
    if (IsCertificate(block)) {
      found = Decode(block.bytes);
    }
    return !found;
  });
  if (!found) {
    throw base::Error(base::Error::Kind::kInvalid, "there is no valid certificate");
  }
  return *found;
}

std::vector<Certificate> Certificate::ChainFromPem(std::string_view pem) {
  std::vector<Certificate> chain;
  ForEachPemBlock(pem, [&](const PemBlock& block) {
    if (IsCertificate(block)) {
      chain.push_back(Decode(block.bytes));
    }
    return true;
  });
  if (chain.empty()) {
    throw base::Error(base::Error::Kind::kInvalid, "there is no valid certificate");
  }
  return chain;
}

std::string Certificate::Pem() const {
  return WritePem([&](BIO* out) { return PEM_write_bio_X509(out, impl_->x509.get()); });
}

std::string Certificate::Der() const {
  unsigned char* out = nullptr;
  const int size = i2d_X509(impl_->x509.get(), &out);
  const BytesPtr owner(out);
  Check(size > 0, "cannot encode a certificate");
  return {reinterpret_cast<const char*>(out), static_cast<std::size_t>(size)};
}

std::string Certificate::SerialHex() const {
  const BnPtr number(ASN1_INTEGER_to_BN(X509_get0_serialNumber(impl_->x509.get()), nullptr));
  Check(number != nullptr, "cannot read a serial number");
  char* text = BN_bn2hex(number.get());
  const BytesPtr owner(reinterpret_cast<unsigned char*>(text));
  return text;
}

Subject Certificate::subject() const {
  Subject subject;
  const X509_NAME* name = X509_get_subject_name(impl_->x509.get());
  for (int i = 0; i < X509_NAME_entry_count(name); ++i) {
    const X509_NAME_ENTRY* entry = X509_NAME_get_entry(name, i);
    const int nid = OBJ_obj2nid(X509_NAME_ENTRY_get_object(entry));
    if (nid == NID_commonName) {
      subject.common_name = TextOf(X509_NAME_ENTRY_get_data(entry));
    } else if (nid == NID_organizationName) {
      subject.organizations.push_back(TextOf(X509_NAME_ENTRY_get_data(entry)));
    }
  }
  return subject;
}

std::string Certificate::IssuerText() const {
  return WritePem([&](BIO* out) {
    return X509_NAME_print_ex(out, X509_get_issuer_name(impl_->x509.get()), 0,
                              XN_FLAG_RFC2253 & ~ASN1_STRFLGS_ESC_MSB) >= 0
               ? 1
               : 0;
  });
}

SubjectAltNames Certificate::alt_names() const {
  SubjectAltNames names;
  const std::unique_ptr<GENERAL_NAMES, Deleter<GENERAL_NAMES_free>> all(static_cast<GENERAL_NAMES*>(
      X509_get_ext_d2i(impl_->x509.get(), NID_subject_alt_name, nullptr, nullptr)));
  for (int i = 0; all != nullptr && i < sk_GENERAL_NAME_num(all.get()); ++i) {
    const GENERAL_NAME* name = sk_GENERAL_NAME_value(all.get(), i);
    if (name->type == GEN_DNS) {
      names.dns_names.push_back(TextOf(name->d.dNSName));
    } else if (name->type == GEN_IPADD) {
      names.ip_addresses.push_back(AddressText(name->d.iPAddress));
    }
  }
  ERR_clear_error();
  return names;
}

std::vector<ExtendedKeyUsage> Certificate::usages() const {
  std::vector<ExtendedKeyUsage> usages;
  const std::unique_ptr<EXTENDED_KEY_USAGE, Deleter<EXTENDED_KEY_USAGE_free>> all(
      static_cast<EXTENDED_KEY_USAGE*>(
          X509_get_ext_d2i(impl_->x509.get(), NID_ext_key_usage, nullptr, nullptr)));
  for (int i = 0; all != nullptr && i < sk_ASN1_OBJECT_num(all.get()); ++i) {
    const int nid = OBJ_obj2nid(sk_ASN1_OBJECT_value(all.get(), i));
    const auto* row = std::ranges::find(kUsages, nid, &UsageRow::nid);
    if (row != std::end(kUsages)) {
      usages.push_back(row->usage);
    }
  }
  ERR_clear_error();
  return usages;
}

bool Certificate::is_ca() const {
  return (X509_get_extension_flags(impl_->x509.get()) & EXFLAG_CA) != 0;
}

std::chrono::sys_seconds Certificate::not_before() const {
  return TimeOf(X509_get0_notBefore(impl_->x509.get()));
}

std::chrono::sys_seconds Certificate::not_after() const {
  return TimeOf(X509_get0_notAfter(impl_->x509.get()));
}

PublicKey Certificate::public_key() const {
  EvpPkeyPtr key(X509_get_pubkey(impl_->x509.get()));
  return PublicKey(std::make_shared<const PublicKey::Impl>(PublicKey::Impl{std::move(key)}));
}

bool Certificate::operator==(const Certificate& other) const { return Der() == other.Der(); }

bool Certificate::CoversName(std::string_view dns_name_or_ip) const {
  const SubjectAltNames names = alt_names();
  if (const auto address = net::IpAddress::Parse(dns_name_or_ip)) {
    return std::ranges::contains(names.ip_addresses, address->Text());
  }
  return std::ranges::any_of(names.dns_names, [&](const std::string& pattern) {
    return MatchesName(pattern, dns_name_or_ip);
  });
}

std::string Pin(const Certificate& certificate) {
  return "sha256:" + base::HexEncode(Sha256(certificate.public_key().Der()));
}

}  // namespace pki
