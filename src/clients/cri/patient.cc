// SPDX-License-Identifier: Apache-2.0
#include "cri/patient.h"

#include <utility>

#include "base/error.h"

namespace cri {
namespace {

using Kind = base::Error::Kind;
using std::chrono::milliseconds;

constexpr milliseconds kPause{250};

class PatientRuntime : public Runtime {
 public:
  PatientRuntime(std::unique_ptr<Runtime> runtime, Patience patience)
      : runtime_(std::move(runtime)), patience_(std::move(patience)) {}

  RuntimeVersion Version() override {
    return UntilAnswered([&] { return runtime_->Version(); });
  }
  RuntimeStatus Status() override {
    return UntilAnswered([&] { return runtime_->Status(); });
  }
  std::optional<CgroupDriver> PreferredCgroupDriver() override {
    return UntilAnswered([&] { return runtime_->PreferredCgroupDriver(); });
  }
  bool HasImage(const std::string& image) override {
    return UntilAnswered([&] { return runtime_->HasImage(image); });
  }
  void PullImage(const std::string& image, std::stop_token stop) override {
    UntilAnswered([&] { runtime_->PullImage(image, stop); });
  }
  std::vector<Sandbox> Sandboxes() override {
    return UntilAnswered([&] { return runtime_->Sandboxes(); });
  }
  std::vector<Container> Containers(const Wanted& wanted) override {
    return UntilAnswered([&] { return runtime_->Containers(wanted); });
  }
  std::optional<std::string> ContainerInfo(const std::string& id) override {
    return UntilAnswered([&] { return runtime_->ContainerInfo(id); });
  }
  Started Start(const OneOff& container) override {  // no retry: an attempt may have had an effect
    return runtime_->Start(container);
  }
  void StopSandbox(const std::string& id) override {
    UntilAnswered([&] { runtime_->StopSandbox(id); });
  }
  void StopContainer(const std::string& id, std::chrono::seconds grace) override {
    UntilAnswered([&] { runtime_->StopContainer(id, grace); });
  }
  void RemoveContainer(const std::string& id) override {
    UntilAnswered([&] { runtime_->RemoveContainer(id); });
  }
  void RemoveSandbox(const std::string& id) override {
    UntilAnswered([&] { runtime_->RemoveSandbox(id); });
  }

 private:
  template <typename Call>
  auto UntilAnswered(const Call& call) -> decltype(call()) {
    for (milliseconds paused{0};; paused += kPause) {
      try {
        return call();
      } catch (const base::Error& error) {
        if (error.kind() != Kind::kUnavailable || paused >= patience_.limit) {
          throw;
        }
        if (!patience_.pause(kPause)) {
          throw base::Interrupted("stopped: " + error.message());
        }
      }
    }
  }

  std::unique_ptr<Runtime> runtime_;
  Patience patience_;
};

}  // namespace

std::unique_ptr<Runtime> Patient(std::unique_ptr<Runtime> runtime, Patience patience) {
  return std::make_unique<PatientRuntime>(std::move(runtime), std::move(patience));
}

}  // namespace cri
