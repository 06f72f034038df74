// SPDX-License-Identifier: Apache-2.0
// Renewal of certificates on disk and in kubeconfig files (reference: pki.md §6).
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "certs/create.h"
#include "config/types.h"
#include "host/files.h"

namespace certs {

// A row of `certs renew`: a leaf of the tree, or the client certificate of the current context's
// user in a kubeconfig file. Its strings are literals of the tables.
struct Renewable {
  std::string_view name;               // "apiserver", "admin.conf"
  std::string_view long_name;          // for the user
  std::string_view ca;                 // the row of the tree that signs it
  const CertSpec* spec = nullptr;      // null for a kubeconfig file named `name`
  std::string_view common_name = {};   // empty: the node's name
  std::string_view organization = {};  // of a kubeconfig file; empty: none
  bool user_may_differ = false;  // users may have put another user of this cluster into the file
};

// Returns all rows in alphabetical order. kubelet.conf is not among them: kubelets renew their
// certificates themselves.
std::span<const Renewable> Renewables();

// Returns the row of that name. Throws std::logic_error for an unknown name: the names of rows are
// literals.
const Renewable& FindRenewable(std::string_view name);

// Returns false for the certificates of an external etcd, which its operator manages.
bool IsManaged(const Renewable& row, const config::ClusterConfiguration& cluster);

// The context of one command.
struct RenewalContext {
  host::Files& files;
  const config::ClusterConfiguration& cluster;
  host::fs::path kubeconfig_dir;
  std::chrono::sys_seconds start = {};  // when this process started
  KeySource new_key = {};               // not needed for listing
  // This node's configuration, from which new certificates get their names; null: unknown.
  const config::Init* node = nullptr;
  // The node's configuration from a file of the user, of which the node's own files confirm only a
  // part. Certificates that another CA signed get their names from this configuration. Null if the
  // user gave no file.
  const config::Init* given_node = nullptr;
  // Derives the new certificate's names from the old one's; not set: see Renew.
  std::function<pki::SubjectAltNames(const pki::SubjectAltNames&)> names = {};
};

// Returns the files that Renew writes; the last one contains the certificate.
std::vector<host::fs::path> FilesOf(const Renewable& row, const RenewalContext& context);

// The result for one certificate.
enum class RenewalOutcome { kRenewed, kMissing, kExternalCa };

// Returns the result that Renew would return, and throws the errors that Renew would throw. Changes
// nothing. Warns about properties of the old certificate that the new certificate would lack.
RenewalOutcome JudgeRenewal(const Renewable& row, const RenewalContext& context);

// Replaces key and certificate by new ones of the configured algorithm and validity. Usages and
// subject come from the tables, names from the node's configuration. A certificate that this
// cluster's CA signed keeps its names, its groups, and a common name that identifies no client. A
// warning names the differences from the old certificate. A kubeconfig file also gets the whole
// content of the CA's file.
//
// Returns kMissing if the file does not exist, or belongs to an external etcd. Returns kExternalCa
// if the CA's key is not on this node, and all certificates of this CA are. Throws
// base::Error(kInvalid) if the CA or the kubeconfig file is unusable. Without the node's
// configuration it also throws kInvalid if a serving certificate is unreadable, or if another CA
// signed it for other names.
RenewalOutcome Renew(const Renewable& row, const RenewalContext& context);

}  // namespace certs
