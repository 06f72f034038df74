// SPDX-License-Identifier: Apache-2.0
// The SHA-256 (FIPS 180-4) of data in pieces.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

struct evp_md_ctx_st;  // OpenSSL's EVP_MD_CTX

namespace pki {

class Sha256Sum {
 public:
  static constexpr std::size_t kSize = 32;  // bytes

  // Throws base::Error(kOther) if OpenSSL has no memory.
  Sha256Sum();
  void Add(std::string_view bytes);
  // Returns the digest of all added data. Call it once, as the last function.
  std::string End();

 private:
  struct Free {
    void operator()(evp_md_ctx_st* context) const;
  };
  std::unique_ptr<evp_md_ctx_st, Free> context_;
};

}  // namespace pki
