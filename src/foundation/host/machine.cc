// SPDX-License-Identifier: Apache-2.0
#include "host/machine.h"

#include <sched.h>
#include <sys/statvfs.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cerrno>

#include "host/descriptor.h"

namespace host {
namespace {

utsname Uname() {
  utsname names{};
  if (::uname(&names) != 0) {
    throw SystemError("uname", errno);
  }
  return names;
}

}  // namespace

std::string RealMachine::Hostname() const { return Uname().nodename; }
std::string RealMachine::KernelName() const { return Uname().sysname; }
std::string RealMachine::KernelRelease() const { return Uname().release; }
unsigned RealMachine::EffectiveUser() const { return ::geteuid(); }

unsigned RealMachine::Processors() const {
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof set, &set) == 0) {
    return static_cast<unsigned>(CPU_COUNT(&set));
  }
  // The machine has more processors than the set can hold.
  return static_cast<unsigned>(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN)));
}

std::uint64_t RealMachine::MemoryBytes() const {
  struct sysinfo info{};
  if (::sysinfo(&info) != 0) {
    throw SystemError("sysinfo", errno);
  }
  return std::uint64_t{info.totalram} * info.mem_unit;
}

std::optional<std::uint64_t> RealMachine::FreeDiskBytes(const std::string& path) const {
  struct statvfs info{};
  if (::statvfs(path.c_str(), &info) != 0) {
    return std::nullopt;
  }
  return std::uint64_t{info.f_bavail} * info.f_frsize;
}

}  // namespace host
