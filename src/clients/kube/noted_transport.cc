// SPDX-License-Identifier: Apache-2.0
#include "kube/noted_transport.h"

#include <utility>

#include "base/error.h"

namespace kube {
namespace {

// Makes one attempt and reports a transient failure.
template <typename Try>
auto Noted(const NoteRetry& note, const Try& once) {
  try {
    return once();
  } catch (const base::Error& error) {
    if (IsPassing(error)) {
      note(error.message());
    }
    throw;
  }
}

class NotedTransport : public Transport {
 public:
  NotedTransport(std::shared_ptr<Transport> transport, NoteRetry note)
      : transport_(std::move(transport)), note_(std::move(note)) {}

  json::Value Do(const Call& call, std::stop_token stop) override {
    return Noted(note_, [&] { return transport_->Do(call, std::move(stop)); });
  }
  std::string GetPath(const std::string& path, std::stop_token stop) override {
    return Noted(note_, [&] { return transport_->GetPath(path, std::move(stop)); });
  }
  void Watch(const Call& call, const std::string& resource_version, const OnEvent& on_event,
             std::stop_token stop) override {
    transport_->Watch(call, resource_version, on_event, std::move(stop));
  }

 private:
  const std::shared_ptr<Transport> transport_;
  const NoteRetry note_;
};

}  // namespace

std::shared_ptr<Transport> NoteRetries(std::shared_ptr<Transport> transport, NoteRetry note) {
  return std::make_shared<NotedTransport>(std::move(transport), std::move(note));
}

}  // namespace kube
