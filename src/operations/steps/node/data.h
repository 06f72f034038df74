// SPDX-License-Identifier: Apache-2.0
// The shared data of phases that create a node, join one to a cluster, or upgrade it.
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
#include "node_input/patches.h"
#include "pki/key_pool.h"
#include "steps/phase_clients.h"
#include "steps/resume.h"
#include "steps/world.h"
#include "workflow/context.h"
#include "workflow/journal.h"

namespace node_steps {

namespace fs = std::filesystem;

// Options that exist only on the command line.
struct NodeOptions {
  std::string kubeconfig;            // the kubeconfig file for API calls
  fs::path kubeconfig_dir;           // directory of the created files
  fs::path patches_directory;        // "": none
  bool keep_dry_run_keys = false;    // a dry run does not remove private keys
  bool replace_dead_member = false;  // etcd_membership::Joining::replace_dead
};

// The data of one run, shared by its concurrent phases. Public data members are constant after the
// setup. Functions may be called from any thread; they create objects at the first call.
class NodeData {
 public:
  // `kubeconfigs` are the rows that this command creates.
  NodeData(steps::World& of_run, std::span<const kubeconfigs::KubeconfigSpec> kubeconfigs)
      : world(of_run), machine(of_run.machine), host(of_run.host), kubeconfig_specs(kubeconfigs) {}
  virtual ~NodeData() = default;
  NodeData(const NodeData&) = delete;
  NodeData& operator=(const NodeData&) = delete;

  steps::World& world;
  host::Host& machine;  // World::machine
  host::Host& host;     // World::host
  const std::span<const kubeconfigs::KubeconfigSpec> kubeconfig_specs;
  config::Init config;
  NodeOptions options;
  std::set<std::string> ignored_preflight_errors;  // lower case
  std::chrono::system_clock::time_point start;     // of the process
  bool external_ca = false;
  workflow::Journal* journal = nullptr;  // of a whole run on the machine itself

  // The start of the periods of all certificates of a run.
  std::chrono::sys_seconds StartSecond() const {
    return std::chrono::floor<std::chrono::seconds>(start);
  }
  // The keys that a run will need. DrawKeys starts to generate them, on all processors.
  enum class Keys { kOfCertificates, kOfCertificatesAndKubeconfigs };
  void DrawKeys(Keys keys);
  // Returns the context of the library certs, with the keys of DrawKeys.
  certs::Context Certificates(host::Files& files);
  // Reads the directory of patches, so that its errors appear before any write. Throws
  // base::Error(kInvalid), naming the path, if the directory or a file in it is unusable.
  void CheckPatches();
  // Returns the patches, which are read once; nullptr without a directory of patches. The first
  // call logs the patches.
  const node_input::PatchSet* Patches(workflow::Context& context);
  // Returns an administrator's client of the API server. In a dry run, returns a client that only
  // reads, or that has no server. The first caller connects; concurrent callers wait for this
  // connection. Throws the connection's error.
  kube::Client& Client(workflow::Context& context);
  // Runtime connects to this node's container runtime. RuntimeSocket returns the socket that the
  // kubelet uses. A phase that is run alone may not know this socket; then RuntimeSocket returns
  // the configured socket.
  std::string RuntimeSocket() const;
  std::unique_ptr<cri::Runtime> Runtime() const;

  // The files left by the resumed run on the machine.
  steps::ResumedNode Resumed() const;

  // The target directories of this run's files.
  fs::path KubeconfigPath(std::string_view name) const { return options.kubeconfig_dir / name; }
  // Returns the configured timeout or its default.
  base::Duration Timeout(std::optional<base::Duration> config::Timeouts::* which) const;

 protected:
  // Returns the configured timeouts, if any.
  virtual const std::optional<config::Timeouts>& Timeouts() const = 0;
  // The two transports of which Client uses one. A wait for the API server ends at `stop`.
  virtual steps::Transports ClientTransports(std::stop_token stop) const = 0;
  // From now on, logs the calls that a dry run skips in this phase.
  void ReportIn(workflow::Context& context);
  kube::RetryPolicy Retry() const;

  mutable std::mutex mutex_;

 private:
  std::unique_ptr<pki::KeyPool> keys_;         // guarded by mutex_
  std::unique_ptr<certs::PeriodLog> periods_;  // guarded by mutex_
  certs::SigningCas cas_;
  std::optional<node_input::PatchSet> patches_;  // guarded by mutex_
  bool patches_are_told_ = false;                // guarded by mutex_
  std::mutex client_mutex_;                      // held while Client connects, unlike mutex_
  std::optional<steps::PhaseClients> clients_;   // guarded by client_mutex_
};

// Returns the replacement of the machine in a command's dry run. It collects the files below the
// directories of Kubernetes and of the kubelet, and below `more`. `variable` and `prefix` have the
// meaning of steps::StandIn.
steps::StandIn StandInFor(std::string variable, std::string prefix, std::vector<fs::path> more);

// Returns whether a path is /etc/kubernetes/admin.conf, or "", which means the same.
bool IsDefaultAdminConf(const std::string& path);

}  // namespace node_steps
