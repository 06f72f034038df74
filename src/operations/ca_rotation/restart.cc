#include "ca_rotation/restart.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <memory>
#include <set>

#include "base/error.h"
#include "base/strings.h"
#include "certs/disk.h"
#include "component_health/wait.h"
#include "config/paths.h"
#include "host/init_system.h"
#include "http/client.h"
#include "kubeconfigs/load.h"
#include "static_pods/endpoints.h"

namespace ca_rotation {
namespace {

using base::Error;
using static_pods::Component;

// The kubelet's own grace period for Pods that name none.
constexpr std::chrono::seconds kGrace{30};
// An API server finishes the requests it has within moments and stops to listen. Then it waits for
// watches, which do not end by themselves: time in which nobody can ask it anything.
constexpr std::chrono::seconds kApiServerGrace{6};
constexpr std::chrono::milliseconds kProbeTimeout{5'000};
// After twice its longest delay the kubelet forgets that a container has ended.
constexpr std::chrono::minutes kBackoffMemory{10};

// Use is a certificate that a component reads when it starts.
struct Use {
  std::string_view row;
  Component component;
};
constexpr std::array<Use, 8> kUses = {{
    {"etcd-server", Component::kEtcd},
    {"etcd-peer", Component::kEtcd},
    {"apiserver", Component::kApiServer},
    {"apiserver-etcd-client", Component::kApiServer},
    {"apiserver-kubelet-client", Component::kApiServer},
    {"front-proxy-client", Component::kApiServer},
    {"controller-manager.conf", Component::kControllerManager},
    {"scheduler.conf", Component::kScheduler},
}};
constexpr std::array kOrder = {Component::kEtcd, Component::kApiServer,
                               Component::kControllerManager, Component::kScheduler};

std::string NameOf(Component component) { return std::string(static_pods::Name(component)); }

// The first TLS address that etcd listens on for clients.
std::string EtcdUrl(const host::Files& files) {
  const auto pod = static_pods::ReadManifest(files, Component::kEtcd);
  const std::string urls =
      pod ? static_pods::CommandArg(*pod, "listen-client-urls").value_or("") : "";
  const std::string first = urls.substr(0, urls.find(','));
  return (first.empty() ? "https://127.0.0.1:2379" : first) + "/health";
}

// A probe whose answer has to come with the certificate `wanted`. Nobody else vouches for the
// server: it is compared byte by byte.
kube::Probe ServedProbe(const std::string& url, http::Tls tls, const pki::Certificate& wanted) {
  tls.skip_verify = true;
  return [=](const std::stop_token& stop) -> std::string {
    // A new connection each time: a kept one knows only the certificate of its beginning.
    const http::Response response =
        http::Client(tls).Do({.url = url,
                              .timeout = kProbeTimeout,
                              .connect_timeout = kProbeTimeout,
                              .stop = stop,
                              .proxy = "",
                              .peer_certificate = http::PeerCertificate::kReported});
    if (response.status != 200) {
      return fmt::format("{} answers with status {}", url, response.status);
    }
    const auto shown = pki::Certificate::FromPem(response.peer_certificate_pem);
    return shown == wanted ? ""
                           : fmt::format(
                                 "{} still shows the certificate with serial number {}, "
                                 "not {}",
                                 url, shown.SerialHex(), wanted.SerialHex());
  };
}

http::Tls ClientOf(const host::Files& files, const host::fs::path& dir, std::string_view base) {
  return {.certificate_pem = files.Read(certs::CertPath(dir, base)),
          .key_pem = files.Read(certs::KeyPath(dir, base))};
}

// The API server knows the user of a kubeconfig file; what the user may do does not matter here.
std::string LoginProblem(const host::Files& files, const host::fs::path& path,
                         const std::stop_token& stop) {
  try {
    const kube::Kubeconfig kubeconfig = kubeconfigs::LoadKubeconfig(files, path);
    kube::MakeHttpTransport(kubeconfig, {.request_timeout = kProbeTimeout})->GetPath("/api", stop);
  } catch (const Error& error) {
    if (error.kind() == Error::Kind::kForbidden) {
      return "";
    }
    throw Error(error.kind(), fmt::format("{}: {}", path.string(), error.message()));
  }
  return "";
}

// A component that is healthy and whose kubeconfig the API server accepts: it is healthy before it
// has tried to use that.
kube::Probe ClientProbe(const std::string& url, const host::Files& files,
                        const host::fs::path& kubeconfig) {
  return [healthy = kube::UrlProbe(url, kProbeTimeout), &files,
          kubeconfig](const std::stop_token& stop) {
    std::string problem = healthy(stop);
    return problem.empty() ? LoginProblem(files, kubeconfig, stop) : problem;
  };
}

// What is left of the old ones, if the component has not come back as it should.
std::string OldOnes(const Forebears& before, const Forebears& now, Anew anew,
                    const RestartContext& context) {
  const auto& old = anew == Anew::kPod ? before.sandboxes : before.containers;
  const auto& present = anew == Anew::kPod ? now.sandboxes : now.containers;
  if (std::ranges::none_of(present, [&](const std::string& id) { return old.contains(id); })) {
    return "";
  }
  if (anew == Anew::kPod && now.containers != before.containers) {
    StopContainers(now, context);
  }
  return fmt::format("its old {} still runs", anew == Anew::kPod ? "Pod" : "container");
}

// The component serves, and not by what ran before.
kube::Probe SuccessorProbe(const Forebears& before, Anew anew, const RestartContext& context) {
  return UntilAnswered(
      [&context, before, anew, probe = context.probe_of(before.component)](std::stop_token stop) {
        const Forebears now = ForebearsOf(before.component, context.runtime);
        if (now.containers.empty()) {
          return std::string("the kubelet has not started its container yet");
        }
        const std::string old = OldOnes(before, now, anew, context);
        return old.empty() ? probe(std::move(stop)) : old;
      });
}

diagnosis::ControlPlaneFacts NodeFacts(const RestartContext& context,
                                       std::chrono::system_clock::time_point since) {
  const std::unique_ptr<host::InitSystem> init_system = host::DetectInitSystem(context.host);
  return diagnosis::GatherFacts({.host = context.host,
                                 .runtime = &context.runtime,
                                 .init_system = init_system.get(),
                                 .since = since});
}

void Say(const RestartContext& context, const std::string& line) {
  if (context.say) {
    context.say(line);
  }
}

bool HasEndedLately(Component component, const RestartContext& context) {
  const std::vector<cri::Container> containers = context.runtime.Containers();
  return std::ranges::any_of(containers, [&](const cri::Container& container) {
    return container.name == static_pods::Name(component) &&
           container.state == cri::Container::State::kExited &&
           container.finished + kBackoffMemory > context.host.clock.Now();
  });
}

void StopOld(const Forebears& old, const RestartContext& context) {
  // A kubelet that has just started wants to speak to the API server before it starts anything: it
  // would wait for one that waits for etcd.
  if (old.component != Component::kEtcd && context.restart_kubelet &&
      HasEndedLately(old.component, context)) {
    context.restart_kubelet();
  }
  StopContainers(old, context);
}

void RestartOne(Component component, const RestartContext& context) {
  if (!context.host.files.Exists(static_pods::ManifestPath(component))) {
    return;
  }
  Say(context, fmt::format("Restarting {}", NameOf(component)));
  const auto replaced = std::ranges::find(context.replaced, component, &Forebears::component);
  if (replaced != context.replaced.end()) {
    AwaitSuccessors(std::span(&*replaced, 1), Anew::kPod, context);
  } else {
    const Forebears old = ForebearsOf(component, context.runtime);
    StopOld(old, context);
    AwaitSuccessors(std::span(&old, 1), Anew::kContainer, context);
  }
  Say(context, fmt::format("{} serves again", NameOf(component)));
}

// GoBack restarts with the old certificates and says how that went.
std::string GoBack(std::span<const Component> components, const RestartContext& context) {
  Say(context, "The old certificates are back");
  try {
    Restart(components, context);
    return "The old certificates are back and in use";
  } catch (const Error& error) {
    return fmt::format("The old certificates are back, but the restart with them failed, too: {}",
                       error.message());
  }
}

}  // namespace

std::vector<Component> ComponentsUsing(std::span<const std::string_view> rows) {
  std::vector<Component> components;
  for (const Component component : kOrder) {
    if (std::ranges::any_of(kUses, [&](const Use& use) {
          return use.component == component && std::ranges::find(rows, use.row) != rows.end();
        })) {
      components.push_back(component);
    }
  }
  return components;
}

std::vector<std::string_view> CertificatesOf(Component component) {
  std::vector<std::string_view> rows;
  for (const Use& use : kUses) {
    if (use.component == component) {
      rows.push_back(use.row);
    }
  }
  std::ranges::sort(rows);
  return rows;
}

ProbeOf NewProbes(const host::Host& host, const config::ClusterConfiguration& cluster,
                  const config::ApiEndpoint& local) {
  return [&host, dir = host::fs::path(cluster.certificates_dir),
          local](Component component) -> kube::Probe {
    if (component == Component::kEtcd) {
      return ServedProbe(EtcdUrl(host.files), ClientOf(host.files, dir, "etcd/healthcheck-client"),
                         certs::LoadChain(host.files, certs::CertPath(dir, "etcd/server")).front());
    }
    const auto pod = static_pods::ReadManifest(host.files, component);
    const std::string url =
        static_pods::EndpointOf(component, pod.value_or(json::Value::object()), local).Url();
    if (component != Component::kApiServer) {
      return ClientProbe(url, host.files,
                         host::fs::path(config::kKubernetesDir) /
                             (component == Component::kScheduler ? config::kSchedulerConf
                                                                 : config::kControllerManagerConf));
    }
    return ServedProbe(url, ClientOf(host.files, dir, "apiserver-kubelet-client"),
                       certs::LoadChain(host.files, certs::CertPath(dir, "apiserver")).front());
  };
}

kube::Probe UntilAnswered(kube::Probe probe) {
  return [probe = std::move(probe)](const std::stop_token& stop) -> std::string {
    try {
      return probe(stop);
    } catch (const Error& error) {
      // Who is not trusted, or does not trust, will not be by waiting.
      if (error.kind() == Error::Kind::kCancelled || error.kind() == Error::Kind::kUnauthorized) {
        throw;
      }
      return error.message();
    }
  };
}

Forebears ForebearsOf(Component component, cri::Runtime& runtime) {
  Forebears found{.component = component};
  for (const cri::Container& container : runtime.Containers()) {
    if (container.name == static_pods::Name(component) &&
        container.state == cri::Container::State::kRunning) {
      found.containers.insert(container.id);
      found.sandboxes.insert(container.sandbox_id);
    }
  }
  return found;
}

void StopContainers(const Forebears& forebears, const RestartContext& context) {
  const auto grace = forebears.component == Component::kApiServer ? kApiServerGrace : kGrace;
  for (const std::string& id : forebears.containers) {
    context.runtime.StopContainer(id, grace);
  }
}

void AwaitSuccessors(std::span<const Forebears> forebears, Anew anew,
                     const RestartContext& context) {
  // What was stopped a moment ago has ended on purpose.
  const auto since = context.host.clock.Now() + std::chrono::seconds(1);
  std::vector<component_health::ComponentProbe> probes;
  for (const Forebears& before : forebears) {
    probes.push_back({.name = NameOf(before.component),
                      .url = {},
                      .probe = SuccessorProbe(before, anew, context)});
  }
  const component_health::WaitOutcome outcome = component_health::WaitForComponents(
      probes, {.limit = context.limit, .stop = context.stop, .facts = [&] {
                 return NodeFacts(context, since);
               }});
  if (outcome.healthy()) {
    return;
  }
  std::vector<std::string> problems;
  for (const component_health::ComponentHealth& component : outcome.components) {
    if (!component.healthy()) {
      const std::string text = component.name + " does not serve after its restart";
      problems.push_back(outcome.diagnosis ? text : text + ": " + component.problem);
    }
  }
  std::string text = base::Join(problems, "; ");
  if (outcome.diagnosis) {
    text += "\n" + outcome.diagnosis->Text();
  }
  throw Error(Error::Kind::kTimeout, text);
}

void Restart(std::span<const Component> components, const RestartContext& context) {
  for (const Component component : components) {
    RestartOne(component, context);
  }
}

Snapshot::Snapshot(host::Files& files, const std::vector<host::fs::path>& paths) : files_(files) {
  for (const host::fs::path& path : paths) {
    contents_[path] = files.Find(path);
  }
}

void Snapshot::Restore() const {
  for (const auto& [path, content] : contents_) {
    if (content) {
      files_.Write(path, *content, {.mode = 0600});
    } else {
      files_.Remove(path);
    }
  }
}

void RestartOrRestore(std::span<const Component> components, const Snapshot& before,
                      const RestartContext& context) {
  for (std::size_t i = 0; i < components.size(); ++i) {
    try {
      RestartOne(components[i], context);
    } catch (const Error& error) {
      if (error.kind() == Error::Kind::kCancelled) {
        throw;
      }
      RestartContext back = context;
      for (Forebears& replaced : back.replaced) {
        replaced = ForebearsOf(replaced.component, context.runtime);
      }
      before.Restore();
      throw Error(fmt::format("{}\n{}", error.message(), GoBack(components.first(i + 1), back)));
    }
  }
}

}  // namespace ca_rotation
