// SPDX-License-Identifier: Apache-2.0
#include "config_change/undo.h"

#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/strings.h"
#include "config_change/encryption.h"
#include "config_change/traces.h"
#include "config_change/trial.h"
#include "config_change/turn.h"
#include "stored_config/fetch.h"
#include "upgrade/this_node.h"

namespace config_change {
namespace {

using base::Error;

Error Refusal(const std::vector<std::string>& reasons) {
  return {
      Error::Kind::kConflict,
      "nothing was changed: more has been changed since, which would also be taken back: " +
          base::Join(reasons, "; ") +
          ". Give the old values to 'kubeadm config apply --set' instead, after 'kubeadm config "
          "confirm' where the change is being tried"};
}

// The rollback of one change.
class Undoing {
 public:
  Undoing(Change& change, const Engine& engine) : change_(change), engine_(engine) {}

  void Go() {
    if (change_.state != Change::State::kApplying && !change_.put_back) {
      RequireNodeAsLeft();
    }
    if (IsShared() && TakesTurn()) {
      RequireStoredAsLeft();
      RequireReadable();
    }
    if (!change_.put_back) {
      // After a kill from here on the change counts as interrupted: it is not compared with its own
      // partial state.
      change_.state = Change::State::kApplying;
      SaveChange(engine_.sources.host.files, change_);
      TakeBackNode(change_, engine_);
    }
    if (change_.stored) {
      GiveBackStored();
    }
    turn_.reset();
    StopKeeper(engine_.sources.host);
    // Last: after a kill before this, the journal lets the same command continue.
    RemoveChange(engine_.sources.host.files);
  }

 private:
  void RequireNodeAsLeft() const {
    const std::vector<std::string> reasons = ChangedSince(change_, engine_.sources.host.files);
    if (!reasons.empty()) {
      throw Refusal(reasons);
    }
  }

  // Workers have no turns: their kubelets may not write the Lease.
  bool IsShared() const {
    return change_.stored ||
           upgrade::RoleOf(engine_.sources.host.files) == upgrade::Role::kControlPlane;
  }

  config::StoredConfig Stored() const {
    return stored_config::FetchStoredConfig(engine_.sources.client);
  }

  // Returns false if the cluster does not answer. An API server that an interrupted run was
  // replacing may answer once more before it stops.
  bool TakesTurn() {
    try {
      Stored();
      TakeTurn();
      stored_ = Stored();
      return true;
    } catch (const Error& error) {
      if (!change_.put_back) {
        engine_.say("The cluster does not answer; this node is put back first: " + error.message());
      }
      turn_.reset();
      return false;
    }
  }

  void TakeTurn() {
    turn_.emplace(engine_.sources.client, engine_.sources.host, change_.node.node_registration.name,
                  engine_.say);
  }

  void RequireStoredAsLeft() const {
    if (!change_.put_back && !IsStoredAsLeft(change_, stored_)) {
      throw Refusal({"the cluster's configuration has become another one"});
    }
  }

  // A server that does not answer writes no objects: its keys may be the cause.
  void RequireReadable() const {
    if (change_.state != Change::State::kApplying && !change_.put_back) {
      RequireSameKeysToUndo(engine_.sources.host.files, kPodsFile);
    }
  }

  void GiveBackStored() {
    const config::StoredConfig now = Stored();  // or an error: a later call retries
    if (!turn_) {
      TakeTurn();
    }
    if (!IsStoredAsLeft(change_, now) || !IsStoredAsLeft(change_, Stored())) {
      engine_.say(
          "What the cluster stores has become another configuration since, and stays; "
          "'kubeadm config apply node' takes it over on this node");
      return;
    }
    change_.stored_as.clear();  // from here on it may be in between
    SaveChange(engine_.sources.host.files, change_);
    StoreBefore(change_, engine_);
  }

  Change& change_;
  const Engine& engine_;
  std::optional<Turn> turn_;
  config::StoredConfig stored_;  // at the begin of the turn
};

}  // namespace

void Undo(Change change, const Engine& engine) { Undoing(change, engine).Go(); }

}  // namespace config_change
