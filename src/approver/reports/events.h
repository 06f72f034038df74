// SPDX-License-Identifier: Apache-2.0
// Events about pending requests, one for each change of reason.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <stop_token>
#include <string>
#include <unordered_map>

#include "kube/client.h"
#include "reports/event_allowance.h"
#include "reports/metrics.h"
#include "reports/objects.h"

namespace reports {

// Writes Events in its own thread, so that verdicts do not wait for the writes. At most
// kMostWaiting Events wait; beyond that the oldest are dropped.
class EventWriter {
 public:
  static constexpr std::size_t kMostWaiting = 1'000;

  EventWriter(kube::Transport& transport, EventTarget target, Metrics& metrics);
  // The maximum number of requests whose last reason is remembered, because users who create and
  // delete requests must not fill the memory. Beyond this number all reasons are forgotten. The API
  // server refuses a repeated Event, because it has the same name.
  static constexpr std::size_t kMostReasons = 5'000;

  // Queues an Event. Skips it if the request's last Event had the same reason, or if the requester
  // has caused too many Events (EventAllowance). After too many Events, the reason is reported when
  // the request is judged again.
  void Tell(const judgement::Csr& csr, const judgement::Verdict& verdict,
            std::chrono::sys_seconds now);
  // Queues an Event that is not about a request.
  void Say(kube::Call event);
  // Evicts the last reason of the request with this UID.
  void Forget(const std::string& uid);
  // Returns the number of requests whose last reason is known.
  std::size_t remembered();
  void Run(const std::stop_token& stop);

 private:
  void Queue(kube::Call event);  // with mutex_ held
  void Write(const kube::Call& call, const std::stop_token& stop);

  kube::Transport& transport_;
  EventTarget target_;
  Metrics& metrics_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  // The members below are guarded by mutex_.
  std::deque<kube::Call> waiting_;
  std::unordered_map<std::string, judgement::Reason> last_reason_;  // by UID
  EventAllowance allowance_;
};

}  // namespace reports
