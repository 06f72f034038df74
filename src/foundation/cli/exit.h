// SPDX-License-Identifier: Apache-2.0
// Exit with a given status.
#pragma once

namespace cli {

// Thrown by a command after its last output; the program ends with this status and prints nothing
// more.
struct Exit {
  int status = 0;
};

}  // namespace cli
