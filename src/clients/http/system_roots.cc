// SPDX-License-Identifier: Apache-2.0
#include "http/system_roots.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string_view>
#include <vector>

#include "base/strings.h"
#include "host/environment.h"

namespace http {
namespace {

namespace fs = std::filesystem;

// The bundles of Debian, Fedora, openSUSE, OpenELEC, RHEL and Alpine. After them, directories for
// systems without a bundle.
constexpr std::string_view kFiles[] = {"/etc/ssl/certs/ca-certificates.crt",
                                       "/etc/pki/tls/certs/ca-bundle.crt",
                                       "/etc/ssl/ca-bundle.pem",
                                       "/etc/pki/tls/cacert.pem",
                                       "/etc/ssl/cert.pem",
                                       "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem"};
constexpr std::string_view kDirectories[] = {"/etc/ssl/certs", "/etc/pki/tls/certs"};

std::vector<std::string> Below(const std::string& root, std::span<const std::string_view> paths) {
  std::vector<std::string> below;
  for (const std::string_view path : paths) {
    below.push_back(root + std::string(path));
  }
  return below;
}

constexpr std::uintmax_t kLargestBundle = std::uintmax_t{64} << 20;  // in bytes

// Returns the content of a readable file. Returns "" for an unreadable file, a pipe, a device, and
// a file that is too large for a CA bundle.
std::string TextOf(const fs::path& path) {
  std::error_code none;
  if (!fs::is_regular_file(path, none) || fs::file_size(path, none) > kLargestBundle) {
    return "";
  }
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string FirstOf(const std::vector<std::string>& files) {
  for (const std::string& file : files) {
    if (std::string text = TextOf(file); !text.empty()) {
      return text + "\n";
    }
  }
  return "";
}

std::string AllIn(const fs::path& directory) {
  std::error_code none;
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(directory, none)) {
    if (entry.is_regular_file(none)) {  // also for a link to a regular file
      files.push_back(entry.path());
    }
  }
  std::ranges::sort(files);
  std::string text;
  for (const fs::path& file : files) {
    text += TextOf(file) + "\n";
  }
  return text;
}

}  // namespace

std::string ReadSystemRoots(const std::string& cert_file, const std::string& cert_dir,
                            const std::string& root) {
  std::string text =
      FirstOf(cert_file.empty() ? Below(root, kFiles) : std::vector<std::string>{cert_file});
  if (text.empty() || !cert_dir.empty()) {
    for (const std::string& directory :
         cert_dir.empty() ? Below(root, kDirectories) : base::Split(cert_dir, ':')) {
      text += AllIn(directory);
    }
  }
  return text;
}

const std::string& SystemRoots() {
  const host::RealEnvironment environment;
  static const std::string roots =
      ReadSystemRoots(environment.Get("SSL_CERT_FILE"), environment.Get("SSL_CERT_DIR"));
  return roots;
}

}  // namespace http
