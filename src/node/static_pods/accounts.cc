// SPDX-License-Identifier: Apache-2.0
#include "static_pods/accounts.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <set>
#include <span>

#include "base/error.h"
#include "base/number.h"
#include "base/strings.h"
#include "host/file_lock.h"

namespace static_pods {
namespace {

using base::Error;

constexpr std::string_view kPasswdFile = "/etc/passwd";
constexpr std::string_view kGroupFile = "/etc/group";
constexpr std::string_view kLoginDefsFile = "/etc/login.defs";
constexpr std::string_view kLockFile = "/run/slipway/accounts.lock";
constexpr std::chrono::seconds kLockTimeout{60};
constexpr std::string_view kShell = "/bin/false";
constexpr std::string_view kReaders = "kubeadm-sa-key-readers";

// A row: the name of an account and of its group, and the field for their ids.
struct UserRow {
  std::string_view name;
  RootlessIds::Ids RootlessIds::* ids;
};
constexpr std::array<UserRow, 4> kUsers{{
    {"kubeadm-etcd", &RootlessIds::etcd},
    {"kubeadm-kas", &RootlessIds::api_server},
    {"kubeadm-kcm", &RootlessIds::controller_manager},
    {"kubeadm-ks", &RootlessIds::scheduler},
}};
constexpr std::array<std::string_view, 2> kReaderMembers = {"kubeadm-kas", "kubeadm-kcm"};

Error Invalid(std::string message) { return Error(Error::Kind::kInvalid, std::move(message)); }

// Splits the lines of /etc/passwd or /etc/group at ":".
std::vector<std::vector<std::string>> Entries(std::string_view text, std::string_view file,
                                              std::size_t fields) {
  std::vector<std::vector<std::string>> entries;
  int number = 0;
  for (const std::string& line : base::Lines(text)) {
    ++number;
    if (base::Trim(line).empty()) {
      continue;
    }
    std::vector<std::string> parts = base::Split(line, ':');
    if (parts.size() != fields) {
      throw Invalid(fmt::format("{}:{}: {} fields, want {}", file, number, parts.size(), fields));
    }
    entries.push_back(std::move(parts));
  }
  return entries;
}

unsigned IdField(const std::string& text, std::string_view file, const std::string& entry) {
  const auto id = base::ParseNumber<unsigned>(text);
  if (!id) {
    throw Invalid(fmt::format("{}: {}: the id \"{}\" is not a number", file, entry, text));
  }
  return *id;
}

unsigned LowestFree(const std::set<unsigned>& used, const IdRange& range, std::string_view name) {
  for (unsigned id = range.min; id <= range.max; ++id) {
    if (!used.contains(id)) {
      return id;
    }
  }
  throw Invalid(
      fmt::format("no free system id between {} and {} for \"{}\"", range.min, range.max, name));
}

void CheckRange(unsigned id, const IdRange& range, std::string_view name) {
  if (id < range.min || id > range.max) {
    throw Invalid(fmt::format("\"{}\" exists with id {}, which is not between {} and {}", name, id,
                              range.min, range.max));
  }
}

void AppendLine(std::string& text, const std::string& line) {
  if (!text.empty() && !text.ends_with('\n')) {
    text += '\n';
  }
  text += line + '\n';
}

// Finds or adds groups.
class GroupPlanner {
 public:
  GroupPlanner(std::string text, IdRange range)
      : text_(std::move(text)), range_(range), groups_(ParseGroups(text_)) {
    for (const Group& group : groups_) {
      used_.insert(group.gid);
    }
  }

  unsigned Ensure(std::string_view name, const std::vector<std::string>& members) {
    const auto found = std::ranges::find(groups_, name, &Group::name);
    if (found != groups_.end()) {
      CheckRange(found->gid, range_, name);
      if (found->members != members) {
        throw Invalid(fmt::format("group \"{}\" exists with members [{}], want [{}]", name,
                                  base::Join(found->members, " "), base::Join(members, " ")));
      }
      return found->gid;
    }
    const unsigned gid = LowestFree(used_, range_, name);
    used_.insert(gid);
    AppendLine(text_, fmt::format("{}:x:{}:{}", name, gid, base::Join(members, ",")));
    return gid;
  }

  const std::string& text() const { return text_; }

 private:
  std::string text_;
  IdRange range_;
  std::vector<Group> groups_;
  std::set<unsigned> used_;
};

// Finds or adds users.
class UserPlanner {
 public:
  UserPlanner(std::string text, IdRange range)
      : text_(std::move(text)), range_(range), accounts_(ParseAccounts(text_)) {
    for (const Account& account : accounts_) {
      used_.insert(account.uid);
    }
  }

  unsigned Ensure(std::string_view name, unsigned gid) {
    const auto found = std::ranges::find(accounts_, name, &Account::name);
    if (found != accounts_.end()) {
      Check(*found, gid);
      return found->uid;
    }
    const unsigned uid = LowestFree(used_, range_, name);
    used_.insert(uid);
    AppendLine(text_, fmt::format("{}:x:{}:{}:::{}", name, uid, gid, kShell));
    return uid;
  }

  const std::string& text() const { return text_; }

 private:
  void Check(const Account& account, unsigned gid) const {
    CheckRange(account.uid, range_, account.name);
    if (account.gid != gid) {
      throw Invalid(fmt::format("user \"{}\" exists with group id {}, want {}", account.name,
                                account.gid, gid));
    }
    if (account.shell != kShell) {
      throw Invalid(fmt::format("user \"{}\" exists with shell \"{}\", want \"{}\"", account.name,
                                account.shell, kShell));
    }
  }

  std::string text_;
  IdRange range_;
  std::vector<Account> accounts_;
  std::set<unsigned> used_;
};

// WithoutEntries drops the lines of the named entries and leaves all others byte for byte.
std::string WithoutEntries(const std::string& text, std::span<const std::string_view> names) {
  std::string kept;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size() - 1) + 1;
    const std::string_view line = std::string_view(text).substr(start, end - start);
    const std::string_view name = line.substr(0, line.find(':'));
    if (std::ranges::find(names, name) == names.end()) {
      kept += line;
    }
    start = end;
  }
  return kept;
}

host::FileLock Lock(host::Host& host) {
  return host::FileLock::Acquire(host.files, kLockFile,
                                 {.clock = host.clock, .timeout = kLockTimeout, .stop = {}});
}

AccountFiles ReadAccountFiles(const host::Files& files) {
  return {.passwd = files.Read(kPasswdFile), .group = files.Read(kGroupFile)};
}

void WriteIfChanged(host::Files& files, std::string_view path, const std::string& before,
                    const std::string& after) {
  if (before != after) {
    files.Write(path, after, {.mode = 0644});
  }
}

void WriteChanged(host::Files& files, const AccountFiles& before, const AccountFiles& after) {
  WriteIfChanged(files, kGroupFile, before.group, after.group);
  WriteIfChanged(files, kPasswdFile, before.passwd, after.passwd);
}

bool IsRootlessName(std::string_view name) {
  return name == kReaders || std::ranges::contains(kUsers, name, &UserRow::name);
}

// Returns whether one of kubeadm's users or groups has that id. The id is the third field in both
// passwd and group. Lines of another form (of NIS) are ignored.
bool HasEntry(const host::Files& files, std::string_view file, unsigned id) {
  for (const std::string& line : base::Lines(files.Find(file).value_or(std::string()))) {
    const std::vector<std::string> parts = base::Split(line, ':');
    if (parts.size() > 2 && IsRootlessName(parts[0]) &&
        base::ParseNumber<unsigned>(parts[2]) == id) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::vector<Account> ParseAccounts(std::string_view passwd) {
  std::vector<Account> accounts;
  for (const auto& entry : Entries(passwd, kPasswdFile, 7)) {
    accounts.push_back({.name = entry[0],
                        .uid = IdField(entry[2], kPasswdFile, entry[0]),
                        .gid = IdField(entry[3], kPasswdFile, entry[0]),
                        .shell = entry[6]});
  }
  return accounts;
}

std::vector<Group> ParseGroups(std::string_view group) {
  std::vector<Group> groups;
  for (const auto& entry : Entries(group, kGroupFile, 4)) {
    Group parsed{.name = entry[0], .gid = IdField(entry[2], kGroupFile, entry[0])};
    if (!entry[3].empty()) {
      parsed.members = base::Split(entry[3], ',');
    }
    groups.push_back(std::move(parsed));
  }
  return groups;
}

IdRange ParseIdRange(std::string_view login_defs, std::string_view kind) {
  IdRange range;
  for (const std::string& line : base::Lines(login_defs)) {
    const std::vector<std::string> words = base::Fields(line);
    const auto id = words.size() == 2 ? base::ParseNumber<unsigned>(words[1]) : std::nullopt;
    if (id && words[0] == fmt::format("SYS_{}_MIN", kind)) {
      range.min = *id;
    } else if (id && words[0] == fmt::format("SYS_{}_MAX", kind)) {
      range.max = *id;
    }
  }
  if (range.min > range.max) {
    throw Invalid(fmt::format("{}: SYS_{}_MIN {} is above SYS_{}_MAX {}", kLoginDefsFile, kind,
                              range.min, kind, range.max));
  }
  return range;
}

Planned PlanRootlessAccounts(const AccountFiles& files, std::string_view login_defs) {
  GroupPlanner groups(files.group, ParseIdRange(login_defs, "GID"));
  UserPlanner users(files.passwd, ParseIdRange(login_defs, "UID"));
  Planned planned;
  for (const UserRow& row : kUsers) {
    RootlessIds::Ids& ids = planned.ids.*row.ids;
    ids.gid = groups.Ensure(row.name, {std::string(row.name)});
    ids.uid = users.Ensure(row.name, ids.gid);
  }
  planned.ids.sa_key_readers =
      groups.Ensure(kReaders, {kReaderMembers.begin(), kReaderMembers.end()});
  planned.files = {.passwd = users.text(), .group = groups.text()};
  return planned;
}

AccountFiles WithoutRootlessAccounts(const AccountFiles& files) {
  std::vector<std::string_view> names;
  for (const UserRow& row : kUsers) {
    names.push_back(row.name);
  }
  AccountFiles without{.passwd = WithoutEntries(files.passwd, names), .group = ""};
  names.push_back(kReaders);
  without.group = WithoutEntries(files.group, names);
  return without;
}

RootlessIds PlannedRootlessIds(const host::Files& files) {
  return PlanRootlessAccounts(ReadAccountFiles(files),
                              files.Find(kLoginDefsFile).value_or(std::string()))
      .ids;
}

RootlessIds EnsureRootlessAccounts(host::Host& host) {
  const host::FileLock lock = Lock(host);
  const AccountFiles before = ReadAccountFiles(host.files);
  const Planned planned =
      PlanRootlessAccounts(before, host.files.Find(kLoginDefsFile).value_or(std::string()));
  WriteChanged(host.files, before, planned.files);
  return planned.ids;
}

host::SecretOwners RootlessOwners(const host::Files& files) {
  return {.user = [&files](unsigned uid) { return HasEntry(files, kPasswdFile, uid); },
          .group = [&files](unsigned gid) { return HasEntry(files, kGroupFile, gid); }};
}

void RemoveRootlessAccounts(host::Host& host) {
  const host::FileLock lock = Lock(host);
  const AccountFiles before = ReadAccountFiles(host.files);
  WriteChanged(host.files, before, WithoutRootlessAccounts(before));
}

}  // namespace static_pods
