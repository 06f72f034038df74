// SPDX-License-Identifier: Apache-2.0
// The CA certificates that this machine trusts.
#pragma once

#include <string>

namespace http {

// Returns PEM: the bundle of the distribution or of SSL_CERT_FILE; without one, or if SSL_CERT_DIR
// is set, the files of its directories. Read once per process.
const std::string& SystemRoots();

// SystemRoots with the two variables' values ("" for none) and below another root directory than
// "/".
std::string ReadSystemRoots(const std::string& cert_file, const std::string& cert_dir,
                            const std::string& root = "");

}  // namespace http
