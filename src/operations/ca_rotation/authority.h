// SPDX-License-Identifier: Apache-2.0
// Replacing a certificate authority, or the key of service account tokens, while the cluster goes
// on: everybody first trusts old and new, then everything is signed by the new one, then the old
// one is dropped. Here stands what follows from what the files (place.h, holders.h) and the
// cluster (record.h, node_marks.h) say.
#pragma once

#include <array>
#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ca_rotation {

// Authority is what `certs rotate-ca` replaces. Its texts are literals.
struct Authority {
  std::string_view name;       // "kubernetes"
  std::string_view row;        // of the tree of certificates: "ca"; "sa"
  std::string_view base_name;  // in the certificates directory: "ca"
  std::string_view long_name;  // for the user
  bool on_workers = false;     // their kubelets trust it, and have certificates from it
};
std::span<const Authority> Authorities();

// Step of a rotation. Each is done on every node before the next one begins on any.
enum class Step { kTrust, kReissue, kDrop };
inline constexpr std::array kSteps = {Step::kTrust, Step::kReissue, Step::kDrop};
std::string_view NameOf(Step step);  // "trust", "reissue", "drop"
std::optional<Step> ParseStep(std::string_view name);

// Holder is a file on this node that has to do with the authority. Authorities are named by the pin
// of their public key (pki::Pin).
struct Holder {
  std::string name;                                // its path
  std::optional<std::vector<std::string>> trusts;  // whom it makes its reader trust
  std::optional<std::string> signer;               // who signed it, or for a key whose it is
};

// StepDoneBy is the last step that all of these files show to be done, for a new authority.
std::optional<Step> StepDoneBy(std::span<const Holder> holders, std::string_view new_pin);

// NodeState is how far a node of the cluster is in the rotation to one new authority.
struct NodeState {
  std::string name;
  bool control_plane = false;
  std::optional<Step> done;
  std::chrono::sys_seconds at = {};       // when it had done it
  std::chrono::sys_seconds created = {};  // its Node object
  bool left_behind = false;               // by the user: no step waits for it
};

// Record is what the cluster keeps of a rotation, also of the last one that is over.
struct Record {
  std::string pin;           // of the new authority
  std::string pem;           // its certificate, or public key
  Step step = Step::kTrust;  // the last one that has begun somewhere
};

// Situation is all that a decision depends on.
struct Situation {
  const Authority* authority = nullptr;
  std::string node;  // this one
  bool control_plane = true;
  std::string live_pin;                // of what is in use here: the first in its file
  std::optional<std::string> new_pin;  // of the new pair that lies ready here
  std::optional<Record> record;
  std::vector<Holder> holders;
  std::vector<NodeState> nodes;  // whose turn counts; on a worker only itself
  std::chrono::sys_seconds now = {};
  bool again = false;  // the user asks for one more rotation after one that is complete
  bool early = false;  // the user does not want to wait for tokens to be replaced
};

// Decision is what comes next on this node.
struct Decision {
  enum class Kind {
    kBegin,      // a new rotation, with its first step
    kStep,       // this step
    kNeedsPair,  // this step, but the new authority's key is on another node
    kWait,       // this step, when the nodes `behind` have done the one before
    kTooEarly,   // this step, but not before `until`
    kFinished,   // nothing here; `behind` is who is still to do the last step
    kIdle        // nothing: a worker of a cluster in which no rotation has begun
  } kind = Kind::kStep;
  Step step = Step::kTrust;
  std::vector<std::string> behind;
  std::chrono::sys_seconds until = {};
  bool operator==(const Decision&) const = default;
};
Decision Decide(const Situation& situation);

// NodesBehind are the names of the nodes that have not done the step.
std::vector<std::string> NodesBehind(const Situation& situation, Step step);

// kTokenPatience: Pods get a new token when theirs has lived for four fifths of its hour.
inline constexpr std::chrono::minutes kTokenPatience{70};

// Mark is what a node's annotation says of its progress: "reissue sha256:… 2026-01-01T00:00:00Z".
struct Mark {
  Step step = Step::kTrust;
  std::string pin;
  std::chrono::sys_seconds at = {};
  bool operator==(const Mark&) const = default;
};
std::string TextOf(const Mark& mark);
std::optional<Mark> ParseMark(std::string_view text);

}  // namespace ca_rotation
