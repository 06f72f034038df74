// SPDX-License-Identifier: Apache-2.0
// The signals by which a user or the service manager ends a program.
#pragma once

#include <memory>
#include <stop_token>

namespace host {

// Reports requests to end the program. Thread-safe.
class Signals {
 public:
  virtual ~Signals() = default;
  // Returns a token that is stopped by the first SIGINT or SIGTERM after the first call of
  // Interrupt; the second one ends the process with status 128 + its number. Before the first call,
  // signals have their default action: a command that does not call Interrupt ends at once.
  virtual std::stop_token Interrupt() = 0;
};

// The signals of the process; create at most one. Its first Interrupt blocks both signals for the
// calling thread and its later threads, and starts a thread that receives them; that thread ends
// with RealSignals. Throws base::Error with the kind of the system's error if the kernel gives no
// descriptor for them.
class RealSignals : public Signals {
 public:
  RealSignals();
  ~RealSignals() override;
  RealSignals(const RealSignals&) = delete;
  RealSignals& operator=(const RealSignals&) = delete;
  std::stop_token Interrupt() override;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace host
