// SPDX-License-Identifier: Apache-2.0
#include "host/fake_host.h"

#include <fmt/core.h>

#include <cerrno>
#include <cstdlib>

#include "base/strings.h"
#include "host/descriptor.h"

namespace host {

TemporaryDirectory::TemporaryDirectory() {
  std::string name = (fs::temp_directory_path() / "slipway-test-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) {
    throw SystemError("cannot make a temporary directory", errno);
  }
  path_ = name;
}

TemporaryDirectory::~TemporaryDirectory() {
  try {
    RealFiles("/", Durability::kUnsynced).RemoveTree(path_);
  } catch (const base::Error& error) {
    fmt::print(stderr, "{}\n", error.what());
  }
}

void FakeFiles::FailWritesTo(const fs::path& path) {
  const std::lock_guard lock(mutex_);
  failing_.insert(path);
}

void FakeFiles::Write(const fs::path& path, std::string_view content, WriteOptions options) {
  {
    const std::lock_guard lock(mutex_);
    if (failing_.contains(path)) {
      throw SystemError(fmt::format("cannot write {}", path.string()), ENOSPC);
    }
    written_.push_back(path.string());
  }
  RealFiles::Write(path, content, options);
}

std::vector<std::string> FakeFiles::written() const {
  const std::lock_guard lock(mutex_);
  return written_;
}

void FakeProcesses::On(const std::string& prefix, RunResult result) {
  const std::lock_guard lock(mutex_);
  script_[prefix] = std::move(result);
  executables_.insert(base::Fields(prefix).at(0));
}

void FakeProcesses::AddExecutable(const std::string& name) {
  const std::lock_guard lock(mutex_);
  executables_.insert(name);
}

std::vector<std::string> FakeProcesses::calls() const {
  const std::lock_guard lock(mutex_);
  return calls_;
}

std::vector<std::string> FakeProcesses::changes() const {
  const std::lock_guard lock(mutex_);
  return changes_;
}

RunOptions FakeProcesses::last_options() const {
  const std::lock_guard lock(mutex_);
  return last_options_;
}

std::optional<std::string> FakeProcesses::FindExecutable(std::string_view name) const {
  const std::lock_guard lock(mutex_);
  if (!executables_.contains(name)) {
    return std::nullopt;
  }
  return fmt::format("/usr/bin/{}", name);
}

RunResult FakeProcesses::Run(const std::vector<std::string>& argv, const RunOptions& options) {
  const std::string command = base::Join(argv, " ");
  const std::lock_guard lock(mutex_);
  if (!executables_.contains(argv.at(0))) {
    throw base::Error(base::Error::Kind::kNotFound,
                      fmt::format("{} is not an executable in PATH", base::Quoted(argv[0])));
  }
  calls_.push_back(command);
  last_options_ = options;
  if (options.effect == Effect::kChanges) {
    changes_.push_back(command);
  }
  const RunResult* best = nullptr;
  std::size_t length = 0;
  for (const auto& [prefix, result] : script_) {
    if (command.starts_with(prefix) && prefix.size() >= length) {
      best = &result;
      length = prefix.size();
    }
  }
  return best == nullptr ? RunResult{} : *best;
}

void FakeClock::Set(std::chrono::system_clock::time_point now) {
  start_ = std::chrono::nanoseconds(now.time_since_epoch()).count() - passed_;
}

std::chrono::system_clock::time_point FakeClock::Now() const {
  return std::chrono::system_clock::time_point(std::chrono::nanoseconds(start_ + passed_));
}

std::chrono::steady_clock::time_point FakeClock::Steady() const {
  return std::chrono::steady_clock::time_point(std::chrono::nanoseconds(passed_.load()));
}

bool FakeClock::Sleep(std::chrono::nanoseconds duration, std::stop_token stop) {
  if (stop.stop_requested()) {
    return false;
  }
  Advance(duration);
  return true;
}

int FakeClock::Poll(std::span<pollfd> polled, std::optional<std::chrono::nanoseconds> timeout) {
  const int ready =
      RealClock().Poll(polled, timeout ? std::optional(std::chrono::nanoseconds(0)) : std::nullopt);
  if (ready == 0 && timeout) {
    Advance(*timeout);
  }
  return ready;
}

std::string FakeRandom::Bytes(std::size_t count) {
  std::string bytes;
  while (bytes.size() < count) {
    // splitmix64 (Vigna, public domain) turns a counter into well-distributed numbers.
    std::uint64_t z = next_.fetch_add(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EB;
    z ^= z >> 31U;
    for (int i = 0; i < 8 && bytes.size() < count; ++i, z >>= 8U) {
      bytes.push_back(static_cast<char>(z & 0xFFU));
    }
  }
  return bytes;
}

std::string FakeEnvironment::Get(std::string_view name) const {
  const auto found = variables.find(std::string(name));
  return found == variables.end() ? "" : found->second;
}

std::optional<std::string> FakeNetwork::PortProblem(const std::string& address,
                                                    std::uint16_t port) const {
  if (!address.empty()) {
    const auto at = address_problems.find(fmt::format("{}:{}", address, port));
    return at == address_problems.end() ? std::nullopt : std::optional(at->second);
  }
  const auto found = port_problems.find(port);
  return found == port_problems.end() ? std::nullopt : std::optional(found->second);
}

std::vector<std::string> FakeNetwork::Resolve(const std::string& name) const {
  const auto found = hosts.find(name);
  if (found == hosts.end()) {
    throw base::Error(base::Error::Kind::kNotFound,
                      fmt::format("cannot look up {}: unknown name", base::Quoted(name)));
  }
  return found->second;
}

std::uint64_t FakeMachine::MemoryBytes() const {
  if (!memory_bytes) {
    throw base::Error("sysinfo: not available");
  }
  return *memory_bytes;
}

std::optional<std::uint64_t> FakeMachine::FreeDiskBytes(const std::string& /*path*/) const {
  return free_disk_bytes;
}

}  // namespace host
