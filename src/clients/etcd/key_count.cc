// SPDX-License-Identifier: Apache-2.0
#include "etcd/key_count.h"

#include "base/error.h"
#include "etcd.pb.h"
#include "etcd/answers.h"
#include "http/rpc/channel.h"

namespace etcd {
namespace {

namespace pb = etcdserverpb;

constexpr rpc::Method<pb::RangeRequest, pb::RangeResponse> kRange{"/etcdserverpb.KV/Range"};

}  // namespace

KeyCount CountKeys(const std::string& socket, std::chrono::milliseconds timeout,
                   const std::stop_token& stop) {
  pb::RangeRequest request;  // from the first key to the last
  request.set_key(std::string(1, '\0'));
  request.set_range_end(std::string(1, '\0'));
  request.set_count_only(true);
  pb::RangeResponse answer;
  rpc::Status status;
  try {
    status = rpc::Channel::OnSocket(socket).Call(kRange, request, answer,
                                                 {.timeout = timeout, .stop = stop});
  } catch (const base::Error& error) {
    throw NoAnswer(socket, error);
  }
  if (!status.ok()) {
    throw CallError(socket, status.code, status.message);
  }
  return {.keys = answer.count(), .revision = answer.header().revision()};
}

}  // namespace etcd
