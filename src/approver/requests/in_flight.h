// SPDX-License-Identifier: Apache-2.0
// Certificates in flight: requests that were approved less than an hour ago, by any client. A
// machine needs one certificate of a kind at a time. A second requester is an impostor, or has lost
// the first certificate.
#pragma once

#include <chrono>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "json/value.h"
#include "judgement/facts.h"
#include "judgement/judge.h"

namespace requests {

// InFlight is thread-safe.
class InFlight {
 public:
  // The maximum time for which a certificate is in flight after its approval. After this time the
  // cluster removes approved requests, too.
  static constexpr std::chrono::hours kLongest{1};

  // The arguments of a call: a request, its node (FoldedName), and in `also` the other names of the
  // machines that may attest the request. All names of such a machine count as one node.
  struct Asked {
    const judgement::Csr& csr;
    const judgement::ParsedRequest& request;
    const std::string& node;
    std::set<std::string> also = {};
  };

  // Records a request. The request is in flight if it is one of ours (IsOurs), approved, and
  // neither denied nor failed. A claim stays until a later version of the claimed request is
  // reported. Returns the folded name of the node whose other requests must be judged again;
  // std::nullopt without such a node.
  std::optional<std::string> Put(const json::Value& object, bool tokens);
  // Forgets a request. Its result has the same meaning as that of Put.
  std::optional<std::string> Remove(const std::string& name);

  // Returns the other certificates of the request's kind that are in flight at `now` for the
  // request's node, under any name of the node's machine. Precondition: the request is readable.
  std::vector<judgement::ApprovedRequest> Others(const Asked& asked, judgement::Time now) const;

  // Records that a request is about to be approved. Returns false without a record if the request
  // is already approved, or if a certificate in flight is missing or different in `judged`. In both
  // cases the request must be judged again.
  bool Claim(const Asked& asked, const std::vector<judgement::ApprovedRequest>& judged,
             judgement::Time now);
  // Records that the result of a claimed approval is unknown.
  void Doubt(const std::string& name);
  // Ends the claim of a request that was certainly not approved. Does not change newer reports
  // about the request, or claims whose approval is uncertain. Its result has the same meaning as
  // that of Put.
  std::optional<std::string> Unclaim(const std::string& name);

 private:
  enum class Source { kTold, kClaimed, kDoubted };
  // A request in flight. Its name is the key in entries_: with many nodes, each copy of a name
  // counts.
  struct Entry {
    judgement::Time created = judgement::kNoTime;
    judgement::Time approved = judgement::kNoTime;
    std::string key_id;  // as pki::Request::key_id
    std::string key;     // kind and node
    bool issued = false;
    Source source = Source::kTold;
    std::string judged_version = {};  // resourceVersion of the claimed request
  };

  bool StaysClaimedLocked(const judgement::Csr& csr) const;
  void AddLocked(const std::string& name, Entry entry);
  std::optional<std::string> RemoveLocked(const std::string& name);
  std::vector<judgement::ApprovedRequest> OthersLocked(const Asked& asked,
                                                       judgement::Time now) const;

  mutable std::mutex mutex_;
  // The members below are guarded by mutex_.
  std::unordered_map<std::string, Entry> entries_;  // by the request's name
  // Pairs of Entry::key and the request's name, as views of entries_.
  std::set<std::pair<std::string_view, std::string_view>> names_;
};

// Returns the request of `facts` for `node`, a folded name. Precondition: the request is readable.
InFlight::Asked AskedIn(const judgement::Facts& facts, const std::string& node);

}  // namespace requests
