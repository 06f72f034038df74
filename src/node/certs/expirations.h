// SPDX-License-Identifier: Apache-2.0
// Expiration dates of the certificates on disk and in kubeconfig files (reference: pki.md §6).
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "certs/renewal.h"

namespace certs {

// The reason why a row of `certs check-expiration` has no date. kMissing: the file does not exist.
// kNoCertificate: the kubeconfig's user does not log in with a certificate. kUnreadable: the file
// is unreadable.
enum class Absence { kMissing, kNoCertificate, kUnreadable };

// A row of `certs check-expiration`.
struct Expiration {
  std::string name;
  // The row of the CA that signs this certificate at its renewal. Empty for a CA, and for a row
  // without a date. If another CA signed the present certificate, `problem` says so.
  std::string ca;
  std::optional<std::chrono::sys_seconds> expires;
  std::optional<bool> externally_managed = false;  // not set if the CA's certificate is unusable
  Absence absence = Absence::kMissing;             // relevant if `expires` is not set
  std::string problem;                             // shown to the user; may be empty

  // Returns true if this row's file or its CA's file is unreadable.
  bool IsError() const;
};

// The rows of all certificates that kubeadm manages.
struct Expirations {
  std::vector<Expiration> certificates;  // alphabetical
  std::vector<Expiration> authorities;   // alphabetical
};

// Reads all certificates. An unreadable row has a problem, and does not block the others. A
// kubeconfig may name its certificate as a file.
Expirations CollectExpirations(const RenewalContext& context);

// Returns when a certificate expires, std::nullopt if it does not exist. Throws
// base::Error(kInvalid) if its file is unreadable.
std::optional<std::chrono::sys_seconds> ExpiryOf(const Renewable& row,
                                                 const RenewalContext& context);

// Returns the distinct problems of the rows that are errors, or of the others.
enum class ProblemKind { kErrors, kRemarks };
std::vector<std::string> ProblemsOf(const Expirations& all, ProblemKind kind);

}  // namespace certs
