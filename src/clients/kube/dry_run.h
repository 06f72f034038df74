// SPDX-License-Identifier: Apache-2.0
// DryRunTransport: reports requests to the API server, and answers them from memory.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "base/show_line.h"
#include "kube/client.h"

namespace kube {

// The output and the inputs of a dry run. Each member may be empty.
struct DryRunOptions {
  // Receives each call's whole report, with a line end. Called from the caller's thread.
  base::ShowLine log;
  // A real cluster to read from first; its failures do not end the run. It is never written to.
  std::shared_ptr<Transport> real;
  // Returns a substitute for an object (GET) or list (LIST) that neither this run nor the cluster
  // has. Returns std::nullopt if it has none.
  std::function<std::optional<json::Value>(const Call& call)> canned;
};

// Remembers objects that were created, changed and deleted during its lifetime. Each report begins
// with "[dryrun] Would perform action VERB on resource …". The name and the object as YAML follow,
// if the call has them. Any requested Node counts as existing, with the label
// kubernetes.io/hostname.
class DryRunTransport : public Transport {
 public:
  explicit DryRunTransport(DryRunOptions options) : options_(std::move(options)) {}

  json::Value Do(const Call& call, std::stop_token stop) override;
  // Queries the real cluster, or returns "ok".
  std::string GetPath(const std::string& path, std::stop_token stop) override;
  // Returns at once, because nothing will change.
  void Watch(const Call& call, const std::string& resource_version, const OnEvent& on_event,
             std::stop_token stop) override;

 private:
  // Key orders objects by resource, namespace and name.
  struct Key {
    std::string group, resource, name_space, name;
    auto operator<=>(const Key&) const = default;
  };
  static Key KeyOf(const Call& call);

  json::Value Get(const Call& call, std::string& report, const std::stop_token& stop);
  json::Value List(const Call& call, std::string& report, const std::stop_token& stop);
  json::Value Write(const Call& call, std::string& report, const std::stop_token& stop);
  std::optional<json::Value> Lookup(const Call& call, const std::stop_token& stop);
  std::optional<json::Value> AskReal(const Call& call, const std::stop_token& stop);
  std::optional<json::Value> Canned(const Call& call) const;
  std::vector<json::Value> Remembered(const Call& call);

  DryRunOptions options_;
  std::atomic<bool> real_is_away_ = false;  // set after the first call without an answer
  std::mutex mutex_;
  std::map<Key, json::Value> objects_;  // guarded by mutex_; null: deleted in this run
};

}  // namespace kube
