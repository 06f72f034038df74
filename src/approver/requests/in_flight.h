// SPDX-License-Identifier: Apache-2.0
// Certificates in flight: requests that were approved a moment ago, by whomever. A machine needs
// one certificate of a kind at a time; who asks for a second one is somebody else, or has lost the
// first.
#pragma once

#include <chrono>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "json/value.h"
#include "judgement/facts.h"
#include "judgement/judge.h"

namespace requests {

// InFlight is thread-safe.
class InFlight {
 public:
  // How long after its approval a certificate is in flight at most. The cluster removes approved
  // requests after that time, too.
  static constexpr std::chrono::hours kLongest{1};

  // Asked is a request and for which node (FoldedName) it asks, as long as a call lasts. `also` are
  // the other names of the machines that may vouch for it: they are one machine's.
  struct Asked {
    const judgement::Csr& csr;
    const judgement::ParsedRequest& request;
    const std::string& node;
    std::set<std::string> also = {};
  };

  // Put takes in what is known of a request: it is in flight when it is one of ours (IsOurs),
  // approved, and neither denied nor failed. A claim stays until it is known what became of the
  // request after it was judged. Returns the folded name of the node whose other requests are to be
  // judged again; nothing when none are.
  std::optional<std::string> Put(const json::Value& object, bool tokens);
  // Remove forgets a request; it returns what Put does.
  std::optional<std::string> Remove(const std::string& name);

  // Others are the certificates in flight at `now` for the node, under any of its machine's names,
  // and of the kind of a request that can be read; that request aside.
  std::vector<judgement::ApprovedRequest> Others(const Asked& asked, judgement::Time now) const;

  // Claim notes that a request is about to be approved. False, and nothing is noted, when by now it
  // has been, or there are others than the verdict rests on: it must be judged again.
  bool Claim(const Asked& asked, const std::vector<judgement::ApprovedRequest>& judged,
             judgement::Time now);
  // Doubt notes that nobody knows whether what was claimed has been approved.
  void Doubt(const std::string& name);
  // Unclaim ends a claim of which it is known that the request was not approved, and returns what
  // Put does. What was told since, and what is in doubt, stays.
  std::optional<std::string> Unclaim(const std::string& name);

 private:
  enum class Source { kTold, kClaimed, kDoubted };
  struct Entry {
    judgement::ApprovedRequest request;
    judgement::Time approved = judgement::kNoTime;
    std::string key;
    Source source = Source::kTold;
    std::string judged_version = {};  // resourceVersion of what was claimed
  };

  bool StaysClaimedLocked(const judgement::Csr& csr) const;
  void AddLocked(Entry entry);
  std::optional<std::string> RemoveLocked(const std::string& name);
  std::vector<judgement::ApprovedRequest> OthersLocked(const Asked& asked,
                                                       judgement::Time now) const;

  mutable std::mutex mutex_;
  // All below is guarded by mutex_.
  std::unordered_map<std::string, Entry> entries_;               // by the request's name
  std::unordered_map<std::string, std::set<std::string>> keys_;  // kind and node → names
};

// AskedIn is the request of the facts, which can be read, for the node of that folded name.
InFlight::Asked AskedIn(const judgement::Facts& facts, const std::string& node);

}  // namespace requests
