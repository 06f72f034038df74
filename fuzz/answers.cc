// What servers answer when they refuse: a Status of the API, etcd's words, the Date of an answer.
// The first byte is the status; whatever else comes becomes an error that is no longer than an
// answer.
#include "etcd/answers.h"

#include "fuzz.h"
#include "http/client.h"
#include "kube/call.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  const std::string text(fuzz::Text(bytes + 1, size - 1));
  const int status = 100 + bytes[0] * 4;
  const base::Error error = kube::StatusError(status, text, "10.0.0.1:6443");
  fuzz::Require(!error.message().empty(), "an error says something");
  fuzz::Require(error.message().size() <= size + 100, "an error is no longer than its answer");
  kube::StatusKind(text, status);
  etcd::RefusalIn(text);
  fuzz::Require(!etcd::CallError("https://10.0.0.1:2379", bytes[0], text).message().empty(),
                "an error of etcd says something");
  http::ParseDate(text);
  return 0;
}
