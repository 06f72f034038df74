// What the controller watches, and what a change sets in motion.
#include <fmt/core.h>

#include "approver/controller.h"
#include "approver/inventory.h"
#include "approver/objects.h"
#include "base/error.h"
#include "base/log.h"
#include "base/utf8.h"
#include "kube/wait.h"

namespace approver {
namespace {

using base::Error;

constexpr std::chrono::seconds kLookAtFile{5};
constexpr const char* kBundleKey = "ca-bundle.crt";

kube::Call ListOf(const kube::Resource& resource, std::string field_selector = "",
                  std::string_view name_space = "") {
  return {.verb = kube::Verb::kList,
          .resource = resource,
          .name_space = std::string(name_space),
          .field_selector = std::move(field_selector)};
}

}  // namespace

void Controller::PutCsr(const json::Value& csr) {
  const bool tokens = settings_.policy.bootstrap_tokens;
  const std::string node = in_flight_.Put(csr, tokens);
  Store::Names names = store_.PutCsr(csr, tokens);
  names.merge(store_.PendingOf(node));
  Requeue(names);
}

std::vector<Controller::Watched> Controller::Watches() {
  std::vector<Watched> all;
  for (const char* signer :
       {"kubernetes.io/kube-apiserver-client-kubelet", "kubernetes.io/kubelet-serving"}) {
    all.push_back({.list = ListOf(kube::resources::kCsr, std::string("spec.signerName=") + signer),
                   .put = [this](const json::Value& csr) { PutCsr(csr); },
                   .gone = [this](const std::string&, const std::string& name) { RemoveCsr(name); },
                   .needed = true});
  }
  all.push_back({.list = ListOf(kube::resources::kNode),
                 .put = [this](const json::Value& node) { Requeue(store_.PutNode(node)); },
                 .gone = [this](const std::string&,
                                const std::string& name) { Requeue(store_.RemoveNode(name)); },
                 .needed = true});
  if (const ConfigMapRef& ca = settings_.renewal_ca; !ca.name.empty()) {
    all.push_back(
        {.list = ListOf(kube::resources::kConfigMap, "metadata.name=" + ca.name, ca.name_space),
         .put =
             [this](const json::Value& map) {
               Requeue(store_.SetBundle(json::TextAt(map, {"data", kBundleKey})));
             },
         .gone = [this](const std::string&,
                        const std::string&) { Requeue(store_.SetBundle("")); }});
  }
  if (const auto& inventory = settings_.inventories; !inventory.config_map_name.empty()) {
    all.push_back(
        {.list = ListOf(kube::resources::kConfigMap, "metadata.name=" + inventory.config_map_name,
                        inventory.config_map_namespace),
         .put =
             [this](const json::Value& map) {
               TakeEntries(json::TextAt(map, {"data", "inventory.yaml"}), "configmap");
             },
         .gone = [this](const std::string&, const std::string&) { ForgetEntries("configmap"); }});
  }
  return all;
}

void Controller::RemoveCsr(const std::string& name) {
  store_.RemoveCsr(name);
  quick_.Drop(name);
  {
    const std::lock_guard lock(mutex_);
    held_.erase(name);
  }
  Requeue(store_.PendingOf(in_flight_.Remove(name)));
}

void Controller::Watch(const Watched& watched, std::atomic<bool>& synced,
                       const std::stop_token& stop) {
  const std::string_view what = watched.list.resource.resource;
  // What cannot be taken in is not known, so that nobody is vouched for by it; the others go on.
  const auto put = [&](const json::Value& object) {
    try {
      watched.put(object);
    } catch (const std::exception& error) {
      base::LogError("one of {} cannot be read: {}", what, base::Visible(error.what()));
    }
  };
  while (!stop.stop_requested()) {
    try {
      kube::Call list = watched.list;
      list.watch_idle = settings_.watch_idle;
      kube::Informer informer(*clusters_.workload, {.list = std::move(list)},
                              {.on_put = put,
                               .on_gone = watched.gone,
                               .on_synced = [&] { synced = true; },
                               .on_error =
                                   [&](const Error& error) {
                                     base::LogWarning("watching {}: {}", what, error.message());
                                   }});
      informer.Run(stop);
    } catch (const std::exception& error) {
      base::LogWarning("watching {}: {}", what, error.what());
      kube::Pause(std::chrono::seconds(1), stop);
    }
  }
}

void Controller::StartWatches(Crew& crew) {
  for (std::size_t i = 0; i < watches_.size(); ++i) {
    crew.Add("watching",
             [this, i](const std::stop_token& stop) { Watch(watches_[i], *synced_[i], stop); });
  }
  for (const auto& source : sources_) {
    crew.Add("machines", [&source](const std::stop_token& stop) { source->Run(stop); });
  }
  for (const std::string& name : settings_.inventories.nodes_allowed) {
    store_.PutMachine({.rank = kEntryRank, .name_space = "nodes", .name = name},
                      EntryAllowed(name));
  }
  if (!settings_.inventories.file.empty()) {
    crew.Add("inventory", [this](const std::stop_token& stop) { WatchFile(stop); });
  }
  crew.Add("events", [this](const std::stop_token& stop) { events_.Run(stop); });
}

void Controller::WatchFile(const std::stop_token& stop) {
  std::optional<std::string> before;
  do {
    try {
      std::string text = host_.files.Find(settings_.inventories.file).value_or("");
      if (text != before) {
        TakeEntries(text, "file");
        before = std::move(text);
      }
    } catch (const std::exception& error) {
      base::LogWarning("inventory {}: {}", settings_.inventories.file, error.what());
    }
  } while (kube::Pause(kLookAtFile, stop));
}

void Controller::TakeEntries(std::string_view text, const std::string& source) {
  std::vector<Machine> entries;
  try {
    entries = ReadEntries(text, source);
  } catch (const std::exception& error) {
    base::LogError("inventory {}: {}; none of its entries counts", source, error.what());
  }
  std::set<std::string> names;
  for (Machine& entry : entries) {
    names.insert(entry.name);
    const MachineKey key{.rank = kEntryRank, .name_space = source, .name = entry.name};
    Requeue(store_.PutMachine(key, std::move(entry)));
  }
  std::set<std::string> old;
  {
    const std::lock_guard lock(mutex_);
    old = std::exchange(entries_[source], names);
  }
  for (const std::string& name : old) {
    if (!names.contains(name)) {
      Requeue(store_.RemoveMachine({kEntryRank, source, name}));
    }
  }
}

void Controller::ForgetEntries(const std::string& source) { TakeEntries("", source); }

}  // namespace approver
