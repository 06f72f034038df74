// SPDX-License-Identifier: Apache-2.0
#include "reset/places.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "base/error.h"
#include "certs/tree.h"
#include "config/paths.h"
#include "etcd_membership/local_etcd.h"
#include "state_files/state_file.h"

namespace reset {
namespace {

// Directories that are not Kubernetes' alone.
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

// Directories that are a node's alone, because kubeadm has chosen them.
constexpr std::array<std::string_view, 5> kUsual{config::kManifestsDir, config::kKubeletDir,
                                                 config::kTmpDir, config::kDefaultCertificatesDir,
                                                 config::kDefaultEtcdDataDir};

constexpr std::string_view kRotation = "rotate-ca";  // of authorities, begun and not ended

// CertificateFiles are what the phases and commands of certificates write into their directory.
std::vector<fs::path> CertificateFiles() {
  std::vector<fs::path> files;
  for (const certs::CertSpec& spec : certs::Tree()) {
    for (const char* suffix : {".crt", ".key", ".csr"}) {
      files.emplace_back(std::string(spec.base_name) + suffix);
    }
  }
  for (const char* suffix : {".key", ".pub"}) {
    files.emplace_back(std::string(certs::kServiceAccount) + suffix);
  }
  files.emplace_back(kRotation);
  return files;
}

// Plain is without "..", doubled slashes and a slash at the end.
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

host::EmptyOptions RulesFor(const fs::path& directory, const config::ResetConfiguration& config) {
  const fs::path plain = Plain(directory);
  const bool certificates = plain == Plain(config.certificates_dir);
  host::EmptyOptions rules{
      .own_mount = certificates ? host::OwnMount::kKeep : host::OwnMount::kEnterDisk,
      .never = {kShared.begin(), kShared.end()}};
  if (std::ranges::find(kUsual, plain.string()) == kUsual.end()) {
    rules.only = certificates ? CertificateFiles()
                              : std::vector<fs::path>{etcd_membership::kMemberDirectory};
  }
  return rules;
}

std::vector<std::string> Empty(const host::Files& files, const fs::path& directory,
                               const config::ResetConfiguration& config) {
  return host::EmptyDirectory(files, directory, RulesFor(directory, config));
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
  for (const std::string& name : NamesIn(files, state_files::kDirectory)) {
    if (name.ends_with(".json")) {
      journals.push_back(fs::path(state_files::kDirectory) / name);
    }
  }
  return journals;
}

std::vector<fs::path> RotationCopies(const host::Files& files) {
  std::vector<fs::path> copies;
  for (const std::string& name : NamesIn(files, config::kTmpDir)) {
    if (name.starts_with("kubeadm-rotate-ca-")) {
      copies.push_back(fs::path(config::kTmpDir) / name);
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
