// SPDX-License-Identifier: Apache-2.0
// A machine that is not a node yet: whether `init` would begin, what its checks find, and how well
// the machine suits.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cri/runtime.h"
#include "doctor/facts.h"
#include "host/host.h"
#include "host/measures.h"
#include "host/name_servers.h"

namespace doctor {

// CollectBeforeInit adds the facts of a machine that is not a node. It runs the checks of `init`
// with its defaults, and changes nothing. Never throws base::Error: defaults that this machine does
// not give are a finding, too.
void CollectBeforeInit(host::Host& host, Facts& facts);

// BeforeInit is the doctor's form of a finding of init's checks: what would end `init` is a
// warning, a warning of it a note.
checks::Finding BeforeInit(const checks::Finding& finding);

// SuitabilitySources are where the facts of suitability come from. The functions may throw
// base::Error.
struct SuitabilitySources {
  host::Host& host;
  std::function<std::unique_ptr<cri::Runtime>()> connect_runtime;
  std::string pause_image;
  std::function<std::optional<std::chrono::microseconds>(const std::filesystem::path&)> sync_time =
      host::SyncTime;
  std::function<std::optional<bool>()> clock_kept = host::IsClockKept;
  std::function<std::vector<std::string>(const std::vector<std::string>&, const host::Question&)>
      silent_name_servers = host::SilentNameServers;
};

// CollectSuitability adds them, those of the runtime, and the name servers that Pods would get. It
// changes nothing, and asks the name servers for the registry of the pause image. That takes two
// seconds at most, the disk half a second, and the runtime what it takes.
void CollectSuitability(const SuitabilitySources& sources, Facts& facts);

}  // namespace doctor
