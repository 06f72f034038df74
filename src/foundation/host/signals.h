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
  // Returns a token that the first SIGINT or SIGTERM stops; a second one ends the process with
  // status 128 + the signal's number. Before the first call of Interrupt, signals have their
  // default action: a command that never calls Interrupt ends immediately.
  virtual std::stop_token Interrupt() = 0;
};

// The signals of the process; create at most one object. The first call of Interrupt blocks both
// signals for the calling thread and for threads that it starts afterwards. That call also starts a
// thread that receives the signals until the destructor runs. Throws base::Error with the kind of
// the system's error if the kernel cannot create the descriptor for the signals.
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
