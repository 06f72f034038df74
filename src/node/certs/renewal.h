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

// Renewable is a row of `certs renew`: a leaf of the tree, or the client certificate of the current
// context's user in a kubeconfig file. Its texts are literals of the tables.
struct Renewable {
  std::string_view name;               // "apiserver", "admin.conf"
  std::string_view long_name;          // for the user
  std::string_view ca;                 // the row of the tree that signs it
  const CertSpec* spec = nullptr;      // null for a kubeconfig file, which is called like `name`
  std::string_view common_name = {};   // empty: the node's name
  std::string_view organization = {};  // of a kubeconfig file; empty: none
  bool user_may_differ = false;        // users may put another user of this cluster into the file
};

// Renewables are all rows in alphabetical order. kubelet.conf is not among them: kubelets renew
// their certificates themselves.
std::span<const Renewable> Renewables();

// IsManaged: with an external etcd, its certificates are somebody else's business.
bool IsManaged(const Renewable& row, const config::ClusterConfiguration& cluster);

// RenewalContext of one command.
struct RenewalContext {
  host::Files& files;
  const config::ClusterConfiguration& cluster;
  host::fs::path kubeconfig_dir;
  std::chrono::sys_seconds start = {};  // of the process
  KeySource new_key = {};               // not needed for listing
  // This node's configuration, from which new certificates get their names; null: it is not known.
  const config::Init* node = nullptr;
  // The node as a configuration file describes it, which a file of the node confirms only in part;
  // null: there is none. Certificates that another CA signed get their names from it.
  const config::Init* given_node = nullptr;
  // Makes the new certificate's names of the old one's; not set: see Renew.
  std::function<pki::SubjectAltNames(const pki::SubjectAltNames&)> names = {};
};

// FilesOf are the files that Renew writes; the last one holds the certificate.
std::vector<host::fs::path> FilesOf(const Renewable& row, const RenewalContext& context);

// RenewalOutcome is what became of one certificate.
enum class RenewalOutcome { kRenewed, kMissing, kExternalCa };

// JudgeRenewal is what Renew would do, and throws what Renew would throw; it changes nothing. What
// the new certificate would not take from the old one is logged as a warning.
RenewalOutcome JudgeRenewal(const Renewable& row, const RenewalContext& context);

// Renew replaces key and certificate by new ones of the configured algorithm and validity. Usages
// and subject come from the tables, names from the node's configuration. Of an old certificate that
// this cluster's CA signed names and groups stay, and a common name that identifies no client. A
// warning names what differs from the old certificate. A kubeconfig file also gets all that the
// CA's file holds. Returns kMissing when there is no such file, or it is one of an external etcd's.
// Throws base::Error when the CA or the kubeconfig file cannot be used, and when a certificate that
// serves cannot be read, or is another CA's of other names, while the node's configuration is not
// known.
RenewalOutcome Renew(const Renewable& row, const RenewalContext& context);

}  // namespace certs
