// SPDX-License-Identifier: Apache-2.0
// Replacement of a certificate authority, or of the key of service account tokens, without
// downtime. First every component trusts old and new, then all certificates are issued by the new
// one, then the old one is dropped. This file has the decisions; the facts come from the files
// (place.h, holders.h) and the cluster (record.h, node_marks.h).
#pragma once

#include <array>
#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ca_rotation {

// The subject of `certs rotate-ca`. Its texts are literals.
struct Authority {
  std::string_view name;       // "kubernetes"
  std::string_view row;        // of the tree of certificates: "ca"; "sa"
  std::string_view base_name;  // in the certificates directory: "ca"
  std::string_view long_name;  // for the user
  bool on_workers = false;     // their kubelets trust it, and have certificates from it
};
std::span<const Authority> Authorities();

// A step of a rotation. Each is done on every node before the next one begins on any.
enum class Step { kTrust, kReissue, kDrop };
inline constexpr std::array kSteps = {Step::kTrust, Step::kReissue, Step::kDrop};
std::string_view NameOf(Step step);  // "trust", "reissue", "drop"
std::optional<Step> ParseStep(std::string_view name);
// Returns the step before. Throws std::logic_error for the first one.
Step PreviousOf(Step step);

// A file on this node that depends on the authority. Authorities are identified by the pin of their
// public key (pki::Pin).
struct Holder {
  std::string name;                                // its path
  std::optional<std::vector<std::string>> trusts;  // the authorities that its reader trusts
  std::optional<std::string> signer;  // the signer, or for a key the authority that it belongs to
};

// Returns the last step that all of these files show to be done, for a new authority.
std::optional<Step> StepDoneBy(std::span<const Holder> holders, std::string_view new_pin);

// The progress of a node in the rotation to one new authority.
struct NodeState {
  std::string name;
  bool control_plane = false;
  std::optional<Step> done;
  std::chrono::sys_seconds at = {};       // the time of completion
  std::chrono::sys_seconds created = {};  // its Node object
  bool left_behind = false;               // by the user: no step waits for it
};

// The stored record of a rotation, also of the last complete one.
struct Record {
  std::string pin;           // of the new authority
  std::string pem;           // its certificate, or public key
  Step step = Step::kTrust;  // the last one that has begun on any node
};

// The inputs of a decision.
struct Situation {
  const Authority* authority = nullptr;
  std::string node;  // this one
  bool control_plane = true;
  std::string live_pin;                // of the authority in use here: the first in its file
  std::optional<std::string> new_pin;  // of the prepared new pair here
  std::optional<Record> record;
  std::vector<Holder> holders;
  std::vector<NodeState> nodes;  // the nodes to wait for; on a worker only itself
  std::chrono::sys_seconds now = {};
  bool again = false;  // the user requests another rotation after a complete one
  bool early = false;  // the user does not want to wait for tokens to be replaced
};

// The next action on this node.
struct Decision {
  enum class Kind {
    kBegin,      // a new rotation, with its first step
    kStep,       // this step
    kNeedsPair,  // this step, but the new authority's key is on another node
    kWait,       // this step, when the nodes `behind` have done the one before
    kTooEarly,   // this step, but not before `until`
    kFinished,   // no step here; `behind` must still do the last step
    kIdle        // none: a worker of a cluster in which no rotation has begun
  } kind = Kind::kStep;
  Step step = Step::kTrust;
  std::vector<std::string> behind;
  std::chrono::sys_seconds until = {};
  bool operator==(const Decision&) const = default;
};
Decision Decide(const Situation& situation);

// Returns the names of the nodes that have not done the step.
std::vector<std::string> NodesBehind(const Situation& situation, Step step);

// Pods get a new token after four fifths of its lifetime of an hour.
inline constexpr std::chrono::minutes kTokenPatience{70};

// The progress in a node's annotation: "reissue sha256:… 2026-01-01T00:00:00Z".
struct Mark {
  Step step = Step::kTrust;
  std::string pin;
  std::chrono::sys_seconds at = {};
  bool operator==(const Mark&) const = default;
};
std::string TextOf(const Mark& mark);
std::optional<Mark> ParseMark(std::string_view text);

}  // namespace ca_rotation
