// SPDX-License-Identifier: Apache-2.0
// The signals by which a user or the service manager asks a program to end.
#pragma once

#include <memory>
#include <stop_token>

namespace host {

// Signals says when a program is asked to end. Used from several threads at once.
class Signals {
 public:
  virtual ~Signals() = default;
  // Interrupt is asked to stop by the first SIGINT or SIGTERM that comes after the first call of
  // Interrupt; the second one ends the process with status 128 + its number. Until that first call
  // signals do what they do by default, so a command that does not call it ends at once.
  virtual std::stop_token Interrupt() = 0;
};

// RealSignals are those of the process, so there must be one at most. Its first Interrupt blocks
// both signals for the calling thread and all that it starts from then on, and starts a thread that
// takes them; that thread ends with RealSignals. Throws base::Error when the kernel gives no
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
