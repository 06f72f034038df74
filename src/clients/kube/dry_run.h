// SPDX-License-Identifier: Apache-2.0
// DryRunTransport: says what would be asked of the API server, and answers from memory.
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

// DryRunOptions are what a dry run shows and reads. All but `log` may be empty.
struct DryRunOptions {
  // Gets each call's whole report, which ends in a line end. Called from the caller's thread.
  base::ShowLine log;
  // A real cluster to read from first; its failures do not end the run. Nothing is ever written.
  std::shared_ptr<Transport> real;
  // Objects to answer a GET or LIST with when neither this run nor the cluster has any: the object
  // (GET) or its list object (LIST); nothing when there is no such answer.
  std::function<std::optional<json::Value>(const Call& call)> canned;
};

// DryRunTransport remembers what was created, changed and deleted during its life. Reports have the
// lines "[dryrun] Would perform action VERB on resource …", the name for a call that names an
// object, and the object as YAML where there is one. Any Node that is asked for is there and has
// the label kubernetes.io/hostname.
class DryRunTransport : public Transport {
 public:
  explicit DryRunTransport(DryRunOptions options) : options_(std::move(options)) {}

  json::Value Do(const Call& call, std::stop_token stop) override;
  // GetPath asks the real cluster, or answers "ok".
  std::string GetPath(const std::string& path, std::stop_token stop) override;
  // Watch ends at once: nothing will change.
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
  std::atomic<bool> real_is_away_ = false;  // it did not answer once: not asked again
  std::mutex mutex_;
  std::map<Key, json::Value> objects_;  // guarded by mutex_; null: deleted in this run
};

}  // namespace kube
