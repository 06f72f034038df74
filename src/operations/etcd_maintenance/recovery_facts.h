// SPDX-License-Identifier: Apache-2.0
// Facts of `etcd recover` about this node and the cluster, and the decision (docs/etcd.md).
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "backup/restore.h"
#include "engine/journal.h"
#include "host/host.h"

namespace etcd_maintenance {

inline constexpr std::string_view kRecoverOperation = "etcd-recover";  // engine::Operation::name

// Another member, as this node knows it.
struct OtherMember {
  std::string name;     // its name, else its peer URL
  std::string problem;  // why it does not answer; "" if it answers
  bool operator==(const OtherMember&) const = default;
};

// Facts about this node's member and the others.
struct RecoveryFacts {
  backup::EtcdIdentity own;         // this node's member
  std::string image;                // of its Pod
  std::string version = {};         // of etcd; the tag of the image if this node's member is silent
  host::fs::path data_directory;    // on the host
  host::fs::path kept;              // a new directory in it, to which the data are moved
  bool has_data = false;            // the directory has a member's database and log
  bool has_quorum = false;          // the members follow a leader
  std::string api_server = {};      // of an API that answers; "": no answer
  std::int64_t revision = 0;        // of this node's member; 0: it does not answer
  std::vector<OtherMember> others;  // without this node's, by name
};

// Dependencies of CollectRecoveryFacts. The host must outlive the call.
struct RecoveryRequest {
  host::Host& host;
  std::vector<std::string> endpoints = {};  // as in AccessRequest
  std::stop_token stop = {};
};

// Queries the members and the API server. The members are listed by any member that answers; if
// none answers, etcd's manifest lists them. Throws base::Error: kNotFound without an etcd on this
// node, kInvalid for a malformed manifest.
RecoveryFacts CollectRecoveryFacts(const RecoveryRequest& request);

// Returns the facts of an interrupted recovery that its first run has collected. Throws
// base::Error(kInvalid), naming the journal, for a malformed journal.
RecoveryFacts ResumedFacts(const engine::Journal& journal, const host::Files& files);

// Returns why this member must not become the only one, or cannot; std::nullopt if it may. Pure.
std::optional<std::string> RecoveryRefusal(const RecoveryFacts& facts);

// Returns etcd's Pod from its manifest. If the manifest does not exist, returns the Pod from the
// recovery's copy of the manifest. Throws base::Error: kNotFound without either, kInvalid for
// malformed content.
json::Value LoadEtcdPod(const host::Files& files, const std::string& backup_directory);

// Returns the part of the facts that a resumed run needs.
json::Value ToJson(const RecoveryFacts& facts);

}  // namespace etcd_maintenance
