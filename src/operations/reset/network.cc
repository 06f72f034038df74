// SPDX-License-Identifier: Apache-2.0
#include "reset/network.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <sstream>

#include "base/error.h"
#include "base/strings.h"
#include "reset/bridges.h"

namespace reset {
namespace {

using Words = std::vector<std::string>;

constexpr std::string_view kProxyLink = "kube-ipvs0";

struct RuleTool {
  const char* save;
  const char* restore;
  const char* family;
};
constexpr std::array<RuleTool, 2> kRuleTools{
    {{"iptables-save", "iptables-restore", "iptables"},
     {"ip6tables-save", "ip6tables-restore", "ip6tables"}}};

bool IsTheirs(std::string_view name) {
  return name.starts_with("KUBE-") || name.starts_with("CNI-");
}

Words WordsOf(std::string_view line) {
  std::istringstream stream{std::string(line)};
  Words words;
  for (std::string word; stream >> word;) {
    words.push_back(std::move(word));
  }
  return words;
}

// The rules and chains to remove from one table of iptables.
struct Table {
  std::string name;
  Words chains;
  Words rules;  // rules of other chains, as deletions
};

// Splits a rule into words; a quoted string, such as a comment, is one word.
Words RuleWords(std::string_view rule) {
  Words words(1);
  bool quoted = false;
  for (std::size_t i = 0; i < rule.size(); ++i) {
    if (rule[i] == '\\' && quoted) {
      ++i;  // an escaped character does not end the quotes
    } else if (rule[i] == '"') {
      quoted = !quoted;
      words.back() += '"';
    } else if (rule[i] == ' ' && !quoted) {
      words.emplace_back();
    } else {
      words.back() += rule[i];
    }
  }
  return words;
}

// Returns whether this is a rule of another chain that jumps to a chain of Kubernetes or CNI.
bool JumpsToThem(const Words& rule) {
  for (std::size_t i = 2; i + 1 < rule.size(); ++i) {
    if ((rule[i] == "-j" || rule[i] == "-g") && IsTheirs(rule[i + 1])) {
      return !IsTheirs(rule[1]);
    }
  }
  return false;
}

std::vector<Table> TablesOf(std::string_view saved) {
  std::vector<Table> tables;
  for (const std::string& line : base::Lines(saved)) {
    if (line.starts_with('*')) {
      tables.push_back({.name = line.substr(1)});
    } else if (tables.empty()) {
      continue;
    } else if (line.starts_with(':')) {
      const std::string chain = line.substr(1, line.find(' ') - 1);
      if (IsTheirs(chain)) {
        tables.back().chains.push_back(chain);
      }
    } else if (line.starts_with("-A ") && JumpsToThem(RuleWords(line))) {
      tables.back().rules.push_back("-D" + line.substr(2));
    }
  }
  std::erase_if(tables, [](const Table& table) { return table.chains.empty(); });
  return tables;
}

// Returns a command's output; "" if the command is not installed or fails.
std::string Asked(host::Host& host, const Words& argv) {
  if (!host.processes.FindExecutable(argv.front())) {
    return "";
  }
  try {
    const host::RunResult result = host.processes.Run(
        argv, {.timeout = std::chrono::seconds(10), .effect = host::Effect::kAsks});
    return result.Succeeded() ? result.out : "";
  } catch (const base::Error&) {
    return "";
  }
}

const host::Interface* FindLink(const std::vector<host::Interface>& links, std::string_view name) {
  const auto found = std::ranges::find(links, name, &host::Interface::name);
  return found == links.end() ? nullptr : &*found;
}

void PlanRules(host::Host& host, std::vector<NetworkStep>& steps) {
  for (const RuleTool& tool : kRuleTools) {
    const std::string saved = Asked(host, {tool.save});
    if (std::string input = CleanedRules(saved); !input.empty()) {
      steps.push_back({.what = fmt::format("{} chains of {} and the rules that jump to them",
                                           CountChains(saved), tool.family),
                       .argv = {tool.restore, "--noflush"},
                       .input = std::move(input)});
    }
  }
  for (const std::string& table : KubeTables(Asked(host, {"nft", "list", "tables"}))) {
    Words argv = {"nft", "delete", "table"};
    std::ranges::copy(WordsOf(table), std::back_inserter(argv));
    steps.push_back({.what = "nftables table " + table, .argv = std::move(argv)});
  }
  for (const std::string& set : KubeSets(Asked(host, {"ipset", "list", "-name"}))) {
    steps.push_back({.what = "ipset " + set, .argv = {"ipset", "destroy", set}});
  }
}

void PlanVirtualServers(host::Host& host, const host::Interface& link,
                        std::vector<NetworkStep>& steps) {
  for (const Words& server : VirtualServersOf(Asked(host, {"ipvsadm", "-Sn"}), link.addresses)) {
    steps.push_back({.what = "IPVS virtual server " + server[1],
                     .argv = {"ipvsadm", "-D", server[0], server[1]}});
  }
}

}  // namespace

std::string CleanedRules(std::string_view saved) {
  std::string text;
  for (const Table& table : TablesOf(saved)) {
    text += "*" + table.name + "\n";
    // Naming a chain flushes it, so that no chain refers to another one when it is deleted.
    for (const std::string& chain : table.chains) {
      text += ":" + chain + " - [0:0]\n";
    }
    for (const std::string& rule : table.rules) {
      text += rule + "\n";
    }
    for (const std::string& chain : table.chains) {
      text += "-X " + chain + "\n";
    }
    text += "COMMIT\n";
  }
  return text;
}

std::size_t CountChains(std::string_view saved) {
  std::size_t count = 0;
  for (const Table& table : TablesOf(saved)) {
    count += table.chains.size();
  }
  return count;
}

std::vector<std::string> KubeTables(std::string_view listed) {
  std::vector<std::string> tables;
  for (const std::string& line : base::Lines(listed)) {
    const Words words = WordsOf(line);
    if (words.size() == 3 && words[0] == "table" && words[2] == "kube-proxy") {
      tables.push_back(words[1] + " " + words[2]);
    }
  }
  return tables;
}

std::vector<std::string> KubeSets(std::string_view listed) {
  std::vector<std::string> sets;
  for (const std::string& line : base::Lines(listed)) {
    if (line.starts_with("KUBE-")) {
      sets.push_back(line);
    }
  }
  return sets;
}

std::vector<std::vector<std::string>> VirtualServersOf(std::string_view saved,
                                                       const std::vector<std::string>& addresses) {
  std::vector<Words> servers;
  for (const std::string& line : base::Lines(saved)) {
    const Words words = WordsOf(line);
    if (words.size() < 3 || words[0] != "-A") {
      continue;
    }
    const bool is_theirs = std::ranges::any_of(addresses, [&](const std::string& address) {
      return words[2].starts_with(address + ":") || words[2].starts_with("[" + address + "]:");
    });
    if (is_theirs) {
      servers.push_back({words[1], words[2]});
    }
  }
  return servers;
}

std::vector<NetworkStep> PlanNetworkCleanup(host::Host& host) {
  std::vector<NetworkStep> steps;
  const std::vector<host::Interface> links = host.network.Interfaces();
  PlanRules(host, steps);
  std::vector<std::string> removed;
  for (const JudgedBridge& bridge : JudgeBridges(host)) {
    if (!bridge.why_kept) {
      removed.push_back(bridge.name);
    }
  }
  if (const host::Interface* link = FindLink(links, kProxyLink); link != nullptr) {
    PlanVirtualServers(host, *link, steps);
    removed.emplace_back(kProxyLink);
  }
  for (const std::string& name : removed) {
    steps.push_back({.what = "network link " + name, .argv = {"ip", "link", "delete", name}});
  }
  return steps;
}

std::vector<std::string> CleanNetwork(host::Host& host, const std::vector<NetworkStep>& steps) {
  std::vector<std::string> problems;
  for (const NetworkStep& step : steps) {
    try {
      const host::RunResult result = host.processes.Run(step.argv, {.input = step.input});
      if (!result.Succeeded()) {
        problems.push_back(fmt::format("{}: {}", step.what, base::Trim(result.Combined())));
      }
    } catch (const base::Error& error) {
      problems.push_back(fmt::format("{}: {}", step.what, error.message()));
    }
  }
  return problems;
}

}  // namespace reset
