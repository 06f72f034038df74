// What the phases see that make a control-plane node or bring one into a cluster.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>

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

namespace kubeadm {

namespace fs = std::filesystem;

// NodeOptions are what only the command line says.
struct NodeOptions {
  bool dry_run = false;
  std::string kubeconfig;      // file that API calls are made with
  fs::path kubeconfig_dir;     // folder of the files that are made
  fs::path patches_directory;  // "": none
};

// NodeData belongs to one run. Phases that run side by side share it: what does not change is
// public and constant once it is set up, what is made at first need is behind functions that may be
// called from any thread.
class NodeData {
 public:
  // `kubeconfigs` are the rows that this command makes.
  NodeData(host::Host& machine_host, host::Host& target_host,
           std::span<const kubeconfigs::KubeconfigSpec> kubeconfigs)
      : machine(machine_host), host(target_host), kubeconfig_specs(kubeconfigs) {}
  virtual ~NodeData() = default;
  NodeData(const NodeData&) = delete;
  NodeData& operator=(const NodeData&) = delete;

  host::Host& machine;  // as it is
  host::Host& host;     // where to act: the machine, or a dry run's stand-in
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
  // Patches reads the folder of patches once; null when there is none. The caller that reads it
  // says what was found.
  const patches::PatchSet* Patches(workflow::Context& context);
  // Client talks to the API server as administrator (a dry run: to nobody).
  kube::Client& Client(workflow::Context& context);
  // Runtime is the container runtime of this node.
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
  // Connect opens the way of Client; `log` takes the reports of a dry run.
  using Log = std::function<void(const std::string& report)>;
  virtual std::shared_ptr<kube::Transport> Connect(const Log& log) const = 0;
  kube::RetryPolicy Retry() const;
  // TellRetries is the same transport; a call that fails and may be tried again is a retry of the
  // phase on whose thread it is made.
  static std::shared_ptr<kube::Transport> TellRetries(std::shared_ptr<kube::Transport> transport);

  // A dry run does one phase after the other: the one that asked last is the one that calls.
  Log DryRunLog(workflow::Context& context);

  mutable std::mutex mutex_;

 private:
  workflow::Context* dry_run_phase_ = nullptr;
  std::unique_ptr<pki::KeyPool> keys_;         // guarded by mutex_
  std::unique_ptr<certs::PeriodLog> periods_;  // guarded by mutex_
  certs::SigningCas cas_;
  std::optional<patches::PatchSet> patches_;  // guarded by mutex_
  std::unique_ptr<kube::Client> client_;      // guarded by mutex_
};

// IsDefaultAdminConf tells whether a path is /etc/kubernetes/admin.conf, which "" stands for.
bool IsDefaultAdminConf(const std::string& path);

}  // namespace kubeadm
