// SPDX-License-Identifier: Apache-2.0
#include "upgrade_path/kubelet_files.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "base/error.h"
#include "base/strings.h"
#include "kubelet/version.h"

namespace upgrade_path {
namespace {

using base::Error;
namespace fs = host::fs;

constexpr const char* kKubelet = "kubelet";
constexpr const char* kNext = ".next";
constexpr const char* kNew = ".new";
constexpr const char* kRestore = ".restore";
constexpr const char* kPrevious = ".previous";
// systemd-sysext merges the first image of a name (systemd-sysext(8)).
constexpr std::array kExtensionDirectories = {"/etc/extensions", "/run/extensions",
                                              "/var/lib/extensions"};

// Returns the target of a link such as /usr/bin/kubelet, because the target is the file to replace.
fs::path Resolved(host::Host& host, const std::string& path) {
  const host::RunResult result =
      host.processes.Run({"readlink", "-f", path}, {.effect = host::Effect::kAsks});
  const std::string_view target = base::Trim(result.out);
  return result.Succeeded() && !target.empty() ? std::string(target) : path;
}

fs::path InstalledProgram(host::Host& host) {
  const auto found = host.processes.FindExecutable(kKubelet);
  if (!found) {
    throw Error(Error::Kind::kNotFound,
                "no kubelet found in PATH to replace: install it there first");
  }
  return Resolved(host, *found);
}

fs::path InstalledImage(host::Host& host, const fs::path& name) {
  for (const fs::path directory : kExtensionDirectories) {
    if (host.files.Exists(directory / name)) {
      return directory / name;
    }
  }
  return fs::path(kExtensionDirectories.back()) / name;
}

// Returns the images in a directory.
std::vector<fs::path> ImagesIn(host::Host& host, const fs::path& directory) {
  std::vector<fs::path> images;
  for (const std::string& name : host.files.List(directory)) {
    if (fs::path(name).extension() == ".raw") {
      images.push_back(directory / name);
    }
  }
  return images;
}

KubeletProgram ReadProgram(host::Host& host, const fs::path& program) {
  const auto version = kubelet::CollectVersion(host, program);
  if (!version) {
    throw Error(Error::Kind::kInvalid,
                fmt::format("{} does not report its version: is it a kubelet for this machine?",
                            program.string()));
  }
  return {.version = *version, .path = program};
}

KubeletProgram ReadImage(const fs::path& image) {
  const std::string directory = image.parent_path().filename();
  const auto version = base::Version::Parse(directory);
  if (!version || directory != version->TextWithV()) {
    throw Error(Error::Kind::kInvalid,
                fmt::format("the directory of the image {} must have the kubelet's version as its "
                            "name, such as v1.36.3",
                            image.string()));
  }
  return {.version = *version, .path = image};
}

// Returns the kubelet in a directory; std::nullopt if the directory has none.
std::optional<KubeletProgram> ReadDirectory(host::Host& host, const fs::path& directory) {
  const bool has_program = host.files.Exists(directory / kKubelet);
  const std::vector<fs::path> images = ImagesIn(host, directory);
  if (images.size() + (has_program ? 1 : 0) > 1) {
    throw Error(
        Error::Kind::kInvalid,
        fmt::format("{} has several kubelets: keep one program or one image", directory.string()));
  }
  if (has_program) {
    return ReadProgram(host, directory / kKubelet);
  }
  return images.empty() ? std::nullopt : std::optional(ReadImage(images.front()));
}

}  // namespace

std::string LastLineOf(const host::RunResult& result) {
  const std::vector<std::string> lines = base::Lines(base::Trim(result.Combined()));
  return lines.empty() ? "no output" : lines.back();
}

std::vector<KubeletProgram> FindKubelets(host::Host& host, const fs::path& directory) {
  std::vector<KubeletProgram> kubelets;
  for (const std::string& entry : host.files.List(directory)) {
    const auto info = host.files.Stat(directory / entry / ".");  // follows links
    if (!info || info->kind != host::FileInfo::Kind::kDirectory) {
      continue;
    }
    if (auto found = ReadDirectory(host, directory / entry)) {
      kubelets.push_back(*std::move(found));
    }
  }
  if (kubelets.empty()) {
    throw Error(
        Error::Kind::kNotFound,
        fmt::format("no kubelet was found in {}: it needs a directory for each version, with the "
                    "program in it ({}/kubelet) or a system extension image",
                    directory.string(), (directory / "v1.36.3").string()));
  }
  return kubelets;
}

KubeletFile::KubeletFile(host::Host& host, const KubeletProgram& kubelet, std::stop_token stop)
    : host_(host),
      kubelet_(kubelet),
      stop_(std::move(stop)),
      path_(kubelet.IsExtension() ? InstalledImage(host, kubelet.path.filename())
                                  : InstalledProgram(host)) {}

bool KubeletFile::Test(const std::vector<std::string>& argv) const {
  return host_.processes.Run(argv, {.effect = host::Effect::kAsks, .stop = stop_}).Succeeded();
}

// The second comparison is for a run that was killed before it renamed the new file.
bool KubeletFile::IsUnconfirmed() const {
  return host_.files.Exists(Beside(kRestore)) &&
         (Test({"test", path_.string(), "-ef", Beside(kNew)}) ||
          Test({"test", Beside(kNext), "-ef", Beside(kNew)}));
}

void KubeletFile::Install() {
  if (Test({"cmp", "-s", kubelet_.path.string(), path_.string()})) {
    Finish();  // an interrupted run may not have merged the image
    return;
  }
  const bool unconfirmed = IsUnconfirmed();
  Run({"install", "-D", "-m", kubelet_.IsExtension() ? "0644" : "0755", kubelet_.path.string(),
       Beside(kNext)});
  Run({"sync", Beside(kNext)});
  if (!unconfirmed && host_.files.Exists(path_)) {
    Run({"ln", "-f", path_.string(), Beside(kRestore)});
  } else if (!unconfirmed) {
    host_.files.Write(Beside(kRestore), "");  // there is no previous file
  }
  Run({"ln", "-f", Beside(kNext), Beside(kNew)});
  Run({"mv", "-f", Beside(kNext), path_.string()});
  Finish();
}

bool KubeletFile::Restore() {
  if (!IsUnconfirmed()) {
    return false;
  }
  if (host_.files.Stat(Beside(kRestore))->size == 0) {
    host_.files.Remove(path_);
    host_.files.Remove(Beside(kRestore));
  } else {
    Run({"mv", "-f", Beside(kRestore), path_.string()});
  }
  host_.files.Remove(Beside(kNew));
  Finish();
  return true;
}

void KubeletFile::Confirm() {
  if (!IsUnconfirmed()) {
    return;
  }
  if (host_.files.Stat(Beside(kRestore))->size == 0) {
    host_.files.Remove(Beside(kRestore));
  } else {
    Run({"mv", "-f", Beside(kRestore), Beside(kPrevious)});
  }
  host_.files.Remove(Beside(kNew));
  Run({"sync", path_.parent_path().string()});
}

void KubeletFile::Run(const std::vector<std::string>& argv) const {
  const host::RunResult result = host_.processes.Run(argv, {.stop = stop_});
  if (!result.Succeeded()) {
    throw Error(fmt::format("{} failed: {}", base::Join(argv, " "), LastLineOf(result)));
  }
}

void KubeletFile::Finish() const {
  Run({"sync", path_.parent_path().string()});
  if (kubelet_.IsExtension()) {
    Run({"systemd-sysext", "refresh"});
  }
}

}  // namespace upgrade_path
