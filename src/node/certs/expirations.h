// SPDX-License-Identifier: Apache-2.0
// Expiration dates of the certificates on disk and in kubeconfig files (reference: pki.md §6).
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "certs/renewal.h"

namespace certs {

// Absence is why a row of `certs check-expiration` has no date: there is no certificate file; the
// kubeconfig's user logs in by other means; or the file cannot be read.
enum class Absence { kMissing, kNoCertificate, kUnreadable };

// Expiration is a row of `certs check-expiration`.
struct Expiration {
  std::string name;
  std::string ca;  // name of the signing row; empty for a CA and for a row without a date
  std::optional<std::chrono::sys_seconds> expires;
  std::optional<bool> externally_managed = false;  // not set when the CA's certificate is unusable
  Absence absence = Absence::kMissing;             // counts when `expires` is not set
  std::string problem;                             // shown to the user; empty when there is none

  // IsError is true for a file that cannot be read, of this row or of its CA.
  bool IsError() const;
};

// Expirations are the rows of all certificates that kubeadm looks after.
struct Expirations {
  std::vector<Expiration> certificates;  // alphabetical
  std::vector<Expiration> authorities;   // alphabetical
};

// CollectExpirations reads all certificates. A row that cannot be read has a problem, and does not
// keep the others from being listed. A kubeconfig may name its certificate as a file.
Expirations CollectExpirations(const RenewalContext& context);

// ExpiryOf returns when a certificate expires, std::nullopt when there is none. Throws base::Error
// when its file cannot be read.
std::optional<std::chrono::sys_seconds> ExpiryOf(const Renewable& row,
                                                 const RenewalContext& context);

// ProblemsOf returns the distinct problems of the rows that are errors, or of those that are not.
enum class ProblemKind { kErrors, kRemarks };
std::vector<std::string> ProblemsOf(const Expirations& all, ProblemKind kind);

}  // namespace certs
