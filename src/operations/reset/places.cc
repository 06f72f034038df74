// SPDX-License-Identifier: Apache-2.0
#include "reset/places.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "backup/upgrade_backup.h"
#include "base/error.h"
#include "certs/tree.h"
#include "components/table.h"
#include "config/paths.h"
#include "etcd_membership/local_etcd.h"
#include "workflow/state_file.h"

namespace reset {
namespace {

// Directories that Kubernetes shares with other programs.
constexpr std::array<std::string_view, 26> kShared{
    "/",        "/bin",     "/boot",    "/dev",       "/etc",          "/home", "/lib",
    "/lib64",   "/media",   "/mnt",     "/opt",       "/proc",         "/root", "/run",
    "/sbin",    "/srv",     "/sys",     "/tmp",       "/usr",          "/var",  "/var/lib",
    "/var/log", "/var/run", "/etc/ssl", "/usr/local", "/etc/ssl/certs"};

constexpr std::array<std::string_view, 6> kKubeconfigs{config::kAdminConf,
                                                       config::kSuperAdminConf,
                                                       config::kKubeletConf,
                                                       config::kBootstrapKubeletConf,
                                                       config::kControllerManagerConf,
                                                       config::kSchedulerConf};

// Directories that contain only files of the node, because kubeadm has chosen them.
constexpr std::array<std::string_view, 5> kUsual{config::kManifestsDir, config::kKubeletDir,
                                                 config::kTmpDir, config::kDefaultCertificatesDir,
                                                 config::kDefaultEtcdDataDir};

// Directories of the operating system. A disk that is mounted a second time may have one of the
// other directories of kShared as its root.
constexpr std::array<std::string_view, 17> kSystem{
    "/",    "/bin", "/boot", "/dev",     "/etc",     "/lib",  "/lib64", "/proc",   "/sbin",
    "/sys", "/usr", "/var",  "/var/lib", "/var/log", "/root", "/home",  "/etc/ssl"};

// Directory of a rotation that has begun and is not complete.
constexpr std::string_view kRotation = "rotate-ca";

constexpr std::string_view kCopyPrefix = "kubeadm-";  // of directories in config::kTmpDir

// Names of files that the kubelet (kubernetes/pkg/kubelet) and kubeadm write into the kubelet's
// directory.
constexpr std::array<std::string_view, 21> kKubeletEntries{"config.yaml",
                                                           "kubeadm-flags.env",
                                                           "instance-config.yaml",
                                                           "pki",
                                                           "pods",
                                                           "plugins",
                                                           "plugins_registry",
                                                           "plugin-containers",
                                                           "device-plugins",
                                                           "pod-resources",
                                                           "pods-api",
                                                           "checkpoints",
                                                           "image_manager",
                                                           "cpu_manager_state",
                                                           "memory_manager_state",
                                                           "dra_manager_state",
                                                           "allocated_pods_state",
                                                           "actuated_pods_state",
                                                           "pod_status_manager_state",
                                                           "volumes",
                                                           "graceful_node_shutdown_state"};

// Returns the files that phases and commands of certificates write into the directory of
// certificates.
std::vector<fs::path> CertificateFiles() {
  std::vector<fs::path> files;
  for (const certs::CertSpec& spec : certs::Tree()) {
    for (const char* suffix : {".crt", ".key", ".csr", ".crt.new"}) {
      files.emplace_back(std::string(spec.base_name) + suffix);
    }
  }
  for (const char* suffix : {".key", ".pub"}) {
    files.emplace_back(std::string(certs::kServiceAccount) + suffix);
  }
  files.emplace_back(kRotation);
  return files;
}

bool BeginsWithAny(std::string_view name, std::initializer_list<std::string_view> prefixes) {
  return std::ranges::any_of(prefixes, [&](auto prefix) { return name.starts_with(prefix); });
}

// Returns the entries of a directory that begin with one of the prefixes.
std::vector<fs::path> NamesBeginning(const host::Files& files, const fs::path& directory,
                                     std::initializer_list<std::string_view> prefixes) {
  std::vector<fs::path> names;
  for (const std::string& name : NamesIn(files, directory)) {
    if (BeginsWithAny(name, prefixes)) {
      names.emplace_back(name);
    }
  }
  return names;
}

// Returns whether a temporary file of the kubelet can have this name: "." and digits. The kubelet
// creates such a file by Go's os.CreateTemp and then renames it. If the kubelet is killed before
// the renaming, the file remains.
bool IsKubeletTemporary(std::string_view name) {
  return name.size() > 1 && name.front() == '.' &&
         name.find_first_not_of("0123456789", 1) == std::string_view::npos;
}

std::vector<fs::path> KubeletEntries(const host::Files& files) {
  std::vector<fs::path> entries{kKubeletEntries.begin(), kKubeletEntries.end()};
  for (const std::string& name : NamesIn(files, config::kKubeletDir)) {
    if (IsKubeletTemporary(name)) {
      entries.emplace_back(name);
    }
  }
  return entries;
}

// Returns the recognizable files of Kubernetes in a directory other than the directory of
// certificates.
std::vector<fs::path> Recognized(const host::Files& files, const fs::path& directory) {
  if (directory == config::kKubeletDir) {
    return KubeletEntries(files);
  }
  if (directory == config::kTmpDir) {
    return NamesBeginning(files, directory, {kCopyPrefix});
  }
  if (directory == config::kManifestsDir) {
    std::vector<fs::path> manifests;
    for (const components::Component component : components::kComponents) {
      manifests.push_back(components::ManifestPath(component).filename());
    }
    return manifests;
  }
  std::vector<fs::path> data = NamesBeginning(
      files, directory, {std::string(etcd_membership::kMemberDirectory) + ".", "etcd-backup"});
  data.emplace_back(etcd_membership::kMemberDirectory);
  return data;
}

// Returns the path without "..", repeated slashes and a final slash.
fs::path Plain(const fs::path& directory) {
  const fs::path plain = "/" / directory.lexically_normal().relative_path();
  return plain.has_filename() || plain == "/" ? plain : plain.parent_path();
}

}  // namespace

std::optional<std::string> WhyKept(const fs::path& directory) {
  if (!directory.is_absolute()) {
    return "it is not an absolute path";
  }
  if (std::ranges::find(kShared, Plain(directory).string()) != kShared.end()) {
    return "other programs also have files there";
  }
  return std::nullopt;
}

Places PlacesOf(const config::ResetConfiguration& config) {
  Places places;
  std::vector<fs::path> directories = {fs::path(config::kManifestsDir),
                                       fs::path(config::kKubeletDir),
                                       fs::path(config.certificates_dir)};
  if (config.cleanup_tmp_dir) {
    directories.emplace_back(config::kTmpDir);
  }
  for (const fs::path& directory : directories) {
    if (const auto why = WhyKept(directory)) {
      places.kept.push_back(fmt::format("{}: {}", directory.string(), *why));
    } else {
      places.contents.push_back(directory);
    }
  }
  for (const std::string_view name : kKubeconfigs) {
    places.files.push_back(fs::path(config::kKubernetesDir) / name);
  }
  return places;
}

std::optional<fs::path> EmptiedParent(const host::Files& files, const fs::path& path,
                                      const config::ResetConfiguration& config) {
  std::vector<fs::path> emptied = PlacesOf(config).contents;
  emptied.emplace_back(config::kTmpDir);
  emptied.emplace_back(workflow::kDirectory);
  const auto data =
      etcd_membership::DataDirectoryOf(etcd_membership::FindEtcd(files), nullptr).path;
  emptied.push_back(data.value_or(fs::path(config::kDefaultEtcdDataDir)));
  const fs::path target = fs::weakly_canonical(files.Location(path));
  for (const fs::path& directory : emptied) {
    const fs::path parent = fs::weakly_canonical(files.Location(directory));
    if (std::ranges::mismatch(parent, target).in1 == parent.end()) {
      return directory;
    }
  }
  return std::nullopt;
}

host::EmptyOptions RulesFor(const host::Files& files, const fs::path& directory,
                            const config::ResetConfiguration& config) {
  const fs::path plain = Plain(directory);
  host::EmptyOptions rules{.never = {kSystem.begin(), kSystem.end()},
                           .recognized = plain == Plain(config.certificates_dir)
                                             ? CertificateFiles()
                                             : Recognized(files, plain)};
  if (std::ranges::find(kUsual, plain.string()) == kUsual.end()) {
    rules.only = rules.recognized;
  }
  return rules;
}

std::vector<std::string> Empty(const host::Files& files, const fs::path& directory,
                               const config::ResetConfiguration& config) {
  return host::EmptyDirectory(files, directory, RulesFor(files, directory, config));
}

std::vector<std::string> Remove(host::Files& files, const std::vector<fs::path>& paths) {
  std::vector<std::string> problems;
  for (const fs::path& path : paths) {
    try {
      files.Remove(path);
    } catch (const base::Error& error) {
      problems.push_back(error.message());
    }
  }
  return problems;
}

std::vector<fs::path> JournalFiles(const host::Files& files) {
  std::vector<fs::path> journals;
  for (const std::string& name : NamesIn(files, workflow::kDirectory)) {
    if (name.ends_with(".json")) {
      journals.push_back(fs::path(workflow::kDirectory) / name);
    }
  }
  return journals;
}

std::vector<fs::path> CredentialCopies(const host::Files& files) {
  std::vector<fs::path> copies = NamesBeginning(
      files, config::kTmpDir,
      {"kubeadm-config-apply", "kubeadm-config-change", "kubeadm-endpoint", "kubeadm-init-dryrun",
       "kubeadm-join-dryrun", "kubeadm-node-readdress", "kubeadm-node-recover",
       "kubeadm-node-rename", "kubeadm-restore", "kubeadm-rotate-ca",
       "kubeadm-upgrade-apply-dryrun", "kubeadm-upgrade-node-dryrun"});
  for (fs::path& copy : copies) {
    copy = fs::path(config::kTmpDir) / copy;
  }
  for (const std::string_view directory :
       {workflow::kRestoring, workflow::kVerifying, backup::kUpgradeBackups}) {
    if (files.Exists(directory)) {
      copies.emplace_back(directory);
    }
  }
  return copies;
}

std::vector<std::string> NamesIn(const host::Files& files, const fs::path& directory) {
  try {
    return files.List(directory);
  } catch (const base::Error&) {
    return {};
  }
}

bool IsEmpty(const host::Files& files, const fs::path& directory) {
  return NamesIn(files, directory).empty();
}

}  // namespace reset
