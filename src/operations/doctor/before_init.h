// SPDX-License-Identifier: Apache-2.0
// A host that is not a node yet: the findings of `init`'s checks, and the host's suitability.
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

// Adds the facts of a machine that is not a node. Runs the checks of `init` with its defaults, and
// changes nothing. A default that this machine cannot use is a finding, not an error.
void CollectBeforeInit(host::Host& host, Facts& facts);

// Converts a finding of init's checks: an error of `init` becomes a warning, a warning a note.
checks::Finding BeforeInit(const checks::Finding& finding);

// The sources of the facts about suitability. The functions may throw base::Error of any kind.
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

// Adds the machine's suitability for a node, facts about the runtime, and the name servers for
// Pods. Read-only. Queries these name servers for the registry of the pause image. This query takes
// two seconds at most, and the measurement of the disk half a second. The time for the runtime's
// answer is not limited here.
void CollectSuitability(const SuitabilitySources& sources, Facts& facts);

}  // namespace doctor
