// Commands with the texts of texts/*.md: what help, the man page and the manual show alike.
#pragma once

#include <string>
#include <string_view>

#include "cli/command.h"

namespace kubeadm {

// Documented is a command whose long text and example come from texts/<text>.md: all before the
// heading "## Example", and the indented block after it.
cli::Command Documented(std::string name, std::string summary, std::string_view text);

}  // namespace kubeadm
