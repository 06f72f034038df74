#include "kubeadm/certs/renewal.h"

#include <algorithm>

#include "base/error.h"
#include "certs/remaining.h"
#include "etcd_membership/restart.h"
#include "kubelet/local_runtime.h"
#include "renewal/report.h"

namespace kubeadm {
namespace {

constexpr std::chrono::seconds kRuntimePatience{10};

}  // namespace

renewal::RunOptions RenewalOptions(const cli::Parsed& flags) {
  renewal::RunOptions options{.dry_run = flags.Bool("dry-run"), .restart = flags.Bool("restart")};
  if (const std::string& text = flags.Text("if-expires-within"); !text.empty()) {
    options.within =
        base::WithContext("--if-expires-within", [&] { return certs::ParseRemaining(text); });
  }
  return options;
}

renewal::RunResult RunRenewal(const renewal::Rows& rows, const config::Init& config,
                              const renewal::RunOptions& options, host::Host& host,
                              const std::function<void(const std::string& line)>& say) {
  using renewal::Told;
  const Told told = options.dry_run ? Told::kPlanned : Told::kDone;
  renewal::RunResult result = renewal::Run(
      rows, options,
      {.host = host,
       .config = config,
       .connect_runtime =
           [&] { return cri::Connect(kubelet::LocalCriSocket(host), kRuntimePatience); },
       .etcd_restart_problem =
           [&] {
             return etcd_membership::RestartProblem(
                 host.files, host::fs::path(config.cluster.certificates_dir) / "etcd",
                 host.signals.Interrupt());
           },
       .stop = host.signals.Interrupt(),
       .on_row = [&](const renewal::RenewedRow& row) { say(renewal::LineOf(row, told)); },
       .say = [&](const std::string& line) { say("[renew] " + line); }});
  if (told == Told::kPlanned) {
    std::ranges::for_each(renewal::RestartLines(result), say);
  }
  return result;
}

}  // namespace kubeadm
