// SPDX-License-Identifier: Apache-2.0
// Kubeconfigs: every accepted input is written as an equivalent kubeconfig. Connecting with it is
// refused or not, and the error contains no credential.
#include "kube/kubeconfig.h"

#include "base/strings.h"
#include "fuzz.h"
#include "json/budget.h"
#include "kube/connection.h"
#include "yaml/yaml.h"

namespace {

constexpr std::size_t kSmall = 1 << 20;  // aliases expand a short input

// Returns true if the error contains `words` with another token as well, so that they are not the
// token's.
bool SaysWithAnother(const kube::KubeconfigCluster& cluster, kube::KubeconfigUser user,
                     const kube::ConnectOptions& options, const std::string& words) {
  user.token = std::string(words.size(), words[0] == 'x' ? 'y' : 'x');
  try {
    kube::ConnectionOf(cluster, user, options);
  } catch (const base::Error& error) {
    return error.message().find(words) != std::string::npos;
  }
  return false;
}

void Connect(const kube::KubeconfigCluster& cluster, const kube::KubeconfigUser& user) {
  const kube::ConnectOptions options{
      .read_file = [](const std::string&) { return std::optional<std::string>("from a file"); }};
  try {
    const kube::Connection connection = kube::ConnectionOf(cluster, user, options);
    const bool named =
        !cluster.certificate_authority.empty() || !cluster.certificate_authority_data.empty();
    fuzz::Require(!named || !connection.tls.ca_pem.empty(),
                  "a CA that is named is the one trusted");
    fuzz::Require(base::ToLower(connection.server).starts_with("https://") ||
                      (connection.authorization.empty() && connection.tls.key_pem.empty()),
                  "credentials are shown by https only");
    for (const auto& [header, value] : kube::NewRequest(connection, "/").headers) {
      fuzz::Require(header.find_first_of(std::string_view("\r\n\0 :", 5)) == header.npos &&
                        value.find_first_of(std::string_view("\r\n\0", 3)) == value.npos,
                    "a header is a line");
    }
  } catch (const base::Error& error) {
    fuzz::Require(user.token.size() < 8 || error.message().find(user.token) == std::string::npos ||
                      SaysWithAnother(cluster, user, options, user.token),
                  "no refusal tells a token");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  kube::Kubeconfig config;
  if (fuzz::Refused([&] { config = kube::Kubeconfig::Parse(fuzz::Text(bytes, size)); })) {
    return 0;
  }
  const std::string text = config.Text();
  if (text.size() > kSmall) {
    return 0;
  }
  kube::Kubeconfig again;
  fuzz::Require(!fuzz::Refused([&] { again = kube::Kubeconfig::Parse(text); }),
                "a kubeconfig we wrote can be read");
  fuzz::Require(again.Text() == text, "a kubeconfig we wrote means the same");
  config.Flaws();
  const kube::KubeconfigUser nobody;
  const kube::KubeconfigUser* user = config.CurrentUser();
  for (const auto& [name, cluster] : config.clusters) {
    Connect(cluster, user == nullptr ? nobody : *user);
  }
  return 0;
}
