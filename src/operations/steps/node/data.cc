// SPDX-License-Identifier: Apache-2.0
#include "steps/node/data.h"

#include <utility>

#include "base/error.h"
#include "config/defaults.h"
#include "config/paths.h"
#include "kubeconfigs/create.h"
#include "kubelet/local_runtime.h"
#include "node_input/patch_lines.h"

namespace node_steps {

using std::chrono::milliseconds;

steps::StandIn StandInFor(std::string variable, std::string prefix, std::vector<fs::path> more) {
  more.insert(more.end(), {config::kManifestsDir, config::kKubernetesDir, config::kKubeletDir});
  return {.variable = std::move(variable),
          .prefix = std::move(prefix),
          .redirects = [paths = std::move(more)](const fs::path& directory) {
            std::vector<host::Redirect> redirects;
            for (const fs::path& path : paths) {
              redirects.push_back({path, directory});
            }
            return redirects;
          }};
}

bool IsDefaultAdminConf(const std::string& path) {
  return path.empty() || path == fs::path(config::kKubernetesDir) / config::kAdminConf;
}

void NodeData::DrawKeys(Keys keys) {
  const std::scoped_lock lock(mutex_);
  if (keys_) {
    return;
  }
  std::size_t count = certs::KeysToDraw(host.files, config.cluster);
  if (keys == Keys::kOfCertificatesAndKubeconfigs && !external_ca) {
    count += kubeconfigs::KeysToDraw(host.files, options.kubeconfig_dir, kubeconfig_specs);
  }
  keys_ = std::make_unique<pki::KeyPool>(
      pki::KeyPool::Options{.algorithm = certs::AlgorithmFor(config.cluster), .count = count});
  periods_ = std::make_unique<certs::PeriodLog>(StartSecond());
}

certs::Context NodeData::Certificates(host::Files& files) {
  DrawKeys(Keys::kOfCertificates);
  const std::scoped_lock lock(mutex_);
  return {.files = files,
          .config = config,
          .start = StartSecond(),
          .new_key = [pool = keys_.get()] { return pool->Take(); },
          .periods = *periods_,
          .cas = cas_};
}

void NodeData::CheckPatches() {
  const std::scoped_lock lock(mutex_);
  if (!options.patches_directory.empty()) {
    base::WithContext("could not read the patches", [&] {
      patches_ = node_input::ReadPatches(machine.files, options.patches_directory);
    });
  }
}

const node_input::PatchSet* NodeData::Patches(workflow::Context& context) {
  const std::scoped_lock lock(mutex_);
  if (options.patches_directory.empty()) {
    return nullptr;
  }
  if (!patches_) {
    patches_ = node_input::ReadPatches(machine.files, options.patches_directory);
  }
  if (!patches_are_told_) {
    for (const std::string& line : node_input::FoundLines(*patches_)) {
      context.Print(line);
    }
    patches_are_told_ = true;
  }
  return &*patches_;
}

base::Duration NodeData::Timeout(std::optional<base::Duration> config::Timeouts::* which) const {
  return config::TimeoutOf(Timeouts(), which);
}

kube::RetryPolicy NodeData::Retry() const {
  kube::RetryPolicy retry;
  retry.limit =
      std::chrono::duration_cast<milliseconds>(Timeout(&config::Timeouts::kubernetes_api_call));
  return retry;
}

steps::ResumedNode NodeData::Resumed() const {
  return {.files = machine.files,
          .journal = journal,
          .config = config,
          .kubeconfig_dir = options.kubeconfig_dir};
}

void NodeData::ReportIn(workflow::Context& context) {
  world.ReportTo([&context](const std::string& report) { context.Print(report); });
}

kube::Client& NodeData::Client(workflow::Context& context) {
  const std::scoped_lock lock(client_mutex_);
  ReportIn(context);
  if (!clients_) {
    clients_.emplace(world.Connect(ClientTransports(context.Stop())), host.clock, Retry());
  }
  return clients_->Of(context);
}

std::string NodeData::RuntimeSocket() const {
  return kubelet::CriSocketOnDisk(host.files).value_or(config.init.node_registration.cri_socket);
}

std::unique_ptr<cri::Runtime> NodeData::Runtime() const {
  return cri::Connect(RuntimeSocket(), std::chrono::minutes(1));
}

}  // namespace node_steps
