// SPDX-License-Identifier: Apache-2.0
#include "machine_approver/audit_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "host/descriptor.h"

namespace machine_approver {
namespace {

constexpr unsigned kMode = 0600;

host::Descriptor Open(const std::string& path) {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-vararg)
  host::Descriptor file(
      ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY, kMode));
  if (!file.valid()) {
    throw host::SystemError("audit log " + path, errno);
  }
  return file;
}

void WriteLine(int file, const std::string& path, std::string line) {
  line += '\n';
  std::string_view rest = line;
  while (!rest.empty()) {
    const ssize_t written = ::write(file, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) {
      continue;
    }
    if (written < 0) {
      throw host::SystemError("audit log " + path, errno);
    }
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace

std::function<void(std::string_view line)> AuditSink(const std::string& path) {
  if (path.empty()) {
    return {};
  }
  if (path == "-") {
    return [](std::string_view line) {
      WriteLine(STDOUT_FILENO, "on standard output", std::string(line));
    };
  }
  Open(path);
  return [path](std::string_view line) { WriteLine(Open(path).get(), path, std::string(line)); };
}

}  // namespace machine_approver
