// SPDX-License-Identifier: Apache-2.0
#include "workflow/resume.h"

#include "base/log.h"
#include "base/strings.h"
#include "pki/crypto.h"

namespace workflow {
namespace {

JournalStore StoreOf(host::Files& files) {
  return {.get = [&files](const std::string& path) { return files.Find(path); },
          .put =
              [&files](const std::string& path, const std::string& content) {
                files.Write(path, content, {.mode = 0600, .directory_mode = 0700});
              }};
}

}  // namespace

std::unique_ptr<Journal> OpenJournal(host::Host& machine, const std::string& command,
                                     const Origin& origin) {
  auto journal =
      std::make_unique<Journal>(StoreOf(machine.files),
                                JournalKey{.command = command,
                                           .config_hash = FileHash(origin.config),
                                           .run_id = base::HexEncode(machine.random.Bytes(8)),
                                           .settings = origin.settings},
                                [&machine] { return machine.clock.Now(); });
  if (journal->resumes()) {
    base::LogInfo(0, "resuming a previous \"kubeadm {}\" that was not finished{}", command,
                  journal->config_changed() ? "; its configuration was another one" : "");
  }
  return journal;
}

std::string FileHash(std::string_view content) { return base::HexEncode(pki::Sha256(content)); }

bool IsOwnLeftover(const Journal* journal, const host::Files& files, const host::fs::path& path) {
  if (journal == nullptr) {
    return false;
  }
  const std::optional<std::string> content = files.Find(path);
  return content && journal->OwnsFile(path.string(), FileHash(*content));
}

}  // namespace workflow
