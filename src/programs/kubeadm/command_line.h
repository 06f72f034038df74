// What commands read off their command lines alike.
#pragma once

#include <string>

#include "cli/flags.h"
#include "config/facts.h"

namespace kubeadm {

// OriginOf is what the command line says, without what may differ between two tries of the same
// thing: part of what identifies a run.
std::string OriginOf(const cli::Parsed& flags);

// SocketChoice: a command that offers no --cri-socket never talks to the runtime.
config::CriSocketChoice SocketChoice(const cli::Parsed& flags);

}  // namespace kubeadm
