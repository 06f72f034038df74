// SPDX-License-Identifier: Apache-2.0
#include "controller/object_watch.h"

#include <chrono>
#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "base/utf8.h"
#include "kube/informer.h"

namespace controller {
namespace {

constexpr std::chrono::seconds kAfterFailure{1};

}  // namespace

ObjectWatch::ObjectWatch(kube::Transport& transport, host::Clock& clock, kube::Call list,
                         Events events)
    : transport_(transport), clock_(clock), list_(std::move(list)), events_(std::move(events)) {}

void ObjectWatch::Run(const std::stop_token& stop) const {
  while (!stop.stop_requested()) {
    try {
      Follow(stop);
    } catch (const std::exception& error) {
      base::LogWarning("watching {}: {}", list_.resource.resource, error.what());
      clock_.Sleep(kAfterFailure, stop);
    }
  }
}

void ObjectWatch::Follow(const std::stop_token& stop) const {
  kube::Informer informer(
      transport_, clock_, {.list = list_, .may_cut = events_.may_cut},
      {.on_put = [this](const json::Value& object) { Put(object); },
       .on_gone = [this](const std::string&, const std::string& name) { events_.gone(name); },
       .on_synced = events_.synced,
       .on_error =
           [this](const base::Error& error) {
             base::LogWarning("watching {}: {}", list_.resource.resource, error.message());
           }});
  informer.Run(stop);
}

void ObjectWatch::Put(const json::Value& object) const {
  try {
    events_.put(object);
  } catch (const std::exception& error) {
    base::LogError("one of {} cannot be read: {}", list_.resource.resource,
                   base::Visible(error.what()));
  }
}

kube::Call ListOfOne(const inventories::ConfigMapRef& map) {
  return {.verb = kube::Verb::kList,
          .resource = kube::resources::kConfigMap,
          .name_space = map.name_space,
          .field_selector = "metadata.name=" + map.name};
}

}  // namespace controller
