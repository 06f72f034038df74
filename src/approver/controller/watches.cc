// SPDX-License-Identifier: Apache-2.0
#include "controller/watches.h"

#include <string>
#include <string_view>
#include <utility>

#include "base/log.h"
#include "judgement/judge.h"
#include "node_identities/identities.h"

namespace controller {
namespace {

constexpr const char* kBundleKey = "ca-bundle.crt";

}  // namespace

Watches::Watches(const Settings& settings, kube::Transport& workload, host::Clock& clock,
                 Sinks sinks, Readiness& readiness)
    : workload_(workload),
      clock_(clock),
      agenda_(sinks.agenda),
      shadow_(sinks.shadow),
      readiness_(readiness),
      idle_(settings.watch_idle) {
  for (const std::string_view signer : {judgement::kClientSigner, judgement::kServingSigner}) {
    AddRequests(signer);
  }
  AddNodes();
  if (settings.renewal_ca) {
    AddBundle(*settings.renewal_ca);
  }
  if (settings.inventories.tokens && sinks.metrics != nullptr) {
    AddBlanketRule(*sinks.metrics);
  }
}

void Watches::AddRequests(std::string_view signer) {
  Add({.resource = kube::resources::kCsr,
       .field_selector = "spec.signerName=" + std::string(signer)},
      {.put =
           [this](const json::Value& csr) {
             shadow_ == nullptr ? agenda_.PutCsr(csr) : shadow_->PutCsr(csr);
           },
       .gone =
           [this](const std::string& name) {
             shadow_ == nullptr ? agenda_.RemoveCsr(name) : shadow_->RemoveCsr(name);
           },
       .synced = readiness_.Need(),
       .may_cut = true});  // any node may create any number of requests
}

void Watches::AddNodes() {
  Add({.resource = kube::resources::kNode},
      {.put = [this](const json::Value& node) { agenda_.PutNode(node); },
       .gone = [this](const std::string& name) { agenda_.RemoveNode(name); },
       .synced = readiness_.Need()});
}

void Watches::AddBlanketRule(reports::Metrics& metrics) {
  metrics.SetBlanketRule(false);
  Add({.resource = kube::resources::kClusterRoleBinding,
       .field_selector = "metadata.name=" + std::string(node_identities::kBlanketRule)},
      {.put =
           [&metrics](const json::Value&) {
             metrics.SetBlanketRule(true);
             base::LogWarning(
                 "ClusterRoleBinding {} exists: kube-controller-manager approves the requests of "
                 "unbound tokens, for any node name; delete it, or run 'kubeadm config apply --set "
                 "nodeBoundTokens.enabled=true' again",
                 node_identities::kBlanketRule);
           },
       .gone = [&metrics](const std::string&) { metrics.SetBlanketRule(false); }});
}

void Watches::AddBundle(const inventories::ConfigMapRef& ca) {
  Add(ListOfOne(ca), {.put =
                          [this](const json::Value& map) {
                            agenda_.SetBundle(json::TextAt(map, {"data", kBundleKey}));
                          },
                      .gone = [this](const std::string&) { agenda_.SetBundle(""); }});
}

void Watches::Add(kube::Call list, ObjectWatch::Events events) {
  list.verb = kube::Verb::kList;
  list.watch_idle = idle_;
  watches_.emplace_back(workload_, clock_, std::move(list), std::move(events));
}

void Watches::Start(ThreadGroup& group) const {
  for (const ObjectWatch& watch : watches_) {
    group.Add("watching", [&watch](const std::stop_token& stop) { watch.Run(stop); });
  }
}

}  // namespace controller
