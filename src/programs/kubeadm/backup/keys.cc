// SPDX-License-Identifier: Apache-2.0
#include "kubeadm/backup/keys.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <memory>
#include <ostream>

#include "age/keys.h"
#include "backup/create.h"
#include "base/error.h"
#include "base/secret_text.h"
#include "host/plain_file.h"
#include "kubeadm/command_line.h"

namespace kubeadm {
namespace {

using base::Error;
using cli::FlagType;

constexpr std::chrono::seconds kProgressEvery{2};

cli::Flag PassphraseFlag(std::string help) {
  return {.name = "passphrase-file", .help = std::move(help)};
}

std::string ReadKeyFile(const host::Files& files, const std::string& path) {
  host::RequirePlainFile(files, path);
  return files.Read(path);
}

// The passphrase is the file's first line.
std::string ReadPassphrase(const host::Files& files, const std::string& path) {
  std::string text = ReadKeyFile(files, path);
  const base::Wiper wiper(text);
  std::string passphrase = text.substr(0, text.find_first_of("\r\n"));
  if (passphrase.empty()) {
    throw Error(Error::Kind::kInvalid, fmt::format("{} has no passphrase in its first line", path));
  }
  return passphrase;
}

void Append(std::vector<std::string> more, std::vector<std::string>& keys) {
  keys.insert(keys.end(), std::make_move_iterator(more.begin()),
              std::make_move_iterator(more.end()));
}

}  // namespace

std::vector<cli::Flag> LockFlags() {
  return {PassphraseFlag("A file with a passphrase in its first line, to encrypt by instead of "
                         "recipients"),
          Switch("plaintext", "Do not encrypt: the file has every key and Secret of the cluster"),
          {.name = "recipient",
           .type = FlagType::kList,
           .help = "The public key of an age identity that may decrypt the backup: 'age1…'"},
          {.name = "recipients-file", .help = "A file with such keys, one on each line"}};
}

std::optional<age::Locks> LocksBy(const cli::Parsed& flags, const host::Files& files) {
  age::Locks locks;
  for (const std::string& recipient : flags.List("recipient")) {
    locks.recipients.push_back(
        base::WithContext("--recipient", [&] { return age::ParseRecipient(recipient); }));
  }
  if (const std::string& path = flags.Text("recipients-file"); !path.empty()) {
    const std::string text = ReadKeyFile(files, path);
    base::WithContext(path, [&] { Append(age::ParseRecipients(text), locks.recipients); });
  }
  if (const std::string& path = flags.Text("passphrase-file"); !path.empty()) {
    locks.passphrase = ReadPassphrase(files, path);
  }
  const int kinds = static_cast<int>(!locks.recipients.empty()) +
                    static_cast<int>(!locks.passphrase.empty()) +
                    static_cast<int>(flags.Bool("plaintext"));
  if (kinds == 0) {
    throw Error(Error::Kind::kUsage,
                "a backup has every key and Secret of the cluster: encrypt it by --recipient, "
                "--recipients-file or --passphrase-file, or choose --plaintext");
  }
  if (kinds > 1) {
    throw Error(Error::Kind::kUsage, "choose one: recipients, --passphrase-file or --plaintext");
  }
  return flags.Bool("plaintext") ? std::nullopt : std::optional(std::move(locks));
}

std::vector<cli::Flag> KeyFlags() {
  return {{.name = "identity",
           .type = FlagType::kList,
           .help = "A file with age identities that decrypt the backup: 'AGE-SECRET-KEY-1…'"},
          PassphraseFlag("A file with the passphrase of the backup in its first line")};
}

age::Keys KeysBy(const cli::Parsed& flags, const host::Files& files) {
  age::Keys keys;
  for (const std::string& path : flags.List("identity")) {
    const base::SecretText text(ReadKeyFile(files, path));
    base::WithContext(path, [&] { Append(age::ParseIdentities(text), keys.identities); });
  }
  if (const std::string& path = flags.Text("passphrase-file"); !path.empty()) {
    keys.passphrase = ReadPassphrase(files, path);
  }
  return keys;
}

const std::string& RequireOneFile(const cli::Invocation& invocation) {
  if (invocation.flags.args().empty() || invocation.flags.args().front().empty()) {
    throw Error(Error::Kind::kUsage, fmt::format("{} needs a path: {} {}", invocation.path,
                                                 invocation.path, invocation.command.usage_args));
  }
  return invocation.flags.args().front();
}

backup::Progress ProgressOf(cli::Invocation& invocation, host::Host& host, const char* tag) {
  const auto next =
      std::make_shared<std::chrono::steady_clock::time_point>(host.clock.Steady() + kProgressEvery);
  return [&err = invocation.streams.err, &clock = host.clock, next, tag](std::uint64_t done,
                                                                         std::uint64_t total) {
    if (clock.Steady() < *next) {
      return;
    }
    *next = clock.Steady() + kProgressEvery;
    err << fmt::format("[{}] {} of {} bytes ({})\n", tag, done, total, backup::SizeText(done))
        << std::flush;
  };
}

}  // namespace kubeadm
