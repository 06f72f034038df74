// SPDX-License-Identifier: Apache-2.0
// Defects that make a certificate unreadable to the control plane. No other library may include
// this.
#pragma once

#include <string>
#include <string_view>

#include "pki/openssl.h"

namespace pki {

// Returns why Go's crypto/x509, with which Kubernetes reads certificates, refuses the certificate
// that OpenSSL has read from `der` into `x509` (RFC 5280 §4.1, §4.2). Returns "" if Go accepts the
// certificate. fuzz/request_vs_go compares this function with Go.
std::string CertificateFlaw(X509& x509, std::string_view der);

}  // namespace pki
