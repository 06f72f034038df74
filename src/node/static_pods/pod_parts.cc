// SPDX-License-Identifier: Apache-2.0
#include "static_pods/pod_parts.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/strings.h"
#include "net/ip_address.h"
#include "yaml/yaml.h"

namespace static_pods {
namespace {

constexpr int kDefaultStartupFailures = 24;
constexpr int kProbeTimeoutSeconds = 15;
constexpr std::string_view kPortName = "probe-port";

void PutUnlessZero(json::Value& object, const char* name, int value) {
  if (value != 0) {
    object[name] = value;
  }
}

json::Value MountObject(const Volume& volume) {
  json::Value mount = {{"name", volume.name}, {"mountPath", volume.mount_path}};
  if (volume.read_only) {
    mount["readOnly"] = true;
  }
  return mount;
}

json::Value VolumeObject(const Volume& volume) {
  return {{"name", volume.name}, {"hostPath", {{"path", volume.host_path}, {"type", volume.type}}}};
}

// The defaults of core/v1 for an EnvVar.
json::Value WithEnvironmentDefaults(json::Value variable) {
  if (variable.contains("value") && variable["value"] == "") {
    variable.erase("value");
  }
  if (!json::At(variable, {"valueFrom", "fieldRef"}).is_null()) {
    json::Value& reference = variable["valueFrom"]["fieldRef"];
    if (json::TextAt(reference, {"apiVersion"}).empty()) {
      reference["apiVersion"] = "v1";
    }
  }
  if (!json::At(variable, {"valueFrom", "resourceFieldRef"}).is_null() &&
      json::At(variable, {"valueFrom", "resourceFieldRef", "divisor"}).is_null()) {
    variable["valueFrom"]["resourceFieldRef"]["divisor"] = "0";
  }
  return variable;
}

void AddProbes(json::Value& container, const PodSpec& spec) {
  const HttpProbe base{.host = spec.target.host, .path = "", .scheme = spec.target.scheme};
  HttpProbe liveness = base;
  liveness.path = spec.probes.liveness;
  container["livenessProbe"] = ProbeObject(liveness);
  if (!spec.probes.readiness.empty()) {
    HttpProbe readiness = base;
    readiness.path = spec.probes.readiness;
    readiness.initial_delay_seconds = 0;
    readiness.period_seconds = 1;
    readiness.failure_threshold = 3;
    container["readinessProbe"] = ProbeObject(readiness);
  }
  HttpProbe startup = base;
  startup.path = spec.probes.startup;
  startup.failure_threshold = spec.startup_failures;
  container["startupProbe"] = ProbeObject(startup);
}

json::Value ContainerObject(const PodSpec& spec) {
  json::Value container = {
      {"name", Name(spec.component)},
      {"image", spec.image},
      {"imagePullPolicy", "IfNotPresent"},
      {"command", spec.command},
      {"ports",
       json::Value::array(
           {{{"name", kPortName}, {"containerPort", spec.target.port}, {"protocol", "TCP"}}})},
      {"resources", {{"requests", spec.requests}}},
      {"volumeMounts", json::Value::array()}};
  for (const Volume& volume : spec.mounts) {
    container["volumeMounts"].push_back(MountObject(volume));
  }
  if (!spec.environment.empty()) {
    container["env"] = spec.environment;
  }
  AddProbes(container, spec);
  return container;
}

}  // namespace

json::Value ProbeObject(const HttpProbe& probe) {
  json::Value get = {{"path", probe.path}, {"port", kPortName}, {"scheme", probe.scheme}};
  if (!probe.host.empty()) {
    get["host"] = probe.host;
  }
  json::Value object = {{"httpGet", get}, {"timeoutSeconds", kProbeTimeoutSeconds}};
  PutUnlessZero(object, "initialDelaySeconds", probe.initial_delay_seconds);
  PutUnlessZero(object, "periodSeconds", probe.period_seconds);
  PutUnlessZero(object, "failureThreshold", probe.failure_threshold);
  return object;
}

std::string Loopback(const config::ApiEndpoint& local) {
  const auto address = net::IpAddress::ParseSloppy(local.advertise_address);
  return address && address->IsIpv6() ? "::1" : "127.0.0.1";
}

int StartupFailureThreshold(const std::optional<config::Timeouts>& timeouts) {
  if (!timeouts || !timeouts->control_plane_component_health_check) {
    return kDefaultStartupFailures;
  }
  using TenSeconds = std::chrono::duration<int, std::ratio<10>>;
  return std::chrono::ceil<TenSeconds>(*timeouts->control_plane_component_health_check).count();
}

std::string ProbeHost(const std::string& address) {
  return address == "0.0.0.0" || address == "::" ? "" : address;
}

std::vector<Volume> CaVolumes(const HostFacts& facts) {
  std::vector<Volume> volumes;
  const auto add = [&](std::string name, std::string_view path) {
    volumes.push_back({.name = std::move(name),
                       .host_path = std::string(path),
                       .mount_path = std::string(path),
                       .type = "DirectoryOrCreate"});
  };
  add("ca-certs", kCaDirectory);
  for (const std::string_view path : kExtraCaDirectories) {
    if (facts.ca_directories.contains(std::string(path))) {
      add(base::ReplaceAll(std::string(path.substr(1)), "/", "-"), path);
    }
  }
  return volumes;
}

std::vector<Volume> SortedVolumes(std::vector<Volume> volumes,
                                  const std::vector<config::HostPathMount>& extra) {
  std::map<std::string, Volume> by_name;
  for (Volume& volume : volumes) {
    by_name.insert_or_assign(volume.name, std::move(volume));
  }
  for (const config::HostPathMount& mount : extra) {
    by_name.insert_or_assign(mount.name, Volume{.name = mount.name,
                                                .host_path = mount.host_path,
                                                .mount_path = mount.mount_path,
                                                .type = mount.path_type,
                                                .read_only = mount.read_only});
  }
  std::vector<Volume> sorted;
  for (auto& [name, volume] : by_name) {
    sorted.push_back(std::move(volume));
  }
  return sorted;
}

std::vector<json::Value> Environment(const std::map<std::string, std::string>& proxies,
                                     const std::vector<json::Value>& extra) {
  std::map<std::string, json::Value> by_name;
  for (const auto& [name, value] : proxies) {
    by_name[name] = {{"name", name}, {"value", value}};
  }
  for (const json::Value& variable : extra) {
    by_name[json::TextAt(variable, {"name"})] = WithEnvironmentDefaults(variable);
  }
  std::vector<json::Value> sorted;
  for (auto& [name, variable] : by_name) {
    sorted.push_back(std::move(variable));
  }
  return sorted;
}

json::Value PodObject(const PodSpec& spec) {
  json::Value metadata = {
      {"name", Name(spec.component)},
      {"namespace", "kube-system"},
      {"labels", {{"component", Name(spec.component)}, {"tier", "control-plane"}}}};
  if (!spec.annotations.empty()) {
    metadata["annotations"] = spec.annotations;
  }
  json::Value volumes = json::Value::array();
  for (const Volume& volume : spec.volumes) {
    volumes.push_back(VolumeObject(volume));
  }
  return {{"apiVersion", "v1"},
          {"kind", "Pod"},
          {"metadata", metadata},
          {"spec",
           {{"containers", json::Value::array({ContainerObject(spec)})},
            {"hostNetwork", true},
            {"priority", 2000001000},
            {"priorityClassName", "system-node-critical"},
            {"securityContext", {{"seccompProfile", {{"type", "RuntimeDefault"}}}}},
            {"volumes", volumes}}},
          {"status", json::Value::object()}};
}

}  // namespace static_pods
