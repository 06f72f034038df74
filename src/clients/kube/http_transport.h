// SPDX-License-Identifier: Apache-2.0
// Transports over HTTP. Internal to this library.
#pragma once

#include <functional>
#include <memory>

#include "kube/client.h"
#include "kube/connection.h"

namespace kube {

// Returns a transport over the connection. After each answer 401, with which the server rejects the
// user, it calls `on_unknown`, from any thread.
std::unique_ptr<Transport> NewHttpTransport(const Connection& connection,
                                            std::chrono::milliseconds timeout,
                                            std::function<void()> on_unknown);

}  // namespace kube
