// SPDX-License-Identifier: Apache-2.0
#include "inventories/entries.h"

#include <fmt/core.h>

#include <set>

#include "base/error.h"
#include "base/strings.h"
#include "json/rfc3339.h"
#include "net/ip_address.h"
#include "yaml/yaml.h"

namespace inventories {
namespace {

using base::Error;
using judgement::Address;
using judgement::Machine;
using judgement::Source;

[[noreturn]] void Wrong(std::size_t index, const std::string& what) {
  throw Error(Error::Kind::kInvalid, fmt::format("entry {}: {}", index, what));
}

std::string Text(const json::Value& value, std::size_t index, std::string_view key) {
  if (!value.is_string() || value.get<std::string>().empty()) {
    Wrong(index, fmt::format("{} must be a text", key));
  }
  return value.get<std::string>();
}

Address AddressFrom(const std::string& text) {
  return {.type = net::IpAddress::Parse(text) ? "InternalIP" : "Hostname", .address = text};
}

void ReadAddresses(const json::Value& value, std::size_t index, Machine& machine) {
  if (!value.is_array()) {
    Wrong(index, "addresses must be a list");
  }
  for (const json::Value& item : value) {
    machine.addresses.push_back(AddressFrom(Text(item, index, "an address")));
  }
}

judgement::Time ReadTime(const std::string& text, std::size_t index) {
  const auto time = json::ParseRfc3339(text);
  if (!time) {
    Wrong(index, "createdAt must be a time of RFC 3339, is " + base::Quoted(text));
  }
  return std::chrono::time_point_cast<std::chrono::seconds>(*time);
}

std::string ReadKey(const std::string& text, std::size_t index) {
  constexpr std::string_view kPrefix = "sha256:";
  constexpr std::size_t kDigits = 64;
  const std::string_view digits =
      std::string_view(text).substr(text.starts_with(kPrefix) ? kPrefix.size() : text.size());
  if (digits.size() != kDigits ||
      digits.find_first_not_of("0123456789abcdef") != std::string_view::npos) {
    Wrong(index,
          "endorsementKey must be sha256: and 64 lower-case hex digits, is " + base::Quoted(text));
  }
  return text;
}

Machine ReadEntry(const json::Value& entry, std::size_t index, Source source) {
  if (!entry.is_object()) {
    Wrong(index, "must be an object with hostname and addresses");
  }
  Machine machine{.source = source, .api_group = {}, .node_ref = {}, .is_entry = true};
  for (const auto& [key, value] : entry.items()) {
    if (key == "hostname") {
      machine.name = Text(value, index, key);
    } else if (key == "addresses") {
      ReadAddresses(value, index, machine);
    } else if (key == "providerID") {
      machine.provider_id = Text(value, index, key);
    } else if (key == "createdAt" && (source == Source::kHttp || source == Source::kExec)) {
      machine.created = ReadTime(Text(value, index, key), index);
    } else if (key == "endorsementKey") {
      machine.endorsement_key = ReadKey(Text(value, index, key), index);
    } else if (key == "use") {
      const std::string use = Text(value, index, key);
      if (use != "once" && use != "standing") {
        Wrong(index, "use must be once or standing, is " + base::Quoted(use));
      }
      machine.one_time = use == "once";
    } else {
      Wrong(index, fmt::format("unknown field {}", base::Quoted(key)));
    }
  }
  if (!base::IsDns1123Subdomain(machine.name)) {
    Wrong(index, "hostname is missing or is not a node's name");
  }
  machine.addresses.push_back({.type = "InternalDNS", .address = machine.name});
  return machine;
}

}  // namespace

std::vector<Machine> ReadEntries(std::string_view text, Source source) {
  const yaml::Document document = yaml::Parse(text);
  document.duplicates.ThrowIfAny();
  return document.value.is_null() ? std::vector<Machine>() : EntriesOf(document.value, source);
}

std::vector<Machine> EntriesOf(const json::Value& list, Source source) {
  if (!list.is_array()) {
    throw Error(Error::Kind::kInvalid, "an inventory must be a list of entries");
  }
  std::vector<Machine> machines;
  std::set<std::string> names;
  for (const json::Value& entry : list) {
    machines.push_back(ReadEntry(entry, machines.size() + 1, source));
    if (!names.insert(machines.back().name).second) {
      Wrong(machines.size(), "hostname is given twice");
    }
  }
  return machines;
}

bool SameEntry(const Machine& a, const Machine& b) {
  return a.name == b.name && a.addresses == b.addresses && a.one_time == b.one_time &&
         a.created == b.created && a.provider_id == b.provider_id &&
         a.endorsement_key == b.endorsement_key;
}

}  // namespace inventories
