// SPDX-License-Identifier: Apache-2.0
// The TPM 2.0 of a joining machine, through the programs of tpm2-tools. A library for TPMs would
// have to be linked into kubeadm, which is static.
#pragma once

#include <filesystem>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "host/host.h"

namespace join_steps {

// Creates an attestation key in the TPM, and opens credentials for it. The files of the programs
// are in a directory that only root can read, and that the destructor removes. They contain no
// private key: keys leave a TPM only encrypted. The host must outlive it.
class Tpm {
 public:
  // Throws base::Error: kNotFound without tpm2-tools, kOther if the TPM fails.
  Tpm(host::Host& host, std::stop_token stop);
  ~Tpm();
  Tpm(const Tpm&) = delete;
  Tpm& operator=(const Tpm&) = delete;

  // Returns the endorsement key in PEM: the TPM derives the same key each time.
  const std::string& endorsement_key_pem() const { return endorsement_key_pem_; }
  // Returns the public area of the attestation key (TPM2B_PUBLIC).
  const std::string& attestation_key() const { return attestation_key_; }

  // Returns the secret in a credential, which is a file of tpm2_makecredential. Throws
  // base::Error(kOther) if the credential is for another TPM or another attestation key.
  std::string Open(const std::string& credential) const;

 private:
  std::string Path(const char* name) const { return (directory_ / name).string(); }
  // Runs a program and returns its output. Throws base::Error(kOther) if it fails.
  std::string Run(const std::vector<std::string>& argv) const;
  // Runs a program that leaves objects in the TPM, and removes them.
  void RunAndFlush(const std::vector<std::string>& argv) const;
  // Returns the handles of the transient objects in the TPM.
  std::set<std::string> TransientHandles() const;
  // Removes the objects that were not in the TPM at the beginning: those belong to other programs.
  void FlushOwn() const;

  host::Host& host_;
  const std::stop_token stop_;
  const std::filesystem::path directory_;
  std::set<std::string> others_;  // the handles of other programs
  std::string endorsement_key_pem_, attestation_key_;
};

}  // namespace join_steps
