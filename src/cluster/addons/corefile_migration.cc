// SPDX-License-Identifier: Apache-2.0
#include "addons/corefile_migration.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "base/error.h"
#include "base/version.h"
#include "config/images.h"

namespace addons {
namespace {

constexpr std::string_view kKnownVersions[] = {
    "1.1.3",  "1.1.4",  "1.2.0",  "1.2.1",  "1.2.2",  "1.2.3",  "1.2.4",  "1.2.5",  "1.2.6",
    "1.3.0",  "1.3.1",  "1.4.0",  "1.5.0",  "1.5.1",  "1.5.2",  "1.6.0",  "1.6.1",  "1.6.2",
    "1.6.3",  "1.6.4",  "1.6.5",  "1.6.6",  "1.6.7",  "1.6.9",  "1.7.0",  "1.7.1",  "1.8.0",
    "1.8.3",  "1.8.4",  "1.8.5",  "1.8.6",  "1.8.7",  "1.9.0",  "1.9.1",  "1.9.2",  "1.9.3",
    "1.9.4",  "1.10.0", "1.10.1", "1.11.0", "1.11.1", "1.11.3", "1.11.4", "1.12.0", "1.12.1",
    "1.12.2", "1.12.3", "1.12.4", "1.13.0", "1.13.1", "1.13.2", "1.14.0", "1.14.1", "1.14.2",
    "1.14.3", "1.14.4", "1.14.6", "1.14.7", "1.15.0"};

// The plugins that the server block of a stub domain gets, as in the default Corefile.
const Directive kErrors{.words = {"errors"}, .block = {}};
const Directive kCache{.words = {"cache", "30"}, .block = {}};
const Directive kLoop{.words = {"loop"}, .block = {}};

bool Has(const ServerBlock& block, std::string_view plugin) {
  return block.FindPlugin(plugin) != nullptr;
}

// Changes every plugin with that name. Returns whether a plugin was changed.
template <typename Change>
bool EachPlugin(Corefile& corefile, std::string_view name, const Change& change) {
  bool changed = false;
  for (ServerBlock& block : corefile.blocks) {
    for (Directive& plugin : block.plugins) {
      if (plugin.name() == name) {
        changed = change(plugin) || changed;
      }
    }
  }
  return changed;
}

bool AddOption(Directive& plugin, std::string_view option, std::string_view value) {
  if (plugin.FindOption(option) != nullptr) {
    return false;
  }
  plugin.block.push_back({.words = {std::string(option), std::string(value)}, .block = {}});
  return true;
}

bool RemoveOptions(Directive& plugin, std::initializer_list<std::string_view> options) {
  return std::erase_if(plugin.block, [&](const Directive& option) {
           return std::ranges::find(options, option.name()) != options.end();
         }) > 0;
}

bool AddLoop(Corefile& corefile) {
  bool changed = false;
  for (ServerBlock& block : corefile.blocks) {
    if ((Has(block, "proxy") || Has(block, "forward")) && !Has(block, "loop")) {
      block.plugins.push_back(kLoop);
      changed = true;
    }
  }
  return changed;
}

bool AddReady(Corefile& corefile) {
  bool changed = false;
  for (ServerBlock& block : corefile.blocks) {
    if (Has(block, "kubernetes") && !Has(block, "ready")) {
      block.plugins.push_back({.words = {"ready"}, .block = {}});
      changed = true;
    }
  }
  return changed;
}

// Returns whether the plugin must move to a separate server block: it has targets other than ".".
// Unlike proxy, forward is allowed only once in a server block.
bool IsStub(const Directive& plugin, std::string_view name) {
  return plugin.name() == name && plugin.words.size() > 1 && plugin.words[1] != ".";
}

ServerBlock StubBlock(Directive plugin) {
  ServerBlock block{.keys = {plugin.words[1]}};
  plugin.words[1] = ".";
  block.plugins = {std::move(plugin), kLoop, kErrors, kCache};
  return block;
}

bool SplitStubs(Corefile& corefile, std::string_view name) {
  std::vector<ServerBlock> stubs;
  for (ServerBlock& block : corefile.blocks) {
    for (const Directive& plugin : block.plugins) {
      if (IsStub(plugin, name)) {
        stubs.push_back(StubBlock(plugin));
      }
    }
    std::erase_if(block.plugins, [&](const Directive& plugin) { return IsStub(plugin, name); });
  }
  corefile.blocks.insert(corefile.blocks.end(), stubs.begin(), stubs.end());
  return !stubs.empty();
}

bool ReplaceProxy(Corefile& corefile) {
  const bool forwards = SplitStubs(corefile, "forward");
  const bool proxies = SplitStubs(corefile, "proxy");
  const bool replaced = EachPlugin(corefile, "proxy", [](Directive& plugin) {
    plugin.words[0] = "forward";
    RemoveOptions(plugin, {"fail_timeout", "max_fails", "protocol", "spray", "health_check"});
    return true;
  });
  return forwards || proxies || replaced;
}

bool AddLameduck(Corefile& corefile) {
  return EachPlugin(corefile, "health",
                    [](Directive& plugin) { return AddOption(plugin, "lameduck", "5s"); });
}

bool AddMaxConcurrent(Corefile& corefile) {
  return EachPlugin(corefile, "forward",
                    [](Directive& plugin) { return AddOption(plugin, "max_concurrent", "1000"); });
}

bool RemoveUpstream(Corefile& corefile) {
  return EachPlugin(corefile, "kubernetes", [](Directive& plugin) {
    return RemoveOptions(plugin, {"upstream", "resyncperiod"});
  });
}

bool OneEndpoint(Corefile& corefile) {
  return EachPlugin(corefile, "kubernetes", [](Directive& plugin) {
    for (Directive& option : plugin.block) {
      if (option.name() == "endpoint" && option.words.size() > 2) {
        option.words.resize(2);
      }
    }
    return false;
  });
}

// Converts the options of plugin kubernetes to the transfer plugin.
Directive TransferOf(const Directive& kubernetes) {
  Directive transfer{.words = {"transfer"}, .block = {}};
  if (kubernetes.words.size() > 1) {
    transfer.words.push_back(kubernetes.words[1]);
  }
  for (const Directive& option : kubernetes.block) {
    if (option.name() == "transfer" && option.words.size() > 1) {
      transfer.block.push_back(
          {.words = {option.words.begin() + 1, option.words.end()}, .block = {}});
    }
  }
  return transfer;
}

// Moves zone transfers from options of plugin kubernetes to the plugin transfer, which has replaced
// them.
bool MoveTransfer(Corefile& corefile) {
  bool changed = false;
  for (ServerBlock& block : corefile.blocks) {
    std::vector<Directive> transfers;
    for (Directive& plugin : block.plugins) {
      Directive transfer = TransferOf(plugin);
      if (plugin.name() == "kubernetes" && RemoveOptions(plugin, {"transfer"})) {
        transfers.push_back(std::move(transfer));
      }
    }
    changed = changed || !transfers.empty();
    block.plugins.insert(block.plugins.end(), transfers.begin(), transfers.end());
  }
  return changed;
}

// The changes of a version of CoreDNS that affect a working Corefile.
struct Change {
  base::Version version;
  bool (*apply)(Corefile& corefile);  // returns true if a change forces a migration
};

const std::array<Change, 8>& Changes() {
  static const std::array<Change, 8> changes{{
      {{1, 2, 1, "", ""}, AddLoop},
      {{1, 5, 0, "", ""}, ReplaceProxy},
      {{1, 5, 0, "", ""}, AddReady},
      {{1, 6, 5, "", ""}, AddLameduck},
      {{1, 7, 0, "", ""}, AddMaxConcurrent},
      {{1, 7, 1, "", ""}, RemoveUpstream},
      {{1, 8, 0, "", ""}, OneEndpoint},
      {{1, 8, 0, "", ""}, MoveTransfer},
  }};
  return changes;
}

bool ApplyChanges(Corefile& corefile, const CoreDnsStep& step) {
  const auto from = base::Version::Parse(step.from);
  const auto to = base::Version::Parse(step.to);
  bool changed = false;
  for (const Change& change : Changes()) {
    if (from && to && *from < change.version && !(*to < change.version)) {
      changed = change.apply(corefile) || changed;
    }
  }
  return changed;
}

}  // namespace

std::span<const std::string_view> KnownCoreDnsVersions() { return kKnownVersions; }

void CheckMigrationPath(const CoreDnsStep& step) {
  const auto* const from = std::ranges::find(kKnownVersions, step.from);
  const auto* const to = std::ranges::find(kKnownVersions, step.to);
  std::string problem;
  if (from == std::end(kKnownVersions)) {
    problem = fmt::format("start version '{}' not supported", step.from);
  } else if (to == std::end(kKnownVersions)) {
    problem = fmt::format("target version '{}' not supported", step.to);
  } else if (to < from) {
    problem = "it is older";
  } else {
    return;
  }
  throw base::Error(base::Error::Kind::kInvalid,
                    fmt::format("cannot migrate the Corefile of CoreDNS {} to that of {}: {}",
                                step.from, step.to, problem));
}

bool NeedsMigration(const Corefile& corefile, const CoreDnsStep& step) {
  Corefile copy = corefile;
  return ApplyChanges(copy, step);
}

Corefile Migrated(Corefile corefile, const CoreDnsStep& step) {
  ApplyChanges(corefile, step);
  return corefile;
}

}  // namespace addons
