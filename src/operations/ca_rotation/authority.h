// SPDX-License-Identifier: Apache-2.0
// Pure decisions of a rotation: the replacement of a certificate authority, or of the service
// account key, without downtime.
//
// A rotation has three steps. First every component trusts the old and the new authority. Then the
// new authority issues all certificates. Then the old authority is dropped. The facts come from
// files (place.h, holders.h) and from the cluster (record.h, node_marks.h).
#pragma once

#include <array>
#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ca_rotation {

// An authority that `certs rotate-ca` can replace. Its strings are literals.
struct Authority {
  std::string_view name;       // "kubernetes"
  std::string_view row;        // in certs::Tree: "ca"; or "sa"
  std::string_view base_name;  // in the certificates directory: "ca"
  std::string_view long_name;  // for the user
  bool on_workers = false;     // whether kubelets of workers use the authority
};
std::span<const Authority> Authorities();

// A step of a rotation. Every node completes a step before any node begins the next step.
enum class Step { kTrust, kReissue, kDrop };
inline constexpr std::array kSteps = {Step::kTrust, Step::kReissue, Step::kDrop};
std::string_view NameOf(Step step);  // "trust", "reissue", "drop"
std::optional<Step> ParseStep(std::string_view name);
// Returns the preceding step. Throws std::logic_error for the first step.
Step PreviousOf(Step step);

// A file on this node that depends on the authority. Authorities are identified by the pin of their
// public key (pki::Pin).
struct Holder {
  std::string name;                                // its path
  std::optional<std::vector<std::string>> trusts;  // pins that the file's reader trusts
  // The pin of the certificate's signer. For a key file, the pin of its authority.
  std::optional<std::string> signer;
};

// Returns the last step that all files have completed, in the rotation to the authority whose pin
// is `new_pin`. Returns std::nullopt if no step is complete.
std::optional<Step> StepDoneBy(std::span<const Holder> holders, std::string_view new_pin);

// The progress of a node in the rotation to one new authority.
struct NodeState {
  std::string name;
  bool control_plane = false;
  std::optional<Step> done;
  std::chrono::sys_seconds at = {};       // the time of completion
  std::chrono::sys_seconds created = {};  // when its Node object was created
  // True if the user excludes the node, so that no step waits for it.
  bool left_behind = false;
};

// The rotation's record in the cluster. It stays after the rotation is complete.
struct RotationRecord {
  std::string pin;           // of the new authority
  std::string pem;           // its certificate, or public key
  Step step = Step::kTrust;  // the latest step that a node has begun
};

// The facts for a decision.
struct Situation {
  const Authority* authority = nullptr;
  std::string node;  // this node
  bool control_plane = true;
  // The pin of the authority in use, which is the first one in the authority's file.
  std::string live_pin;
  std::optional<std::string> new_pin;  // of the new key pair, if stored on this node
  std::optional<RotationRecord> record;
  std::vector<Holder> holders;
  // The nodes for which steps wait. On a worker, only this node.
  std::vector<NodeState> nodes;
  std::chrono::sys_seconds now = {};
  bool again = false;  // start another rotation after a complete one
  bool early = false;  // do not wait for the replacement of tokens
};

// The next action on this node.
struct Decision {
  enum class Kind {
    kBegin,      // begin a new rotation with kTrust
    kStep,       // do `step`
    kNeedsPair,  // `step` needs the new key, which is on another node
    kWait,       // `step` must wait for the nodes `behind`
    kTooEarly,   // `step` must wait until `until`
    kFinished,   // complete on this node; the nodes `behind` have not done kDrop
    kIdle        // a worker, and no rotation has begun
  } kind = Kind::kStep;
  Step step = Step::kTrust;
  std::vector<std::string> behind;
  std::chrono::sys_seconds until = {};
  bool operator==(const Decision&) const = default;
};
// Decides the next action on this node.
Decision Decide(const Situation& situation);

// The state of one step on this node, according to the decision about its next action.
enum class StepState { kDone, kNext, kLater };
StepState StateOf(const Decision& decision, Step step);

// Returns the names of the nodes that have not completed the step.
std::vector<std::string> NodesBehind(const Situation& situation, Step step);

// The duration of the wait until all Pods have new tokens. Tokens have a lifetime of one hour, and
// the kubelet replaces a token after four fifths of its lifetime.
inline constexpr std::chrono::minutes kTokenPatience{70};

// The progress of a node, stored in an annotation: "reissue sha256:… 2026-01-01T00:00:00Z".
struct Mark {
  Step step = Step::kTrust;
  std::string pin;
  std::chrono::sys_seconds at = {};
  bool operator==(const Mark&) const = default;
};
std::string TextOf(const Mark& mark);
std::optional<Mark> ParseMark(std::string_view text);

}  // namespace ca_rotation
