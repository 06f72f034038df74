// SPDX-License-Identifier: Apache-2.0
// Facts of the machine itself.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace host {

// Facts of the computer.
class Machine {
 public:
  virtual ~Machine() = default;
  virtual std::string Hostname() const = 0;       // as the kernel reports it
  virtual std::string KernelName() const = 0;     // "Linux"
  virtual std::string KernelRelease() const = 0;  // "6.1.0-40-amd64"
  virtual unsigned EffectiveUser() const = 0;     // uid
  virtual unsigned Processors() const = 0;        // logical processors that this process may use
  virtual std::uint64_t MemoryBytes() const = 0;  // total RAM; throws base::Error if unknown
  virtual std::optional<std::uint64_t> FreeDiskBytes(const std::string& path) const = 0;
};

// Reads the kernel's facts: uname(2), sched_getaffinity(2), /proc/meminfo, statvfs(3).
class RealMachine : public Machine {
 public:
  std::string Hostname() const override;
  std::string KernelName() const override;
  std::string KernelRelease() const override;
  unsigned EffectiveUser() const override;
  unsigned Processors() const override;
  std::uint64_t MemoryBytes() const override;
  std::optional<std::uint64_t> FreeDiskBytes(const std::string& path) const override;
};

}  // namespace host
