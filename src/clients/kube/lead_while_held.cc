// SPDX-License-Identifier: Apache-2.0
#include "kube/lead_while_held.h"

#include <exception>
#include <thread>

namespace kube {

bool LeadWhileHeld(LeaderElector& elector,
                   const std::function<void(const std::stop_token& stop)>& lead,
                   const std::stop_token& stop) {
  // A stop is also requested when `lead` ends, because an idle process must not hold the Lease.
  std::stop_source ends;
  const std::stop_callback passes_on(stop, [&] { ends.request_stop(); });
  std::exception_ptr failure;
  bool held = true;
  try {
    const std::jthread leading([&](const std::stop_token& lost) {
      try {
        lead(lost);
      } catch (...) {
        failure = std::current_exception();
      }
      ends.request_stop();
    });
    held = elector.Keep(ends.get_token());
  } catch (...) {
    failure = std::current_exception();
  }
  if (held) {
    elector.Release();
  }
  if (failure) {
    std::rethrow_exception(failure);
  }
  return held;
}

}  // namespace kube
