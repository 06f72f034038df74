// SPDX-License-Identifier: Apache-2.0
#include "preflight/image_pull.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <mutex>
#include <set>

#include "base/log.h"
#include "base/strings.h"
#include "base/threads.h"
#include "config/images.h"

namespace preflight {
namespace {

using checks::Findings;
using checks::Refuse;

// The time after the start of the pulls from which no failed pull is repeated. An outage of some
// seconds usually ends sooner; a longer outage may last for a while.
constexpr std::chrono::seconds kTryAgainFor{60};

std::string RegistryOf(const std::string& image) { return image.substr(0, image.find('/')); }

// Returns whether a server was unreachable. Runtimes report this in the words of Go's network
// library.
bool IsUnreachable(const base::Error& error) {
  return std::ranges::any_of(
      std::array{"dial tcp", "lookup ", "i/o timeout", "no such host"},
      [&](const char* words) { return error.message().find(words) != std::string::npos; });
}

using What = PullEvent::What;

// Pulls one image after the other. Thread-safe.
class Puller {
 public:
  Puller(const ConnectRuntime& connect, const PullInput& input, PullPolicy policy,
         const host::Clock& clock, std::stop_token stop)
      : connect_(connect),
        input_(input),
        policy_(policy),
        clock_(clock),
        stop_(std::move(stop)),
        begin_(clock.Steady()) {}

  // Returns "" or the error.
  std::string Pull(const std::string& image) {
    try {
      const std::unique_ptr<cri::Runtime> runtime = connect_(input_.endpoint);
      if (policy_ == PullPolicy::kIfNotPresent && runtime->HasImage(image)) {
        Tell({.what = What::kPresent, .image = image});
        return "";
      }
      RefuseLost(image);
      PullFrom(*runtime, image);
      Tell({.what = What::kPulled, .image = image});
      return "";
    } catch (const base::Error& error) {
      if (IsUnreachable(error)) {
        const std::lock_guard lock(telling_);
        lost_.insert(RegistryOf(image));
      }
      Tell({.what = What::kFailed, .image = image, .problem = error.message()});
      return fmt::format("failed to pull image {}: {}", image, error.message());
    }
  }

 private:
  // Throws the last attempt's error, or a permanent one.
  void PullFrom(cri::Runtime& runtime, const std::string& image) {
    for (int attempt = 1;; ++attempt) {
      Tell({.what = What::kStarted, .image = image, .attempt = attempt});
      try {
        return runtime.PullImage(image, stop_);
      } catch (const base::Error& error) {
        if (attempt == kPullAttempts || IsPermanent(error) ||
            clock_.Steady() - begin_ > kTryAgainFor) {
          throw;
        }
        Tell({.what = What::kFailedOnce,
              .image = image,
              .attempt = attempt,
              .problem = error.message()});
      }
    }
  }

  // Throws base::Error(kUnavailable) if another image has already failed, after all its attempts,
  // because this image's registry was unreachable. This image then fails without an attempt.
  void RefuseLost(const std::string& image) {
    const std::lock_guard lock(telling_);
    if (lost_.contains(RegistryOf(image))) {
      throw base::Error(base::Error::Kind::kUnavailable,
                        fmt::format("registry {} cannot be reached", RegistryOf(image)));
    }
  }

  void Tell(const PullEvent& event) {
    if (input_.on_event) {
      const std::lock_guard lock(telling_);
      input_.on_event(event);
    }
  }

  const ConnectRuntime& connect_;
  const PullInput& input_;
  const PullPolicy policy_;
  const host::Clock& clock_;
  const std::stop_token stop_;
  const std::chrono::steady_clock::time_point begin_;
  std::mutex telling_;
  std::set<std::string> lost_;  // registries; guarded by telling_
};

// Only gives advice, so a runtime that does not answer is not an error.
void WarnOfOtherPause(cri::Runtime& runtime, const std::string& pause_image) {
  try {
    const std::string used = runtime.Status().sandbox_image;
    if (!used.empty() && used != pause_image) {
      base::LogWarning(
          "the container runtime uses {} for the sandboxes of Pods, kubeadm would use {}; set the "
          "runtime's sandbox image to that",
          used, pause_image);
    }
  } catch (const base::Error& error) {
    base::LogWarning("cannot ask the container runtime for its sandbox image: {}", error.what());
  }
}

Findings PullOneByOne(Puller& puller, const std::vector<std::string>& images) {
  Findings findings;
  for (const std::string& image : images) {
    if (std::string problem = puller.Pull(image); !problem.empty()) {
      findings.push_back(Refuse(std::move(problem)));
    }
  }
  return findings;
}

Findings PullAtOnce(Puller& puller, const std::vector<std::string>& images) {
  std::vector<std::string> problems(images.size());
  base::Threads threads;
  for (std::size_t i = 0; i < images.size(); ++i) {
    threads.Add([&, i] { problems[i] = puller.Pull(images[i]); });
  }
  threads.Join();
  std::erase(problems, "");
  return problems.empty() ? Findings{} : Findings{Refuse(base::Join(problems, "; "))};
}

}  // namespace

std::optional<PullPolicy> ParsePullPolicy(std::string_view text) {
  if (text.empty() || text == "IfNotPresent") {
    return PullPolicy::kIfNotPresent;
  }
  if (text == "Always") {
    return PullPolicy::kAlways;
  }
  return text == "Never" ? std::optional(PullPolicy::kNever) : std::nullopt;
}

bool IsPermanent(const base::Error& error) {
  using Kind = base::Error::Kind;
  switch (error.kind()) {
    case Kind::kNotFound:
    case Kind::kForbidden:
    case Kind::kUnauthorized:
    case Kind::kInvalid:
      return true;
    default:
      return false;
  }
}

Findings PullImages(const ConnectRuntime& connect, const PullInput& input, const host::Clock& clock,
                    std::stop_token stop) {
  const std::optional<PullPolicy> policy = ParsePullPolicy(input.policy);
  if (!policy) {
    return {
        Refuse(fmt::format("unknown image pull policy {}: it must be Always, IfNotPresent or Never",
                           base::Quoted(input.policy)))};
  }
  try {
    const std::unique_ptr<cri::Runtime> runtime = connect(input.endpoint);
    runtime->Version();  // checks that the runtime answers
    WarnOfOtherPause(*runtime, input.pause_image);
  } catch (const base::Error& error) {
    return {Refuse(fmt::format("could not connect to the container runtime: {}", error.message()))};
  }
  if (*policy == PullPolicy::kNever) {
    return {};
  }
  Puller puller(connect, input, *policy, clock, std::move(stop));
  return input.serial ? PullOneByOne(puller, input.images) : PullAtOnce(puller, input.images);
}

PullInput ImagePullInput(const config::ClusterConfiguration& cluster,
                         const config::NodeRegistration& node) {
  return {.images = config::RequiredImages(cluster),
          .policy = node.image_pull_policy,
          .serial = node.image_pull_serial.value_or(true),
          .endpoint = node.cri_socket,
          .pause_image = config::PauseImage(cluster)};
}

std::vector<checks::Check> ImagePullCheck(const ConnectRuntime& connect, PullInput input,
                                          const host::Clock& clock) {
  return {{.id = "ImagePull",
           .judge = [connect, input = std::move(input), &clock](std::stop_token stop) {
             return PullImages(connect, input, clock, std::move(stop));
           }}};
}

}  // namespace preflight
