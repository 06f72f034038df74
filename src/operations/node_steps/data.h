// SPDX-License-Identifier: Apache-2.0
// What the phases see that make a node, bring one into a cluster, or upgrade it.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "certs/create.h"
#include "config/types.h"
#include "cri/runtime.h"
#include "host/host.h"
#include "kube/client.h"
#include "kubeconfigs/specs.h"
#include "patches/patches.h"
#include "pki/key_pool.h"
#include "resume/resume.h"
#include "workflow/context.h"
#include "workflow/journal.h"
#include "world/phase_clients.h"
#include "world/world.h"

namespace node_steps {

namespace fs = std::filesystem;

// NodeOptions are what only the command line says.
struct NodeOptions {
  std::string kubeconfig;          // file that API calls are made with
  fs::path kubeconfig_dir;         // directory of the files that are made
  fs::path patches_directory;      // "": none
  bool keep_dry_run_keys = false;  // those of authorities that a dry run leaves
};

// NodeData belongs to one run. Phases that run side by side share it: what does not change is
// public and constant once it is set up, what is made at first need is behind functions that may be
// called from any thread.
class NodeData {
 public:
  // `kubeconfigs` are the rows that this command makes.
  NodeData(world::World& of_run, std::span<const kubeconfigs::KubeconfigSpec> kubeconfigs)
      : world(of_run), machine(of_run.machine), host(of_run.host), kubeconfig_specs(kubeconfigs) {}
  virtual ~NodeData() = default;
  NodeData(const NodeData&) = delete;
  NodeData& operator=(const NodeData&) = delete;

  world::World& world;
  host::Host& machine;  // World::machine
  host::Host& host;     // World::host
  const std::span<const kubeconfigs::KubeconfigSpec> kubeconfig_specs;
  config::Init config;
  NodeOptions options;
  std::set<std::string> ignored_preflight_errors;  // lower case
  std::chrono::system_clock::time_point start;     // of the process
  bool external_ca = false;
  workflow::Journal* journal = nullptr;  // of a whole run on the machine itself

  // StartSecond is what the periods of all certificates of a run count from.
  std::chrono::sys_seconds StartSecond() const {
    return std::chrono::floor<std::chrono::seconds>(start);
  }
  // DrawKeys begins to draw the keys that a run will ask for, on all processors.
  enum class Keys { kOfCertificates, kOfCertificatesAndKubeconfigs };
  void DrawKeys(Keys keys);
  // Certificates is the context of the certs room, with those keys.
  certs::Context Certificates(host::Files& files);
  // CheckPatches reads the directory of patches before anything is written. Throws base::Error that
  // names it when it, or a file in it, is of no use.
  void CheckPatches();
  // Patches reads that directory once; null when there is none. The caller that asks first says
  // what was found.
  const patches::PatchSet* Patches(workflow::Context& context);
  // Client talks to the API server as administrator (a dry run: to nobody, or to read). Whoever
  // asks first connects, and the others wait for that. Throws what connecting throws.
  kube::Client& Client(workflow::Context& context);
  // Runtime is the container runtime of this node; RuntimeSocket is that of its kubelet, which a
  // phase that is run alone may not have been told, else the configured one.
  std::string RuntimeSocket() const;
  std::unique_ptr<cri::Runtime> Runtime() const;

  // Resumed is what the run that is resumed has left on the machine.
  resume::Node Resumed() const;

  // Where files of this run go.
  fs::path KubeconfigPath(std::string_view name) const { return options.kubeconfig_dir / name; }
  // Timeout is the configured one or its default.
  base::Duration Timeout(std::optional<base::Duration> config::Timeouts::* which) const;

 protected:
  // Timeouts are the configured ones, if there are any.
  virtual const std::optional<config::Timeouts>& Timeouts() const = 0;
  // ClientTransports are the two of which Client takes one. Who has to wait for the API server ends
  // when it is to `stop`.
  virtual world::Transports ClientTransports(std::stop_token stop) const = 0;
  // ReportIn: the calls that a dry run does not make are told in this phase from now on.
  void ReportIn(workflow::Context& context);
  kube::RetryPolicy Retry() const;

  mutable std::mutex mutex_;

 private:
  std::unique_ptr<pki::KeyPool> keys_;         // guarded by mutex_
  std::unique_ptr<certs::PeriodLog> periods_;  // guarded by mutex_
  certs::SigningCas cas_;
  std::optional<patches::PatchSet> patches_;    // guarded by mutex_
  bool patches_are_told_ = false;               // guarded by mutex_
  std::mutex client_mutex_;                     // held while it connects: not that of the data
  std::optional<world::PhaseClients> clients_;  // guarded by client_mutex_
};

// StandInFor is where the dry run of a command puts what it writes: into one directory, what goes
// below the kubelet's and Kubernetes' own directories and below `more`. `variable` and `prefix` are
// those of world::StandIn.
world::StandIn StandInFor(std::string variable, std::string prefix, std::vector<fs::path> more);

// IsDefaultAdminConf tells whether a path is /etc/kubernetes/admin.conf, which "" stands for.
bool IsDefaultAdminConf(const std::string& path);

}  // namespace node_steps
