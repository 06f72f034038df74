// SPDX-License-Identifier: Apache-2.0
// Entries of /etc/passwd and /etc/group (passwd(5), group(5)) and the users of a control plane that
// does not run as root (KEP-2568; reference: manifests.md §10).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/host.h"

namespace accounts {

// Account is a line of /etc/passwd.
struct Account {
  std::string name;
  unsigned uid = 0;
  unsigned gid = 0;
  std::string shell;
};

// Group is a line of /etc/group.
struct Group {
  std::string name;
  unsigned gid = 0;
  std::vector<std::string> members;
};

// IdRange is where new system ids come from: SYS_UID_MIN … of /etc/login.defs (login.defs(5)).
struct IdRange {
  unsigned min = 100;
  unsigned max = 999;
};

// The parsers skip empty lines and throw base::Error(kInvalid), naming the line, for one that
// has the wrong number of fields or an id that is not a number.
std::vector<Account> ParseAccounts(std::string_view passwd);
std::vector<Group> ParseGroups(std::string_view group);
// ParseIdRange reads "SYS_<kind>_MIN" and "…_MAX"; what is missing keeps its default. `kind` is
// "UID" or "GID". Throws base::Error(kInvalid) when min is above max.
IdRange ParseIdRange(std::string_view login_defs, std::string_view kind);

// RootlessIds are the numbers of the users and groups that the control plane runs as. User and
// group of a component have the same name, but not always the same number.
struct RootlessIds {
  struct Ids {
    unsigned uid = 0;
    unsigned gid = 0;
  };
  Ids etcd;
  Ids api_server;
  Ids controller_manager;
  Ids scheduler;
  unsigned sa_key_readers = 0;  // group that may read the service account key
};

// AccountFiles are the texts of the two files.
struct AccountFiles {
  std::string passwd;
  std::string group;
};

// Planned is what the files are to be and the ids that are in them then.
struct Planned {
  AccountFiles files;
  RootlessIds ids;
};

// PlanRootlessAccounts adds the users and groups that are missing, each with the lowest free id of
// its range. Throws base::Error(kInvalid) when an existing entry differs from what is needed (id
// out of range, shell, group, members) or no id is free.
Planned PlanRootlessAccounts(const AccountFiles& files, std::string_view login_defs);

// WithoutRootlessAccounts is the files without those users and groups.
AccountFiles WithoutRootlessAccounts(const AccountFiles& files);

// EnsureRootlessAccounts and RemoveRootlessAccounts do so on a host, one process at a time. Each
// file is replaced in one step.
RootlessIds EnsureRootlessAccounts(host::Host& host);
// PlannedRootlessIds are those that it would return; nothing is written.
RootlessIds PlannedRootlessIds(const host::Files& files);
void RemoveRootlessAccounts(host::Host& host);

// RootlessOwners are those users and groups, by the accounts that there are when it is asked: they
// keep the secrets that kubeadm has given them. `files` outlives it.
host::SecretOwners RootlessOwners(const host::Files& files);

}  // namespace accounts
