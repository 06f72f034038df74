// SPDX-License-Identifier: Apache-2.0
// Calls of the API that fail in passing, told to who wants to know.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "kube/client.h"

namespace kube {

// NoteRetries is the same transport; `note` hears, on the thread of the call, why one has failed
// that may be tried again.
using NoteRetry = std::function<void(const std::string& why)>;
std::shared_ptr<Transport> NoteRetries(std::shared_ptr<Transport> transport, NoteRetry note);

}  // namespace kube
