// SPDX-License-Identifier: Apache-2.0
// A name server for tests.
#pragma once

#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "host/descriptor.h"
#include "net/host_port.h"

namespace dns {

// Response codes (RFC 1035 §4.1.1).
enum class ResponseCode {
  kNoError,
  kFormatError,
  kServerFailure,
  kNxDomain,
  kNotImplemented,
  kRefused
};

// The answer to every query for addresses, and its defects.
struct FakeAnswer {
  ResponseCode code = ResponseCode::kNoError;
  std::vector<std::string> a = {}, aaaa = {};
  // The name in the address records; "": the queried name.
  std::string owner = {};
  std::string alias = {};  // the target of a CNAME record; "": none
  bool silent = false;
  bool other_id = false;
  std::optional<ResponseCode> aaaa_code = {};
};

// Answers over UDP on loopback until it is destroyed.
class FakeNameServer {
 public:
  explicit FakeNameServer(FakeAnswer answer);
  const net::HostPort& place() const { return place_; }

 private:
  void Serve(const std::stop_token& stop);

  FakeAnswer answer_;
  host::Descriptor socket_;
  net::HostPort place_;
  std::jthread thread_;
};

}  // namespace dns
