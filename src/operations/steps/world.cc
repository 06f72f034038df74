// SPDX-License-Identifier: Apache-2.0
#include "steps/world.h"

#include <fmt/core.h>

#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "base/problems.h"
#include "base/strings.h"
#include "config/paths.h"
#include "discovery/canned.h"
#include "host/dry_run_host.h"

namespace steps {
namespace {

void CallIfSet(const std::function<void()>& half) {
  if (half) {
    half();
  }
}

// Prints the actions instead of executing them. Its stand-in is null if no file is written.
class DryRunWorld final : public World {
 public:
  struct Directory {
    std::function<void()> make = {};
    std::function<void()> remove_if_empty = {};
  };

  DryRunWorld(host::Host& machine_host, std::unique_ptr<host::DryRunHost> stand_in,
              Directory directory)
      : World(machine_host, stand_in ? stand_in->host() : machine_host),
        stand_in_(std::move(stand_in)),
        directory_(std::move(directory)) {}

  void Do(const Action& action) override { CallIfSet(action.in_dry_run); }
  Transports::Transport Connect(const Transports& transports) override {
    return transports.dry_run(Reporter());
  }
  void ReportTo(base::ShowLine say) override { say_ = std::move(say); }
  discovery::Ask Ask() override { return discovery::DryRunAsk(Reporter()); }
  bool RunsPods() const override { return false; }
  void Begin() override { CallIfSet(directory_.make); }
  void End() override { CallIfSet(directory_.remove_if_empty); }

  void Bring(const host::fs::path& path, host::WriteOptions options) override {
    if (const std::optional<std::string> content = machine.files.Find(path)) {
      host.files.Write(path, *content, options);
    }
  }

  void Show(const std::vector<host::fs::path>& paths, workflow::Context& context) override {
    base::Problems problems;
    for (const host::fs::path& path : paths) {
      try {
        context.Print(WouldWrite(path, host.files.Read(path)));
      } catch (const base::Error& error) {
        problems.Add("", error.message());
      }
    }
    problems.ThrowIfAny();
  }

 private:
  base::ShowLine Reporter() const {
    return [this](const std::string& report) { say_(report); };
  }

  base::ShowLine say_;
  const std::unique_ptr<host::DryRunHost> stand_in_;
  const Directory directory_;
};

std::unique_ptr<World> MakeDryRunWorld(host::Host& machine, const StandIn& wanted) {
  if (!wanted.redirects) {
    return std::make_unique<DryRunWorld>(machine, nullptr, DryRunWorld::Directory{});
  }
  const host::DryRunDirectory directory = host::ChooseDryRunDirectory(
      machine, {.variable = wanted.variable, .prefix = wanted.prefix, .parent = config::kTmpDir});
  return std::make_unique<DryRunWorld>(
      machine,
      std::make_unique<host::DryRunHost>(machine, wanted.redirects(directory.path), directory.path),
      DryRunWorld::Directory{
          .make = [&machine, directory] { host::MakeDryRunDirectory(machine, directory); },
          .remove_if_empty =
              [&machine, directory] { host::RemoveEmptyDryRunDirectory(machine, directory); }});
}

}  // namespace

std::function<void()> Would(workflow::Context& context, std::vector<std::string> lines) {
  return [&context, lines = std::move(lines)] {
    for (const std::string& line : lines) {
      context.Print(line);
    }
  };
}

std::string WouldWrite(const host::fs::path& path, const std::string& content) {
  return fmt::format("[dryrun] Would write file {} with content:\n{}", base::Quoted(path.string()),
                     content);
}

void EndRun(World& world, const Settle& settle, const base::ShowLine& say) {
  world.Do({.in_dry_run = [&] {
    if (const std::optional<std::string> text = settle()) {
      say(*text);
    }
  }});
  world.End();
}

void EndFailedRun(World& world, const Settle& settle, const base::ShowLine& say) {
  try {
    EndRun(world, settle, say);
  } catch (const base::Error& error) {
    base::LogWarning("files of the dry run could not be removed: {}", error.message());
  }
}

void MachineWorld::Do(const Action& action) { CallIfSet(action.on_machine); }

std::unique_ptr<World> ChooseWorld(host::Host& machine, bool dry_run, const StandIn& stand_in) {
  if (!dry_run) {
    return std::make_unique<MachineWorld>(machine);
  }
  return MakeDryRunWorld(machine, stand_in);
}

}  // namespace steps
