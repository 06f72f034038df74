// SPDX-License-Identifier: Apache-2.0
// Ruling collects the rules of one verdict. Compared values are untrusted: they are escaped here,
// once, for logs, Events, `explain` and `judge`. Internal to the judgement.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "base/utf8.h"
#include "judgement/judge.h"

namespace judgement {

// The decision after a failed rule.
struct Otherwise {
  Decision decision;
  Reason reason;
};

// Applies rules one after the other and records each. The first failed rule decides.
class Ruling {
 public:
  explicit Ruling(Detail detail) : detail_(detail) {}

  // Records a rule. The first failed rule decides. `compared` creates the message.
  template <typename Compared>
  bool Check(std::string_view rule, bool passed, Otherwise otherwise, Compared compared) {
    const bool decides = !passed && !decided_;
    std::string text =
        detail_ == Detail::kAll || decides ? base::Visible(compared()) : std::string();
    if (decides) {
      decided_ = true;
      verdict_.decision = otherwise.decision;
      verdict_.reason = otherwise.reason;
      verdict_.message = text;
    }
    verdict_.rules.push_back(
        {rule, passed, detail_ == Detail::kAll ? std::move(text) : std::string()});
    return passed;
  }

  // Adds a rule that does not decide by itself.
  void Note(std::string_view rule, bool passed, const std::string& compared) {
    verdict_.rules.push_back(
        {rule, passed, detail_ == Detail::kAll ? base::Visible(compared) : std::string()});
  }

  void Decide(Otherwise outcome, const std::string& message) {
    if (!decided_) {
      decided_ = true;
      verdict_.decision = outcome.decision;
      verdict_.reason = outcome.reason;
      verdict_.message = base::Visible(message);
    }
  }

  void Wants(Want want) { verdict_.want = want; }
  void AttestedBy(const Machine* machine) { verdict_.machine = machine; }
  bool decided() const { return decided_; }
  bool waits() const { return verdict_.want != Want::kNothing; }

  // Approves for `reason` unless an earlier rule has decided otherwise.
  Verdict Finish(Reason reason, const std::string& message) {
    if (!waits()) {
      Decide({Decision::kApprove, reason}, message);
    }
    return std::move(verdict_);
  }
  Verdict Take() { return std::move(verdict_); }

 private:
  Detail detail_;
  bool decided_ = false;
  Verdict verdict_;
};

// JudgeClient and JudgeServing judge the two kinds of requests. JudgeStrictly applies the
// additional rules, which upstream lacks, to both kinds. JudgeShape applies those additional rules
// that refuse contents which no kubelet sends.
Verdict JudgeClient(const Facts& facts, const Policy& policy, Ruling ruling);
Verdict JudgeServing(const Facts& facts, const Policy& policy, Ruling ruling);
void JudgeStrictly(const Facts& facts, RequestKind kind, Ruling& ruling);
void JudgeShape(const pki::Request& request, Ruling& ruling);
// Requires that the attested machine has no other certificate of the kind in flight. `machine` is
// the machine that attests a client request; null for a serving request.
void JudgeInFlight(const Facts& facts, RequestKind kind, const Machine* machine, Ruling& ruling);

// Requires that the node was not withdrawn; `owning` are the node's machines of any source.
void JudgeWithdrawal(const std::vector<const Machine*>& owning, const std::string& node,
                     Ruling& ruling);

inline constexpr std::string_view kAuthenticatedGroup = "system:authenticated";
inline constexpr std::string_view kDigitalSignature = "digital signature";
inline constexpr std::string_view kKeyEncipherment = "key encipherment";
inline constexpr std::string_view kClientAuth = "client auth";
inline constexpr std::string_view kServerAuth = "server auth";

// Returns whether the usages are digital signature, `purpose` and optionally key encipherment, each
// once and no others.
bool UsagesAre(const Csr& csr, std::string_view purpose);

}  // namespace judgement
