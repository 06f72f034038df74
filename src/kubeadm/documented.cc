#include "kubeadm/documented.h"

#include "base/strings.h"
#include "kubeadm/texts.h"

namespace kubeadm {
namespace {

constexpr std::string_view kExampleHeading = "## Example\n";

// Markdown indents code by four blanks, help by two.
std::string ExampleOf(std::string_view section) {
  std::string out;
  for (const std::string& line : base::Lines(base::Trim(section))) {
    const std::string_view text = base::Trim(line);
    out += out.empty() ? "" : "\n";
    out += text.empty() ? "" : "  " + std::string(text);
  }
  return out;
}

}  // namespace

cli::Command Documented(std::string name, std::string summary, std::string_view text) {
  cli::Command command;
  command.name = std::move(name);
  command.summary = std::move(summary);
  const std::string_view whole = Text(text);
  const std::size_t heading = whole.find(kExampleHeading);
  command.long_text = base::Trim(whole.substr(0, heading));
  if (heading != whole.npos) {
    command.example = ExampleOf(whole.substr(heading + kExampleHeading.size()));
  }
  return command;
}

}  // namespace kubeadm
