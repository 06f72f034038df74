// SPDX-License-Identifier: Apache-2.0
#include "inventories/entry_list.h"

#include <optional>
#include <utility>
#include <vector>

#include "base/log.h"
#include "base/utf8.h"
#include "host/watch.h"
#include "inventories/entries.h"

namespace inventories {
namespace {

using judgement::kEntryRank;
using judgement::Machine;
using judgement::MachineKey;

constexpr std::chrono::seconds kAfterFailure{1};

// Returns the content of the file; "" for a missing file.
std::string TextOf(const host::Files& files, const std::string& path) {
  return files.Find(path).value_or("");
}

// Waits until the file differs from `known` and has not changed for kFileStill, and returns its
// content. Returns std::nullopt on a stop request.
std::optional<std::string> NextText(host::Host& host, const std::string& path,
                                    const std::optional<std::string>& known,
                                    const std::stop_token& stop) {
  std::optional<std::string> text;
  const auto changed = [&] {
    text = TextOf(host.files, path);
    return text != known;
  };
  if (host::WaitForFile(host.files, path, changed, {.clock = host.clock, .stop = stop}) !=
      host::WaitResult::kHappened) {
    return {};
  }
  std::optional<std::string> before;
  while (text != before && !stop.stop_requested()) {
    before = std::exchange(text, std::nullopt);
    host.clock.Sleep(kFileStill, stop);
    text = TextOf(host.files, path);
  }
  return stop.stop_requested() ? std::nullopt : text;
}

}  // namespace

EntryList::EntryList(Sink& sink, judgement::Source source, WhileUnread unread)
    : sink_(sink), source_(source), name_(NameOf(source)), unread_(unread) {
  Tell("it has not been read yet");
}

void EntryList::Tell(const std::optional<std::string>& problem) {
  if (unread_ == WhileUnread::kNoneAttests) {
    sink_.SetProblem(kEntryRank, name_, problem.transform([&](const std::string& text) {
      return "inventory " + name_ + ": " + text;
    }));
  }
}

void EntryList::TakeNone() {
  if (!taken_) {
    Take("");
  }
}

void EntryList::Take(std::string_view text) {
  try {
    TakeEntries(ReadEntries(text, source_));
  } catch (const std::exception& error) {
    TakeProblem(error.what());
  }
}

void EntryList::TakeEntries(std::vector<Machine> entries) {
  Replace(std::move(entries));
  logged_.clear();
  Tell(std::nullopt);
}

void EntryList::TakeProblem(std::string_view reason) {
  const std::string problem = base::Visible(reason);
  Tell(problem);  // before the entries are removed
  if (logged_ != problem) {
    base::LogError("inventory {}: {}; none of its entries counts", name_, problem);
    logged_ = problem;
  }
  Replace({});
}

void EntryList::Replace(std::vector<Machine> entries) {
  taken_ = true;
  std::set<std::string> names;
  for (Machine& entry : entries) {
    names.insert(entry.name);
    const MachineKey key{.rank = kEntryRank, .name_space = name_, .name = entry.name};
    sink_.Put(key, std::move(entry));
  }
  for (const std::string& name : std::exchange(names_, names)) {
    if (!names.contains(name)) {
      sink_.Remove({.rank = kEntryRank, .name_space = name_, .name = name});
    }
  }
}

void FollowFile(host::Host& host, const std::string& path, EntryList& entries,
                const std::stop_token& stop) {
  std::optional<std::string> known;
  while (!stop.stop_requested()) {
    try {
      std::optional<std::string> text = NextText(host, path, known, stop);
      if (text && text != known) {
        entries.Take(*text);
        known = std::move(text);
      }
    } catch (const std::exception& error) {
      base::LogWarning("inventory {}: {}", path, error.what());
      host.clock.Sleep(kAfterFailure, stop);
    }
  }
}

}  // namespace inventories
