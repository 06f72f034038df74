// SPDX-License-Identifier: Apache-2.0
// The machine's service manager: systemd, OpenRC, or none.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "host/host.h"

namespace host {

// Queries, starts and stops services by the manager's own commands.
class InitSystem {
 public:
  virtual ~InitSystem() = default;
  virtual std::string_view Name() const = 0;  // "systemd", "openrc"
  virtual bool Exists(const std::string& service) = 0;
  virtual bool IsEnabled(const std::string& service) = 0;
  virtual bool IsActive(const std::string& service) = 0;
  // Returns the pid of the service's program. Returns std::nullopt if the program does not run, or
  // if the service manager does not know the pid.
  virtual std::optional<int> FindProcess(const std::string& service) = 0;
  // Start, Restart and Stop throw base::Error(kOther) with the output of a command that fails.
  virtual void Start(const std::string& service) = 0;
  virtual void Restart(const std::string& service) = 0;
  virtual void Stop(const std::string& service) = 0;
  // Returns the user's command to start the service at boot.
  virtual std::string EnableCommand(const std::string& service) const = 0;
};

// Detects systemd (systemctl in PATH) or OpenRC (openrc, with rc-service and rc-update). Returns
// nullptr without either. Throws base::Error(kNotFound) if OpenRC lacks one of its tools.
std::unique_ptr<InitSystem> DetectInitSystem(Host& host);

}  // namespace host
