#include "kubeadm/noted_transport.h"

#include <utility>

#include "workflow/context.h"

namespace kubeadm {
namespace {

// Noted tries once and tells the phase of this thread of a failure that may pass.
template <typename Try>
auto Noted(const Try& once) {
  try {
    return once();
  } catch (const base::Error& error) {
    workflow::Context* phase = workflow::Context::OfThisThread();
    if (phase != nullptr && kube::IsPassing(error)) {
      phase->Retry(error.message());
    }
    throw;
  }
}

class NotedTransport : public kube::Transport {
 public:
  explicit NotedTransport(std::shared_ptr<kube::Transport> transport)
      : transport_(std::move(transport)) {}

  json::Value Do(const kube::Call& call, std::stop_token stop) override {
    return Noted([&] { return transport_->Do(call, std::move(stop)); });
  }
  std::string GetPath(const std::string& path, std::stop_token stop) override {
    return Noted([&] { return transport_->GetPath(path, std::move(stop)); });
  }
  void Watch(const kube::Call& call, const std::string& resource_version, const OnEvent& on_event,
             std::stop_token stop) override {
    transport_->Watch(call, resource_version, on_event, std::move(stop));
  }

 private:
  const std::shared_ptr<kube::Transport> transport_;
};

}  // namespace

std::shared_ptr<kube::Transport> NoteRetries(std::shared_ptr<kube::Transport> transport) {
  return std::make_shared<NotedTransport>(std::move(transport));
}

}  // namespace kubeadm
