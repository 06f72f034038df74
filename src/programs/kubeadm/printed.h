// The flags -o/--output and its companions, and the printer that they choose.
#pragma once

#include <vector>

#include "cli/flags.h"
#include "host/host.h"
#include "print/printer.h"

namespace kubeadm {

// PrinterFlags are --output, --allow-missing-template-keys and --show-managed-fields (which is
// accepted and changes nothing: our objects have no managed fields).
std::vector<cli::Flag> PrinterFlags();

// PrinterOf throws base::Error(kInvalid) for an unknown format or a template that does not parse.
print::Printer PrinterOf(const cli::Parsed& flags, const host::Host& host);

}  // namespace kubeadm
