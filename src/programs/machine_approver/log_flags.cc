// SPDX-License-Identifier: Apache-2.0
#include "machine_approver/log_flags.h"

namespace machine_approver {
namespace {

struct Row {
  const char* name;
  cli::FlagType type;
};
constexpr Row kUnused[] = {
    {"alsologtostderr", cli::FlagType::kBool},
    {"alsologtostderrthreshold", cli::FlagType::kText},
    {"stderrthreshold", cli::FlagType::kText},
    {"log_dir", cli::FlagType::kText},
    {"log_file", cli::FlagType::kText},
    {"log_file_max_size", cli::FlagType::kInt},
    {"log_backtrace_at", cli::FlagType::kText},
    {"add_dir_header", cli::FlagType::kBool},
    {"skip_headers", cli::FlagType::kBool},
    {"skip_log_headers", cli::FlagType::kBool},
    {"one_output", cli::FlagType::kBool},
    {"legacy_stderr_threshold_behavior", cli::FlagType::kBool},
};

}  // namespace

std::vector<cli::Flag> LogFlags() {
  std::vector<cli::Flag> flags = cli::LogFlags();
  flags.push_back({.name = "logtostderr",
                   .type = cli::FlagType::kBool,
                   .default_text = "true",
                   .help = "Logs go to stderr in any case.",
                   .hidden = true});
  flags.push_back({.name = "kubeconfig",
                   .help = "Has no effect, and never had: use the flags for the two clusters.",
                   .deprecated = "use --management-cluster-kubeconfig and "
                                 "--workload-cluster-kubeconfig"});
  for (const Row& row : kUnused) {
    flags.push_back({.name = row.name,
                     .type = row.type,
                     .help = "Logs go to stderr in klog's format in any case.",
                     .deprecated = "logs go to stderr in klog's format in any case"});
  }
  return flags;
}

}  // namespace machine_approver
