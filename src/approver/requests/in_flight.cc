// SPDX-License-Identifier: Apache-2.0
#include "requests/in_flight.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/number.h"
#include "evidence/decode.h"
#include "judgement/machines.h"
#include "judgement/names.h"
#include "requests/store.h"

namespace requests {
namespace {

using evidence::DecodeCsr;
using evidence::DecodedCsr;
using judgement::ApprovedRequest;
using judgement::Condition;
using judgement::Csr;
using judgement::FoldedName;
using judgement::KindOf;
using judgement::kNoTime;
using judgement::NodeOf;
using judgement::ParsedRequest;
using judgement::RequestKind;
using judgement::Time;

std::string KeyOf(const InFlight::Asked& asked, const std::string& node) {
  return (KindOf(asked.csr, *asked.request) == RequestKind::kClient ? "client/" : "serving/") +
         node;
}

std::string NodeIn(const std::string& key) { return key.substr(key.find('/') + 1); }

bool Has(const Csr& csr, std::string_view type) {
  return std::ranges::find(csr.conditions, type, &Condition::type) != csr.conditions.end();
}

// Returns whether a resourceVersion is later. Versions are growing numbers (KEP-5504). If one is
// not a number, any different version counts as later.
bool IsLater(const std::string& version, const std::string& than) {
  const auto number = base::ParseNumber<std::uint64_t>(version);
  const auto other = base::ParseNumber<std::uint64_t>(than);
  return number && other ? *number > *other : version != than;
}

// Returns when a request was approved; kNoTime if it was not approved, or was also denied or
// failed.
Time ApprovedAt(const Csr& csr) {
  const auto approved = std::ranges::find(csr.conditions, "Approved", &Condition::type);
  if (approved == csr.conditions.end() || Has(csr, "Denied") || Has(csr, "Failed")) {
    return kNoTime;
  }
  return std::max(csr.created, approved->last_transition);
}

}  // namespace

std::optional<std::string> InFlight::Put(const json::Value& object, bool tokens) {
  const DecodedCsr decoded = DecodeCsr(object);
  const Csr& csr = decoded.csr;
  const Time approved = IsOurs(csr, tokens) ? ApprovedAt(csr) : kNoTime;
  const ParsedRequest request = approved == kNoTime
                                    ? std::unexpected(pki::RequestFault{.kind = {}, .text = {}})
                                    : pki::ReadRequest(decoded.request_pem);
  const std::lock_guard lock(mutex_);
  if (!request && StaysClaimedLocked(csr)) {
    return {};
  }
  std::optional<std::string> before = RemoveLocked(csr.name);
  if (!request) {
    return before;
  }
  std::string node = FoldedName(NodeOf(csr, *request));
  AddLocked(csr.name, {.created = csr.created,
                       .approved = approved,
                       .key_id = request->key_id,
                       .key = KeyOf({.csr = csr, .request = request, .node = node}, node),
                       .issued = !json::TextAt(object, {"status", "certificate"}).empty()});
  return node;
}

// Returns whether the claim stays. The reported object may be older than the judged version,
// because a list or a watch may be stale. The approval applies only to the judged version. At any
// newer version the approval either exists or can no longer be made.
bool InFlight::StaysClaimedLocked(const Csr& csr) const {
  const auto found = entries_.find(csr.name);
  return found != entries_.end() && found->second.source != Source::kTold &&
         !IsLater(csr.resource_version, found->second.judged_version);
}

// Precondition: the name has no entry.
void InFlight::AddLocked(const std::string& name, Entry entry) {
  const auto added = entries_.emplace(name, std::move(entry)).first;
  names_.emplace(added->second.key, added->first);
}

std::optional<std::string> InFlight::Remove(const std::string& name) {
  const std::lock_guard lock(mutex_);
  return RemoveLocked(name);
}

std::optional<std::string> InFlight::RemoveLocked(const std::string& name) {
  const auto found = entries_.find(name);
  if (found == entries_.end()) {
    return {};
  }
  names_.erase({found->second.key, found->first});
  std::string node = NodeIn(found->second.key);
  entries_.erase(found);
  return node;
}

std::vector<ApprovedRequest> InFlight::Others(const Asked& asked, Time now) const {
  const std::lock_guard lock(mutex_);
  return OthersLocked(asked, now);
}

std::vector<ApprovedRequest> InFlight::OthersLocked(const Asked& asked, Time now) const {
  std::set<std::string> nodes = asked.also;
  nodes.insert(asked.node);
  std::vector<ApprovedRequest> others;
  for (const std::string& node : nodes) {
    const std::string key = KeyOf(asked, node);
    for (auto at = names_.lower_bound({key, {}}); at != names_.end() && at->first == key; ++at) {
      std::string name(at->second);
      const Entry& entry = entries_.at(name);
      if (name != asked.csr.name && now - entry.approved < kLongest) {
        others.push_back({.name = std::move(name),
                          .created = entry.created,
                          .issued = entry.issued,
                          .key_id = entry.key_id});
      }
    }
  }
  return others;
}

bool InFlight::Claim(const Asked& asked, const std::vector<ApprovedRequest>& judged, Time now) {
  const std::lock_guard lock(mutex_);
  for (const ApprovedRequest& other : OthersLocked(asked, now)) {
    const auto known = std::ranges::find(judged, other.name, &ApprovedRequest::name);
    if (known == judged.end() || known->created != other.created || known->issued != other.issued) {
      return false;
    }
  }
  const auto own = entries_.find(asked.csr.name);
  const Source before = own == entries_.end() ? Source::kClaimed : own->second.source;
  if (before == Source::kTold) {
    return false;
  }
  RemoveLocked(asked.csr.name);
  AddLocked(asked.csr.name, {.created = asked.csr.created,
                             .approved = now,
                             .key_id = asked.request->key_id,
                             .key = KeyOf(asked, asked.node),
                             .source = before,
                             .judged_version = asked.csr.resource_version});
  return true;
}

void InFlight::Doubt(const std::string& name) {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(name);
  if (found != entries_.end() && found->second.source == Source::kClaimed) {
    found->second.source = Source::kDoubted;
  }
}

std::optional<std::string> InFlight::Unclaim(const std::string& name) {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(name);
  return found != entries_.end() && found->second.source == Source::kClaimed ? RemoveLocked(name)
                                                                             : std::nullopt;
}

InFlight::Asked AskedIn(const judgement::Facts& facts, const std::string& node) {
  InFlight::Asked asked{.csr = *facts.csr, .request = *facts.request, .node = node};
  if (KindOf(asked.csr, *asked.request) == RequestKind::kClient) {
    for (const judgement::Machine* machine : facts.named) {
      asked.also.merge(judgement::MachineIndex::NodesOf(*machine));
    }
  }
  return asked;
}

}  // namespace requests
