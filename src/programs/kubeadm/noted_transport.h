// Calls of the API that fail in passing, told to the phase that makes them.
#pragma once

#include <memory>

#include "kube/client.h"

namespace kubeadm {

// NoteRetries is the same transport; a call that fails and may be tried again is a retry of the
// phase on whose thread it is made.
std::shared_ptr<kube::Transport> NoteRetries(std::shared_ptr<kube::Transport> transport);

}  // namespace kubeadm
