// SPDX-License-Identifier: Apache-2.0
// Where a run acts: on the machine, or in what a dry run has in its place. Steps act through it and
// do not know which of the two it is; ChooseWorld is the one place that asks.
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

namespace world {

// Action is what changes, or waits for, something that is not a file of the run's host: a service,
// the container runtime, a member of etcd, an answer of the user.
struct Action {
  std::function<void()> on_machine = {};  // not set: nothing is done
  std::function<void()> in_dry_run = {};  // in its place; not set: nothing is said
};

// Would is an Action::in_dry_run that prints the lines. `context` must outlive it.
std::function<void()> Would(workflow::Context& context, std::vector<std::string> lines);

// WouldWrite is how a dry run shows a file: its path on the machine, then the content.
std::string WouldWrite(const host::fs::path& path, const std::string& content);

// Transports are those into the cluster.
struct Transports {
  using Transport = std::shared_ptr<kube::Transport>;
  std::function<Transport()> real;
  // Gets what takes the reports of the calls that are not made (kube::DryRunOptions::log).
  std::function<Transport(const base::ShowLine& log)> dry_run;
};

// World is where one run acts: the machine (MachineWorld), or what stands in for it in a dry run
// (ChooseWorld). Steps are written once, against this.
class World {
 public:
  World(host::Host& machine_host, host::Host& target) : machine(machine_host), host(target) {}
  virtual ~World() = default;
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  host::Host& machine;  // as it is
  host::Host& host;     // where files go and commands run: the machine, or a stand-in over it

  // Do throws what the half of the action throws that it calls.
  virtual void Do(const Action& action) = 0;
  // Connect opens the way into the cluster that is right here. Throws what that way throws.
  virtual Transports::Transport Connect(const Transports& transports) = 0;
  // ReportTo: who hears from now on of the calls that a dry run does not make, from any thread. Its
  // phases go one after the other, so whoever asked for a client last is the one that uses it.
  virtual void ReportTo(base::ShowLine say) = 0;
  // Ask is how discovery asks servers.
  virtual discovery::Ask Ask() = 0;
  // Bring puts a file of the machine where the run's own files go, in place of one that an earlier
  // dry run has left there: what the run adds then lies beside it. Without such a file nothing
  // happens.
  virtual void Bring(const host::fs::path& path, host::WriteOptions options) = 0;
  // Show lets the user read what was written in place of the files, and where. Files that a dry run
  // should have written and has not are a base::Error that names them all.
  virtual void Show(const std::vector<host::fs::path>& paths, workflow::Context& context) = 0;
  // Begin is called when the run is known to begin: its configuration is good. A dry run makes the
  // directory then into which it writes. Throws base::Error when that cannot be made.
  virtual void Begin() {}
  // End is called when a run that has begun is over, however it went. A fresh directory of a dry
  // run in which nothing lies goes again. Throws base::Error when it cannot.
  virtual void End() {}
  // RunsPods: what is written here comes up, so it can be waited for.
  virtual bool RunsPods() const = 0;
};

// EndRun is for a run that has begun and is over. In a dry run `settle` takes what must not stay
// out of its directory, and returns what the user is to know of that; then World::End is called.
// Throws what the two throw. EndFailedRun only warns of it: the error that ended the run counts
// more.
using Settle = std::function<std::optional<std::string>()>;
void EndRun(World& world, const Settle& settle, const base::ShowLine& say);
void EndFailedRun(World& world, const Settle& settle, const base::ShowLine& say);

// MachineWorld acts. The machine must outlive it.
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

// StandIn says where the dry run of a command puts what it writes.
struct StandIn {
  std::string variable = {};  // host::DryRunDirectory, both
  std::string prefix = {};
  // What goes into that directory in place of where; not set: the command writes nothing in a dry
  // run, and needs none.
  std::function<std::vector<host::Redirect>(const host::fs::path& directory)> redirects = {};
};

// ChooseWorld is the machine, or for a dry run what stands in for it; `machine` must outlive it.
std::unique_ptr<World> ChooseWorld(host::Host& machine, bool dry_run, const StandIn& stand_in);

}  // namespace world
