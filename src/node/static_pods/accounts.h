// SPDX-License-Identifier: Apache-2.0
// Entries of /etc/passwd and /etc/group (passwd(5), group(5)) and the users of a control plane that
// does not run as root (KEP-2568; reference: manifests.md §10).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/host.h"

namespace static_pods {

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

// The range of new system ids: SYS_UID_MIN … of /etc/login.defs (login.defs(5)).
struct IdRange {
  unsigned min = 100;
  unsigned max = 999;
};

// The parsers skip empty lines. They throw base::Error(kInvalid), naming the line, for a wrong
// number of fields or an id that is not a number.
std::vector<Account> ParseAccounts(std::string_view passwd);
std::vector<Group> ParseGroups(std::string_view group);
// Reads "SYS_<kind>_MIN" and "SYS_<kind>_MAX"; `kind` is "UID" or "GID". A missing value has its
// default. Throws base::Error(kInvalid) if the minimum is above the maximum.
IdRange ParseIdRange(std::string_view login_defs, std::string_view kind);

// The ids of the control plane's users and groups. The user and the group of a component have the
// same name, but not always the same id.
struct RootlessIds {
  struct Ids {
    unsigned uid = 0;
    unsigned gid = 0;
  };
  Ids etcd;
  Ids api_server;
  Ids controller_manager;
  Ids scheduler;
  unsigned sa_key_readers = 0;  // id of the group that may read the service account key
};

// The contents of the two files.
struct AccountFiles {
  std::string passwd;
  std::string group;
};

// New contents of the account files, and the uids and gids they define.
struct Planned {
  AccountFiles files;
  RootlessIds ids;
};

// Adds missing users and groups, each with the lowest free id of its range. Throws
// base::Error(kInvalid) if an existing entry differs from the required one (id out of range, shell,
// group, members) or no id is free.
Planned PlanRootlessAccounts(const AccountFiles& files, std::string_view login_defs);

// Returns the files without the control plane's users and groups.
AccountFiles WithoutRootlessAccounts(const AccountFiles& files);

// EnsureRootlessAccounts adds the users and groups to a host, and RemoveRootlessAccounts removes
// them. The caller must ensure that only one process calls these functions at a time. Each file is
// replaced atomically.
RootlessIds EnsureRootlessAccounts(host::Host& host);
// Returns the ids that EnsureRootlessAccounts would return. Writes nothing.
RootlessIds PlannedRootlessIds(const host::Files& files);
void RemoveRootlessAccounts(host::Host& host);

// Returns an object that reports which of the control plane's users and groups exist when it is
// queried. These users and groups keep their access to the secrets that kubeadm made readable for
// them. `files` must outlive the object.
host::SecretOwners RootlessOwners(const host::Files& files);

}  // namespace static_pods
