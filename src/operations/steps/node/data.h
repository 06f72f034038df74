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
  fs::path patches_directory;        // "" if there are no patches
  bool keep_dry_run_keys = false;    // whether a dry run keeps the private keys that it has written
  bool replace_dead_member = false;  // etcd_membership::Joining::replace_dead
};

// The data of one run, shared by its concurrent phases. Public data members are constant after the
// setup. Functions may be called from any thread; they create objects at the first call.
class NodeData {
 public:
  // `kubeconfigs` are the specifications of the kubeconfig files that this command creates.
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
  // The start of the process, from which certificates are valid.
  std::chrono::system_clock::time_point start;
  bool external_ca = false;
  workflow::Journal* journal = nullptr;  // null for a single phase, and in a dry run

  // The start of the periods of all certificates of a run.
  std::chrono::sys_seconds StartSecond() const {
    return std::chrono::floor<std::chrono::seconds>(start);
  }
  // Selects the keys that a run will need. DrawKeys starts to generate these keys concurrently, on
  // all processors.
  enum class Keys { kOfCertificates, kOfCertificatesAndKubeconfigs };
  void DrawKeys(Keys keys);
  // Returns the context of the library certs, with the keys of DrawKeys.
  certs::Context Certificates(host::Files& files);
  // Reads the directory of patches, so that its errors appear before any write. Throws
  // base::Error(kInvalid), naming the path, if the directory or a file in it is unusable.
  void CheckPatches();
  // Returns the patches, which are read only once; nullptr without a directory of patches. The
  // first call logs the patches.
  const node_input::PatchSet* Patches(workflow::Context& context);
  // Returns an administrator's client of the API server. In a dry run, returns a client that sends
  // only reads, or that simulates the server. The first caller connects; concurrent callers wait
  // for this connection. Throws the connection's error.
  kube::Client& Client(workflow::Context& context);
  // Runtime connects to this node's container runtime. RuntimeSocket returns the socket that the
  // kubelet uses. A phase that is run alone may not know this socket; then RuntimeSocket returns
  // the configured socket.
  std::string RuntimeSocket() const;
  std::unique_ptr<cri::Runtime> Runtime() const;

  // Returns the resumed run's journal, and the places of the files that this run may have left.
  steps::ResumedNode Resumed() const;

  // Returns the path of one of this run's kubeconfig files.
  fs::path KubeconfigPath(std::string_view name) const { return options.kubeconfig_dir / name; }
  // Returns the configured timeout or its default.
  base::Duration Timeout(std::optional<base::Duration> config::Timeouts::* which) const;

 protected:
  // Returns the configured timeouts, if any.
  virtual const std::optional<config::Timeouts>& Timeouts() const = 0;
  // Returns the transports of a real run and of a dry run, from which Client chooses. A wait for
  // the API server ends at `stop`.
  virtual steps::Transports ClientTransports(std::stop_token stop) const = 0;
  // Makes `context` the receiver of log lines about the calls that a dry run skips.
  void ReportIn(workflow::Context& context);
  kube::RetryPolicy Retry() const;

  mutable std::mutex mutex_;

 private:
  std::unique_ptr<pki::KeyPool> keys_;         // guarded by mutex_
  std::unique_ptr<certs::PeriodLog> periods_;  // guarded by mutex_
  certs::SigningCas cas_;
  std::optional<node_input::PatchSet> patches_;  // guarded by mutex_
  bool patches_are_told_ = false;                // guarded by mutex_
  std::mutex client_mutex_;                      // held by Client while it connects
  std::optional<steps::PhaseClients> clients_;   // guarded by client_mutex_
};

// Returns the dry run's replacement of the machine. It redirects the directories of Kubernetes and
// of the kubelet, and the directories `more`. `variable` and `prefix` have the meaning of
// steps::StandIn.
steps::StandIn StandInFor(std::string variable, std::string prefix, std::vector<fs::path> more);

// Returns whether the path is /etc/kubernetes/admin.conf or "", which means the same file.
bool IsDefaultAdminConf(const std::string& path);

}  // namespace node_steps
