// SPDX-License-Identifier: Apache-2.0
#include "etcd/snapshot.h"

#include <fmt/core.h>

#include <chrono>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "etcd.pb.h"
#include "etcd/answers.h"
#include "pki/sha256_sum.h"

namespace etcd {
namespace {

namespace pb = etcdserverpb;

constexpr rpc::Method<pb::SnapshotRequest, pb::SnapshotResponse> kSnapshot{
    "/etcdserverpb.Maintenance/Snapshot"};

// The longest silence of a member during a snapshot, for a slow disk.
constexpr std::chrono::minutes kSilence{1};

// Receives a snapshot: the database, followed by its SHA-256.
class Checked {
 public:
  explicit Checked(const base::TakeBytes& take) : take_(take) {}

  void Add(std::string_view bytes) {
    tail_.append(bytes);
    if (tail_.size() > pki::Sha256Sum::kSize) {
      const std::string_view database =
          std::string_view(tail_).substr(0, tail_.size() - pki::Sha256Sum::kSize);
      sum_.Add(database);
      is_handing_on_ = true;
      take_(database);
      is_handing_on_ = false;
      tail_.erase(0, database.size());
    }
  }
  bool IsWhole() { return tail_ == sum_.End(); }
  // Returns whether `take_` is running. An error that occurs then comes from `take_`.
  bool IsHandingOn() const { return is_handing_on_; }

 private:
  const base::TakeBytes& take_;
  bool is_handing_on_ = false;
  std::string tail_;  // the last bytes so far: possibly the checksum
  pki::Sha256Sum sum_;
};

}  // namespace

void ReceiveSnapshot(const rpc::Channel& channel, const std::string& endpoint,
                     const base::TakeBytes& take,
                     const std::function<void(std::uint64_t size)>& on_size,
                     const std::stop_token& stop) {
  Checked checked(take);
  bool first = true;
  const std::function<void(const pb::SnapshotResponse&)> add =
      [&](const pb::SnapshotResponse& part) {
        if (std::exchange(first, false) && on_size) {  // remaining_bytes excludes the checksum
          on_size(part.blob().size() + part.remaining_bytes());
        }
        checked.Add(part.blob());
      };
  rpc::Status status;
  try {
    status =
        channel.Stream(kSnapshot, pb::SnapshotRequest(), add, {.timeout = kSilence, .stop = stop});
  } catch (const base::Error& error) {
    if (checked.IsHandingOn()) {
      throw;
    }
    throw NoAnswer(endpoint, error);
  }
  if (!status.ok()) {
    throw CallError(endpoint, status.code, status.message);
  }
  if (!checked.IsWhole()) {
    throw base::Error(base::Error::Kind::kInvalid,
                      fmt::format("the snapshot of etcd at {} came damaged", endpoint));
  }
}

void SnapshotOverSocket(const std::string& socket, const base::TakeBytes& take,
                        const std::stop_token& stop) {
  ReceiveSnapshot(rpc::Channel::OnSocket(socket), socket, take, {}, stop);
}

}  // namespace etcd
