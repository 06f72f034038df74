// Commands with the texts of texts/*.md: what help, the man page and the manual show alike.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"

namespace kubeadm {

// Documented is a command whose long text and examples come from texts/<text>.md.
cli::Command Documented(std::string name, std::string summary, std::string_view text);

// Group is a documented command that does nothing itself: it wants one of its children.
cli::Command Group(std::string name, std::string summary, std::string_view text,
                   std::function<std::vector<cli::Command>()> children);

}  // namespace kubeadm
