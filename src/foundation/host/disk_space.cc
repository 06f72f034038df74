// SPDX-License-Identifier: Apache-2.0
#include "host/disk_space.h"

#include <fmt/core.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include <vector>

#include "base/error.h"
#include "base/number.h"
#include "base/strings.h"

namespace host {
namespace {

// Returns the numbers that stat(1) prints in the format; std::nullopt if it fails.
std::optional<std::vector<std::uint64_t>> Numbers(Processes& processes,
                                                  const std::vector<std::string>& argv,
                                                  std::chrono::milliseconds limit) {
  const RunResult result = processes.Run(argv, {.timeout = limit, .effect = Effect::kAsks});
  if (result.timed_out) {
    throw base::Error(base::Error::Kind::kTimeout,
                      fmt::format("the file system of {} does not answer", argv.back()));
  }
  if (!result.Succeeded()) {
    return std::nullopt;
  }
  std::vector<std::uint64_t> numbers;
  for (const std::string& word : base::Fields(result.out)) {
    numbers.push_back(base::ParseNumber<std::uint64_t>(word).value_or(0));
  }
  return numbers;
}

}  // namespace

std::optional<DiskSpace> DiskSpaceOf(const std::string& path) {
  struct statvfs space{};
  struct stat status{};
  if (statvfs(path.c_str(), &space) != 0 || stat(path.c_str(), &status) != 0) {
    return std::nullopt;
  }
  return DiskSpace{.total = std::uint64_t{space.f_blocks} * space.f_frsize,
                   .available = std::uint64_t{space.f_bavail} * space.f_frsize,
                   .inodes = space.f_files,
                   .inodes_available = space.f_favail,
                   .file_system = status.st_dev};
}

std::optional<DiskSpace> CollectDiskSpace(Processes& processes, const std::string& path,
                                          std::chrono::milliseconds limit) {
  const auto space = Numbers(processes, {"stat", "-f", "-c", "%S %b %a %c %d", path}, limit);
  const auto device = Numbers(processes, {"stat", "-c", "%d", path}, limit);
  if (!space || space->size() != 5 || !device || device->size() != 1) {
    return std::nullopt;
  }
  const std::vector<std::uint64_t>& of = *space;
  return DiskSpace{.total = of[1] * of[0],
                   .available = of[2] * of[0],
                   .inodes = of[3],
                   .inodes_available = of[4],
                   .file_system = device->front()};
}

}  // namespace host
