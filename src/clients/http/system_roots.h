// SPDX-License-Identifier: Apache-2.0
// The CA certificates that this machine trusts.
#pragma once

#include <string>

namespace http {

// Returns the trusted CAs of the system as PEM: the file SSL_CERT_FILE, or else the bundle of the
// distribution. Without a bundle it uses the CA directories of the distribution. If SSL_CERT_DIR is
// set, the files in its directories are added. Read once per process.
const std::string& SystemRoots();

// SystemRoots with the two variables' values ("" for none) and below another root directory than
// "/".
std::string ReadSystemRoots(const std::string& cert_file, const std::string& cert_dir,
                            const std::string& root = "");

}  // namespace http
