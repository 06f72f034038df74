// Commands with the texts of texts/*.md: what help, the man page and the manual show alike.
#pragma once

#include <string>
#include <string_view>

#include "cli/command.h"

namespace kubeadm {

// Documented is a command whose long text and examples come from texts/<text>.md.
cli::Command Documented(std::string name, std::string summary, std::string_view text);

}  // namespace kubeadm
