// SPDX-License-Identifier: Apache-2.0
// The flags -o/--output and its companions, and what they choose: text for people, or objects.
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

// PrinterFlags are --output, --allow-missing-template-keys and --show-managed-fields (which is
// accepted and changes nothing: our objects have no managed fields).
std::vector<cli::Flag> PrinterFlags();

// WithPrinter is the flags with those of the printer.
std::vector<cli::Flag> WithPrinter(std::vector<cli::Flag> flags);

// PrinterOf throws base::Error(kInvalid) for an unknown format or a template that does not parse.
print::Printer PrinterOf(const cli::Parsed& flags, const host::Host& host);

// Output is where a command without phases shows what it does and what came of it. It throws what
// PrinterOf throws when it is made: before the command does anything.
class Output {
 public:
  Output(cli::Invocation& invocation, const host::Host& host)
      : out_(invocation.streams.out), printer_(PrinterOf(invocation.flags, host)) {}

  bool IsText() const { return printer_.IsText(); }

  // Line shows people, at once, a line of what is going on; further lines of a text are indented.
  // Programs do not get it.
  void Line(const std::string& line) const {
    if (IsText()) {
      out_ << base::HangingIndent(line) << '\n' << std::flush;
    }
  }

  // Show is for the result: TextOf(value) for people, the object ObjectOf(value) for programs, both
  // from the room that owns the value.
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
