// SPDX-License-Identifier: Apache-2.0
#include "host/change_root.h"

#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "base/error.h"
#include "base/strings.h"

namespace host {
namespace {

void Check(int result, const std::string& path) {
  if (result != 0) {
    const int cause = errno;
    throw base::Error(cause == EPERM ? base::Error::Kind::kForbidden : base::Error::Kind::kInvalid,
                      "unable to chroot to " + base::Quoted(path) + ": " +
                          std::generic_category().message(cause));
  }
}

}  // namespace

void ChangeRoot(const std::string& path) {
  Check(::chroot(path.c_str()), path);
  Check(::chdir("/"), path);
}

}  // namespace host
