// SPDX-License-Identifier: Apache-2.0
// The SHA-256 (FIPS 180-4) of what comes piece by piece.
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

  // Throws base::Error where OpenSSL has no memory.
  Sha256Sum();
  void Add(std::string_view bytes);
  // End is the sum of all that was added, after which nothing more is.
  std::string End();

 private:
  struct Free {
    void operator()(evp_md_ctx_st* context) const;
  };
  std::unique_ptr<evp_md_ctx_st, Free> context_;
};

}  // namespace pki
