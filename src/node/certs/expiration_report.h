// SPDX-License-Identifier: Apache-2.0
// Expiry of certificates: tables for humans, an object for programs (reference: output.md §3, §4).
#pragma once

#include <chrono>
#include <string>

#include "certs/expirations.h"
#include "json/fwd.h"

namespace certs {

// The output of `certs check-expiration`.
struct ExpirationReport {
  Expirations all;
  std::chrono::system_clock::time_point now;  // residual times count from here
};

// Returns two tables: of certificates and of authorities.
std::string TextOf(const ExpirationReport& report);

// Returns a CertificateExpirationInfo of output.kubeadm.k8s.io/v1alpha3.
json::Ordered ObjectOf(const ExpirationReport& report);

}  // namespace certs
