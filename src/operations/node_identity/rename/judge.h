// SPDX-License-Identifier: Apache-2.0
// Judges whether a node may get another name, and creates its new Node object. Pure.
#pragma once

#include <string>
#include <vector>

#include "checks/finding.h"
#include "json/value.h"

namespace node_rename {

// The facts for the judgement. The lists of objects may contain objects of other nodes, which Judge
// ignores.
struct RenameFacts {
  std::string from;  // the node's name, according to its certificate
  std::string to;
  bool control_plane = false;
  // Files that set the kubelet's name, but do not belong to kubeadm.
  std::vector<std::string> naming_files = {};
  json::Value node = {};  // the Node called `from`; null: it does not exist
  bool taken = false;     // a Node called `to` exists
  std::vector<json::Value> pods = {};
  std::vector<json::Value> volumes = {};      // PersistentVolumes
  std::vector<json::Value> attachments = {};  // VolumeAttachments
};

// Returns the finding that a control-plane node cannot be renamed.
checks::Findings JudgeControlPlane(const std::string& from, const std::string& to);

// Returns all errors about the new name, each with its remedy, and warnings. Warnings do not
// prevent the change.
checks::Findings Judge(const RenameFacts& facts);

// Returns the Node to create. Copies the labels, annotations, taints, Pod networks and the cordoned
// state of the old Node. Omits properties that the kubelet and the controllers set.
json::Value NewNode(const json::Value& old, const std::string& to);

}  // namespace node_rename
