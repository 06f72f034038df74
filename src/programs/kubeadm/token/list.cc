#include "kubeadm/token/list.h"

#include <fmt/core.h>

#include <ostream>

#include "base/duration.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "json/rfc3339.h"
#include "kubeadm/documented.h"
#include "kubeadm/printed.h"
#include "kubeadm/token/cluster.h"
#include "print/text_table.h"
#include "tokens/tokens.h"

namespace kubeadm {
namespace {

std::string OrNone(const std::string& text) { return text.empty() ? "<none>" : text; }

// Readers of this table have long found its columns at these widths.
std::vector<std::string> Row(const config::BootstrapToken& token, std::chrono::sys_seconds now) {
  const std::string ttl =
      token.expires ? base::ShortHumanDuration(*token.expires - now) : "<forever>";
  return {token.token,
          fmt::format("{:<9}", ttl),
          token.expires ? json::FormatRfc3339(*token.expires) : "<never>",
          fmt::format("{:<22}", OrNone(base::Join(token.usages, ","))),
          fmt::format("{:<56}", OrNone(token.description)),
          OrNone(base::Join(token.groups, ","))};
}

void List(cli::Invocation& invocation, host::Host& host) {
  const print::Printer printer = PrinterOf(invocation.flags, host);
  TokenCluster cluster = ConnectForTokens(invocation, host);
  std::vector<config::BootstrapToken> tokens;
  for (const tokens::ListedToken& listed : tokens::ListTokens(cluster.client)) {
    if (const auto* broken = std::get_if<tokens::BrokenToken>(&listed)) {
      invocation.streams.err << base::Visible(broken->problem) << "\n";
    } else {
      tokens.push_back(std::get<config::BootstrapToken>(listed));
    }
  }
  if (printer.IsText()) {
    invocation.streams.out << TokenTable(
        tokens, std::chrono::floor<std::chrono::seconds>(host.clock.Now()));
    return;
  }
  for (const config::BootstrapToken& token : tokens) {
    invocation.streams.out << printer.Print(TokenObject(token));
  }
}

}  // namespace

std::string TokenTable(const std::vector<config::BootstrapToken>& tokens,
                       std::chrono::sys_seconds now) {
  if (tokens.empty()) {
    return "";
  }
  std::vector<std::vector<std::string>> rows = {
      {"TOKEN", "TTL", "EXPIRES", "USAGES", "DESCRIPTION", "EXTRA GROUPS"}};
  for (const config::BootstrapToken& token : tokens) {
    rows.push_back(Row(token, now));
  }
  return print::TextTable(rows);
}

json::Ordered TokenObject(const config::BootstrapToken& token) {
  json::Ordered object = {{"kind", "BootstrapToken"},
                          {"apiVersion", "output.kubeadm.k8s.io/v1alpha3"},
                          {"token", token.token}};
  if (!token.description.empty()) {
    object["description"] = token.description;
  }
  if (token.expires) {
    object["expires"] = json::FormatRfc3339(*token.expires);
  }
  if (!token.usages.empty()) {
    object["usages"] = token.usages;
  }
  if (!token.groups.empty()) {
    object["groups"] = token.groups;
  }
  return object;
}

cli::Command TokenListCommand(host::Host& host) {
  cli::Command command = Documented("list", "List the tokens of the cluster", "token-list");
  command.flags = PrinterFlags();
  command.run = [&host](cli::Invocation& invocation) { List(invocation, host); };
  return command;
}

}  // namespace kubeadm
