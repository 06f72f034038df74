// SPDX-License-Identifier: Apache-2.0
#include "node_identity/rename/gather.h"

#include "base/error.h"
#include "kubelet/unit.h"
#include "node_identity/recovery/look.h"
#include "stored_config/this_node.h"

namespace node_rename {
namespace {

constexpr kube::Resource kVolume{"", "v1", "persistentvolumes", "PersistentVolume", false};
constexpr kube::Resource kAttachment{"storage.k8s.io", "v1", "volumeattachments",
                                     "VolumeAttachment", false};

}  // namespace

RenameFacts CollectHere(const host::Host& host, const std::string& to) {
  const kubelet_recovery::Found found = kubelet_recovery::CollectFound(host, "");
  if (!found.config) {
    throw base::Error(base::Error::Kind::kNotFound,
                      *found.problem +
                          ": this machine is not a node; if it was one, run "
                          "'kubeadm node recover' first");
  }
  RenameFacts facts{
      .from = found.node,
      .to = to,
      .control_plane = stored_config::RoleOf(host.files) == stored_config::Role::kControlPlane};
  const kubelet::Unit unit = kubelet::ReadUnit(host.files);
  for (const host::fs::path& file : unit.files) {
    if (host.files.Find(file).value_or("").find("--hostname-override") != std::string::npos) {
      facts.naming_files.push_back(file.string());
    }
  }
  return facts;
}

void CollectCluster(kube::Client& client, RenameFacts& facts) {
  namespace all = kube::resources;
  facts.node = client.Find({all::kNode, "", facts.from}).value_or(json::Value());
  facts.taken = client.Find({all::kNode, "", facts.to}).has_value();
  facts.pods = client.List(all::kPod, "", {.fields = "spec.nodeName=" + facts.from});
  facts.volumes = client.List(kVolume, "");
  facts.attachments = client.List(kAttachment, "");
}

}  // namespace node_rename
