// Whether CoreDNS can be brought along, asked before anything is changed (reference: preflight.md
// §5).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kube/client.h"
#include "preflight/report.h"

namespace upgrade {

// CoreDnsChecks are CoreDNSUnsupportedPlugins and CoreDNSMigration. The client outlives them.
std::vector<preflight::Check> CoreDnsChecks(kube::Client& client);

// The verdicts are pure: of CoreDNS `version` ("1.6.7", "" when there is none) with a Corefile. One
// that is ours already, or has no Corefile, is fine.
preflight::Verdict JudgePlugins(const std::string& version,
                                const std::optional<std::string>& corefile);
preflight::Verdict JudgeMigration(const std::string& version,
                                  const std::optional<std::string>& corefile);

}  // namespace upgrade
