// SPDX-License-Identifier: Apache-2.0
// Standard input, output and error of the process.
#pragma once

#include <cstddef>
#include <ostream>

namespace host {

// OpenStandardDescriptors is the first thing that a program does. Descriptors 0 to 2 that its
// caller closed are opened on /dev/null: otherwise the next file that is opened, a key for
// instance, would get their number, and what is said to the user would be written into it. From
// then on a reader who is gone is an error of the stream (see FinishOutput), not a signal that ends
// a run half-way; processes that are started have the signal as usual.
void OpenStandardDescriptors();

// TerminalColumns is the width of the terminal that the standard output is; 0 when it is none, or
// does not tell.
std::size_t TerminalColumns();

// FinishOutput writes out what `out`, the standard output, still holds and returns the status to
// end with: `status`, or 1 instead of 0 when anything of the output was lost. That is said on
// `err`, unless it was lost because its reader is gone, who knows (`kubeadm … | head`).
int FinishOutput(std::ostream& out, std::ostream& err, int status);

}  // namespace host
