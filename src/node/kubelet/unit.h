// SPDX-License-Identifier: Apache-2.0
// The environment and arguments that this node's files give the kubelet's service: units of systemd
// (systemd.unit(5), systemd.exec(5), systemd.syntax(7)) and OpenRC's conf.d.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/files.h"

namespace kubelet {

// The files for the user's arguments in the kubelet packages of Debian and of Red Hat.
inline constexpr std::array<std::string_view, 2> kExtraArgsFiles{"/etc/default/kubelet",
                                                                 "/etc/sysconfig/kubelet"};
// The directory of the administrator's units and drop-ins.
inline constexpr std::string_view kUserUnits = "/etc/systemd/system";
inline constexpr std::string_view kOpenRcFile = "/etc/conf.d/kubelet";

// An environment variable, with the file that sets it.
struct Assignment {
  std::string file;
  std::string name;
  std::string value;
};

// A word of a command line, with the file that it is in.
struct Word {
  std::string file;
  std::string text;
};

// The kubelet's service as its files define it.
struct Unit {
  std::vector<Assignment> environment;
  std::vector<Word> arguments;  // in the order of the command line
  // The existing files that users may write, in the order of reading. kFlagsFile and the units of
  // packages are not among them.
  std::vector<host::fs::path> files;
};

// Reads the kubelet's unit and its drop-ins in systemd's order, then the environment files that
// they name. Also reads the environment files of kubeadm and the packages (kFlagsFile,
// kExtraArgsFiles) and kOpenRcFile, whether or not a unit names them. Skips files that do not
// exist.
//
// If several files set a variable, `environment` has all of them, because the user may remove the
// last one. A variable that ExecStart= does not name may still reach the kubelet through a script:
// its words precede ExecStart's, and those of kFlagsFile come first. Specifiers ("%i") stay as they
// are.
Unit ReadUnit(const host::Files& files);

// Returns the value of the last argument named `name`, in the form of config::NormalizedFlag:
// "healthz-port". Returns "" if the argument is the last word or is followed by another argument.
std::optional<std::string> FindArgument(std::span<const Word> words, std::string_view name);

}  // namespace kubelet
