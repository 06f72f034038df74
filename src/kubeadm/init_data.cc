#include "kubeadm/init_data.h"

#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "base/strings.h"
#include "cluster/admin.h"
#include "config/addresses.h"
#include "config/defaults.h"
#include "config/paths.h"
#include "kube/dry_run.h"
#include "kubeadm/texts_init.h"
#include "kubeconfigs/create.h"

namespace kubeadm {
namespace {

using std::chrono::milliseconds;

bool IsDefaultAdminConf(const std::string& path) {
  return path.empty() || path == fs::path(config::kKubernetesDir) / config::kAdminConf;
}

}  // namespace

void InitData::DrawKeys(Keys keys) {
  const std::scoped_lock lock(mutex_);
  if (keys_) {
    return;
  }
  std::size_t count = certs::KeysToDraw(host.files, config.cluster);
  if (keys == Keys::kOfCertificatesAndKubeconfigs && !external_ca) {
    count += kubeconfigs::KeysToDraw(host.files, options.kubeconfig_dir, kubeconfigs::InitSpecs());
  }
  keys_ = std::make_unique<pki::KeyPool>(
      pki::KeyPool::Options{.algorithm = certs::AlgorithmFor(config.cluster), .count = count});
  periods_ = std::make_unique<certs::PeriodLog>(start);
}

certs::Context InitData::Certificates(host::Files& files) {
  DrawKeys(Keys::kOfCertificates);
  const std::scoped_lock lock(mutex_);
  return {.files = files,
          .config = config,
          .start = start,
          .new_key = [pool = keys_.get()] { return pool->Take(); },
          .periods = *periods_};
}

const manifests::PatchSet* InitData::Patches(workflow::Context& context) {
  const std::scoped_lock lock(mutex_);
  if (options.patches_directory.empty()) {
    return nullptr;
  }
  if (!patches_) {
    patches_ = manifests::ReadPatches(machine.files, options.patches_directory);
    for (const std::string& line : PatchesFoundLines(*patches_)) {
      context.Print(line);
    }
  }
  return &*patches_;
}

base::Duration InitData::Timeout(std::optional<base::Duration> config::Timeouts::* which) const {
  static const config::Timeouts kDefaults = config::DefaultTimeouts();
  if (config.init.timeouts && (*config.init.timeouts).*which) {
    return *((*config.init.timeouts).*which);
  }
  return (kDefaults.*which).value();
}

// A dry run of one phase needs what a dry run of the phases before it has left.
void InitData::CheckDryRunKubeconfig() const {
  const fs::path path = host.files.Location(options.kubeconfig);
  if (IsDefaultAdminConf(options.kubeconfig) && !machine.files.Exists(path)) {
    throw base::Error(base::Error::Kind::kNotFound,
                      "couldn't read the kubeconfig file " + path.string() +
                          ": there is none; a dry run of the phase \"kubeconfig\" makes it");
  }
}

kube::RetryPolicy InitData::Retry() const {
  kube::RetryPolicy retry;
  retry.limit =
      std::chrono::duration_cast<milliseconds>(Timeout(&config::Timeouts::kubernetes_api_call));
  return retry;
}

std::shared_ptr<kube::Transport> InitData::Connect() const {
  if (options.dry_run) {
    CheckDryRunKubeconfig();
    return std::make_shared<kube::DryRunTransport>(kube::DryRunOptions{
        .log = [this](const std::string& report) { dry_run_phase_->Print(report); }});
  }
  const auto connect = [](const kube::Kubeconfig& kubeconfig) -> std::shared_ptr<kube::Transport> {
    return kube::MakeHttpTransport(kubeconfig, {});
  };
  if (!IsDefaultAdminConf(options.kubeconfig)) {
    return connect(cluster::LoadKubeconfig(host.files, options.kubeconfig));
  }
  const fs::path folder(config::kKubernetesDir);
  return cluster::ConnectAsAdmin(
      host.files,
      {.admin = folder / config::kAdminConf,
       .super_admin = folder / config::kSuperAdminConf,
       .server = config::LocalEndpointUrl(config.init.local_api_endpoint)},
      connect, Retry());
}

kube::Client& InitData::Client(workflow::Context& context) {
  const std::scoped_lock lock(mutex_);
  dry_run_phase_ = &context;
  if (!client_) {
    client_ = std::make_unique<kube::Client>(Connect(), Retry(), context.Stop());
  }
  return *client_;
}

std::unique_ptr<cri::Runtime> InitData::Runtime() const {
  return cri::Connect(config.init.node_registration.cri_socket);
}

void InitData::SetCertificateKey(std::string key) {
  const std::scoped_lock lock(mutex_);
  certificate_key_ = std::move(key);
}

std::optional<std::string> InitData::CertificateKey() const {
  const std::scoped_lock lock(mutex_);
  return certificate_key_;
}

}  // namespace kubeadm
