// SPDX-License-Identifier: Apache-2.0
// Defects that make a certificate unreadable to the control plane. No other library may include
// this header.
#pragma once

#include <string>
#include <string_view>

#include "pki/openssl.h"

namespace pki {

// Returns why Go's crypto/x509, which Kubernetes uses, refuses a certificate (RFC 5280 §4.1, §4.2).
// Returns "" if Go accepts it. `x509` is the certificate that OpenSSL has parsed from `der`.
// fuzz/request_vs_go compares this function with Go.
std::string CertificateFlaw(X509& x509, std::string_view der);

}  // namespace pki
