// SPDX-License-Identifier: Apache-2.0
// Whether a node may get another name, and the Node object that it then has. Pure.
#pragma once

#include <string>
#include <vector>

#include "checks/finding.h"
#include "json/value.h"

namespace node_rename {

// Facts are what the judgement rests on. Lists of objects hold those of the node alone, or all: who
// is meant is looked at again.
struct Facts {
  std::string from;  // the node's name, as its certificate has it
  std::string to;
  bool control_plane = false;
  // Files that give the kubelet its name and are not kubeadm's.
  std::vector<std::string> naming_files = {};
  json::Value node = {};  // the Node called `from`; null: the cluster has none
  bool taken = false;     // there is a Node called `to`
  std::vector<json::Value> pods = {};
  std::vector<json::Value> volumes = {};      // PersistentVolumes
  std::vector<json::Value> attachments = {};  // VolumeAttachments
};

// JudgeControlPlane refuses any name: a node of the control plane keeps its own.
checks::Findings JudgeControlPlane(const std::string& from, const std::string& to);

// Judge returns all that speaks against the new name, each error with what helps, and warnings that
// forbid nothing.
checks::Findings Judge(const Facts& facts);

// NewNode is the Node to be made: with the labels, annotations, taints, Pod networks and the cordon
// of the old one, less what the kubelet and the cluster's controllers say by themselves.
json::Value NewNode(const json::Value& old, const std::string& to);

}  // namespace node_rename
