// SPDX-License-Identifier: Apache-2.0
// FakeHost: a separate machine for each test. Its files are real ones below a temporary directory;
// the test scripts its processes, clock, randomness, environment, network, mounts and facts.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "host/fake_mounts.h"
#include "host/host.h"

namespace host {

// A directory that the destructor removes with its content.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

// Real files whose writes can be made to fail.
class FakeFiles : public RealFiles {
 public:
  explicit FakeFiles(fs::path root) : RealFiles(std::move(root), Durability::kUnsynced) {}
  // From now on Write to `path` throws "cannot write <path>: No space left on device".
  void FailWritesTo(const fs::path& path);
  void Write(const fs::path& path, std::string_view content, WriteOptions options) override;
  // Paths written, in order.
  std::vector<std::string> written() const;

 private:
  mutable std::mutex mutex_;
  std::set<fs::path> failing_;        // guarded by mutex_
  std::vector<std::string> written_;  // guarded by mutex_
};

// Returns the results that the test has set, and records every command.
class FakeProcesses : public Processes {
 public:
  // Sets the result of all commands whose words, joined by blanks, begin with `prefix`. If several
  // prefixes match, the longest one applies. The first word of `prefix` becomes an executable that
  // can be found.
  void On(const std::string& prefix, RunResult result);
  // Adds an executable of that name to PATH. Its commands succeed without output unless On sets
  // their result.
  void AddExecutable(const std::string& name);
  // Returns the commands so far, in order, with their words joined by blanks.
  std::vector<std::string> calls() const;
  // Returns the options of the latest command.
  RunOptions last_options() const;
  // Returns the commands that were run with Effect::kChanges.
  std::vector<std::string> changes() const;

  std::optional<std::string> FindExecutable(std::string_view name) const override;
  std::string own_program = "/usr/bin/kubeadm";
  std::string OwnProgram() const override { return own_program; }
  // Throws kNotFound for a command that is neither scripted nor an executable.
  RunResult Run(const std::vector<std::string>& argv, const RunOptions& options) override;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, RunResult> script_;         // guarded by mutex_
  std::set<std::string, std::less<>> executables_;  // guarded by mutex_
  std::vector<std::string> calls_;                  // guarded by mutex_
  RunOptions last_options_;                         // guarded by mutex_
  std::vector<std::string> changes_;                // guarded by mutex_
};

// A clock that does not advance by itself. Sleep, and a Poll without results, return at once and
// advance it. A Poll without a timeout waits for its descriptors, as the real clock does.
class FakeClock : public Clock {
 public:
  // 2026-01-01T00:00:00Z
  static constexpr std::chrono::sys_seconds kStart{std::chrono::seconds(1767225600)};
  void Set(std::chrono::system_clock::time_point now);
  void Advance(std::chrono::nanoseconds by) { passed_ += by.count(); }
  std::chrono::system_clock::time_point Now() const override;
  std::chrono::steady_clock::time_point Steady() const override;
  bool Sleep(std::chrono::nanoseconds duration, std::stop_token stop) override;
  int Poll(std::span<pollfd> polled, std::optional<std::chrono::nanoseconds> timeout) override;

 private:
  std::atomic<std::int64_t> start_{
      std::chrono::nanoseconds(kStart.time_since_epoch()).count()};  // nanoseconds
  std::atomic<std::int64_t> passed_ = 0;                             // nanoseconds
};

// Returns bytes from a counter: the same in every run, and all blocks different.
class FakeRandom : public Random {
 public:
  std::string Bytes(std::size_t count) override;

 private:
  std::atomic<std::uint64_t> next_ = 0x9E3779B97F4A7C15;
};

class FakeEnvironment : public Environment {
 public:
  std::map<std::string, std::string> variables;
  std::string Get(std::string_view name) const override;
  std::map<std::string, std::string> All() const override { return variables; }
  bool terminal = false;
  bool HasTerminal() const override { return terminal; }
};

class FakeNetwork : public Network {
 public:
  std::vector<Interface> interfaces{
      {.name = "lo", .up = true, .loopback = true, .addresses = {"127.0.0.1", "::1"}},
      {.name = "eth0", .up = true, .addresses = {"192.0.2.10"}}};
  std::vector<DefaultRoute> default_routes{{.interface = "eth0"}};
  std::map<std::uint16_t, std::string> port_problems;  // by port, for all addresses
  // Addresses by host name. Resolve does not know other names.
  std::map<std::string, std::vector<std::string>> hosts;
  std::vector<Interface> Interfaces() const override { return interfaces; }
  std::vector<DefaultRoute> DefaultRoutes() const override { return default_routes; }
  std::map<std::string, std::string> address_problems;  // by "address:port"
  std::optional<std::string> PortProblem(const std::string& address,
                                         std::uint16_t port) const override;
  std::set<std::string> listening;  // paths of Unix sockets
  bool Listens(const std::string& socket) const override { return listening.contains(socket); }
  std::vector<std::string> Resolve(const std::string& name) const override;
};

class FakeMachine : public Machine {
 public:
  std::string hostname = "node-a";
  std::string kernel_name = "Linux";
  std::string kernel_release = "6.1.0-40-amd64";
  unsigned effective_user = 0;
  unsigned processors = 4;
  std::optional<std::uint64_t> memory_bytes = std::uint64_t{8} << 30U;  // not set: unknown
  std::optional<std::uint64_t> free_disk_bytes = std::uint64_t{100} << 30U;
  std::string Hostname() const override { return hostname; }
  std::string KernelName() const override { return kernel_name; }
  std::string KernelRelease() const override { return kernel_release; }
  unsigned EffectiveUser() const override { return effective_user; }
  unsigned Processors() const override { return processors; }
  std::uint64_t MemoryBytes() const override;
  std::optional<std::uint64_t> FreeDiskBytes(const std::string& path) const override;
};

// Signals that the test sends: `fake.signals.stop.request_stop()`.
class FakeSignals : public Signals {
 public:
  std::stop_source stop;
  std::stop_token Interrupt() override { return stop.get_token(); }
};

// FakeHost is used as `FakeHost fake; Act(fake.host); EXPECT_EQ(fake.files.Read("/etc/x"), …)`.
class FakeHost {
 public:
  TemporaryDirectory directory;
  FakeFiles files{directory.path()};
  FakeProcesses processes;
  FakeClock clock;
  FakeRandom random;
  FakeEnvironment environment;
  FakeNetwork network;
  FakeMachine machine;
  FakeSignals signals;
  FakeMounts mounts;
  Host host{files, processes, clock, random, environment, network, machine, signals, mounts};

  // Returns `host` with another clock, which must outlive the result.
  Host With(Clock& other) {
    return {files, processes, other, random, environment, network, machine, signals, mounts};
  }
  Host With(Files& other) {
    return {other, processes, clock, random, environment, network, machine, signals, mounts};
  }
  Host With(Processes& other) {
    return {files, other, clock, random, environment, network, machine, signals, mounts};
  }
};

}  // namespace host
