// SPDX-License-Identifier: Apache-2.0
// The shared data of init's phases.
#pragma once

#include <filesystem>
#include <mutex>
#include <optional>

#include "addons/fleet_operator.h"
#include "addons/machine_approver.h"
#include "join_secrets/bootstrap_rules.h"
#include "steps/node/data.h"

namespace init_steps {

namespace fs = std::filesystem;

// Options that the API does not have. They come from the command line, or from the extension of a
// configuration file.
struct InitOptions {
  bool upload_certs = false;
  bool skip_token_print = false;
  bool skip_certificate_key_print = false;
  bool print_manifest = false;
  std::optional<addons::ApproverProgram> approver;  // not set: the approver is not installed
  std::optional<addons::FleetImages> fleet;         // not set: the operator is not installed
  join_secrets::JoinTokens join_tokens = join_secrets::JoinTokens::kAll;
};

// Shared by the phases of init.
class InitData : public node_steps::NodeData {
 public:
  explicit InitData(steps::World& of_run) : NodeData(of_run, kubeconfigs::InitSpecs()) {}

  InitOptions init_options;

  // The key that upload-certs used, for the join command.
  void SetCertificateKey(std::string key);
  std::optional<std::string> CertificateKey() const;

  // Guards SettleLeftovers, which acts only at its first call.
  std::once_flag leftovers_are_settled;

 protected:
  const std::optional<config::Timeouts>& Timeouts() const override { return config.init.timeouts; }
  steps::Transports ClientTransports(std::stop_token stop) const override;

 private:
  steps::Transports::Transport ConnectToCluster(std::stop_token stop) const;
  steps::Transports::Transport ConnectToNobody(const base::ShowLine& log) const;

  std::optional<std::string> certificate_key_;  // guarded by mutex_
};

}  // namespace init_steps
