// SPDX-License-Identifier: Apache-2.0
// The file of a node's kubelet: found, replaced and restored.
#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/version.h"
#include "host/host.h"

namespace upgrade_path {

// A kubelet in the user's directory.
struct KubeletProgram {
  base::Version version;
  host::fs::path path;  // the program, or a system extension image that contains it

  // Returns whether the path is a system extension image (systemd-sysext).
  bool IsExtension() const { return path.extension() == ".raw"; }
};

// Returns the kubelets in the subdirectories of `directory`: DIR/v1.35.4/kubelet, or an image
// DIR/v1.35.4/NAME.raw. A program itself states its version. The version of an image is the name of
// its subdirectory. Throws base::Error: kInvalid, naming the file, if a program prints no version,
// an image's subdirectory is not named after a version, or a subdirectory has several kubelets.
// Throws kNotFound if the directory contains no kubelet.
std::vector<KubeletProgram> FindKubelets(host::Host& host, const host::fs::path& directory);

// Returns the last line of a program's output, which is the most informative one; "no output" for
// empty output.
std::string LastLineOf(const host::RunResult& result);

// The installed file of the kubelet. While a replacement is not confirmed, the previous file is
// next to it, as FILE.restore, and FILE.new is a hard link to the new one. So the next run can
// restore the previous file, too, and knows whether FILE is still the one that a run has installed.
// After the confirmation the previous file is FILE.previous.
class KubeletFile {
 public:
  // Finds the file that a kubelet replaces. For a program, this is the kubelet in PATH, with its
  // links resolved. For an extension image, it is the image of the same name in /etc/extensions,
  // /run/extensions or /var/lib/extensions. If no image has the name, it is a new file in
  // /var/lib/extensions. Throws base::Error(kNotFound) without a kubelet in PATH. The host must
  // outlive the object.
  KubeletFile(host::Host& host, const KubeletProgram& kubelet, std::stop_token stop);

  const host::fs::path& path() const { return path_; }

  // Returns whether a run, which may have been interrupted, has replaced the file and not confirmed
  // the replacement.
  bool IsUnconfirmed() const;

  // Installs the kubelet by a rename, because a running program cannot be overwritten. Replaces
  // no file that has the same content already. After an unconfirmed replacement, the previous file
  // stays the one before it. Throws base::Error(kOther) if the file cannot be replaced or an image
  // cannot be merged.
  void Install();
  // Restores the previous file. Returns false if no replacement is unconfirmed. Throws like
  // Install.
  bool Restore();
  // Keeps the previous file as FILE.previous. Throws like Install.
  void Confirm();

 private:
  std::string Beside(const char* suffix) const { return path_.string() + suffix; }
  bool Test(const std::vector<std::string>& argv) const;
  void Run(const std::vector<std::string>& argv) const;
  // Makes the rename durable, and merges a changed image into /usr.
  void Finish() const;

  host::Host& host_;
  const KubeletProgram kubelet_;
  const std::stop_token stop_;
  host::fs::path path_;
};

}  // namespace upgrade_path
