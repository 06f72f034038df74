// SPDX-License-Identifier: Apache-2.0
// The CA certificates that this machine trusts.
#pragma once

#include <string>

namespace http {

// SystemRoots is a PEM text: the bundle of the distribution or of SSL_CERT_FILE and, where there is
// none or SSL_CERT_DIR is set, the files of its directories. It is read once in the life of a
// process.
const std::string& SystemRoots();

// ReadSystemRoots is SystemRoots with the two variables' values ("" for none) and below another
// root directory than "/".
std::string ReadSystemRoots(const std::string& cert_file, const std::string& cert_dir,
                            const std::string& root = "");

}  // namespace http
