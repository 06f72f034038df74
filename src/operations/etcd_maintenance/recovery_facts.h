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
  std::string name;     // the peer URL if the member has no name
  std::string problem;  // why it does not answer; "" if it answers
  bool operator==(const OtherMember&) const = default;
};

// Facts about this node's member and the others.
struct RecoveryFacts {
  backup::EtcdIdentity own;  // this node's member
  std::string image;         // of its Pod
  // The version of etcd. If this node's member does not answer, the tag of its image.
  std::string version = {};
  host::fs::path data_directory;  // on the host
  host::fs::path kept;            // a new directory below data_directory, for the old data
  bool has_data = false;          // whether the directory has a member's database and log
  bool has_quorum = false;        // the members follow a leader
  // The kubeconfig file with which an API server answers. "" if none answers.
  std::string api_server = {};
  // The revision of this node's member. 0 if the member does not answer.
  std::int64_t revision = 0;
  std::vector<OtherMember> others;  // all except this node's member, by name
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
// base::Error(kInvalid), naming the journal, for a malformed journal. Throws the errors of
// LoadEtcdPod.
RecoveryFacts ResumedFacts(const engine::Journal& journal, const host::Files& files);

// Returns why this member cannot or must not become the only member; std::nullopt if it can. Pure.
std::optional<std::string> RecoveryRefusal(const RecoveryFacts& facts);

// Returns etcd's Pod from its manifest. If the manifest does not exist, returns the Pod from the
// recovery's copy of the manifest. Throws base::Error: kNotFound without either, kInvalid for
// malformed content.
json::Value LoadEtcdPod(const host::Files& files, const std::string& backup_directory);

// Returns the part of the facts that a resumed run needs.
json::Value ToJson(const RecoveryFacts& facts);

}  // namespace etcd_maintenance
