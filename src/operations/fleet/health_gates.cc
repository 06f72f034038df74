// SPDX-License-Identifier: Apache-2.0
#include "fleet/health_gates.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/error.h"
#include "base/strings.h"
#include "json/value.h"
#include "kube/objects.h"

namespace fleet {
namespace {

using base::Error;
using json::Describe;

// The parts of an apiVersion; the core group has the name "".
struct GroupVersion {
  std::string_view group;
  std::string_view version;
};

GroupVersion Parse(std::string_view api_version) {
  const std::size_t slash = api_version.find('/');
  return slash == std::string_view::npos ? GroupVersion{.group = {}, .version = api_version}
                                         : GroupVersion{.group = api_version.substr(0, slash),
                                                        .version = api_version.substr(slash + 1)};
}

bool IsApiVersion(std::string_view text) {
  const GroupVersion parts = Parse(text);
  return base::IsDns1123Label(parts.version) &&
         (text == parts.version || base::IsDns1123Subdomain(parts.group));
}

std::string ConditionOf(const HealthGate& gate) {
  return gate.condition.empty() ? "Ready" : gate.condition;
}

std::string Closed(const HealthGate& gate, std::string_view why) {
  return fmt::format("{} {}{}{}: {}", gate.resource, gate.name_space,
                     gate.name_space.empty() ? "" : "/", gate.name, why);
}

std::optional<std::int64_t> NumberAt(const json::Value& object,
                                     std::initializer_list<std::string_view> path) {
  const json::Value& value = json::At(object, path);
  return value.is_number_integer() ? std::optional(value.get<std::int64_t>()) : std::nullopt;
}

std::string CollectGate(const HealthGate& gate, kube::Client& client) {
  const GroupVersion parts = Parse(gate.api_version);
  const kube::Resource resource{parts.group, parts.version, gate.resource, gate.resource,
                                !gate.name_space.empty()};
  try {
    const auto object = client.Find({resource, gate.name_space, gate.name});
    return object ? JudgeGate(gate, *object) : Closed(gate, "it does not exist");
  } catch (const Error& error) {
    if (error.kind() != Error::Kind::kForbidden) {
      throw;
    }
    return Closed(gate, error.message());
  }
}

}  // namespace

std::span<const json::Field> HealthGate::Fields() {
  static const json::Field fields[] = {
      Describe<&HealthGate::api_version>("apiVersion"), Describe<&HealthGate::resource>("resource"),
      Describe<&HealthGate::name_space>("namespace"),   Describe<&HealthGate::name>("name"),
      Describe<&HealthGate::condition>("condition"),
  };
  return fields;
}

std::string ProblemOf(const HealthGate& gate) {
  if (!IsApiVersion(gate.api_version)) {
    return fmt::format("apiVersion: {} must be such as v1 or apps/v1",
                       base::Quoted(gate.api_version));
  }
  if (!base::IsDns1123Label(gate.resource)) {
    return fmt::format("resource: {} must be a plural name such as deployments",
                       base::Quoted(gate.resource));
  }
  if (!gate.name_space.empty() && !base::IsDns1123Label(gate.name_space)) {
    return fmt::format("namespace: {} must be a DNS label", base::Quoted(gate.name_space));
  }
  return base::IsDns1123Subdomain(gate.name)
             ? ""
             : fmt::format("name: {} must be a DNS subdomain", base::Quoted(gate.name));
}

std::string JudgeGate(const HealthGate& gate, const json::Value& object) {
  const std::string type = ConditionOf(gate);
  const json::Value* condition = kube::FindCondition(object, type);
  if (condition == nullptr) {
    return Closed(gate, fmt::format("it has no condition {}", type));
  }
  const std::int64_t generation = NumberAt(object, {"metadata", "generation"}).value_or(0);
  const std::int64_t seen =
      std::min(NumberAt(object, {"status", "observedGeneration"}).value_or(generation),
               NumberAt(*condition, {"observedGeneration"}).value_or(generation));
  if (seen < generation) {
    return Closed(gate, fmt::format("its condition {} is of an older generation", type));
  }
  const std::string status = json::TextAt(*condition, {"status"});
  if (status == "True") {
    return "";
  }
  const std::string message = json::TextAt(*condition, {"message"});
  return Closed(gate,
                fmt::format("{} is {}{}{}", type, status, message.empty() ? "" : ": ", message));
}

std::string CollectClosedGate(const std::vector<HealthGate>& gates, kube::Client& client) {
  for (const HealthGate& gate : gates) {
    if (const std::string why = CollectGate(gate, client); !why.empty()) {
      return "a health gate is closed: " + why;
    }
  }
  return "";
}

}  // namespace fleet
