// `kubeadm certs check-expiration`.
#pragma once

#include <chrono>
#include <string>

#include "certs/renewal.h"
#include "cli/command.h"
#include "host/host.h"
#include "json/value.h"

namespace kubeadm {

cli::Command CheckExpirationCommand(host::Host& host);

// ExpirationTables are the two tables for people, ExpirationObject the object for programs: a
// CertificateExpirationInfo of output.kubeadm.k8s.io/v1alpha3 (reference: output.md §3, §4).
std::string ExpirationTables(const certs::Expirations& all,
                             std::chrono::system_clock::time_point now);
json::Ordered ExpirationObject(const certs::Expirations& all,
                               std::chrono::system_clock::time_point now);

}  // namespace kubeadm
