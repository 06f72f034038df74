#include "machine_approver/documented.h"

#include "cli/help.h"
#include "machine_approver/texts.h"

namespace machine_approver {

cli::Command Documented(std::string name, std::string summary, std::string_view text) {
  cli::HelpPage page = cli::ParseHelpPage(Text(text));
  return {.name = std::move(name),
          .summary = std::move(summary),
          .long_text = std::move(page.body),
          .example = std::move(page.examples)};
}

}  // namespace machine_approver
