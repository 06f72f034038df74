// SPDX-License-Identifier: Apache-2.0
// Requests with an AWS signature, version 4, which libcurl computes
// (https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv.html).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "http/client.h"

namespace http {

// The keys of a signature, and its region and service. The destructor overwrites the secret.
struct AwsSigner {
  std::string region;
  std::string service;  // "s3"
  std::string access_key;
  std::string secret_key;
  ~AwsSigner();
};

// A Client that signs each request with all of its headers. libcurl adds the header
// "x-amz-content-sha256" for S3 and, if there is a body, a header "Content-Type", unless the
// request has these headers.
class SignedClient : public Client {
 public:
  SignedClient(const Tls& tls, const AwsSigner& signer);
  ~SignedClient() override;
  Response Do(const Request& request) override;
  Response Stream(const Request& request,
                  const std::function<bool(std::string_view)>& on_data) override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace http
