// SPDX-License-Identifier: Apache-2.0
// Error responses of servers: a Status of the API, gRPC errors of etcd and of a container runtime
// with their frames, the Date header. The first byte is the status. Any other input becomes an
// error that can be printed and is no longer than the response.
#include "cri/answers.h"

#include "base/utf8.h"
#include "etcd/answers.h"
#include "fuzz.h"
#include "http/date.h"
#include "http/rpc/frame.h"
#include "kube/call.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  const std::string text(fuzz::Text(bytes + 1, size - 1));
  const int status = 100 + bytes[0] * 4;
  const base::Error error = kube::StatusError(status, text, "10.0.0.1:6443");
  fuzz::Require(!error.message().empty(), "an error says something");
  // An escaped control character takes up to six characters, and a replacement of a byte in JSON
  // three.
  fuzz::Require(error.message().size() <= 6 * std::min<std::size_t>(size, 4'096) + 100,
                "an error is no longer than its answer");
  fuzz::Require(base::Visible(error.message(), "\n\t") == error.message(), "it moves no cursor");
  kube::StatusKind(text, status);
  etcd::RefusalIn(text);
  fuzz::Require(!etcd::CallError("https://10.0.0.1:2379", bytes[0], text).message().empty(),
                "an error of etcd says something");
  fuzz::Require(!cri::CallError("unix:///run/x.sock", bytes[0], text).message().empty(),
                "an error of a runtime says something");
  const std::string code = std::to_string(bytes[0]);
  const rpc::Reply refusal = rpc::ReadReply(
      {status, {{"grpc-status", code}, {"grpc-message", text}}, text, /*peer_certificate_pem=*/""});
  fuzz::Require(refusal.message.size() + 5 == text.size() || refusal.message.empty(),
                "a message is a body without its length");
  for (const rpc::Reply& reply :
       {refusal, rpc::ReadReply({status, {{"grpc-status", text}}, "", ""})}) {
    fuzz::Require(base::Visible(reply.status.message, "\n\t") == reply.status.message,
                  "a status moves no cursor");
  }
  const rpc::Reply echo = rpc::ReadReply({200, {{"grpc-status", "0"}}, rpc::Framed(text), ""});
  fuzz::Require(echo.status.ok() && echo.message == text, "what is framed is read again");
  std::string cut;
  rpc::MessageReader reader(text.size());
  for (const char byte : rpc::Framed(text)) {
    reader.Take(std::string_view(&byte, 1), [&](std::string_view message) { cut = message; });
  }
  fuzz::Require(cut == text && reader.IsWhole(), "what is framed is cut out again");
  try {
    rpc::MessageReader(bytes[0]).Take(text, [&](std::string_view message) {
      fuzz::Require(message.size() <= bytes[0], "no message is larger than allowed");
    });
  } catch (const base::Error&) {  // no message
  }
  fuzz::Require(cri::SandboxImageIn(text).size() <= text.size(), "an image is part of the answer");
  cri::RuntimeStatus status_of_runtime;
  const std::string_view type = bytes[0] % 2 == 0 ? "RuntimeReady" : "NetworkReady";
  cri::AddCondition({std::string(type), bytes[0] % 4 < 2, text, text}, status_of_runtime);
  http::ParseDate(text);
  return 0;
}
