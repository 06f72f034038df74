// What `kubeadm reset --all` does beyond the phases.
#include <fmt/core.h>

#include "kubeadm/reset/phases.h"
#include "reset/bridges.h"
#include "reset/leftovers.h"
#include "reset/network.h"
#include "reset/places.h"

namespace kubeadm {
namespace {

// OwnKubeconfigs are those of the user that lead to this cluster and nowhere else.
std::vector<fs::path> OwnKubeconfigs(const ResetData& data, workflow::Context& context) {
  std::vector<fs::path> own;
  for (const fs::path& path : data.user_kubeconfigs) {
    if (reset::BelongsTo(data.host.files, path, data.cluster_ca) == reset::Belongs::kOnly) {
      own.push_back(path);
    } else {
      context.Warn(fmt::format("{} leads to other clusters, too: left as it is", path.string()));
    }
  }
  return own;
}

// Listed names what is to be removed, each with the prefix before it.
std::vector<std::string> Listed(std::string_view prefix,
                                const std::vector<reset::NetworkStep>& steps,
                                const std::vector<fs::path>& kubeconfigs) {
  std::vector<std::string> lines;
  for (const reset::NetworkStep& step : steps) {
    lines.push_back(fmt::format("{}: {}", prefix, step.what));
  }
  for (const fs::path& path : kubeconfigs) {
    lines.push_back(fmt::format("{}: {}", prefix, path.string()));
  }
  return lines;
}

void RemoveAll(const std::vector<reset::NetworkStep>& steps,
               const std::vector<fs::path>& kubeconfigs, ResetData& data,
               workflow::Context& context) {
  for (const std::string& line : Listed("[reset] To remove", steps, kubeconfigs)) {
    context.Print(line);
  }
  if (!data.config.force && !data.confirm("[reset] Remove all of these? [y/N]: ")) {
    context.Print("[reset] Left as they are");
    return;
  }
  for (const std::string& problem : reset::CleanNetwork(data.host, steps)) {
    context.Warn(problem);
  }
  for (const std::string& problem : reset::Remove(data.host.files, kubeconfigs)) {
    context.Warn(problem);
  }
}

}  // namespace

void CleanAll(ResetData& data, workflow::Context& context) {
  const std::vector<reset::NetworkStep> steps = reset::PlanNetworkCleanup(data.host);
  for (const reset::JudgedBridge& bridge : reset::JudgeBridges(data.host)) {
    if (!bridge.why_kept.empty()) {
      context.Warn(fmt::format("the network bridge {} is kept: {}", bridge.name, bridge.why_kept));
    }
  }
  const std::vector<fs::path> kubeconfigs = OwnKubeconfigs(data, context);
  if (steps.empty() && kubeconfigs.empty()) {
    context.Print("[reset] No rules or links of the network and no kubeconfig to remove");
    return;
  }
  data.world.Do({.act = [&] { RemoveAll(steps, kubeconfigs, data, context); },
                 .show = Would(context, Listed("[dryrun] Would remove", steps, kubeconfigs))});
}

}  // namespace kubeadm
