// SPDX-License-Identifier: Apache-2.0
// Receiving a snapshot of a member's database.
#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>

#include "base/take_bytes.h"
#include "http/rpc/channel.h"

namespace etcd {

// Receives a snapshot over `channel`, as Client::Snapshot does. Errors name `endpoint`.
void ReceiveSnapshot(const rpc::Channel& channel, const std::string& endpoint,
                     const base::TakeBytes& take,
                     const std::function<void(std::uint64_t size)>& on_size,
                     const std::stop_token& stop);

// Receives a snapshot from an etcd that listens at a Unix socket of this machine, without TLS.
void SnapshotOverSocket(const std::string& socket, const base::TakeBytes& take,
                        const std::stop_token& stop);

}  // namespace etcd
