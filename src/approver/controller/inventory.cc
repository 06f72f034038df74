// SPDX-License-Identifier: Apache-2.0
#include "controller/inventory.h"

#include <algorithm>
#include <utility>

namespace controller {

using inventories::GroupVersion;
using inventories::MachineSource;
using inventories::WhileUnread;

Inventory::Inventory(const Settings& settings, const Clusters& clusters, host::Host& host,
                     inventories::Sink& sink, Readiness& readiness)
    : options_(settings.inventories), host_(host) {
  int rank = 0;
  for (const GroupVersion& group : options_.machines) {
    sources_.push_back(std::make_unique<MachineSource>(
        *clusters.management, host.clock, sink,
        MachineSource::Options{.group = group,
                               .name_space = options_.machine_namespace,
                               .cluster = options_.machine_cluster,
                               .rank = rank++,
                               .watch_idle = settings.watch_idle},
        readiness.Need()));
  }
  const WhileUnread unread =
      options_.nodes ? WhileUnread::kNoneAttests : WhileUnread::kOthersAttest;
  if (options_.config_map) {
    map_entries_.emplace(sink, judgement::Source::kConfigMap, unread);
    AddConfigMap(*options_.config_map, *clusters.workload, settings.watch_idle);
  }
  if (options_.file) {
    file_entries_.emplace(sink, judgement::Source::kFile, unread);
  }
  if (options_.tokens) {
    AddTokens(sink, *clusters.workload, settings.watch_idle);
  }
  for (auto& [source, query] : inventories::QueriesOf(host, options_)) {
    queried_.push_back(std::make_unique<inventories::QueriedList>(
        sink, host.clock,
        inventories::QueriedList::Options{
            .source = source, .query = std::move(query), .refresh = options_.refresh}));
  }
  for (const std::string& name : options_.nodes_allowed) {
    sink.Put({.rank = judgement::kEntryRank,
              .name_space = std::string(NameOf(judgement::Source::kNodes)),
              .name = name},
             judgement::EntryAllowed(name));
  }
}

void Inventory::AddConfigMap(const inventories::ConfigMapRef& map, kube::Transport& workload,
                             std::chrono::milliseconds idle) {
  kube::Call list = ListOfOne(map);
  list.watch_idle = idle;
  map_watch_.emplace(workload, host_.clock, std::move(list),
                     ObjectWatch::Events{
                         .put =
                             [this](const json::Value& object) {
                               map_entries_->Take(json::TextAt(object, {"data", "inventory.yaml"}));
                             },
                         .gone = [this](const std::string&) { map_entries_->Take(""); },
                         .synced = [this] { map_entries_->TakeNone(); }});
}

void Inventory::AddTokens(inventories::Sink& sink, kube::Transport& workload,
                          std::chrono::milliseconds idle) {
  tokens_.emplace(sink);
  kube::Call list = ListOfOne(inventories::IdentitiesMap());
  list.watch_idle = idle;
  const auto take = [this](const json::Value& map) {
    tokens_->Take(map);
    tokens_taken_ = true;
  };
  token_watch_.emplace(
      workload, host_.clock, std::move(list),
      ObjectWatch::Events{.put = take,
                          .gone = [take](const std::string&) { take(json::Value::object()); },
                          .synced =
                              [this] {
                                if (!tokens_taken_) {
                                  tokens_->TakeNone();
                                }
                              }});
}

bool Inventory::Confirms(const judgement::Machine& entry, const std::stop_token& stop) {
  return std::ranges::any_of(queried_, [&](const auto& list) {
    return list->source() == entry.source && list->Confirms(entry, stop);
  });
}

void Inventory::Start(ThreadGroup& group) {
  for (const auto& source : sources_) {
    group.Add("machines", [&source](const std::stop_token& stop) { source->Run(stop); });
  }
  for (const auto& list : queried_) {
    group.Add("inventory", [&list](const std::stop_token& stop) { list->Run(stop); });
  }
  if (map_watch_) {
    group.Add("inventory", [this](const std::stop_token& stop) { map_watch_->Run(stop); });
  }
  if (token_watch_) {
    group.Add("tokens", [this](const std::stop_token& stop) { token_watch_->Run(stop); });
  }
  if (options_.file) {
    group.Add("inventory", [this](const std::stop_token& stop) {
      inventories::FollowFile(host_, *options_.file, *file_entries_, stop);
    });
  }
}

}  // namespace controller
