// SPDX-License-Identifier: Apache-2.0
#include "node_steps/dry_run_keys.h"

#include <fmt/core.h>

#include <vector>

#include "base/strings.h"
#include "certs/disk.h"
#include "certs/tree.h"

namespace node_steps {
namespace {

std::vector<fs::path> CaKeys(const NodeData& data) {
  std::vector<fs::path> keys;
  for (const certs::CertSpec& spec : certs::Tree()) {
    if (!spec.is_ca()) {
      continue;
    }
    const fs::path wanted = certs::KeyPath(data.config.cluster.certificates_dir, spec.base_name);
    const fs::path written = data.host.files.Location(wanted);
    if (written != wanted && data.machine.files.Exists(written)) {
      keys.push_back(written);
    }
  }
  return keys;
}

}  // namespace

std::optional<std::string> SettleCaKeys(NodeData& data, bool keep) {
  const std::vector<fs::path> keys = CaKeys(data);
  if (keys.empty()) {
    return std::nullopt;
  }
  std::vector<std::string> names;
  for (const fs::path& key : keys) {
    names.push_back(key.string());
    if (!keep) {
      data.machine.files.Remove(key);
    }
  }
  return fmt::format(
      fmt::runtime(keep ? "[dryrun] The keys of its certificate authorities lie in {}: keep "
                          "them secret, and remove them when they have served"
                        : "[dryrun] The keys of its certificate authorities were "
                          "removed (--keep leaves them): {}"),
      base::Join(names, ", "));
}

}  // namespace node_steps
