// SPDX-License-Identifier: Apache-2.0
#include "steps/join/tpm.h"

#include <fmt/core.h>

#include <chrono>
#include <utility>

#include "base/error.h"
#include "base/strings.h"
#include "base/utf8.h"

namespace join_steps {
namespace {

using base::Error;

constexpr const char* kDirectory = "/run/kubeadm-tpm";
constexpr std::chrono::minutes kPatience{1};  // a TPM may take seconds for a key

}  // namespace

Tpm::Tpm(host::Host& host, std::stop_token stop)
    : host_(host), stop_(std::move(stop)), directory_(kDirectory) {
  if (!host_.processes.FindExecutable("tpm2_createek")) {
    throw Error(Error::Kind::kNotFound,
                "--tpm needs the programs of tpm2-tools, and tpm2_createek is not in PATH. Install "
                "the package tpm2-tools");
  }
  host_.files.RemoveTree(directory_);  // of a killed run
  host_.files.MakeDirectories(directory_, 0700);
  try {
    // Without a resource manager, objects stay in the TPM's few places until they are flushed.
    Run({"tpm2_createek", "-Q", "-c", Path("ek.ctx"), "-G", "rsa", "-f", "pem", "-u",
         Path("ek.pem")});
    Run({"tpm2_flushcontext", "-Q", "-t"});
    Run({"tpm2_createak", "-Q", "-C", Path("ek.ctx"), "-c", Path("ak.ctx"), "-G", "ecc", "-g",
         "sha256", "-s", "ecdsa", "-u", Path("ak.pub")});
    Run({"tpm2_flushcontext", "-Q", "-t"});
    endorsement_key_pem_ = host_.files.Read(Path("ek.pem"));
    attestation_key_ = host_.files.Read(Path("ak.pub"));
  } catch (...) {
    host_.files.RemoveTree(directory_);
    throw;
  }
}

Tpm::~Tpm() {
  try {
    host_.files.RemoveTree(directory_);
  } catch (const Error&) {
    return;  // the next run removes it
  }
}

std::string Tpm::Open(const std::string& credential) const {
  host_.files.Write(Path("credential"), credential, {.mode = 0600});
  // The policy of an endorsement key requires a session of the endorsement hierarchy.
  Run({"tpm2_startauthsession", "-Q", "--policy-session", "-S", Path("session.ctx")});
  Run({"tpm2_policysecret", "-Q", "-S", Path("session.ctx"), "-c", "endorsement"});
  Run({"tpm2_activatecredential", "-Q", "-c", Path("ak.ctx"), "-C", Path("ek.ctx"), "-i",
       Path("credential"), "-o", Path("secret"), "-P", "session:" + Path("session.ctx")});
  Run({"tpm2_flushcontext", "-Q", Path("session.ctx")});
  Run({"tpm2_flushcontext", "-Q", "-t"});
  return host_.files.Read(Path("secret"));
}

void Tpm::Run(const std::vector<std::string>& argv) const {
  const host::RunResult result =
      host_.processes.Run(argv, {.timeout = kPatience, .stop = stop_, .ends_group = true});
  if (!result.Succeeded()) {
    const std::string why = result.timed_out
                                ? "it has not ended in time"
                                : std::string(base::Trim(base::Visible(result.Combined())));
    throw Error(
        fmt::format("the TPM cannot be used: {} failed: {}. Is there a TPM 2.0, such as "
                    "/dev/tpmrm0?",
                    argv.front(), why));
  }
}

}  // namespace join_steps
