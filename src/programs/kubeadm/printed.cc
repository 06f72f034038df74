// SPDX-License-Identifier: Apache-2.0
#include "kubeadm/printed.h"

#include <algorithm>
#include <iterator>

namespace kubeadm {

using cli::FlagType;

std::vector<cli::Flag> PrinterFlags() {
  return {{.name = "allow-missing-template-keys",
           .type = FlagType::kBool,
           .default_text = "true",
           .help = "Print nothing for a field or key that a template names and an object lacks; "
                   "otherwise it is an error"},
          {.name = "output",
           .shorthand = 'o',
           .default_text = "text",
           .help = "Output format: text, json, yaml, kyaml, go-template, go-template-file, "
                   "template, templatefile, jsonpath, jsonpath-as-json or jsonpath-file"},
          {.name = "show-managed-fields",
           .type = FlagType::kBool,
           .help = "Keep the managed fields of objects in JSON and YAML"}};
}

std::vector<cli::Flag> WithPrinter(std::vector<cli::Flag> flags) {
  std::ranges::move(PrinterFlags(), std::back_inserter(flags));
  return flags;
}

print::Printer PrinterOf(const cli::Parsed& flags, const host::Host& host) {
  return print::ParsePrinter(
      flags.Text("output"), [&host](const std::string& path) { return host.files.Read(path); },
      flags.Bool("allow-missing-template-keys") ? print::MissingKeys::kAllowed
                                                : print::MissingKeys::kRefused);
}

}  // namespace kubeadm
