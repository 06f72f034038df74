#include "kubeadm/token/cluster.h"

#include <fmt/core.h>

#include <istream>
#include <iterator>
#include <ostream>

#include "base/error.h"
#include "base/strings.h"
#include "cli/input.h"
#include "config/paths.h"
#include "kube/dry_run.h"
#include "kubeconfigs/connect.h"
#include "kubeconfigs/load.h"

namespace kubeadm {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

// Who types a command does not wait for long.
constexpr kube::RetryPolicy kRetry{.limit = milliseconds(10'000), .grace = milliseconds(0)};

std::vector<std::string> Candidates(const host::Host& host) {
  std::vector<std::string> paths;
  const std::string listed = host.environment.Get("KUBECONFIG");
  for (const std::string& path : base::Split(listed, ':')) {
    if (!path.empty()) {
      paths.push_back(path);
    }
  }
  if (listed.empty()) {
    paths.push_back((fs::path(host.environment.Get("HOME")) / ".kube/config").string());
  }
  paths.push_back((fs::path(config::kKubernetesDir) / config::kAdminConf).string());
  return paths;
}

void AddWords(std::string_view text, TokenWords& to) {
  for (std::string& word : base::Fields(text)) {
    to.words.push_back(std::move(word));
  }
  to.from_elsewhere = true;
}

}  // namespace

std::string TokenKubeconfigPath(const cli::Parsed& flags, const host::Host& host) {
  if (flags.Changed("kubeconfig") && !flags.Text("kubeconfig").empty()) {
    return flags.Text("kubeconfig");
  }
  const std::vector<std::string> paths = Candidates(host);
  for (const std::string& path : paths) {
    if (host.files.Exists(path)) {
      return path;
    }
  }
  return paths.front();
}

TokenCluster ConnectForTokens(cli::Invocation& invocation, const host::Host& host,
                              const Canned& canned) {
  const std::string path = TokenKubeconfigPath(invocation.flags, host);
  kube::Kubeconfig config = base::WithContext(
      "cannot load the kubeconfig", [&] { return kubeconfigs::LoadKubeconfig(host.files, path); });
  std::shared_ptr<kube::Transport> transport =
      base::WithContext(path, [&] { return kubeconfigs::ConnectBy(host, config); });
  if (invocation.flags.Bool("dry-run")) {
    transport = std::make_shared<kube::DryRunTransport>(kube::DryRunOptions{
        .log = [&out = invocation.streams.out](const std::string& report) { out << report; },
        .real = std::move(transport),
        .canned = canned});
  }
  return {std::move(config), {std::move(transport), host.clock, kRetry, host.signals.Interrupt()}};
}

cli::Flag TokenFileFlag() {
  return {.name = "token-file",
          .help = "A file to read the token from, so that it stands in no list of processes",
          .hidden = true};
}

TokenWords ReadTokenWords(cli::Invocation& invocation, const host::Host& host) {
  TokenWords tokens;
  for (const std::string& argument : invocation.flags.args()) {
    if (argument == "-") {
      AddWords(cli::ReadInput(invocation.streams.in), tokens);
    } else {
      tokens.words.push_back(argument);
    }
  }
  if (const std::string& path = invocation.flags.Text("token-file"); !path.empty()) {
    AddWords(host.files.Read(path), tokens);
  }
  return tokens;
}

}  // namespace kubeadm
