// SPDX-License-Identifier: Apache-2.0
// Making the certificates of a control plane, or keeping what a user put in their place
// (reference: pki.md §4). Nothing that exists is ever overwritten here.
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

// KeySource hands out new keys of the configured algorithm; called from any thread.
using KeySource = std::function<pki::PrivateKey()>;

// Context of all certificates of one run. Functions that take it keep no other state, so that
// different certificates may be made at the same time, each CA before what it signs.
struct Context {
  host::Files& files;
  const config::Init& config;
  std::chrono::sys_seconds start;  // of the process
  KeySource new_key;
  PeriodLog& periods;
  SigningCas& cas;

  host::fs::path dir() const { return config.cluster.certificates_dir; }
};

// Action is what was done about one row.
enum class Action {
  kCreated,
  kReused,
  kReusedKeyless,       // a CA whose key is not here: it can check, but not sign
  kSkippedExternalEtcd  // not needed: etcd is external
};

// Outcome is what became of one certificate and its key.
struct Outcome {
  Action action = Action::kCreated;
  pki::SubjectAltNames alt_names = {};  // of a serving certificate that was created
};

// EnsureCa keeps a CA whose certificate can be read, makes one when there is neither certificate
// nor key, and throws base::Error for anything between.
Outcome EnsureCa(const CertSpec& spec, const Context& context);

// Reuse says when an existing leaf is good enough.
enum class Reuse {
  kWhenSigned,   // init: a certificate that its CA signed; key and names are not looked at
  kWhenComplete  // join: also its key can be read and it covers all names of the configuration
};

// EnsureCertificate keeps a leaf that is good enough, makes one when there is neither certificate
// nor key, and throws base::Error for anything between and when the CA cannot be used.
Outcome EnsureCertificate(const CertSpec& spec, const Context& context, Reuse reuse);

// Ensure is EnsureCa or EnsureCertificate as `init` does it, by the kind of row.
Outcome Ensure(const CertSpec& spec, const Context& context);

// EnsureServiceAccountKey keeps a key that can be read (its public half is not looked at), makes
// both files when there is none, and throws base::Error for one that cannot be read.
Outcome EnsureServiceAccountKey(const Context& context);

// TreeOutcome is one row of EnsureTree.
struct TreeOutcome {
  const CertSpec* spec = nullptr;
  Outcome outcome;
};

// EnsureTree makes all rows as `join --control-plane` does: a CA without key is fine when
// everything it signs is there and was signed by it.
std::vector<TreeOutcome> EnsureTree(const Context& context);

// KeysToDraw is how many keys Ensure of all rows and EnsureServiceAccountKey will ask for: the size
// of a KeyPool.
std::size_t KeysToDraw(const host::Files& files, const config::ClusterConfiguration& cluster);

// OrganizationsOf are the groups that a new leaf certificate gives its bearer.
std::vector<std::string> OrganizationsOf(const CertSpec& spec,
                                         const config::ClusterConfiguration& cluster);

// SpecFor is what a new certificate of that row says.
pki::CertificateSpec SpecFor(const CertSpec& spec, const Context& context);

// IsSkipped: rows of etcd are not made for an external one.
bool IsSkipped(const CertSpec& spec, const config::ClusterConfiguration& cluster);

}  // namespace certs
