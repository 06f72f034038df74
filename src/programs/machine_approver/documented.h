// Commands with the texts of texts/*.md.
#pragma once

#include <string>
#include <string_view>

#include "cli/command.h"

namespace machine_approver {

// Documented is a command whose long text and examples come from texts/<text>.md.
cli::Command Documented(std::string name, std::string summary, std::string_view text);

}  // namespace machine_approver
