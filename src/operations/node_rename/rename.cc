// SPDX-License-Identifier: Apache-2.0
#include "node_rename/rename.h"

#include <fmt/core.h>

#include <array>

#include "base/error.h"
#include "base/strings.h"
#include "config/types.h"
#include "kube/wait.h"
#include "kubelet/flags.h"
#include "kubelet/service.h"
#include "kubelet_recovery/recover.h"
#include "node_objects/node.h"
#include "renewal/kubelet_certificate.h"
#include "upgrade/backup.h"

namespace node_rename {
namespace {

namespace fs = host::fs;
using base::Error;
using kubelet_recovery::Found;
using kubelet_recovery::NewCredentials;
using std::chrono::milliseconds;

constexpr const char* kOverride = "hostname-override";
// Serving certificates that name the node; the kubelet creates or requests new ones.
constexpr std::array<const char*, 3> kServing{"kubelet.crt", "kubelet.key",
                                              "kubelet-server-current.pem"};

kube::WaitOptions Waiting(const Engine& engine) {
  return {.clock = engine.host.clock,
          .most = milliseconds(500),
          .limit = engine.limit,
          .stop = engine.stop,
          .culprit = {}};
}

kubelet_recovery::Recovery RecoveryBy(const Engine& engine) {
  return {.host = engine.host, .stop = engine.stop, .say = engine.say};
}

// An administrator may request any node's certificate, and the cluster approves it.
NewCredentials Issue(const Journal& journal, const Found& found, const Engine& engine) {
  const std::string nonce = base::HexEncode(engine.host.random.Bytes(4));
  return {.pair = renewal::RequestKubeletCertificate(
              engine.client, {.subject = {.common_name = "system:node:" + journal.to,
                                          .organizations = {"system:nodes"}},
                              .name = fmt::format("rename-{}-{}", journal.to, nonce),
                              .waiting = Waiting(engine),
                              .say = engine.say}),
          .cluster = *found.config->CurrentCluster()};
}

void StopKubelet(const Engine& engine) {
  engine.say("Stopping the kubelet");
  const kubelet::ServiceResult result = kubelet::StopKubelet(engine.host);
  if (result.outcome == kubelet::ServiceResult::Outcome::kFailed) {
    throw Error("could not stop the kubelet: " + result.problem);
  }
  if (result.outcome != kubelet::ServiceResult::Outcome::kDone) {
    throw Error(
        "the kubelet is not a service of this machine's init system, and it must not run while its "
        "name changes; nothing was changed");
  }
}

// Without another setting the kubelet uses the machine's name.
void NameKubelet(const std::string& name, const Engine& engine) {
  host::Host& host = engine.host;
  config::Args flags;
  if (const auto text = host.files.Find(kubelet::kFlagsFile)) {
    kubelet::ParsedFlags parsed = kubelet::ParseFlagsFile(*text);
    flags = std::move(parsed.flags);
    for (const std::string& word : parsed.dropped) {
      engine.say(fmt::format("{} is not an argument, and leaves {}", word, kubelet::kFlagsFile));
    }
  }
  std::erase_if(flags, [](const config::Arg& flag) { return flag.name == kOverride; });
  if (name != base::ToLower(base::Trim(host.machine.Hostname()))) {
    flags.push_back({kOverride, name});
  }
  kubelet::WriteFlagsFile(host.files, flags);
}

void SetAsideServingCertificates(host::Host& host) {
  host::Files& files = host.files;
  const fs::path directory = upgrade::MakeBackupDirectory(host, "kubeadm-node-rename");
  const fs::path pki = kubelet_recovery::RotatedPair(files).parent_path();
  for (const char* name : kServing) {
    if (files.Find(pki / name)) {
      upgrade::KeepFile(files, pki / name, directory);
      files.Remove(pki / name);
    }
  }
}

std::optional<kube::NotYet> StillThere(const std::string& name, kube::Client& client) {
  const std::optional<json::Value> node = client.Find(kube::resources::kNode, "", name);
  return node ? std::optional(kube::NotYet{fmt::format("Node {} is still there", name)})
              : std::nullopt;
}

void RemoveNode(const std::string& name, const Engine& engine) {
  engine.client.Retry("", [&] {
    if (engine.client.Find(kube::resources::kNode, "", name)) {
      engine.client.Delete(kube::resources::kNode, "", name);
      engine.say(fmt::format("Node {} is deleted", name));
    }
  });
  kube::WaitUntil(
      kube::PatientProbe([&](const std::stop_token&) { return StillThere(name, engine.client); }),
      Waiting(engine));
}

// A kubelet started by a reboot may have created the Node, without the old one's properties.
void MakeNode(const json::Value& node, const Engine& engine) {
  engine.client.CreateOrMutate(kube::resources::kNode, node, [&](json::Value& existing) {
    for (const char* member : {"labels", "annotations"}) {
      for (const auto& [name, value] : json::At(node, {"metadata", member}).items()) {
        existing["metadata"][member][name] = value;
      }
    }
    for (const char* member : {"taints", "unschedulable"}) {
      if (const json::Value& value = json::At(node, {"spec", member}); !value.is_null()) {
        existing["spec"][member] = value;
      }
    }
  });
}

std::optional<kube::NotYet> NotReady(const std::string& name, kube::Client& client) {
  return node_objects::IsReady(client.Get(kube::resources::kNode, "", name))
             ? std::nullopt
             : std::optional(kube::NotYet{fmt::format("node {} is not Ready", name)});
}

// All changes to this machine while its kubelet is stopped.
void ChangeHere(const Journal& journal, Found& found, const Engine& engine) {
  const bool has_certificate = found.node == journal.to && !found.problem;
  std::optional<NewCredentials> credentials;
  if (!has_certificate) {
    credentials = Issue(journal, found, engine);
  }
  SaveJournal(engine.host.files, journal);  // first: no other service would start the kubelet again
  StopKubelet(engine);
  found.node = journal.to;
  if (credentials) {
    SetAsideServingCertificates(engine.host);
    Install(found, *credentials, RecoveryBy(engine));
  }
  NameKubelet(journal.to, engine);
}

}  // namespace

void Apply(const Journal& journal, const Engine& engine) {
  Found found = kubelet_recovery::Look(engine.host, "");
  ChangeHere(journal, found, engine);
  RemoveNode(journal.from, engine);
  MakeNode(journal.node, engine);
  Restart(found, RecoveryBy(engine));
  engine.say(fmt::format("Waiting for node {} to be Ready", journal.to));
  kube::WaitUntil(kube::PatientProbe(
                      [&](const std::stop_token&) { return NotReady(journal.to, engine.client); }),
                  Waiting(engine));
  RemoveJournal(engine.host.files);
}

}  // namespace node_rename
