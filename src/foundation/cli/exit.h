// SPDX-License-Identifier: Apache-2.0
// Ending a command with a status of its own.
#pragma once

namespace cli {

// Exit is thrown by a command that has said all that it has to say; the program ends with this
// status and prints nothing more.
struct Exit {
  int status = 0;
};

}  // namespace cli
