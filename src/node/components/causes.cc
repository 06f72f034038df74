// SPDX-License-Identifier: Apache-2.0
#include "components/causes.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <ranges>

#include "base/strings.h"
#include "json/value.h"

namespace components {
namespace {

constexpr std::size_t kShownLines = 5;

constexpr std::string_view kMissing = "no such file or directory";
constexpr std::string_view kUnknownArgument =
    "remove the argument that {0} does not know from {1}.extraArgs";
constexpr std::string_view kWrongValue = "correct the value in {1}.extraArgs";
constexpr std::string_view kNoSocket =
    "see that the program with the socket that {0} needs runs, and that {0} may use the socket";

// A line may match several rows; the first of them applies.
constexpr std::array<Cause, 27> kCauses{{
    {"unknown flag", kUnknownArgument, Passing::kNever},
    {"unknown shorthand flag", "correct the names in {1}.extraArgs", Passing::kNever},
    {"flag provided but not defined", kUnknownArgument, Passing::kNever},
    {"unrecognized feature gate", "remove that gate from the feature-gates in {1}.extraArgs",
     Passing::kNever},
    // For a flag, the error quotes the value, and klog may escape the quotes. The error EINVAL of a
    // system call quotes nothing.
    {"invalid argument \"", kWrongValue, Passing::kNever},
    {"invalid argument \\\"", kWrongValue, Passing::kNever},
    {"invalid value \"", kWrongValue, Passing::kNever},
    {"expected 1 certificate",
     "give it one certificate in that file, or another file by cluster-signing-cert-file in "
     "{1}.extraArgs",
     Passing::kNever},
    {"admission-plugins plugin", "correct the admission plugins in {1}.extraArgs", Passing::kNever},
    {"is a required flag", "set that argument in {1}.extraArgs", Passing::kNever},
    {"failed to validate kubelet configuration",
     "correct the kubelet's configuration, or the property of this machine that "
     "it names",
     Passing::kNever},
    {"running with swap on is not supported", "swapoff -a, or failSwapOn: false for the kubelet",
     Passing::kNever},
    {"discovery failed: version",
     "its data were written by a newer minor version: restore that version's manifest",
     Passing::kNever},
    // The socket appears when its program, such as the container runtime or a KMS plugin, starts.
    {"dial unix", kNoSocket, Passing::kPerhaps},
    {"connect: no such file", kNoSocket, Passing::kPerhaps},
    {"connect: permission denied", kNoSocket, Passing::kPerhaps},
    {"no space left on device", "make room on the disk", Passing::kWithDiskRoom},
    // A file's owner and mode may be set some time after the file was created.
    {"permission denied", "let {0} read that file, or mount it by {1}.extraVolumes",
     Passing::kPerhaps},
    {kMissing,
     "create that file, or show it to {0} by {1}.extraVolumes: it sees only mounted paths",
     Passing::kWithItsFile},
    {"not a directory", "correct the path in {1}", Passing::kNever},
    // The port may be held by this component's own ending process.
    {"address already in use", "stop the program that uses {0}'s port (see: ss -ltnp)",
     Passing::kPerhaps},
    // The address may appear later, by DHCP or from another node.
    {"cannot assign requested address",
     "the advertise address or an address in {1}.extraArgs is not one of this machine's",
     Passing::kPerhaps},
    // The cause may be the component's own certificates, another component's, or a wrong clock that
    // will be set.
    {"x509:",
     "the certificates do not fit together: look at them with kubeadm certs check-expiration, or "
     "remove the ones that are older than their CA",
     Passing::kPerhaps},
    {"could not retrieve cluster information",
     "see that the other members of {0} run and that this machine reaches their peer URLs",
     Passing::kPerhaps},
    {"leaderelection lost", "the API server was too slow for {0}: see the load of this machine",
     Passing::kPerhaps},
    {"connection refused", "{0} cannot reach the server that it needs", Passing::kPerhaps},
    {"deadline exceeded", "{0} waits in vain for the server that it needs", Passing::kPerhaps},
}};

// Returns the message and error of etcd's log line if the line is of level fatal or panic.
std::optional<std::string> FatalOfEtcd(std::string_view line) {
  if (!line.starts_with('{')) {
    return std::nullopt;
  }
  const json::Value entry = json::TryParse(line);
  const std::string level = json::TextAt(entry, {"level"});
  if (level != "fatal" && level != "panic") {
    return std::nullopt;
  }
  const std::string error = json::TextAt(entry, {"error"});
  return json::TextAt(entry, {"msg"}) + (error.empty() ? "" : ": " + error);
}

std::optional<std::string> Fatal(const std::string& line) {
  constexpr std::array<std::string_view, 4> kBegins{
      "Error: ", "panic: ", "flag provided but not defined", "invalid value "};
  const bool begins =
      std::ranges::any_of(kBegins, [&](std::string_view begin) { return line.starts_with(begin); });
  // The controller manager builds its controllers when it becomes the leader. Before v1.35 its
  // message said "starting".
  constexpr std::array<std::string_view, 3> kSays{
      "\"command failed\"", "\"Error building controllers\"", "\"Error starting controllers\""};
  const bool says =
      std::ranges::any_of(kSays, [&](std::string_view words) { return line.contains(words); });
  if (begins || says) {
    return line;
  }
  return FatalOfEtcd(line);
}

// Returns the text after klog's header: "E1123 02:53:25.972029    6951 run.go:72] ".
std::string_view WithoutHeader(std::string_view words) {
  constexpr std::string_view kHeaderEnd = "] ";
  const bool klog = words.size() > 1 && std::string_view("IWEF").contains(words[0]) &&
                    std::string_view("0123456789").contains(words[1]);
  const std::size_t end = klog ? words.find(kHeaderEnd) : std::string_view::npos;
  return end == std::string_view::npos ? words : words.substr(end + kHeaderEnd.size());
}

// Returns the path of Go's "open /PATH" at the end of `text`. A path with an escaped character is
// ambiguous and ignored.
std::optional<std::string> LastPath(std::string_view text) {
  constexpr std::array<std::string_view, 2> kVerbs{"open ", "stat "};
  std::size_t begin = 0;
  for (const std::string_view verb : kVerbs) {
    const std::size_t at = text.rfind(verb);
    begin = at == std::string_view::npos ? begin : std::max(begin, at + verb.size());
  }
  const std::string_view path = text.substr(begin);
  if (begin == 0 || !path.starts_with('/') || path.contains('\\') || path.contains('"')) {
    return std::nullopt;
  }
  return std::string(path);
}

}  // namespace

const Cause* CauseOf(std::string_view line) {
  const auto found =
      std::ranges::find_if(kCauses, [&](const Cause& row) { return line.contains(row.mark); });
  return found == kCauses.end() ? nullptr : &*found;
}

std::optional<std::string> LastWords(std::span<const std::string> lines) {
  // The line "panic:" of the Go runtime comes after etcd's more informative message. Therefore the
  // last line with a known mark is preferred.
  std::optional<std::string> last;
  for (const std::string& line : lines | std::views::reverse) {
    std::optional<std::string> words = Fatal(line);
    if (words && CauseOf(*words) != nullptr) {
      return words;
    }
    if (words && !last) {
      last = std::move(words);
    }
  }
  return last;
}

bool SameWords(std::string_view one, std::string_view other) {
  return WithoutHeader(one) == WithoutHeader(other);
}

std::vector<std::string> MissingFiles(std::string_view words) {
  constexpr std::string_view kBefore = ": ";
  std::vector<std::string> files;
  for (std::size_t at = words.find(kMissing); at != std::string_view::npos;
       at = words.find(kMissing)) {
    const std::string_view before = words.substr(0, at);
    const std::optional<std::string> path =
        before.ends_with(kBefore) ? LastPath(before.substr(0, at - kBefore.size())) : std::nullopt;
    if (!path) {
      return {};
    }
    files.push_back(*path);
    words.remove_prefix(at + kMissing.size());
  }
  return files;
}

const Cause* RepeatedCause(std::span<const std::string> lines) {
  std::optional<std::string> last;
  for (const std::string& line : lines | std::views::reverse) {
    std::optional<std::string> words = Fatal(line);
    if (words && last) {
      return SameWords(*last, *words) ? CauseOf(*last) : nullptr;
    }
    if (words) {
      last = std::move(words);
    }
  }
  return nullptr;
}

std::string TellingLines(std::span<const std::string> lines) {
  if (std::optional<std::string> words = LastWords(lines)) {
    return *std::move(words);
  }
  for (const std::string& line : lines | std::views::reverse) {
    if (CauseOf(line) != nullptr) {
      return line;
    }
  }
  return base::Join(lines.last(std::min(lines.size(), kShownLines)), "\n");
}

std::string RemedyOf(const Cause& cause, std::string_view component, std::string_view section) {
  return fmt::format(fmt::runtime(cause.remedy), component, section);
}

}  // namespace components
