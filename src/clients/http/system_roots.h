// SPDX-License-Identifier: Apache-2.0
// The CA certificates that this machine trusts.
#pragma once

#include <string>

namespace http {

// Returns the trusted CAs of the system as PEM: the file SSL_CERT_FILE, or else the bundle of the
// distribution. If SSL_CERT_DIR is set, also returns the files in its directories. If it is not set
// and no such file was found, returns the files in the distribution's CA directories. Reads the
// files once per process.
const std::string& SystemRoots();

// Returns the CAs like SystemRoots, for the given values of the two variables ("" if not set), and
// below another root directory than "/".
std::string ReadSystemRoots(const std::string& cert_file, const std::string& cert_dir,
                            const std::string& root = "");

}  // namespace http
