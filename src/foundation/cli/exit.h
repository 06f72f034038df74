// SPDX-License-Identifier: Apache-2.0
// Exit with a given status.
#pragma once

namespace cli {

// Thrown by a command after its last output. The program then ends with this status, without
// further output.
struct Exit {
  int status = 0;
};

}  // namespace cli
