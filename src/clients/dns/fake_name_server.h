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

// The answer to every question for addresses, and how it is damaged.
struct FakeAnswer {
  ResponseCode code = ResponseCode::kNoError;
  std::vector<std::string> a = {}, aaaa = {};
  std::string owner = {};  // of the addresses; "": the name of the question
  std::string alias = {};  // the target of a CNAME record; "": none
  bool silent = false;
  bool other_id = false;
  std::optional<ResponseCode> aaaa_code = {};
};

// Answers on loopback by UDP until it is destroyed.
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
