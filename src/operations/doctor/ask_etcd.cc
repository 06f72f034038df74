// SPDX-License-Identifier: Apache-2.0
// etcd's members and their own reports.
#include <fmt/core.h>

#include <algorithm>

#include "base/error.h"
#include "base/strings.h"
#include "doctor/parts.h"
#include "etcd/health.h"
#include "etcd_membership/local_etcd.h"

namespace doctor {
namespace {

// The timeout for the list of members, and again for the members' answers.
constexpr std::chrono::milliseconds kPatience{1'500};

std::string FirstClientUrl(const etcd::Member& member) {
  const auto& urls = member.client_urls.empty() ? member.peer_urls : member.client_urls;
  return urls.empty() ? "" : urls.front();
}

// Returns whether the alarm belongs to the member. A member reports the alarms of all members; an
// alarm without a member id is its own.
bool IsOf(const std::string& alarm, const etcd::Member& member) {
  const std::vector<std::string> words = base::Fields(alarm);
  const auto named = std::ranges::find_if(
      words, [](const std::string& word) { return word.starts_with("memberID:"); });
  return named == words.end() || *named == fmt::format("memberID:{}", member.id);
}

// Stores the member's own alarms. Ignores alarms of other members.
void TakeAlarms(const etcd::MemberHealth& health, EtcdMemberFact& fact) {
  bool only_alarms = true;
  for (const std::string& error : health.status->errors) {
    const bool alarm = error.contains("NOSPACE") || error.contains("CORRUPT");
    only_alarms = only_alarms && alarm;
    if (alarm && IsOf(error, health.member)) {
      fact.alarms.push_back(error);
    }
  }
  if (only_alarms && fact.alarms.empty()) {
    fact.problem.reset();
  }
}

EtcdMemberFact FactOf(const etcd::MemberHealth& health) {
  EtcdMemberFact fact{.name = health.member.name,
                      .url = FirstClientUrl(health.member),
                      .problem = health.problem,
                      .learner = health.member.learner,
                      .started = health.member.started()};
  if (health.status && !health.status->errors.empty()) {
    TakeAlarms(health, fact);
  }
  fact.removal = etcd::RemovalCommand(health.member);
  return fact;
}

EtcdFacts AskMembers(const DoctorSources& sources, const etcd_membership::LocalEtcd& local) {
  EtcdFacts facts{.asked = true};
  etcd::Connection connection =
      etcd_membership::ReadClientPair(sources.host.files, local.certificates_dir);
  connection.endpoints = {local.client_url};
  connection.timeout = kPatience;
  const std::unique_ptr<etcd::Client> client = sources.connect_etcd(std::move(connection));
  try {
    const etcd::Health health = etcd::ClusterHealth(*client);
    facts.quorum = health.HasQuorum();
    for (const etcd::MemberHealth& member : health.members) {
      facts.members.push_back(FactOf(member));
    }
  } catch (const base::Error& error) {
    facts.problem = error.message();
  }
  return facts;
}

// Returns whether etcd is external: the API server does not use an etcd on this machine's loopback.
bool IsExternal(const host::Files& files) {
  try {
    const auto pod = static_pods::ReadManifest(files, components::Component::kApiServer);
    const std::string servers =
        pod ? static_pods::CommandArg(*pod, "etcd-servers").value_or("") : "";
    return !servers.empty() && servers.find("127.0.0.1") == std::string::npos &&
           servers.find("[::1]") == std::string::npos &&
           servers.find("localhost") == std::string::npos;
  } catch (const base::Error&) {
    return false;
  }
}

}  // namespace

Answer CollectEtcd(const DoctorSources& sources) {
  const etcd_membership::EtcdState state = etcd_membership::FindEtcd(sources.host.files);
  EtcdFacts etcd{.external = !state.local && IsExternal(sources.host.files)};
  if (state.local) {
    etcd = AskMembers(sources, *state.local);
  }
  return [etcd](Facts& facts) {
    facts.etcd = etcd;
    if (etcd.asked) {
      facts.looked_at.push_back(fmt::format("{} members of etcd", etcd.members.size()));
    }
  };
}

}  // namespace doctor
