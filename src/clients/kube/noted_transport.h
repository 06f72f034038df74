// SPDX-License-Identifier: Apache-2.0
// Transport decorator that reports transient API failures to an observer.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "kube/client.h"

namespace kube {

// Returns a transport that forwards to the given one. For each transient failure, except those of
// Watch, it calls `note` with the reason, on the thread of the call.
using NoteRetry = std::function<void(const std::string& why)>;
std::shared_ptr<Transport> NoteRetries(std::shared_ptr<Transport> transport, NoteRetry note);

}  // namespace kube
