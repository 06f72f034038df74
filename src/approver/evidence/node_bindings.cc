// SPDX-License-Identifier: Apache-2.0
#include "evidence/node_bindings.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/error.h"
#include "json/value.h"
#include "judgement/names.h"

namespace evidence {
namespace {

using base::Error;
using judgement::Contains;
using judgement::Known;
using judgement::NodeBinding;

constexpr const char* kControlPlaneLabel = "node-role.kubernetes.io/control-plane";
// The number of entries that each write checks for deleted Nodes. A write adds only one entry, so
// the map stays bounded.
constexpr int kSweep = 4;

struct Entry {
  std::string uid;  // "": reserved
  std::vector<std::string> addresses;
  bool IsReserved() const { return uid.empty(); }
};

std::string EntryText(const std::string& uid, const std::vector<std::string>& addresses) {
  return json::Compact(json::Value{{"uid", uid}, {"addresses", addresses}});
}

// Reads an entry. Throws base::Error(kInvalid) for a malformed entry, because its meaning is
// unknown.
Entry ReadEntry(const std::string& node, const json::Value& text) {
  return base::WithContext(
      fmt::format("the entry of {} in ConfigMap {}", node, kBindingsName), [&] {
        const json::Value entry = json::Parse(text.is_string() ? text.get<std::string>() : "");
        const json::Value& list = json::At(entry, {"addresses"});
        Entry read{.uid = json::TextAt(entry, {"uid"}), .addresses = {}};
        if (!json::At(entry, {"uid"}).is_string() || !list.is_array() ||
            (read.IsReserved() && list.empty()) ||
            !std::ranges::all_of(list, [](const json::Value& each) { return each.is_string(); })) {
          throw Error(Error::Kind::kInvalid, "it must have a uid and a list of addresses");
        }
        read.addresses = list.get<std::vector<std::string>>();
        return read;
      });
}

const json::Value& EntriesOf(const json::Value& map) {
  static const json::Value kNone = json::Value::object();
  const json::Value& data = json::At(map, {"data"});
  return data.is_object() ? data : kNone;
}

bool Shares(const Entry& entry, const std::vector<std::string>& ips) {
  return std::ranges::any_of(entry.addresses,
                             [&](const std::string& ip) { return Contains(ips, ip); });
}

}  // namespace

json::Value NodeBindings::ReadMap(const std::stop_token& stop) {
  try {
    return transport_.Do({.verb = kube::Verb::kGet,
                          .resource = kube::resources::kConfigMap,
                          .name_space = name_space_,
                          .name = std::string(kBindingsName)},
                         stop);
  } catch (const Error& error) {
    if (error.kind() != Error::Kind::kNotFound) {
      throw;
    }
    throw Error(Error::Kind::kNotFound,
                fmt::format("ConfigMap {0} is missing in namespace {1}, where the addresses of "
                            "nodes are kept; to start over without them: kubectl -n {1} create "
                            "configmap {0}",
                            kBindingsName, name_space_));
  }
}

NodeBindings::Live NodeBindings::ReadNode(const std::string& node, const std::stop_token& stop) {
  const auto object = kube::Found([&] {
    return transport_.Do(
        {.verb = kube::Verb::kGet, .resource = kube::resources::kNode, .name = node}, stop);
  });
  if (!object) {
    return {};
  }
  return {.uid = json::TextAt(*object, {"metadata", "uid"}),
          .control_plane = json::At(*object, {"metadata", "labels"}).contains(kControlPlaneLabel)};
}

Known<NodeBinding> NodeBindings::From(const json::Value& map, const std::string& node,
                                      const std::vector<std::string>& ips,
                                      const std::stop_token& stop) {
  const Live live = ReadNode(node, stop);
  if (live.uid.empty()) {
    return std::unexpected(fmt::format("there is no Node {}", node));
  }
  NodeBinding binding{.uid = live.uid, .control_plane = live.control_plane};
  for (const auto& [name, text] : EntriesOf(map).items()) {
    Entry entry = ReadEntry(name, text);
    if (name == node) {
      if ((entry.IsReserved() || entry.uid == live.uid) && !entry.addresses.empty()) {
        binding.reserved = entry.IsReserved();
        binding.addresses = std::move(entry.addresses);
      }
    } else if (!entry.IsReserved() && Shares(entry, ips) && ReadNode(name, stop).uid == entry.uid) {
      const auto shared = std::ranges::find_if(
          entry.addresses, [&](const std::string& ip) { return Contains(ips, ip); });
      binding.others.push_back({.name = *shared, .by = "Node " + name, .by_node = true});
    }
  }
  return binding;
}

Known<NodeBinding> NodeBindings::Read(const std::string& node, const std::vector<std::string>& ips,
                                      const std::stop_token& stop) {
  try {
    return From(ReadMap(stop), node, ips, stop);
  } catch (const Error& error) {
    return std::unexpected("the addresses bound to nodes are not known: " + error.message());
  }
}

bool NodeBindings::Bind(const std::string& node, const std::vector<std::string>& ips,
                        const NodeBinding& judged, const std::stop_token& stop) {
  const std::lock_guard lock(writing_);
  json::Value map = ReadMap(stop);
  if (From(map, node, ips, stop) != judged) {
    return false;
  }
  json::Value entries = EntriesOf(map);
  DropSomeOfGoneNodes(entries, stop);
  entries[node] = EntryText(judged.uid, judged.reserved ? *judged.addresses : ips);
  WriteMap(std::move(map), std::move(entries), stop);
  return true;
}

void NodeBindings::Reserve(const std::string& node, const std::vector<std::string>& ips,
                           const std::stop_token& stop) {
  const std::lock_guard lock(writing_);
  json::Value map = ReadMap(stop);
  json::Value entries = EntriesOf(map);
  const std::string text = EntryText("", ips);
  if (json::TextAt(entries, {node}) != text) {
    entries[node] = text;
    WriteMap(std::move(map), std::move(entries), stop);
  }
}

void NodeBindings::WriteMap(json::Value map, json::Value entries, const std::stop_token& stop) {
  map["data"] = std::move(entries);
  // The update names the resourceVersion that was read, so that it cannot overwrite a concurrent
  // write.
  transport_.Do({.verb = kube::Verb::kUpdate,
                 .resource = kube::resources::kConfigMap,
                 .name_space = name_space_,
                 .name = std::string(kBindingsName),
                 .body = std::move(map)},
                stop);
}

void NodeBindings::DropSomeOfGoneNodes(json::Value& entries, const std::stop_token& stop) {
  for (int i = 0; i < kSweep && !entries.empty(); ++i) {
    auto& object = entries.get_ref<json::Value::object_t&>();
    auto at = object.upper_bound(swept_upto_);
    at = at == object.end() ? object.begin() : at;
    swept_upto_ = at->first;
    const Entry entry = ReadEntry(at->first, at->second);
    if (!entry.IsReserved() && ReadNode(at->first, stop).uid != entry.uid) {
      object.erase(at);
    }
  }
}

}  // namespace evidence
