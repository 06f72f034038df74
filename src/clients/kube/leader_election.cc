// SPDX-License-Identifier: Apache-2.0
#include "kube/leader_election.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <limits>

#include "base/error.h"
#include "base/log.h"
#include "kube/lease.h"

namespace kube {
namespace {

using base::Error;

std::string HolderOf(const json::Value& lease) {
  return json::TextAt(lease, {"spec", "holderIdentity"});
}

}  // namespace

LeaderElector::LeaderElector(Transport& transport, host::Clock& clock, LeaderOptions options)
    : transport_(transport), clock_(clock), options_(std::move(options)) {}

bool LeaderElector::Acquire(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    try {
      if (TryOnce(stop)) {
        return true;
      }
    } catch (const Error& error) {
      ReportTrouble("take", error);
    } catch (const base::Interrupted&) {
      return false;
    }
    clock_.Sleep(options_.retry_period, stop);
  }
  return false;
}

bool LeaderElector::Keep(const std::stop_token& stop) {
  const bool held = KeepUntilLost(stop);
  until_.reset();
  return held;
}

bool LeaderElector::KeepUntilLost(const std::stop_token& stop) {
  for (;;) {
    until_ = renewed_ + options_.renew_deadline;
    const auto left = std::max(*until_ - clock_.Steady(), Steady::duration::zero());
    if (!clock_.Sleep(std::min<Steady::duration>(options_.retry_period, left), stop)) {
      return true;
    }
    if (clock_.Steady() >= *until_) {
      base::LogWarning("the lease {}/{} could not be renewed in time", options_.name_space,
                       options_.name);
      return false;
    }
    try {
      if (!TryOnce(stop)) {
        base::LogWarning("another process holds the lease {}/{}", options_.name_space,
                         options_.name);
        return false;
      }
    } catch (const Error& error) {
      ReportTrouble("renew", error);
    } catch (const base::Interrupted&) {
      return true;
    }
  }
}

void LeaderElector::ReportTrouble(std::string_view verb, const Error& error) const {
  const std::string text = fmt::format("cannot {} the lease {}/{}: {}", verb, options_.name_space,
                                       options_.name, error.message());
  if (options_.trouble) {
    options_.trouble(error, text);
  } else {
    base::LogWarning("{}", text);
  }
}

void LeaderElector::Release() {
  try {
    json::Value lease = transport_.Do(CallFor(Verb::kGet), {});
    if (HolderOf(lease) != options_.identity) {
      return;
    }
    transport_.Do(CallFor(Verb::kUpdate, Released(std::move(lease))), {});
  } catch (const Error& error) {
    base::LogWarning("cannot give the lease {}/{} back: {}", options_.name_space, options_.name,
                     error.message());
  }
}

bool LeaderElector::TryOnce(const std::stop_token& stop) {
  const auto begin = clock_.Steady();
  if (!Hold(stop)) {
    return false;
  }
  renewed_ = begin;
  return true;
}

bool LeaderElector::Hold(const std::stop_token& stop) {
  std::optional<json::Value> found =
      Found([&] { return transport_.Do(CallFor(Verb::kGet), stop); });
  if (!found) {
    return Create(stop);
  }
  json::Value& lease = *found;
  if (HolderOf(lease) != options_.identity && !IsFree(lease)) {
    if (options_.waiting) {
      options_.waiting(HolderOf(lease));
    }
    return false;
  }
  lease["spec"] = SpecFor(lease);
  // A conflict is like any other failure: a concurrent write does not imply that another client
  // took the Lease.
  transport_.Do(CallFor(Verb::kUpdate, std::move(lease)), stop);
  return true;
}

bool LeaderElector::Create(const std::stop_token& stop) {
  const json::Value lease{
      {"apiVersion", "coordination.k8s.io/v1"},
      {"kind", "Lease"},
      {"metadata", {{"name", options_.name}, {"namespace", options_.name_space}}},
      {"spec", SpecFor({})}};
  try {
    transport_.Do(CallFor(Verb::kCreate, lease), stop);
  } catch (const Error& error) {
    if (error.kind() != Error::Kind::kAlreadyExists) {
      throw;
    }
    return false;
  }
  return true;
}

bool LeaderElector::IsFree(const json::Value& lease) {
  if (HolderOf(lease).empty()) {
    return true;
  }
  const std::string record = json::Compact(json::At(lease, {"spec"}));
  if (record != observed_) {
    observed_ = record;
    observed_at_ = clock_.Steady();
  }
  const json::Value& seconds = json::At(lease, {"spec", "leaseDurationSeconds"});
  std::chrono::milliseconds duration = options_.lease_duration;
  if (seconds.is_number_integer()) {  // the API allows 32 bits
    constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
    duration =
        std::chrono::seconds(std::clamp(seconds.get<std::int64_t>(), std::int64_t{0}, kMost));
  }
  return clock_.Steady() - observed_at_ >= duration;
}

json::Value LeaderElector::SpecFor(const json::Value& old) const {
  const bool ours = HolderOf(old) == options_.identity;
  const json::Value& transitions = json::At(old, {"spec", "leaseTransitions"});
  const std::int64_t before = transitions.is_number_integer() ? transitions.get<std::int64_t>() : 0;
  const std::string now = MicroTime(clock_);
  const std::string acquired = json::TextAt(old, {"spec", "acquireTime"});
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(options_.lease_duration);
  return {{"holderIdentity", options_.identity},
          {"leaseDurationSeconds", seconds.count()},
          {"acquireTime", ours && !acquired.empty() ? acquired : now},
          {"renewTime", now},
          {"leaseTransitions", ours || old.is_null() ? before : before + 1}};
}

Call LeaderElector::CallFor(Verb verb, json::Value body) const {
  Call call{.verb = verb,
            .resource = resources::kLease,
            .name_space = options_.name_space,
            .name = verb == Verb::kCreate ? "" : options_.name,
            .body = std::move(body)};
  if (until_) {  // a hanging attempt must leave time for another attempt
    const auto left =
        std::min<Steady::duration>(*until_ - clock_.Steady(), options_.renew_deadline / 2);
    const auto count = std::chrono::duration_cast<std::chrono::milliseconds>(left).count();
    call.within = std::chrono::milliseconds(std::max<std::int64_t>(count, 1));
  }
  return call;
}

}  // namespace kube
