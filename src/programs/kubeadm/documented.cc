#include "kubeadm/documented.h"

#include "cli/help.h"
#include "kubeadm/texts.h"

namespace kubeadm {

cli::Command Documented(std::string name, std::string summary, std::string_view text) {
  return cli::Documented(std::move(name), std::move(summary), Text(text));
}

cli::Command Group(std::string name, std::string summary, std::string_view text,
                   std::function<std::vector<cli::Command>()> children) {
  cli::Command group = Documented(std::move(name), std::move(summary), text);
  group.run = cli::RequireSubcommand;
  group.children = std::move(children);
  return group;
}

}  // namespace kubeadm
