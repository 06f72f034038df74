// SPDX-License-Identifier: Apache-2.0
#include "ca_rotation/node.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/error.h"
#include "base/strings.h"
#include "ca_rotation/holders.h"
#include "ca_rotation/node_marks.h"
#include "ca_rotation/record.h"
#include "certs/tree.h"

namespace ca_rotation {
namespace {

using base::Error;

// Excludes the nodes from the waits. Throws base::Error(kUsage) for an unknown name, because a
// mistyped name would exclude the wrong node, or none.
void LeaveBehind(const std::vector<std::string>& names, Situation& situation) {
  if (!names.empty() && !situation.control_plane) {
    throw Error(Error::Kind::kUsage,
                "--leave-behind is for nodes of the control plane: a worker waits for no other");
  }
  for (const std::string& name : names) {
    const auto node = std::ranges::find(situation.nodes, name, &NodeState::name);
    if (node == situation.nodes.end() || name == situation.node) {
      throw Error(Error::Kind::kUsage,
                  fmt::format("--leave-behind {}: {}", base::Quoted(name),
                              name == situation.node ? "this is the node itself"
                                                     : "no step waits for a node of that name"));
    }
    node->left_behind = true;
  }
}

[[noreturn]] void Refuse(const std::string& text) { throw Error(Error::Kind::kInvalid, text); }

}  // namespace

AuthorityFiles Node::place() const {
  return {.files = host.files,
          .authority = authority,
          .certs_dir = config.cluster.certificates_dir,
          .control_plane = control_plane};
}

std::chrono::sys_seconds Node::Now() const { return host.clock.NowSeconds(); }

std::chrono::milliseconds Node::RestartPatience() const {
  // The timeout allows for an interrupted run: if a run was killed during a restart of etcd, the
  // kubelet restarts the API server with increasing delays.
  constexpr std::chrono::milliseconds kUsual{240'000};
  const auto& timeouts = config.init.timeouts;
  if (!timeouts || !timeouts->kubernetes_api_call) {
    return kUsual;
  }
  return std::max(kUsual, std::chrono::duration_cast<std::chrono::milliseconds>(
                              *timeouts->kubernetes_api_call));
}

kube::WaitOptions Node::Waiting(std::chrono::milliseconds limit) const {
  return {.clock = host.clock,
          .most = std::chrono::milliseconds(500),
          .limit = limit,
          .stop = stop,
          .culprit = {}};
}

void CheckRole(const Node& node) {
  if (!node.control_plane && !node.authority.on_workers) {
    Refuse(fmt::format("workers do not use the {}: run this on the nodes of the control plane only",
                       node.authority.long_name));
  }
}

void CheckAuthority(const Node& node) {
  if (!node.control_plane) {
    return;
  }
  if (node.Rotates(certs::kEtcdCa) && node.config.cluster.etcd.external) {
    Refuse("etcd is external: its certificate authority is replaced where etcd runs");
  }
  const AuthorityFiles place = node.place();
  if (!node.host.files.Exists(place.AnchorsPath())) {
    Refuse(fmt::format("{} is missing", place.AnchorsPath().string()));
  }
  if (!node.host.files.Exists(place.KeyPath())) {
    Refuse(fmt::format("{} is missing: the {} is external and is replaced where its key is",
                       place.KeyPath().string(), node.authority.long_name));
  }
}

Situation CollectSituation(const Node& node, const RotationOptions& options) {
  kube::Client client = node.new_client();
  const AuthorityFiles place = node.place();
  Situation situation{.authority = &node.authority,
                      .node = node.name,
                      .control_plane = node.control_plane,
                      .live_pin = LiveAnchors(place).front().pin,
                      .new_pin = {},
                      .record = FindRecord(client, node.authority),
                      .holders = {},
                      .nodes = {},
                      .now = node.Now(),
                      .again = options.again,
                      .early = options.early};
  std::optional<Anchor> fresh;
  if (situation.record) {
    fresh = Anchor{.pin = situation.record->pin, .pem = situation.record->pem};
  }
  if (const auto saved = FindSaved(place, Generation::kNew)) {
    situation.new_pin = saved->pin;
  }
  situation.holders = ReadHolders(place, fresh);
  const std::string pin = fresh ? fresh->pin : "";
  situation.nodes = node.control_plane
                        ? StatesOf(client, node.authority, pin)
                        : std::vector{StateOf(client, node.name, node.authority, pin)};
  LeaveBehind(options.leave_behind, situation);
  return situation;
}

}  // namespace ca_rotation
