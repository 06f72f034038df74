// SPDX-License-Identifier: Apache-2.0
// The container runtime, the containers of the control plane, and their health checks.
#include <fmt/core.h>

#include "base/error.h"
#include "base/strings.h"
#include "base/threads.h"
#include "config/addresses.h"
#include "doctor/parts.h"
#include "host/disk_space.h"
#include "host/init_system.h"
#include "kube/wait.h"
#include "static_pods/endpoints.h"

namespace doctor {
namespace {

namespace fs = std::filesystem;

using components::Component;

constexpr const char* kContainerdConfig = "/etc/containerd/config.toml";

void AskService(host::Host& host, RuntimeFacts& runtime) {
  runtime.service = runtime.endpoint.find("crio") != std::string::npos ? "crio" : "containerd";
  const std::unique_ptr<host::InitSystem> init_system = host::DetectInitSystem(host);
  if (init_system && init_system->Exists(runtime.service)) {
    runtime.service_known = true;
    runtime.service_active = init_system->IsActive(runtime.service);
  }
}

// Throws base::Interrupted if a stop was requested. Called between calls of the runtime, because a
// call has a deadline but takes no stop token.
void GoOn(const std::stop_token& stop) {
  if (stop.stop_requested()) {
    throw base::Interrupted("stopped");
  }
}

void AskRuntimeItself(cri::Runtime& connection, RuntimeFacts& runtime,
                      const std::stop_token& stop) {
  connection.Version();
  GoOn(stop);
  const cri::RuntimeStatus status = connection.Status();
  GoOn(stop);
  runtime.ready = status.runtime_ready;
  runtime.network_ready = status.network_ready;
  runtime.message = status.runtime_message;
  runtime.driver = DriverName(connection);
}

// Returns the latest time at which a container ended. The machine's clock may have been wrong at
// that time.
std::optional<sys_seconds> NewestEnd(const std::vector<cri::Container>& containers) {
  std::optional<sys_seconds> newest;
  for (const cri::Container& container : containers) {
    const sys_seconds finished = Seconds(container.finished);
    newest = newest ? std::max(*newest, finished) : finished;
  }
  return newest;
}

// Returns the usage of the disk with etcd's data; std::nullopt if it is unknown.
std::optional<host::DiskSpace> SpaceAt(host::Processes& processes, const std::string& path) {
  try {
    return host::CollectDiskSpace(processes, path, kCommand);
  } catch (const base::Error&) {
    return std::nullopt;  // the facts of the machine contain the reason
  }
}

// Returns why a component's health check fails; "" if it succeeds.
std::string Health(const std::string& url, const std::stop_token& stop) {
  try {
    const std::optional<kube::NotYet> not_yet = kube::UrlProbe(url, kShort)(stop);
    return not_yet ? not_yet->why : "";
  } catch (const base::Error& error) {
    return error.message();
  }
}

}  // namespace

std::string ConfiguredDriver(const host::Files& files) {
  for (const std::string& line : base::Lines(files.Find(kContainerdConfig).value_or(""))) {
    const std::string plain = base::ReplaceAll(std::string(base::Trim(line)), " ", "");
    if (plain.starts_with("SystemdCgroup=")) {
      return plain.starts_with("SystemdCgroup=true") ? "systemd" : "cgroupfs";
    }
  }
  return "";
}

std::string DriverName(cri::Runtime& runtime) {
  const auto driver = runtime.PreferredCgroupDriver();
  return !driver ? "" : *driver == cri::CgroupDriver::kSystemd ? "systemd" : "cgroupfs";
}

Answer CollectRuntime(const DoctorSources& sources, const std::stop_token& stop) {
  host::Host& host = sources.host;
  RuntimeFacts runtime;
  components::ControlPlaneFacts control_plane;
  std::optional<sys_seconds> newest;
  try {
    runtime.endpoint = sources.cri_socket();
    const std::unique_ptr<cri::Runtime> connection = sources.connect_runtime(runtime.endpoint);
    AskRuntimeItself(*connection, runtime, stop);
    GoOn(stop);
    control_plane = components::CollectFacts(
        {.host = host, .runtime = connection.get(), .disk_space = [&](const std::string& path) {
           return SpaceAt(host.processes, path);
         }});
    GoOn(stop);
    newest = NewestEnd(connection->Containers(cri::AnyContainer));
  } catch (const base::Error& error) {
    if (IsForbidden(error)) {
      throw;
    }
    runtime.problem = error.message();
    AskService(host, runtime);
  }
  runtime.configured_driver = ConfiguredDriver(host.files);
  return [runtime, control_plane, newest](Facts& facts) {
    facts.runtime = runtime;
    facts.control_plane = control_plane;
    if (newest && (!facts.machine.newest || *newest > *facts.machine.newest)) {
      facts.machine.newest = newest;
      facts.machine.newest_what = "a container ended";
    }
    facts.looked_at.push_back("container runtime at " + runtime.endpoint +
                              ": status, cgroup "
                              "driver, containers of the control plane");
  };
}

Answer CollectHealth(const DoctorSources& sources, const std::stop_token& stop) {
  const host::Files& files = sources.host.files;
  std::map<std::string, std::string> urls;
  const config::ApiEndpoint nowhere{.advertise_address = "127.0.0.1", .bind_port = 6443};
  for (const Component component : components::kComponents) {
    try {
      if (const auto pod = static_pods::ReadManifest(files, component)) {
        urls[std::string(components::Name(component))] =
            static_pods::HealthUrl(component, *pod, nowhere);
      }
    } catch (const base::Error&) {
      continue;  // an unreadable manifest is reported separately
    }
  }
  std::map<std::string, std::string> unhealthy = urls;  // each thread writes its own element
  base::Threads threads;
  for (auto& [component, value] : unhealthy) {
    threads.Add([&its = value, &stop] { its = Health(its, stop); });
  }
  threads.Join();
  std::erase_if(unhealthy, [](const auto& pair) { return pair.second.empty(); });
  return [unhealthy](Facts& facts) {
    facts.unhealthy = unhealthy;
    facts.looked_at.emplace_back("health checks of the control plane");
  };
}

}  // namespace doctor
