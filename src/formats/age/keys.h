// SPDX-License-Identifier: Apache-2.0
// Keys of the age format (https://age-encryption.org/v1) as text: recipients and identities.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace age {

// Returns the public key, 32 bytes, of "age1…". Throws base::Error(kInvalid), naming the text.
std::string ParseRecipient(std::string_view text);

// Returns "age1…" for a public key.
std::string RecipientText(std::string_view public_key);

// Returns the private key, 32 bytes, of "AGE-SECRET-KEY-1…". Throws base::Error(kInvalid). The
// message does not contain the text, because the text is a secret.
std::string ParseIdentity(std::string_view text);

// Returns "AGE-SECRET-KEY-1…" for a private key.
std::string IdentityText(std::string_view private_key);

// Both functions parse the lines of a file, and skip blank lines and lines that begin with "#".
// They throw base::Error(kInvalid), naming the line's number, for any other line, and for a file
// without keys.
std::vector<std::string> ParseRecipients(std::string_view file);
std::vector<std::string> ParseIdentities(std::string_view file);

}  // namespace age
