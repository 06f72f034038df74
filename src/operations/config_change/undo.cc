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

// Undoing is one change on its way back.
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
      // Killed from here on it has cut off the change: it is not compared with its own half.
      change_.state = Change::State::kApplying;
      SaveChange(engine_.sources.host.files, change_);
      TakeBackNode(change_, engine_);
    }
    if (change_.stored) {
      GiveBackStored();
    }
    turn_.reset();
    StopKeeper(engine_.sources.host);
    // Last: a run that is killed before leaves the journal by which the same command goes on.
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

  // False where the cluster does not answer. One that a run which was cut off was replacing may
  // answer once more before it goes.
  bool TakesTurn() {
    try {
      Stored();
      TakeTurn();
      stored_ = Stored();
      return true;
    } catch (const Error& error) {
      if (error.kind() == Error::Kind::kCancelled) {
        throw;
      }
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

  // A server that does not answer writes nothing: it may be because of its keys.
  void RequireReadable() const {
    if (change_.state != Change::State::kApplying && !change_.put_back) {
      RequireSameKeysToUndo(engine_.sources.host.files, kPodsFile);
    }
  }

  void GiveBackStored() {
    const config::StoredConfig now = Stored();  // or an error: it is tried again later
    if (!turn_) {
      TakeTurn();
    }
    if (!IsStoredAsLeft(change_, now) || !IsStoredAsLeft(change_, Stored())) {
      engine_.say(
          "What the cluster stores has become another configuration since, and stays; "
          "'kubeadm config apply node' takes it over on this node");
      return;
    }
    change_.stored_as.clear();  // from here on it may be something between the two
    SaveChange(engine_.sources.host.files, change_);
    StoreBefore(change_, engine_);
  }

  Change& change_;
  const Engine& engine_;
  std::optional<Turn> turn_;
  config::StoredConfig stored_;  // when the turn was taken
};

}  // namespace

void Undo(Change change, const Engine& engine) { Undoing(change, engine).Go(); }

}  // namespace config_change
