// SPDX-License-Identifier: Apache-2.0
#include "backup/throwaway_etcd.h"

#include <fmt/core.h>

#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/error.h"

namespace backup {
namespace {

using base::Error;
using std::chrono::milliseconds;

constexpr std::string_view kName = "throwaway";
constexpr milliseconds kPause{100};
constexpr milliseconds kCallLimit{10'000};
constexpr milliseconds kServeLimit{300'000};  // a large snapshot is read first

std::string UrlOf(const host::fs::path& socket) { return "unix://" + socket.string(); }

// An etcd that runs until the end of its scope.
class Running {
 public:
  Running(EtcdTools& tools, std::vector<std::string> argv)
      : thread_([this, &tools, argv = std::move(argv)](const std::stop_token& stop) {
          try {
            RequireSuccess(tools.Run(argv, stop), "serve etcd's data");
            failure_ = Error("etcd ended on the data before it served");
          } catch (const Error& error) {
            failure_ = error;
          } catch (const base::Interrupted&) {
            failure_.reset();  // the destructor has interrupted the run
          }
          ended_ = true;
        }) {}

  // Throws the reason if the etcd has ended.
  void RequireAlive() const {
    if (ended_ && failure_) {
      throw Error(*failure_);
    }
  }

 private:
  std::optional<Error> failure_;  // written before ended_ is set
  std::atomic<bool> ended_{false};
  std::jthread thread_;  // last member: ends before the others are destroyed
};

etcd::KeyCount AwaitCount(host::Host& host, const std::string& location, const Running& running,
                          const std::stop_token& stop) {
  for (milliseconds waited{0};; waited += kPause) {
    try {
      return etcd::CountKeys(location, kCallLimit, stop);
    } catch (const Error& error) {
      running.RequireAlive();
      if (waited > kServeLimit) {
        throw Error(Error::Kind::kTimeout,
                    fmt::format("etcd does not serve the data: {}", error.message()));
      }
    }
    if (!host.clock.Sleep(kPause, stop)) {
      throw base::Interrupted("stopped while etcd started on the data");
    }
  }
}

}  // namespace

etcd::KeyCount CountKeysOf(const ThrowawayEtcd& etcd, const std::stop_token& stop) {
  const std::string data = (etcd.directory / "data").string();
  const std::string peers = UrlOf(etcd.directory / "peer.sock");
  RequireSuccess(
      etcd.tools.Run({"etcdutl", "snapshot", "restore", etcd.snapshot.string(), "--data-dir", data,
                      "--name", std::string(kName), "--initial-cluster",
                      fmt::format("{}={}", kName, peers), "--initial-advertise-peer-urls", peers},
                     stop),
      "restore etcd's snapshot");
  etcd::KeyCount count;
  ServeData({.host = etcd.host,
             .tools = etcd.tools,
             .data = data,
             .sockets = etcd.directory,
             .name = std::string(kName)},
            stop, [&](const ServingEtcd& serving) { count = serving.counts; });
  return count;
}

void ServeData(const ServedData& served, const std::stop_token& stop,
               const std::function<void(const ServingEtcd& etcd)>& use) {
  const host::fs::path clients = served.sockets / "client.sock";
  const std::string peers = UrlOf(served.sockets / "peer.sock");
  std::vector<std::string> argv = {"etcd",
                                   "--data-dir",
                                   served.data.string(),
                                   "--name",
                                   served.name,
                                   "--listen-client-urls",
                                   UrlOf(clients),
                                   "--advertise-client-urls",
                                   UrlOf(clients),
                                   "--listen-peer-urls",
                                   peers,
                                   "--initial-advertise-peer-urls",
                                   peers,
                                   "--initial-cluster",
                                   fmt::format("{}={}", served.name, peers),
                                   "--unsafe-no-fsync",
                                   "--log-level",
                                   "error"};
  if (served.as_only_member) {
    argv.emplace_back("--force-new-cluster");
  }
  const Running running(served.tools, std::move(argv));
  const std::string location = served.host.files.Location(clients).string();
  use({.socket = location, .counts = AwaitCount(served.host, location, running, stop)});
}

}  // namespace backup
