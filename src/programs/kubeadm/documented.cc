#include "kubeadm/documented.h"

#include "cli/help.h"
#include "kubeadm/texts.h"

namespace kubeadm {

cli::Command Documented(std::string name, std::string summary, std::string_view text) {
  cli::HelpPage page = cli::ParseHelpPage(Text(text));
  return {.name = std::move(name),
          .summary = std::move(summary),
          .long_text = std::move(page.body),
          .example = std::move(page.examples)};
}

}  // namespace kubeadm
