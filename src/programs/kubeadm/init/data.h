// What all phases of `kubeadm init` see.
#pragma once

#include <optional>

#include "addons/machine_approver.h"
#include "kubeadm/node_data.h"

namespace kubeadm {

// InitOptions are what only the command line of init says, and the extension of a configuration
// file.
struct InitOptions {
  bool upload_certs = false;
  bool skip_token_print = false;
  bool skip_certificate_key_print = false;
  bool print_manifest = false;
  std::optional<addons::ApproverProgram> approver;  // of kubelets' serving certificates; not: none
};

class InitData : public NodeData {
 public:
  explicit InitData(World& of_run) : NodeData(of_run, kubeconfigs::InitSpecs()) {}

  InitOptions init_options;

  // The key that upload-certs used, for the join command.
  void SetCertificateKey(std::string key);
  std::optional<std::string> CertificateKey() const;

 protected:
  const std::optional<config::Timeouts>& Timeouts() const override { return config.init.timeouts; }
  Ways WaysOfClient() const override;

 private:
  Ways::Transport ConnectToCluster() const;
  Ways::Transport ConnectToNobody(const base::ShowLine& log) const;

  std::optional<std::string> certificate_key_;  // guarded by mutex_
};

}  // namespace kubeadm
