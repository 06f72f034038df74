// SPDX-License-Identifier: Apache-2.0
// What makes a certificate unreadable to the control plane. No other room may include this.
#pragma once

#include <string>
#include <string_view>

#include "pki/openssl.h"

namespace pki {

// CertificateFlaw is why Go's crypto/x509, by which Kubernetes reads certificates, takes this one
// for none (RFC 5280 §4.1, §4.2), though OpenSSL has read it from `der`; "" where it does not.
// fuzz/request_vs_go holds it against Go.
std::string CertificateFlaw(X509& x509, std::string_view der);

}  // namespace pki
