#include "approver/used_entries.h"

#include "base/error.h"

namespace approver {
namespace {

using base::Error;
using data::Json;

// KeyOf: host names fit into keys of a ConfigMap.
std::string KeyOf(const Machine& entry) { return entry.source + "." + entry.name; }

kube::Call CallFor(kube::Verb verb, const std::string& name_space, Json body) {
  return {.verb = verb,
          .resource = kube::resources::kConfigMap,
          .name_space = name_space,
          .name = verb == kube::Verb::kCreate ? "" : std::string(kUsedEntriesName),
          .body = std::move(body)};
}

}  // namespace

std::string RecordUse(kube::Transport& transport, const std::string& name_space,
                      const Machine& entry, const std::string& uid, const std::stop_token& stop) {
  Json map;
  try {
    map = transport.Do(CallFor(kube::Verb::kGet, name_space, {}), stop);
  } catch (const Error& error) {
    if (error.kind() != Error::Kind::kNotFound) {
      throw;
    }
    map = {{"apiVersion", "v1"},
           {"kind", "ConfigMap"},
           {"metadata", {{"name", kUsedEntriesName}, {"namespace", name_space}}},
           {"data", {{KeyOf(entry), uid}}}};
    transport.Do(CallFor(kube::Verb::kCreate, name_space, std::move(map)), stop);
    return uid;
  }
  if (const std::string before = data::TextAt(map, {"data", KeyOf(entry)}); !before.empty()) {
    return before;
  }
  map["data"][KeyOf(entry)] = uid;
  transport.Do(CallFor(kube::Verb::kUpdate, name_space, std::move(map)), stop);
  return uid;
}

}  // namespace approver
