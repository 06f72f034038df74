// SPDX-License-Identifier: Apache-2.0
// Standard input, output and error of the process.
#pragma once

#include <cstddef>
#include <ostream>

namespace host {

// Call it first in a program. If the caller closed one of the descriptors 0 to 2, opens /dev/null
// in its place. Otherwise the next opened file, for example a key, would get that number, and
// messages would be written into the file. From then on a closed reader is an error of the stream
// (see FinishOutput), not a signal that ends a run half-way; child processes have the default
// signal action.
void OpenStandardDescriptors();

// Returns the width of the terminal on standard output; 0 if it is not a terminal, or the width is
// unknown.
std::size_t TerminalColumns();

// Flushes `out`, the standard output, and returns the exit status: `status`, or 1 instead of 0 if
// output was lost. Reports the loss on `err`, except when the reader has closed the pipe (`kubeadm
// … | head`).
int FinishOutput(std::ostream& out, std::ostream& err, int status);

}  // namespace host
