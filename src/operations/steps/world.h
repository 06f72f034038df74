// SPDX-License-Identifier: Apache-2.0
// The target of a run: the machine, or its replacement in a dry run. Steps act through a World, and
// do not distinguish the two. Only ChooseWorld knows the target.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/show_line.h"
#include "discovery/ask.h"
#include "host/files.h"
#include "host/host.h"
#include "kube/client.h"
#include "workflow/context.h"

namespace steps {

// A change or a wait that is not a write to a file of World::host. It concerns a service, the
// container runtime, an etcd member, or the answer of the user.
struct Action {
  std::function<void()> on_machine = {};  // not set: no action
  std::function<void()> in_dry_run = {};  // the dry run's replacement; not set: no output
};

// Returns an Action::in_dry_run that prints the lines. `context` must outlive it.
std::function<void()> Would(workflow::Context& context, std::vector<std::string> lines);

// Returns a dry run's output for a file: its path on the machine, then the content.
std::string WouldWrite(const host::fs::path& path, const std::string& content);

// The transports to the cluster.
struct Transports {
  using Transport = std::shared_ptr<kube::Transport>;
  std::function<Transport()> real;
  // Creates the transport of a dry run. `log` receives a report of each skipped call
  // (kube::DryRunOptions::log).
  std::function<Transport(const base::ShowLine& log)> dry_run;
};

// The machine on which a run acts (MachineWorld), or its replacement in a dry run (ChooseWorld).
// Steps use only this interface, so that the same code serves both.
class World {
 public:
  World(host::Host& machine_host, host::Host& target) : machine(machine_host), host(target) {}
  virtual ~World() = default;
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  host::Host& machine;  // only read in a dry run
  // The target of files and commands: the machine, or its replacement, which shows the machine's
  // files as well.
  host::Host& host;

  // Executes the function of the action for this world, and throws its errors.
  virtual void Do(const Action& action) = 0;
  // Opens the connection for this world. Throws the connection's error.
  virtual Transports::Transport Connect(const Transports& transports) = 0;
  // Sets the receiver of the calls that a dry run skips. The receiver may be called from any
  // thread. The phases of a dry run run one after the other, so the calls belong to the phase that
  // has last requested a client.
  virtual void ReportTo(base::ShowLine say) = 0;
  // Returns the function by which discovery queries servers.
  virtual discovery::Ask Ask() = 0;
  // In a dry run, copies a file of the machine to the run's directory, and replaces the copy of an
  // earlier dry run. Has no effect if the machine does not have the file.
  virtual void Bring(const host::fs::path& path, host::WriteOptions options) = 0;
  // Shows the user the files that a dry run has written, and their directory. If files that the dry
  // run should have written are missing, throws a base::Error that names all of them.
  virtual void Show(const std::vector<host::fs::path>& paths, workflow::Context& context) = 0;
  // Called when the run begins, after the configuration has been validated. A dry run then creates
  // its target directory. Throws the errors of host::Files if the creation fails.
  virtual void Begin() {}
  // Called at the end of a run, whatever its result. A dry run removes its directory if the
  // directory is new and empty. Throws the errors of host::Files if the removal fails.
  virtual void End() {}
  // Returns whether written Pods are started, so that a wait for them is possible.
  virtual bool RunsPods() const = 0;
};

// EndRun and EndFailedRun end a run. In a dry run they first call `settle`. It removes secrets that
// must not stay in the dry run's directory, and returns a notice for the user. Then they call
// World::End. EndRun throws the errors of both calls. EndFailedRun only logs these errors as
// warnings, because the error that ended the run is more important.
using Settle = std::function<std::optional<std::string>()>;
void EndRun(World& world, const Settle& settle, const base::ShowLine& say);
void EndFailedRun(World& world, const Settle& settle, const base::ShowLine& say);

// Acts on the machine, which must outlive it.
class MachineWorld final : public World {
 public:
  explicit MachineWorld(host::Host& machine_host) : World(machine_host, machine_host) {}

  void Do(const Action& action) override;
  Transports::Transport Connect(const Transports& transports) override { return transports.real(); }
  void ReportTo(base::ShowLine) override {}
  discovery::Ask Ask() override { return discovery::HttpAsk; }
  void Bring(const host::fs::path&, host::WriteOptions) override {}
  void Show(const std::vector<host::fs::path>&, workflow::Context&) override {}
  bool RunsPods() const override { return true; }
};

// The replacement of the machine in a command's dry run.
struct StandIn {
  std::string variable = {};  // see host::DryRunDirectory, like `prefix`
  std::string prefix = {};
  // Returns the paths that are redirected to `directory`. Not set for a command that neither writes
  // nor needs files in a dry run.
  std::function<std::vector<host::Redirect>(const host::fs::path& directory)> redirects = {};
};

// Returns the machine, or for a dry run its replacement; `machine` must outlive it.
std::unique_ptr<World> ChooseWorld(host::Host& machine, bool dry_run, const StandIn& stand_in);

}  // namespace steps
