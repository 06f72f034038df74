// SPDX-License-Identifier: Apache-2.0
// The parts of gathering. Each asks one kind of source and may throw; what it returns puts the
// answer into the facts. Each ends soon when it is asked to stop: by its token, or since the host's
// processes end then. For the inside of this room.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "config/types.h"
#include "doctor/gather.h"
#include "static_pods/static_pod.h"

namespace doctor {

// Answer puts what was found into the facts; it is run by one thread at a time.
using Answer = std::function<void(Facts& facts)>;

Answer AskMachine(const Sources& sources);
Answer AskRuntime(const Sources& sources, const std::stop_token& stop = {});
Answer AskKubelet(const Sources& sources, const std::stop_token& stop = {});
Answer AskHealth(const Sources& sources, const std::stop_token& stop = {});
Answer AskCertificates(const Sources& sources);
Answer AskEtcd(const Sources& sources);
Answer AskManifests(const Sources& sources);
Answer AskApi(const Sources& sources, const Options& options, const std::stop_token& stop = {});

// What the parts share.
inline constexpr std::chrono::milliseconds kShort{2'500};    // of one question over the network
inline constexpr std::chrono::milliseconds kCommand{3'000};  // of one command that is run

// LocalEndpoint is where this node's API server listens, as its manifest says; nothing when there
// is none.
std::optional<config::ApiEndpoint> LocalEndpoint(const host::Files& files);

// NodeName is this node's, as the kubelet's certificate has it; nothing when it cannot be read.
std::optional<std::string> NodeName(const host::Files& files);

// ConfiguredDriver is the cgroup driver of containerd's configuration, DriverName that which the
// runtime reports ("systemd", "cgroupfs"); an empty string when they do not say.
std::string ConfiguredDriver(const host::Files& files);
std::string DriverName(cri::Runtime& runtime);

// HasSystemd returns whether systemd runs as pid 1.
bool HasSystemd(const host::Files& files);

// IsForbidden tells whether only another user may see that.
bool IsForbidden(const base::Error& error);

// Seconds cuts a time off.
inline sys_seconds Seconds(std::chrono::system_clock::time_point time) {
  return std::chrono::floor<seconds>(time);
}

// AddRendered fills in how the manifests differ from what the cluster's configuration gives.
void AddRendered(const std::map<std::string, json::Value>& rendered, const host::Files& files,
                 Facts& facts);

}  // namespace doctor
