// What all phases of `kubeadm init` see.
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
#include "manifests/patches.h"
#include "pki/key_pool.h"
#include "workflow/context.h"
#include "workflow/journal.h"

namespace kubeadm {

namespace fs = std::filesystem;

// InitOptions are what only the command line says.
struct InitOptions {
  bool dry_run = false;
  bool upload_certs = false;
  bool skip_token_print = false;
  bool skip_certificate_key_print = false;
  bool print_manifest = false;
  std::string kubeconfig;      // file that API calls are made with
  fs::path kubeconfig_dir;     // folder of the files that are made
  fs::path patches_directory;  // "": none
};

// InitData belongs to one run. Phases that run side by side share it: what does not change is
// public and constant after MakeInitData, what is made at first need is behind functions that may
// be called from any thread.
class InitData {
 public:
  InitData(host::Host& machine_host, host::Host& target_host)
      : machine(machine_host), host(target_host) {}

  host::Host& machine;  // as it is
  host::Host& host;     // where to act: the machine, or a dry run's stand-in
  config::Init config;
  InitOptions options;
  std::set<std::string> ignored_preflight_errors;  // lower case
  std::chrono::sys_seconds start;                  // of the process
  bool external_ca = false;
  bool external_front_proxy_ca = false;
  workflow::Journal* journal = nullptr;  // of a whole run on the machine itself

  // DrawKeys begins to draw the keys that a run will ask for, on all processors.
  enum class Keys { kOfCertificates, kOfCertificatesAndKubeconfigs };
  void DrawKeys(Keys keys);
  // Certificates is the context of the certs room, with those keys.
  certs::Context Certificates(host::Files& files);
  // Patches reads the folder of patches once; null when there is none. The caller that reads it
  // says what was found.
  const manifests::PatchSet* Patches(workflow::Context& context);
  // Client talks to the API server as administrator (a dry run: to nobody).
  kube::Client& Client(workflow::Context& context);
  // Runtime is the container runtime of this node.
  std::unique_ptr<cri::Runtime> Runtime() const;

  // Where files of this run go.
  fs::path KubeconfigPath(std::string_view name) const { return options.kubeconfig_dir / name; }
  base::Duration Timeout(std::optional<base::Duration> config::Timeouts::* which) const;

  // The key that upload-certs used, for the join command.
  void SetCertificateKey(std::string key);
  std::optional<std::string> CertificateKey() const;

 private:
  std::shared_ptr<kube::Transport> Connect() const;
  void CheckDryRunKubeconfig() const;
  kube::RetryPolicy Retry() const;

  // A dry run does one phase after the other: the one that asked last is the one that calls.
  workflow::Context* dry_run_phase_ = nullptr;

  mutable std::mutex mutex_;
  std::unique_ptr<pki::KeyPool> keys_;          // guarded by mutex_
  std::unique_ptr<certs::PeriodLog> periods_;   // guarded by mutex_
  std::optional<manifests::PatchSet> patches_;  // guarded by mutex_
  std::unique_ptr<kube::Client> client_;        // guarded by mutex_
  std::optional<std::string> certificate_key_;  // guarded by mutex_
};

}  // namespace kubeadm
