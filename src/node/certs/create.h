// SPDX-License-Identifier: Apache-2.0
// Creates a control plane's certificates, and keeps those of the user (reference: pki.md §4).
// Existing files are never overwritten here.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "certs/disk.h"
#include "certs/period.h"
#include "certs/tree.h"
#include "config/types.h"
#include "host/files.h"
#include "pki/certificate.h"
#include "pki/key.h"

namespace certs {

// Provides new keys of the configured algorithm. Thread-safe.
using KeySource = std::function<pki::PrivateKey()>;

// The context of all certificates of one run. Functions that take it keep no other state, so that
// different certificates may be created concurrently, each CA before its leaves.
struct Context {
  host::Files& files;
  const config::Init& config;
  std::chrono::sys_seconds start;  // when this process started
  KeySource new_key;
  PeriodLog& periods;
  SigningCas& cas;

  host::fs::path dir() const { return config.cluster.certificates_dir; }
};

// The action on one row.
enum class Action {
  kCreated,
  kReused,
  kReusedKeyless,       // a CA whose key is not on this node: it can verify, but not sign
  kSkippedExternalEtcd  // not needed: etcd is external
};

// The result for one certificate and its key.
struct Outcome {
  Action action = Action::kCreated;
  pki::SubjectAltNames alt_names = {};  // names of a new serving certificate
};

// Keeps a CA whose certificate is readable, creates one if neither certificate nor key exists, and
// throws base::Error(kInvalid) otherwise.
Outcome EnsureCa(const CertSpec& spec, const Context& context);

// The condition for keeping an existing leaf.
enum class Reuse {
  kWhenSigned,   // init: signed by its CA; key and names are not checked
  kWhenComplete  // join: its key is also readable and it covers all names of the configuration
};

// Keeps a leaf that meets the condition, creates one if neither certificate nor key exists. Throws
// base::Error(kInvalid) otherwise, and if the CA is unusable.
Outcome EnsureCertificate(const CertSpec& spec, const Context& context, Reuse reuse);

// Calls EnsureCa or EnsureCertificate, by the kind of the row, with the rules of `init`.
Outcome Ensure(const CertSpec& spec, const Context& context);

// Keeps a readable key (its public half is not checked), creates both files if it is missing, and
// throws base::Error(kInvalid) if it is unreadable.
Outcome EnsureServiceAccountKey(const Context& context);

// One row of EnsureTree.
struct TreeOutcome {
  const CertSpec* spec = nullptr;
  Outcome outcome;
};

// Creates all rows as `join --control-plane` does: it accepts a CA without a key if every leaf of
// this CA exists and was signed by this CA.
std::vector<TreeOutcome> EnsureTree(const Context& context);

// Returns the number of keys that EnsureTree and EnsureServiceAccountKey will request. The number
// is the size of a KeyPool.
std::size_t KeysToDraw(const host::Files& files, const config::ClusterConfiguration& cluster);

// Returns the groups of a new leaf certificate's user.
std::vector<std::string> OrganizationsOf(const CertSpec& spec,
                                         const config::ClusterConfiguration& cluster);

// Returns the content of a new certificate of that row.
pki::CertificateSpec SpecFor(const CertSpec& spec, const Context& context);

// Returns true for rows of etcd with an external etcd.
bool IsSkipped(const CertSpec& spec, const config::ClusterConfiguration& cluster);

}  // namespace certs
