// SPDX-License-Identifier: Apache-2.0
// The machine's service manager: systemd, OpenRC, or none.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "host/host.h"

namespace host {

// InitSystem asks about services and starts and stops them by the manager's own commands.
class InitSystem {
 public:
  virtual ~InitSystem() = default;
  virtual std::string_view Name() const = 0;  // "systemd", "openrc"
  virtual bool Exists(const std::string& service) = 0;
  virtual bool IsEnabled(const std::string& service) = 0;
  virtual bool IsActive(const std::string& service) = 0;
  // FindProcess returns the pid of the service's program; std::nullopt when it does not run, or
  // the manager does not tell.
  virtual std::optional<int> FindProcess(const std::string& service) = 0;
  // The next three throw base::Error with the command's output when it fails.
  virtual void Start(const std::string& service) = 0;
  virtual void Restart(const std::string& service) = 0;
  virtual void Stop(const std::string& service) = 0;
  // EnableCommand is what a user types to have the service started at boot.
  virtual std::string EnableCommand(const std::string& service) const = 0;
};

// DetectInitSystem finds systemd (systemctl in PATH) or OpenRC (openrc, with rc-service and
// rc-update); null when there is neither. Throws when OpenRC is there without its tools.
std::unique_ptr<InitSystem> DetectInitSystem(Host& host);

}  // namespace host
