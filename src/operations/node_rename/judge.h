// SPDX-License-Identifier: Apache-2.0
// Judges whether a node may get another name, and creates its new Node object. Pure.
#pragma once

#include <string>
#include <vector>

#include "checks/finding.h"
#include "json/value.h"

namespace node_rename {

// The inputs of the judgement. Lists of objects may be those of the node alone, or all: the
// judgement selects again.
struct Facts {
  std::string from;  // the node's name, by its certificate
  std::string to;
  bool control_plane = false;
  // Files that set the kubelet's name and are not kubeadm's.
  std::vector<std::string> naming_files = {};
  json::Value node = {};  // the Node called `from`; null: it does not exist
  bool taken = false;     // a Node called `to` exists
  std::vector<json::Value> pods = {};
  std::vector<json::Value> volumes = {};      // PersistentVolumes
  std::vector<json::Value> attachments = {};  // VolumeAttachments
};

// Refuses any name: a node of the control plane keeps its own.
checks::Findings JudgeControlPlane(const std::string& from, const std::string& to);

// Returns all complaints about the new name, each error with its remedy, and warnings, which do not
// prevent the change.
checks::Findings Judge(const Facts& facts);

// Returns the Node to create. It has the labels, annotations, taints, Pod networks and the cordon
// of the old one. Properties that the kubelet and the cluster's controllers set themselves are left
// out.
json::Value NewNode(const json::Value& old, const std::string& to);

}  // namespace node_rename
