// SPDX-License-Identifier: Apache-2.0
// The shared data of init's phases.
#pragma once

#include <filesystem>
#include <optional>

#include "addons/machine_approver.h"
#include "node_steps/data.h"

namespace init_steps {

namespace fs = std::filesystem;

// Options that exist only on the command line of init, and in the extension of a configuration
// file.
struct InitOptions {
  bool upload_certs = false;
  bool skip_token_print = false;
  bool skip_certificate_key_print = false;
  bool print_manifest = false;
  std::optional<addons::ApproverProgram> approver;  // of kubelets' serving certificates; not: none
};

// Shared by the phases of init.
class InitData : public node_steps::NodeData {
 public:
  explicit InitData(world::World& of_run) : NodeData(of_run, kubeconfigs::InitSpecs()) {}

  InitOptions init_options;

  // The key that upload-certs used, for the join command.
  void SetCertificateKey(std::string key);
  std::optional<std::string> CertificateKey() const;

 protected:
  const std::optional<config::Timeouts>& Timeouts() const override { return config.init.timeouts; }
  world::Transports ClientTransports(std::stop_token stop) const override;

 private:
  world::Transports::Transport ConnectToCluster(std::stop_token stop) const;
  world::Transports::Transport ConnectToNobody(const base::ShowLine& log) const;

  std::optional<std::string> certificate_key_;  // guarded by mutex_
};

}  // namespace init_steps
