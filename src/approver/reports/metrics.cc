// SPDX-License-Identifier: Apache-2.0
#include "reports/metrics.h"

#include <fmt/core.h>

namespace reports {
namespace {

void Head(std::string& out, std::string_view name, std::string_view help, std::string_view type) {
  out += fmt::format("# HELP {0} {1}\n# TYPE {0} {2}\n", name, help, type);
}

}  // namespace

void Metrics::Histogram::Observe(double value) {
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    counts[i] += value <= bounds[i] ? 1 : 0;
  }
  ++count;
  sum += value;
}

void Metrics::SetPending(std::size_t current, std::size_t most) {
  const std::lock_guard lock(mutex_);
  current_ = current;
  most_ = most;
}

void Metrics::CountDecision(std::string_view decision, std::string_view reason) {
  const std::lock_guard lock(mutex_);
  ++decisions_[{std::string(decision), std::string(reason)}];
}

void Metrics::ObserveApproval(std::chrono::duration<double> since_creation) {
  const std::lock_guard lock(mutex_);
  approval_.Observe(since_creation.count());
}

void Metrics::ObserveJudgement(std::chrono::duration<double> took) {
  const std::lock_guard lock(mutex_);
  judgement_.Observe(took.count());
}

void Metrics::CountRequest(std::string_view what, bool succeeded) {
  const std::lock_guard lock(mutex_);
  ++requests_[{std::string(what), succeeded ? "ok" : "failed"}];
}

void Metrics::CountComparison(const Comparison& comparison) {
  const std::lock_guard lock(mutex_);
  ++comparisons_[{comparison.would_approve ? "approve" : "leave-pending",
                  NameOf(comparison.outcome), comparison.Agrees() ? "agree" : "disagree",
                  NameOf(comparison.reason)}];
}

void Metrics::SetQueued(std::size_t count) {
  const std::lock_guard lock(mutex_);
  queued_ = count;
}

void Metrics::SetLeader(std::string_view lease, bool leads) {
  const std::lock_guard lock(mutex_);
  leads_[std::string(lease)] = leads;
}

void Metrics::SetBlanketRule(bool exists) {
  const std::lock_guard lock(mutex_);
  blanket_rule_ = exists;
}

void Metrics::Write(std::string& out, std::string_view name, std::string_view help,
                    const Histogram& histogram) {
  Head(out, name, help, "histogram");
  for (std::size_t i = 0; i < histogram.bounds.size(); ++i) {
    out +=
        fmt::format("{}_bucket{{le=\"{}\"}} {}\n", name, histogram.bounds[i], histogram.counts[i]);
  }
  out += fmt::format("{0}_bucket{{le=\"+Inf\"}} {1}\n{0}_sum {2}\n{0}_count {1}\n", name,
                     histogram.count, histogram.sum);
}

std::string Metrics::Text() const {
  const std::lock_guard lock(mutex_);
  std::string out;
  Head(out, "mapi_current_pending_csr", "Count of recently pending node CSRs at the cluster level",
       "gauge");
  out += fmt::format("mapi_current_pending_csr {}\n", current_);
  Head(out, "mapi_max_pending_csr",
       "Threshold value of the pending node CSRs beyond which all CSR will be ignored by machine "
       "approver",
       "gauge");
  out += fmt::format("mapi_max_pending_csr {}\n", most_);
  Head(out, "machine_approver_decisions_total", "Verdicts by decision and reason", "counter");
  for (const auto& [labels, count] : decisions_) {
    out += fmt::format("machine_approver_decisions_total{{decision=\"{}\",reason=\"{}\"}} {}\n",
                       labels.first, labels.second, count);
  }
  Head(out, "machine_approver_writes_total", "Writes to the API server by kind and outcome",
       "counter");
  for (const auto& [labels, count] : requests_) {
    out += fmt::format("machine_approver_writes_total{{kind=\"{}\",outcome=\"{}\"}} {}\n",
                       labels.first, labels.second, count);
  }
  Head(out, "machine_approver_shadow_comparisons_total",
       "Verdicts of the shadow mode, compared with the outcomes of their requests", "counter");
  for (const auto& [labels, count] : comparisons_) {
    out += fmt::format(
        "machine_approver_shadow_comparisons_total{{verdict=\"{}\",outcome=\"{}\","
        "agreement=\"{}\",reason=\"{}\"}} {}\n",
        labels[0], labels[1], labels[2], labels[3], count);
  }
  Head(out, "machine_approver_queue_depth", "Requests that wait for a worker", "gauge");
  out += fmt::format("machine_approver_queue_depth {}\n", queued_);
  Head(out, "leader_election_master_status", "Whether this process leads", "gauge");
  for (const auto& [lease, leads] : leads_) {
    out += fmt::format("leader_election_master_status{{name=\"{}\"}} {}\n", lease, leads ? 1 : 0);
  }
  if (blanket_rule_) {
    Head(out, "machine_approver_blanket_rule",
         "Whether kube-controller-manager may approve any bootstrap token's request", "gauge");
    out += fmt::format("machine_approver_blanket_rule {}\n", *blanket_rule_ ? 1 : 0);
  }
  Write(out, "machine_approver_approval_seconds",
        "Time from a request's creation to its approval (creation is known by the second)",
        approval_);
  Write(out, "machine_approver_judgement_seconds", "Time that a verdict took, with its lookups",
        judgement_);
  return out;
}

}  // namespace reports
