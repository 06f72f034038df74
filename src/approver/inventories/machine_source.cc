// SPDX-License-Identifier: Apache-2.0
#include "inventories/machine_source.h"

#include <fmt/core.h>

#include "base/error.h"
#include "base/log.h"
#include "evidence/decode.h"
#include "kube/call.h"
#include "kube/informer.h"

namespace inventories {
namespace {

using base::Error;
using evidence::DecodeMachine;
using judgement::Machine;
using judgement::MachineKey;

// The interval between checks for a group that is not served yet. It is served once its CRDs are
// installed.
constexpr std::chrono::seconds kLookAgain{30};
constexpr std::chrono::seconds kAfterFailure{1};
constexpr const char* kScopeKey = "clusters";  // differs from any Machine's key, which has a slash

std::optional<json::Value> FindPath(kube::Transport& transport, const std::string& path,
                                    const std::stop_token& stop) {
  return kube::Found([&] { return json::Parse(transport.GetPath(path, stop)); });
}

}  // namespace

std::optional<MachineApi> FindMachineApi(kube::Transport& transport, const GroupVersion& wanted,
                                         const std::stop_token& stop) {
  const auto group = FindPath(transport, "/apis/" + wanted.group, stop);
  if (!group) {
    return {};
  }
  const std::string version = wanted.version.empty()
                                  ? json::TextAt(*group, {"preferredVersion", "version"})
                                  : wanted.version;
  const json::Value resources =
      FindPath(transport, fmt::format("/apis/{}/{}", wanted.group, version), stop)
          .value_or(json::Value());
  const json::Value& list = json::At(resources, {"resources"});
  for (const json::Value& resource : list.is_array() ? list : json::Value::array()) {
    const std::string name = json::TextAt(resource, {"name"});
    if (json::TextAt(resource, {"kind"}) == "Machine" && name.find('/') == std::string::npos) {
      return MachineApi{.version = version, .plural = name};
    }
  }
  base::LogWarning("{}/{} serves no Machines: give --api-group-version another version",
                   wanted.group, version);
  return {};
}

MachineSource::MachineSource(kube::Transport& transport, host::Clock& clock, Sink& sink,
                             Options options, std::function<void()> settled)
    : transport_(transport),
      clock_(clock),
      sink_(sink),
      options_(std::move(options)),
      scope_(options_.group.group, options_.cluster),
      settled_(std::move(settled)) {
  SetProblem("", "the machines are not listed yet");
}

void MachineSource::Run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    std::chrono::seconds pause = kAfterFailure;
    try {
      if (const auto api = FindMachineApi(transport_, options_.group, stop)) {
        Follow(*api, stop);
      } else {
        Settle({});  // the API may be disabled: not a failure
        pause = kLookAgain;
      }
    } catch (const std::exception& error) {
      if (!stop.stop_requested()) {
        base::LogWarning("machines of {}: {}", options_.group.group, error.what());
        Settle(error.what());
      }
    }
    clock_.Sleep(pause, stop);
  }
}

kube::Resource MachineSource::ResourceOf(const MachineApi& api) const {
  return {options_.group.group, api.version, api.plural, "Machine"};
}

// Reports the reason if the first list fails. After that, a failing watch does not invalidate the
// known objects.
void MachineSource::Follow(const MachineApi& api, const std::stop_token& stop) {
  bool listed = false;
  kube::Informer informer(transport_, clock_,
                          {.list = {.verb = kube::Verb::kList,
                                    .resource = ResourceOf(api),
                                    .name_space = options_.name_space,
                                    .watch_idle = options_.watch_idle}},
                          {.on_put = [this, &api](const json::Value& object) { Put(object, api); },
                           .on_gone = [this](const std::string& name_space,
                                             const std::string& name) { Gone(name_space, name); },
                           .on_synced =
                               [&] {
                                 listed = true;
                                 Settle({});
                               },
                           .on_error =
                               [&](const Error& error) {
                                 base::LogWarning("machines of {}: {}", options_.group.group,
                                                  error.message());
                                 if (!listed) {
                                   Settle(error.message());
                                 }
                               }});
  informer.Run(stop);
}

void MachineSource::Put(const json::Value& object, const MachineApi& api) {
  const MachineKey key{.rank = options_.rank,
                       .name_space = json::TextAt(object, {"metadata", "namespace"}),
                       .name = json::TextAt(object, {"metadata", "name"})};
  const std::string place = key.name_space + "/" + key.name;
  try {
    Machine machine = DecodeMachine(object, options_.group.group);
    machine.path = kube::PathOf({.verb = kube::Verb::kGet,
                                 .resource = ResourceOf(api),
                                 .name_space = key.name_space,
                                 .name = key.name});
    machine.resource_version = json::TextAt(object, {"metadata", "resourceVersion"});
    const bool counts = scope_.Put(machine);
    SetProblem(kScopeKey, scope_.Problem());  // before the Machine may attest
    if (counts) {
      sink_.Put(key, std::move(machine));
    } else {
      sink_.Remove(key);
    }
    SetProblem(place, {});
  } catch (const std::exception& error) {
    sink_.Remove(key);
    scope_.Remove(key.name_space, key.name);
    SetProblem(kScopeKey, scope_.Problem());
    SetProblem(place, fmt::format("machine {}: {}", place, error.what()));
  }
}

void MachineSource::Gone(const std::string& name_space, const std::string& name) {
  sink_.Remove({options_.rank, name_space, name});
  SetProblem(name_space + "/" + name, {});
  scope_.Remove(name_space, name);
  SetProblem(kScopeKey, scope_.Problem());
}

void MachineSource::Settle(const std::optional<std::string>& problem) {
  SetProblem("", problem);
  settled_();
}

void MachineSource::SetProblem(const std::string& key, const std::optional<std::string>& problem) {
  sink_.SetProblem(options_.rank, key, problem);
}

}  // namespace inventories
