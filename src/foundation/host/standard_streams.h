// SPDX-License-Identifier: Apache-2.0
// Standard input, output and error of the process.
#pragma once

#include <cstddef>
#include <ostream>

namespace host {

// Opens /dev/null in place of each descriptor from 0 to 2 that the caller has closed. Call this
// function first in a program. Otherwise the next opened file, for example a key, would get that
// number, and messages would be written into the file. From then on a closed reader is an error of
// the stream (see FinishOutput), not a signal that ends the process. Child processes still have the
// default signal action.
void OpenStandardDescriptors();

// Returns the width of the terminal on standard output; 0 if standard output is not a terminal, or
// the width is unknown.
std::size_t TerminalColumns();

// Flushes `out`, the standard output, and returns the exit status: `status`, or 1 instead of 0 if
// output was lost. Reports lost output on `err`, except if the reader has closed the pipe (`kubeadm
// … | head`).
int FinishOutput(std::ostream& out, std::ostream& err, int status);

}  // namespace host
