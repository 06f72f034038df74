// SPDX-License-Identifier: Apache-2.0
// The flags -o/--output and related ones, and their formats: text for humans, or objects.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "base/wrap.h"
#include "cli/command.h"
#include "cli/terminal.h"
#include "host/host.h"
#include "json/fwd.h"
#include "print/printer.h"

namespace kubeadm {

// Returns --output, --allow-missing-template-keys and --show-managed-fields. The last one has no
// effect, because our objects have no managed fields.
std::vector<cli::Flag> PrinterFlags();

// Returns the flags with the printer's flags added.
std::vector<cli::Flag> WithPrinter(std::vector<cli::Flag> flags);

// Returns the printer for the flags. Throws base::Error(kInvalid) for an unknown format or a
// template that does not parse.
print::Printer PrinterOf(const cli::Parsed& flags, const host::Host& host);

// The output of a command without phases: progress and result. The constructor throws the errors of
// PrinterOf, so that they appear before the command acts.
class Output {
 public:
  Output(cli::Invocation& invocation, const host::Host& host)
      : out_(invocation.streams.out), printer_(PrinterOf(invocation.flags, host)) {}

  bool IsText() const { return printer_.IsText(); }

  // Prints a line of progress immediately, in output for humans only. The second and further lines
  // of a text are indented.
  void Line(const std::string& line) const {
    if (IsText()) {
      out_ << base::HangingIndent(line) << '\n' << std::flush;
    }
  }

  // Prints the result: TextOf(value) for humans, the object ObjectOf(value) for programs, both from
  // the library that owns the value.
  template <typename Value>
  void Show(const Value& value) const {
    if (IsText()) {
      out_ << TextOf(value) << std::flush;
    } else {
      out_ << cli::Exact{printer_.Print(ObjectOf(value))} << std::flush;
    }
  }

 private:
  std::ostream& out_;
  print::Printer printer_;
};

}  // namespace kubeadm
