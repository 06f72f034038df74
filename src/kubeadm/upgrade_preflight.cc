// Phase `preflight` of upgrade.
#include <fmt/core.h>

#include "base/error.h"
#include "base/strings.h"
#include "config/version.h"
#include "kubeadm/node_steps.h"
#include "kubeadm/upgrade_phases.h"
#include "preflight/checks.h"
#include "upgrade/policy.h"

namespace kubeadm {
namespace {

std::string Listed(const std::vector<std::string>& problems) {
  std::string text;
  for (const std::string& problem : problems) {
    text += "\n\t- " + problem;
  }
  return text;
}

// What speaks against the version. --force helps against some of it.
void EnforcePolicy(UpgradeData& data, workflow::Context& context) {
  const base::Version wanted = base::Version::Parse(data.wanted_version).value();
  const upgrade::PolicyFacts facts =
      upgrade::GatherPolicyFacts(data.Client(context), wanted, data.upgrade_options.allowed);
  if (facts.api_server) {
    context.Print(fmt::format("[upgrade/versions] Cluster version: v{}", facts.api_server->Text()));
  }
  context.Print(fmt::format("[upgrade/versions] kubeadm version: {}", config::kKubeadmVersion));
  const upgrade::PolicyVerdict verdict = upgrade::JudgeVersion(facts);
  if (!verdict.mandatory.empty()) {
    throw base::Error(base::Error::Kind::kInvalid,
                      fmt::format("this cluster cannot be upgraded to {}:{}",
                                  base::Quoted(data.wanted_version), Listed(verdict.mandatory)));
  }
  if (verdict.skippable.empty()) {
    return;
  }
  if (!data.upgrade_options.force) {
    throw base::Error(
        base::Error::Kind::kInvalid,
        fmt::format("this cluster should not be upgraded to {}; --force does it all the same:{}",
                    base::Quoted(data.wanted_version), Listed(verdict.skippable)));
  }
  context.Print(
      fmt::format("[upgrade/versions] Going on because of --force, against {} objection{}:{}",
                  verdict.skippable.size(), verdict.skippable.size() == 1 ? "" : "s",
                  Listed(verdict.skippable)));
}

void AskUser(UpgradeData& data) {
  if (data.upgrade_options.yes || data.upgrade_options.force || data.options.dry_run) {
    return;
  }
  if (!data.confirm("[upgrade] Are you sure you want to proceed? [y/N]: ")) {
    throw base::Error("won't proceed: the user has not answered with yes; nothing was changed");
  }
}

void CheckNode(UpgradeData& data, workflow::Context& context) {
  context.Print("[upgrade/preflight] Running preflight checks");
  CheckRoot(data, context);
  RunChecks(
      preflight::UpgradeChecks(CheckSources(data), data.config.init.node_registration.cri_socket),
      data, context);
}

}  // namespace

void UpgradePreflight(UpgradeData& data, workflow::Context& context) {
  data.LoadCluster(context);
  CheckNode(data, context);
  if (data.command == UpgradeData::Command::kApply) {
    context.Print(fmt::format("[upgrade/preflight] The cluster is to be upgraded to version {}",
                              base::Quoted(data.wanted_version)));
    EnforcePolicy(data, context);
    AskUser(data);
  }
  if (data.ControlPlane()) {
    PullImages(data, context);
  } else {
    context.Print("[upgrade/preflight] This node has no control plane: no images to pull");
  }
}

}  // namespace kubeadm
