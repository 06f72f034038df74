// SPDX-License-Identifier: Apache-2.0
#include "kube/dry_run.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/rows.h"
#include "base/strings.h"
#include "kube/call.h"
#include "yaml/yaml.h"

namespace kube {
namespace {

using Kind = base::Error::Kind;

struct VerbRow {
  Verb verb;
  std::string_view name;
  bool names_object;  // the report has a line with name and namespace
};

constexpr VerbRow kVerbs[] = {
    {Verb::kGet, "GET", true},        {Verb::kList, "LIST", false},
    {Verb::kCreate, "CREATE", false}, {Verb::kUpdate, "UPDATE", false},
    {Verb::kPatch, "PATCH", true},    {Verb::kDelete, "DELETE", true},
};

const VerbRow& RowOf(Verb verb) { return base::RowOf(kVerbs, verb, &VerbRow::verb); }

std::string Heading(const Call& call) {
  const VerbRow& row = RowOf(call.verb);
  const Resource& r = call.resource;
  std::string text =
      fmt::format("[dryrun] Would perform action {} on resource \"{}\" in API group \"{}/{}\"\n",
                  row.name, r.resource, r.group.empty() ? "core" : r.group, r.version);
  if (row.names_object) {
    text += fmt::format("[dryrun] Resource name \"{}\", namespace \"{}\"\n", call.name,
                        call.name_space);
  }
  return text;
}

std::string Attached(const json::Value& object) {
  return "[dryrun] Attached object:\n" + yaml::Emit(object) + "\n";
}

std::string NotReal(const Call& call) {
  return fmt::format(
      "[dryrun] Real object does not exist. Attempting to {} from followup reactors or from the "
      "fake client tracker\n",
      RowOf(call.verb).name);
}

base::Error NotFound(const Call& call) {
  return {Kind::kNotFound,
          fmt::format("{}{}{} \"{}\" not found", call.resource.resource,
                      call.resource.group.empty() ? "" : ".", call.resource.group, call.name)};
}

json::Value AnyNode(const std::string& name) {
  return {{"apiVersion", "v1"},
          {"kind", "Node"},
          {"metadata", {{"name", name}, {"labels", {{"kubernetes.io/hostname", name}}}}}};
}

// Returns whether the call is about a bootstrap token. A reported deletion shows the name of the
// object only for bootstrap tokens.
bool IsBootstrapToken(const Call& call) {
  return call.resource.resource == "secrets" && call.name_space == "kube-system" &&
         call.name.starts_with("bootstrap-token-");
}

json::Value NamedSecret(const Call& call) {
  return {{"apiVersion", "v1"},
          {"kind", "Secret"},
          {"metadata", {{"name", call.name}, {"namespace", call.name_space}}}};
}

json::Value Patched(const Call& call, const json::Value& object) {
  if (call.patch_type == "application/json-patch+json") {
    return patch::ApplyJsonPatch(object, call.body);
  }
  constexpr std::pair<std::string_view, patch::Schema> kSchemas[] = {
      {"nodes", patch::Schema::kNode},
      {"pods", patch::Schema::kPod},
      {"deployments", patch::Schema::kDeployment},
  };
  for (const auto& [resource, schema] : kSchemas) {
    if (call.patch_type == "application/strategic-merge-patch+json" &&
        resource == call.resource.resource) {
      return patch::ApplyStrategicPatch(object, call.body, schema);
    }
  }
  return patch::ApplyMergePatch(object, call.body);
}

// Matches an object's labels with "a=b,c" (only the equality and presence that we use).
bool Selected(const json::Value& object, const std::string& selector) {
  for (const std::string& term : base::Split(selector, ',')) {
    const auto equals = term.find('=');
    const json::Value& label = json::At(object, {"metadata", "labels", term.substr(0, equals)});
    const bool wanted = equals == std::string::npos || label == term.substr(equals + 1);
    if (!term.empty() && (!label.is_string() || !wanted)) {
      return false;
    }
  }
  return true;
}

}  // namespace

DryRunTransport::Key DryRunTransport::KeyOf(const Call& call) {
  return {std::string(call.resource.group), std::string(call.resource.resource), call.name_space,
          call.name};
}

json::Value DryRunTransport::Do(const Call& call, std::stop_token stop) {
  std::string report = Heading(call);
  // Prints the report when Do ends, also if the call fails.
  struct Said {
    const DryRunOptions& options;
    const std::string& text;
    ~Said() {
      if (options.log) {
        options.log(text);
      }
    }
  };
  const Said said{options_, report};
  switch (call.verb) {
    case Verb::kGet:
      return Get(call, report, stop);
    case Verb::kList:
      return List(call, report, stop);
    default:
      return Write(call, report, stop);
  }
}

json::Value DryRunTransport::Get(const Call& call, std::string& report,
                                 const std::stop_token& stop) {
  const std::scoped_lock lock(mutex_);
  const auto known = objects_.find(KeyOf(call));
  if (known != objects_.end()) {
    report += NotReal(call);
    if (known->second.is_null()) {
      throw NotFound(call);
    }
    return known->second;
  }
  auto object = AskReal(call, stop);
  if (!object && call.resource.resource != resources::kNode.resource) {
    report += NotReal(call);
  }
  if (!object) {
    object = Canned(call);
  }
  if (!object) {
    throw NotFound(call);
  }
  report += Attached(*object);
  return *std::move(object);
}

json::Value DryRunTransport::List(const Call& call, std::string& report,
                                  const std::stop_token& stop) {
  auto list = AskReal(call, stop);
  if (!list) {
    report += NotReal(call);
    list = Canned(call);
  }
  if (list) {
    report += Attached(*list);
  } else {
    list = json::Value{{"items", json::Value::array()}};
  }
  const std::scoped_lock lock(mutex_);
  for (json::Value& object : Remembered(call)) {
    (*list)["items"].push_back(std::move(object));
  }
  return *std::move(list);
}

json::Value DryRunTransport::Write(const Call& call, std::string& report,
                                   const std::stop_token& stop) {
  const std::scoped_lock lock(mutex_);
  const Key key = KeyOf(call);
  if (call.verb == Verb::kDelete || call.verb == Verb::kPatch) {
    const auto object = Lookup(call, stop);
    if (!object) {
      throw NotFound(call);
    }
    objects_[key] = call.verb == Verb::kPatch ? Patched(call, *object) : json::Value();
    if (call.verb == Verb::kPatch) {
      report += Attached(objects_[key]);
    } else if (IsBootstrapToken(call)) {
      report += Attached(NamedSecret(call));
    }
    return objects_[key];
  }
  report += Attached(call.body);
  const auto known = objects_.find(key);
  if (call.verb == Verb::kCreate && call.subresource.empty() && known != objects_.end() &&
      !known->second.is_null()) {
    throw base::Error(Kind::kAlreadyExists,
                      fmt::format("{} \"{}\" already exists", call.resource.resource, call.name));
  }
  objects_[key] = call.body;
  return call.body;
}

// Precondition: the caller, such as Write, holds the lock.
std::optional<json::Value> DryRunTransport::Lookup(const Call& call, const std::stop_token& stop) {
  const auto known = objects_.find(KeyOf(call));
  if (known != objects_.end()) {
    return known->second.is_null() ? std::nullopt : std::optional(known->second);
  }
  Call get = call;
  get.verb = Verb::kGet;
  get.body = nullptr;
  auto object = AskReal(get, stop);
  return object ? object : Canned(get);
}

std::optional<json::Value> DryRunTransport::AskReal(const Call& call, const std::stop_token& stop) {
  if (!options_.real || real_is_away_) {
    return std::nullopt;
  }
  try {
    return options_.real->Do(call, stop);
  } catch (const base::Error& error) {
    real_is_away_ = error.kind() == Kind::kUnavailable || error.kind() == Kind::kTimeout;
    return std::nullopt;
  }
}

std::optional<json::Value> DryRunTransport::Canned(const Call& call) const {
  if (options_.canned) {
    if (auto object = options_.canned(call)) {
      return object;
    }
  }
  if (call.verb == Verb::kGet && call.resource.resource == resources::kNode.resource) {
    return AnyNode(call.name);
  }
  return std::nullopt;
}

std::vector<json::Value> DryRunTransport::Remembered(const Call& call) {
  std::vector<json::Value> found;
  for (const auto& [key, object] : objects_) {
    const bool same = key.group == call.resource.group && key.resource == call.resource.resource &&
                      (call.name_space.empty() || key.name_space == call.name_space);
    if (same && !object.is_null() && Selected(object, call.label_selector)) {
      found.push_back(object);
    }
  }
  return found;
}

std::string DryRunTransport::GetPath(const std::string& path, std::stop_token stop) {
  return options_.real ? options_.real->GetPath(path, std::move(stop)) : "ok";
}

void DryRunTransport::Watch(const Call&, const std::string&, const OnEvent&, std::stop_token) {}

}  // namespace kube
