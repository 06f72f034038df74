// SPDX-License-Identifier: Apache-2.0
#include "renewal/daily.h"

#include <fmt/core.h>

namespace renewal {

std::vector<std::string> DailyCommand(const DailyOptions& options) {
  std::vector<std::string> command = {options.program,
                                      "certs",
                                      "auto-renew",
                                      "run",
                                      "--if-expires-within=" + options.within,
                                      fmt::format("--restart={}", options.restart)};
  if (!options.textfile.empty()) {
    command.push_back("--textfile=" + options.textfile);
  }
  return command;
}

}  // namespace renewal
