// SPDX-License-Identifier: Apache-2.0
#include "upgrade/find_plan.h"

#include <fmt/core.h>

#include <optional>

#include "base/log.h"
#include "config/version.h"

namespace upgrade {
namespace {

void SayVersion(const std::string& what, const std::optional<std::string>& version,
                const base::ShowLine& say) {
  if (version) {
    say(fmt::format("[upgrade/versions] {}: {}", what, *version));
  }
}

std::vector<Offer> FindOffers(const OfferRequest& request, const config::Fetch& fetch,
                              const base::ShowLine& say) {
  say("[upgrade/versions] Cluster version: " + request.cluster.Text());
  say("[upgrade/versions] kubeadm version: " + request.kubeadm.TextWithV());
  const Published published = FindPublished(request, fetch);
  for (const std::string& warning : published.warnings) {
    base::LogWarning("[upgrade/versions] {}", warning);
  }
  SayVersion("Target version", published.stable, say);
  if (published.patch && request.cluster <= base::Version::Parse(*published.patch)) {
    SayVersion("Latest " + SeriesName(request.cluster), published.patch, say);
  }
  SayVersion("Latest experimental version", published.latest, say);
  SayVersion("Latest previous version", published.previous, say);
  return Offers(request, published);
}

}  // namespace

PlanView FindPlan(const PlanQuestion& question, const PlanSources& sources,
                  const base::ShowLine& say) {
  say("[upgrade] Looking up the versions to upgrade to");
  const control_plane::Running running = control_plane::CollectRunning(sources.client);
  if (const std::optional<std::string> mixed = control_plane::MixedVersions(running)) {
    base::LogWarning("{}", *mixed);
  }
  const OfferRequest request{.cluster = running.cluster,
                             .kubeadm = config::KubeadmVersion(),
                             .allowed = question.allowed,
                             .wanted = question.wanted};
  PlanView view{.upgrades = {}, .states = ComponentStates(sources.stored)};
  for (Offer& offer : FindOffers(request, sources.fetch, say)) {
    auto components = ComponentUpgrades(offer, running, request.kubeadm.TextWithV(), question.etcd,
                                        question.core_dns_tag);
    view.upgrades.push_back({.offer = std::move(offer), .components = std::move(components)});
  }
  return view;
}

}  // namespace upgrade
