// SPDX-License-Identifier: Apache-2.0
// Ruling gathers the rules of one verdict. What was compared holds texts of strangers: it is made
// visible here, once, for logs, Events, `explain` and `judge`. For the files of the judgement only.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "base/utf8.h"
#include "judgement/judge.h"

namespace judgement {

// Otherwise is what a failed rule decides.
struct Otherwise {
  Decision decision;
  std::string_view reason;
};

// Ruling asks rules one after the other and notes each; the first that fails decides.
class Ruling {
 public:
  explicit Ruling(Detail detail) : detail_(detail) {}

  // Check notes a rule; the first failed one decides. `compared` makes the text.
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

  // Note adds a rule that does not decide by itself.
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
  void VouchedBy(const Machine* machine) { verdict_.machine = machine; }
  bool decided() const { return decided_; }
  bool waits() const { return verdict_.want != Want::kNothing; }

  // Finish approves for `reason` unless something decided otherwise.
  Verdict Finish(std::string_view reason, const std::string& message) {
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

// JudgeClient and JudgeServing are the two kinds; JudgeStrictly the rules that both share beyond
// upstream's; JudgeShape those of them for what no kubelet's request has.
Verdict JudgeClient(const Facts& facts, const Policy& policy, Ruling ruling);
Verdict JudgeServing(const Facts& facts, const Policy& policy, Ruling ruling);
void JudgeStrictly(const Facts& facts, RequestKind kind, Ruling& ruling);
void JudgeShape(const pki::Request& request, Ruling& ruling);
// JudgeInFlight: no other certificate of the kind is in flight for who is vouched for. `machine` is
// the one that vouches for a client; null otherwise.
void JudgeInFlight(const Facts& facts, RequestKind kind, const Machine* machine, Ruling& ruling);

inline constexpr std::string_view kAuthenticatedGroup = "system:authenticated";
inline constexpr std::string_view kDigitalSignature = "digital signature";
inline constexpr std::string_view kKeyEncipherment = "key encipherment";
inline constexpr std::string_view kClientAuth = "client auth";
inline constexpr std::string_view kServerAuth = "server auth";

// UsagesAre: exactly digital signature, `purpose` and perhaps key encipherment, none twice.
bool UsagesAre(const Csr& csr, std::string_view purpose);

}  // namespace judgement
