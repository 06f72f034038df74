// SPDX-License-Identifier: Apache-2.0
#include "steps/node/dry_run_keys.h"

#include <fmt/core.h>

#include <set>
#include <vector>

#include "base/strings.h"
#include "certs/disk.h"
#include "certs/sharing.h"
#include "certs/tree.h"

namespace node_steps {
namespace {

// Returns the paths of the keys that control-plane nodes share: keys of CAs and of service
// accounts.
std::set<fs::path> SharedKeys(const config::ClusterConfiguration& cluster) {
  std::set<fs::path> keys;
  for (const certs::CertSpec& spec : certs::Tree()) {
    if (spec.is_ca()) {
      keys.insert(certs::KeyPath(cluster.certificates_dir, spec.base_name));
    }
  }
  for (const certs::SharedFile& file : certs::SharedFiles(cluster)) {
    if (file.entry.ends_with(".key") && !file.path.empty()) {
      keys.insert(file.path);
    }
  }
  return keys;
}

std::vector<fs::path> WrittenKeys(const NodeData& data) {
  std::vector<fs::path> keys;
  // A join that failed before discovery has written no keys.
  if (data.config.cluster.certificates_dir.empty()) {
    return keys;
  }
  for (const fs::path& wanted : SharedKeys(data.config.cluster)) {
    const fs::path written = data.host.files.Location(wanted);
    if (written != wanted && data.machine.files.Exists(written)) {
      keys.push_back(written);
    }
  }
  return keys;
}

std::string RemovedText(const DryRun& run, const std::string& names) {
  const std::string how = run.whole
                              ? "--keep leaves them"
                              : fmt::format("they stay in a directory that {} names", run.variable);
  return fmt::format("[dryrun] The keys of its certificate authorities were removed ({}): {}", how,
                     names);
}

}  // namespace

std::optional<std::string> SettleCaKeys(NodeData& data, const DryRun& run) {
  const std::vector<fs::path> keys = WrittenKeys(data);
  if (keys.empty()) {
    return std::nullopt;
  }
  // The files stay if the user has named the directory of the dry run.
  const bool named = !data.machine.environment.Get(run.variable).empty();
  const bool keep = named || data.options.keep_dry_run_keys;
  std::vector<std::string> names;
  for (const fs::path& key : keys) {
    names.push_back(key.string());
    if (!keep) {
      data.machine.files.Remove(key);
    }
  }
  const std::string text = base::Join(names, ", ");
  if (!keep) {
    return RemovedText(run, text);
  }
  if (!run.whole) {
    return std::nullopt;
  }
  return fmt::format(
      "[dryrun] The keys of its certificate authorities are in {}: keep them secret, and remove "
      "them when you no longer need them",
      text);
}

}  // namespace node_steps
