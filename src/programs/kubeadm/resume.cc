#include "kubeadm/resume.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "base/error.h"
#include "base/log.h"
#include "base/strings.h"
#include "certs/disk.h"
#include "certs/tree.h"
#include "config/paths.h"
#include "kubeadm/written_files.h"
#include "kubeconfigs/load.h"
#include "kubeconfigs/specs.h"
#include "pki/certificate.h"

namespace kubeadm {
namespace {

// Files that follow from the configuration alone and that nothing else depends on yet.
std::set<fs::path> Remakeable(const NodeData& data) {
  std::set<fs::path> paths;
  const fs::path dir = data.config.cluster.certificates_dir;
  for (const certs::CertSpec& spec : certs::Tree()) {
    if (!spec.is_ca()) {
      paths.insert(certs::CertPath(dir, spec.base_name));
      paths.insert(certs::KeyPath(dir, spec.base_name));
    }
  }
  for (const kubeconfigs::KubeconfigSpec& spec : data.kubeconfig_specs) {
    paths.insert(data.KubeconfigPath(spec.file));
  }
  return paths;
}

// DropLoneKeys: a run that was cut off between a key and what belongs to it left a key that no
// phase goes on from.
void DropLoneKeys(const NodeData& data) {
  const fs::path dir = data.config.cluster.certificates_dir;
  const auto drop = [&](const fs::path& key, const fs::path& rest) {
    if (IsOwnLeftover(data, key) && !data.host.files.Exists(rest)) {
      data.host.files.Remove(key);
    }
  };
  for (const certs::CertSpec& spec : certs::Tree()) {
    drop(certs::KeyPath(dir, spec.base_name), certs::CertPath(dir, spec.base_name));
  }
  drop(certs::KeyPath(dir, certs::kServiceAccount), certs::PublicKeyPath(dir));
}

}  // namespace

std::unique_ptr<workflow::Journal> OpenJournal(host::Host& machine, const std::string& command,
                                               const std::string& origin) {
  auto journal = std::make_unique<workflow::Journal>(
      workflow::JournalStore{
          .get = [&machine](const std::string& path) { return machine.files.Find(path); },
          .put =
              [&machine](const std::string& path, const std::string& content) {
                machine.files.Write(path, content, {.mode = 0600, .directory_mode = 0700});
              }},
      workflow::JournalKey{.command = command,
                           .config_hash = FileHash(origin),
                           .run_id = base::HexEncode(machine.random.Bytes(8))},
      [&machine] { return machine.clock.Now(); });
  if (journal->resumes()) {
    base::LogInfo(0, "going on with an earlier \"kubeadm {}\" that was not finished{}", command,
                  journal->config_changed() ? "; its configuration was another one" : "");
  }
  return journal;
}

void DropStaleFiles(const NodeData& data) {
  DropLoneKeys(data);
  if (data.journal == nullptr || !data.journal->config_changed()) {
    return;
  }
  const std::set<fs::path> remakeable = Remakeable(data);
  for (const auto& [path, hash] : data.journal->earlier_files()) {
    if (remakeable.contains(path) && IsOwnLeftover(data, path)) {
      data.host.files.Remove(path);
    }
  }
}

bool IsOwnLeftover(const NodeData& data, const fs::path& path) {
  if (data.journal == nullptr) {
    return false;
  }
  const std::optional<std::string> content = data.machine.files.Find(path);
  return content && data.journal->OwnsFile(path.string(), FileHash(*content));
}

bool IsOwnNode(const NodeData& data, const std::string& node) {
  const fs::path dir(config::kKubernetesDir);
  const fs::path kubelet_conf = dir / config::kKubeletConf;
  if (data.journal == nullptr ||
      !data.journal->earlier_files().contains((dir / config::kBootstrapKubeletConf).string()) ||
      !data.machine.files.Exists(kubelet_conf)) {
    return false;
  }
  try {
    const kube::Kubeconfig config = kubeconfigs::LoadKubeconfig(data.machine.files, kubelet_conf);
    const kube::KubeconfigUser* user = config.CurrentUser();
    return user != nullptr &&
           pki::Certificate::FromPem(user->client_certificate_data).subject().common_name ==
               "system:node:" + node;
  } catch (const base::Error&) {
    return false;  // unusable: not an identity
  }
}

}  // namespace kubeadm
