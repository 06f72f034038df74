// Restarting static Pods, so that they use the certificates that lie on disk now.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "certs/renewal.h"
#include "config/types.h"
#include "cri/runtime.h"
#include "host/host.h"
#include "kube/wait.h"
#include "static_pods/static_pod.h"

namespace ca_rotation {

// ComponentsUsing are the components that read the certificates with these names ("apiserver",
// "scheduler.conf") when they start, in the order in which to restart them: each after what it
// talks to.
std::vector<static_pods::Component> ComponentsUsing(std::span<const std::string_view> rows);

// CertificatesOf are the certificates that a component reads when it starts, in alphabetical order.
std::vector<std::string_view> CertificatesOf(static_pods::Component component);

// ProbeOf makes the probe that tells whether a component serves with what lies on disk.
using ProbeOf = std::function<kube::Probe(static_pods::Component component)>;

// Forebears are what a component ran as before a restart: its running containers, and their Pods'
// sandboxes.
struct Forebears {
  static_pods::Component component;
  std::set<std::string> containers;
  std::set<std::string> sandboxes;
};
Forebears ForebearsOf(static_pods::Component component, cri::Runtime& runtime);

// UntilAnswered turns what passes while a server starts into a reason to try again.
kube::Probe UntilAnswered(kube::Probe probe);

// RestartContext of one run.
struct RestartContext {
  host::Host& host;
  cri::Runtime& runtime;
  ProbeOf probe_of;
  std::chrono::milliseconds limit{240'000};
  std::stop_token stop = {};
  // Components whose manifest has changed, as they ran before: the kubelet replaces their Pods by
  // itself, which is waited for.
  std::vector<Forebears> replaced = {};
  // Called before a component is stopped that has ended before, a short while ago: a kubelet that
  // has not been restarted since would wait before it starts it again, each time for longer. Not
  // for etcd.
  std::function<void()> restart_kubelet = {};
  // Gets a whole sentence when a component is about to be restarted and when it serves again.
  std::function<void(const std::string& line)> say = {};
};

// NewProbes: the API server and etcd answer their health checks and show the certificate that lies
// on disk; the others, whose serving certificates are their own business, are healthy, and the API
// server accepts their kubeconfig files.
ProbeOf NewProbes(const host::Host& host, const config::ClusterConfiguration& cluster,
                  const config::ApiEndpoint& local);

// StopContainers gives each the time that it needs to end well, and no more.
void StopContainers(const Forebears& forebears, const RestartContext& context);

// How a component is to come back: its Pod as it was, with a new container; or, its manifest being
// another one, as a new Pod. A container that the kubelet has started in the old Pod meanwhile is
// stopped, too.
enum class Anew { kContainer, kPod };
// AwaitSuccessors waits until all components serve anew. Throws base::Error, with a diagnosis, when
// one does not in time or ends again and again.
void AwaitSuccessors(std::span<const Forebears> forebears, Anew anew,
                     const RestartContext& context);

// Restart ends the components' containers, one component after the other, and waits until the
// kubelet has started each again and it serves. A component without a manifest here is passed over.
// Throws base::Error, with a diagnosis, when one does not serve in time or ends again and again.
void Restart(std::span<const static_pods::Component> components, const RestartContext& context);

// Snapshot keeps the content of files, in memory, to put it back.
class Snapshot {
 public:
  Snapshot(host::Files& files, const std::vector<host::fs::path>& paths);
  // Restore writes back what was there and removes what was not.
  void Restore() const;

 private:
  host::Files& files_;
  std::map<host::fs::path, std::optional<std::string>> contents_;
};

// RestartOrRestore restarts; when that fails it puts the snapshot's files back, restarts once more
// and throws base::Error that says how both went.
void RestartOrRestore(std::span<const static_pods::Component> components, const Snapshot& before,
                      const RestartContext& context);

}  // namespace ca_rotation
