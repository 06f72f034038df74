// SPDX-License-Identifier: Apache-2.0
#include "steps/join/tpm.h"

#include <fmt/core.h>

#include <chrono>
#include <functional>
#include <sstream>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/strings.h"
#include "base/utf8.h"

namespace join_steps {
namespace {

using base::Error;

constexpr const char* kDirectory = "/run/kubeadm-tpm";
constexpr std::chrono::minutes kPatience{1};  // a TPM may take seconds for a key

// Removes a session from the TPM, also after an error.
class Session {
 public:
  Session(std::string path, std::function<void(const std::vector<std::string>&)> run)
      : path_(std::move(path)), run_(std::move(run)) {
    run_({"tpm2_startauthsession", "-Q", "--policy-session", "-S", path_});
  }
  ~Session() {
    try {
      run_({"tpm2_flushcontext", "-Q", path_});
    } catch (const Error&) {
      return;  // a session that is left takes one of the TPM's places until the next reboot
    }
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

 private:
  const std::string path_;
  const std::function<void(const std::vector<std::string>&)> run_;
};

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
    others_ = TransientHandles();
    RunAndFlush({"tpm2_createek", "-Q", "-c", Path("ek.ctx"), "-G", "rsa", "-f", "pem", "-u",
                 Path("ek.pem")});
    RunAndFlush({"tpm2_createak", "-Q", "-C", Path("ek.ctx"), "-c", Path("ak.ctx"), "-G", "ecc",
                 "-g", "sha256", "-s", "ecdsa", "-u", Path("ak.pub")});
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
  const std::string path = Path("session.ctx");
  const Session session(path, [this](const std::vector<std::string>& argv) { Run(argv); });
  Run({"tpm2_policysecret", "-Q", "-S", path, "-c", "endorsement"});
  RunAndFlush({"tpm2_activatecredential", "-Q", "-c", Path("ak.ctx"), "-C", Path("ek.ctx"), "-i",
               Path("credential"), "-o", Path("secret"), "-P", "session:" + path});
  return host_.files.Read(Path("secret"));
}

std::set<std::string> Tpm::TransientHandles() const {
  constexpr std::string_view kItem = "- ";  // "- 0x80000000"
  std::set<std::string> handles;
  std::istringstream lines(Run({"tpm2_getcap", "handles-transient"}));
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(kItem)) {
      handles.emplace(base::Trim(std::string_view(line).substr(kItem.size())));
    }
  }
  return handles;
}

// Without a resource manager, objects stay in the TPM's few places until they are flushed.
void Tpm::FlushOwn() const {
  for (const std::string& handle : TransientHandles()) {
    if (!others_.contains(handle)) {
      Run({"tpm2_flushcontext", "-Q", handle});
    }
  }
}

void Tpm::RunAndFlush(const std::vector<std::string>& argv) const {
  try {
    Run(argv);
  } catch (const Error&) {
    FlushOwn();
    throw;
  }
  FlushOwn();
}

std::string Tpm::Run(const std::vector<std::string>& argv) const {
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
  return result.out;
}

}  // namespace join_steps
