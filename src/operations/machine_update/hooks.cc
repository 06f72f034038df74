// SPDX-License-Identifier: Apache-2.0
#include "machine_update/hooks.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "base/strings.h"
#include "json/value.h"
#include "machine_update/rules.h"
#include "machine_update/updated_machine.h"

namespace machine_update {
namespace {

using base::Error;

constexpr std::string_view kApiVersion = "hooks.runtime.cluster.x-k8s.io/v1alpha1";
constexpr std::string_view kDiscovery = "Discovery";
constexpr int kRetrySeconds = 5;     // between two calls of UpdateMachine
constexpr int kTimeoutSeconds = 30;  // the largest that Cluster API allows
constexpr int kMalformed = 400;
constexpr int kUnknownPath = 404;
constexpr int kWrongMethod = 405;

// A hook, and the name of its handler, which ends the path of its requests.
struct HookHandler {
  std::string_view hook;
  std::string_view name;
};
constexpr std::array kHandlers = {HookHandler{"CanUpdateMachine", "can-update-machine"},
                                  HookHandler{"CanUpdateMachineSet", "can-update-machine-set"},
                                  HookHandler{"UpdateMachine", "update-machine"}};

// Returns the path of a hook's requests. The name is "" for Discovery.
std::string PathOf(const HookHandler& handler) {
  const std::string path =
      fmt::format("/{}/{}", kApiVersion, base::ToLower(std::string(handler.hook)));
  return handler.name.empty() ? path : fmt::format("{}/{}", path, handler.name);
}

http::ServerReply TextReply(int status, std::string text) {
  return {.status = status, .body = std::move(text) + "\n"};
}

json::Value Success(std::string message = "") {
  return {{"status", "Success"}, {"message", std::move(message)}};
}

json::Value Failure(std::string message) {
  return {{"status", "Failure"}, {"message", std::move(message)}};
}

json::Value Discovery() {
  json::Value handlers = json::Value::array();
  for (const HookHandler& handler : kHandlers) {
    handlers.push_back({{"name", handler.name},
                        {"requestHook", {{"apiVersion", kApiVersion}, {"hook", handler.hook}}},
                        {"timeoutSeconds", kTimeoutSeconds},
                        {"failurePolicy", "Fail"}});
  }
  json::Value response = Success();
  response["handlers"] = std::move(handlers);
  return response;
}

// Throws base::Error(kInvalid) if an object of the request is missing or has another kind.
void RequireKind(const json::Value& object, std::string_view kind) {
  if (json::TextAt(object, {"kind"}) != kind || !json::At(object, {"spec"}).is_object()) {
    throw Error(Error::Kind::kInvalid,
                fmt::format("the request needs a {} with a spec, and has {}", kind,
                            base::Quoted(json::TextAt(object, {"kind"}))));
  }
}

// Returns a name in an object of the request. Throws base::Error(kInvalid) if it is not a name of
// Kubernetes, because it becomes a part of a path.
std::string RequireName(const json::Value& object, std::initializer_list<std::string_view> path) {
  std::string name = json::TextAt(object, path);
  if (!base::IsDns1123Subdomain(name)) {
    throw Error(Error::Kind::kInvalid,
                fmt::format("the request has an invalid name: {}", base::Quoted(name)));
  }
  return name;
}

// Returns a field of Patch, whose bytes are encoded in base64.
json::Value PatchOf(const json::Value& patch) {
  return {{"patchType", "JSONMergePatch"}, {"patch", base::Base64Encode(json::Compact(patch))}};
}

// Adds the patches to a response. `wrap` puts the patch of a spec at the spec's place.
template <typename Wrap>
json::Value WithPatches(const UpdatePatches& patches, std::string_view machine,
                        std::string_view config, const Wrap& wrap) {
  json::Value response = Success();
  if (!patches.machine.is_null()) {
    response[std::string(machine)] = PatchOf(wrap(patches.machine));
  }
  if (!patches.config.is_null()) {
    response[std::string(config)] = PatchOf(wrap(patches.config));
  }
  return response;
}

bool IsKind(const json::Value& object, std::string_view kind) {
  return json::TextAt(object, {"kind"}) == kind;
}

}  // namespace

json::Value HookEndpoint::CanUpdateMachine(const json::Value& request) const {
  const json::Value& current = json::At(request, {"current"});
  const json::Value& desired = json::At(request, {"desired"});
  RequireKind(json::At(current, {"machine"}), "Machine");
  RequireKind(json::At(desired, {"machine"}), "Machine");
  if (!IsKind(json::At(current, {"bootstrapConfig"}), "KubeadmConfig") ||
      !IsKind(json::At(desired, {"bootstrapConfig"}), "KubeadmConfig")) {
    return Success("the Machine is not bootstrapped by a KubeadmConfig");
  }
  const json::Value& labels = json::At(desired, {"machine", "metadata", "labels"});
  UpdateScope scope{.control_plane = labels.is_object() && labels.contains(kControlPlaneLabel),
                    .upgrades_kubelets = updater_.UpgradesKubelets()};
  if (!scope.control_plane) {
    scope.cluster_version =
        updater_.CollectVersionOf(RequireName(desired, {"machine", "metadata", "namespace"}),
                                  RequireName(desired, {"machine", "spec", "clusterName"}));
  }
  const auto specs = [](const json::Value& objects) {
    return UpdateSpecs{.machine = json::At(objects, {"machine", "spec"}),
                       .config = json::At(objects, {"bootstrapConfig", "spec"})};
  };
  return WithPatches(PlanPatches(specs(current), specs(desired), scope), "machinePatch",
                     "bootstrapConfigPatch",
                     [](const json::Value& patch) { return json::Value{{"spec", patch}}; });
}

json::Value HookEndpoint::CanUpdateMachineSet(const json::Value& request) const {
  const json::Value& current = json::At(request, {"current"});
  const json::Value& desired = json::At(request, {"desired"});
  RequireKind(json::At(current, {"machineSet"}), "MachineSet");
  RequireKind(json::At(desired, {"machineSet"}), "MachineSet");
  if (!IsKind(json::At(current, {"bootstrapConfigTemplate"}), "KubeadmConfigTemplate") ||
      !IsKind(json::At(desired, {"bootstrapConfigTemplate"}), "KubeadmConfigTemplate")) {
    return Success("the Machines are not bootstrapped by a KubeadmConfigTemplate");
  }
  const UpdateScope scope{.upgrades_kubelets = updater_.UpgradesKubelets(),
                          .cluster_version = updater_.CollectVersionOf(
                              RequireName(desired, {"machineSet", "metadata", "namespace"}),
                              RequireName(desired, {"machineSet", "spec", "clusterName"}))};
  const auto specs = [](const json::Value& objects) {
    return UpdateSpecs{
        .machine = json::At(objects, {"machineSet", "spec", "template", "spec"}),
        .config = json::At(objects, {"bootstrapConfigTemplate", "spec", "template", "spec"})};
  };
  return WithPatches(PlanPatches(specs(current), specs(desired), scope), "machineSetPatch",
                     "bootstrapConfigTemplatePatch", [](const json::Value& patch) {
                       return json::Value{{"spec", {{"template", {{"spec", patch}}}}}};
                     });
}

json::Value HookEndpoint::UpdateMachine(const json::Value& request) const {
  const json::Value& machine = json::At(request, {"desired", "machine"});
  RequireKind(machine, "Machine");
  const std::string name_space = RequireName(machine, {"metadata", "namespace"});
  const std::string name = RequireName(machine, {"metadata", "name"});
  const UpdateState state = updater_.Update(name_space, name);
  if (state.stage == UpdateState::Stage::kFailed) {
    base::LogWarning("Machine {}/{} is not updated: {}", name_space, name, state.message);
    return Failure(state.message);
  }
  json::Value response = Success(state.message);
  response["retryAfterSeconds"] = state.stage == UpdateState::Stage::kDone ? 0 : kRetrySeconds;
  return response;
}

http::ServerReply HookEndpoint::Answer(const http::ServerRequest& request) const {
  if (request.path == "/healthz" || request.path == "/readyz") {
    return TextReply(200, "ok");
  }
  HookHandler handler{.hook = kDiscovery, .name = ""};
  if (request.path != PathOf(handler)) {
    const auto found = std::ranges::find(kHandlers, request.path, PathOf);
    if (found == kHandlers.end()) {
      return TextReply(kUnknownPath, "there is no hook at this path");
    }
    handler = *found;
  }
  if (!request.body) {
    return TextReply(kWrongMethod, "hooks are called by POST");
  }
  const json::Value body = json::TryParse(*request.body);
  const std::string kind = fmt::format("{}Request", handler.hook);
  if (json::TextAt(body, {"kind"}) != kind || json::TextAt(body, {"apiVersion"}) != kApiVersion) {
    return TextReply(kMalformed, fmt::format("the body must be a {} of {}", kind, kApiVersion));
  }
  json::Value response;
  try {
    response = handler.hook == kDiscovery              ? Discovery()
               : handler.hook == "CanUpdateMachine"    ? CanUpdateMachine(body)
               : handler.hook == "CanUpdateMachineSet" ? CanUpdateMachineSet(body)
                                                       : UpdateMachine(body);
  } catch (const Error& error) {
    response = Failure(error.message());
  }
  response["apiVersion"] = kApiVersion;
  response["kind"] = fmt::format("{}Response", handler.hook);
  return {.status = 200, .body = json::Compact(response), .content_type = "application/json"};
}

}  // namespace machine_update
