// SPDX-License-Identifier: Apache-2.0
#include "pki/sha256_sum.h"

#include <openssl/evp.h>

#include "base/error.h"

namespace pki {
namespace {

void Require(bool done) {
  if (!done) {
    throw base::Error("OpenSSL cannot compute a SHA-256");
  }
}

}  // namespace

void Sha256Sum::Free::operator()(evp_md_ctx_st* context) const { EVP_MD_CTX_free(context); }

Sha256Sum::Sha256Sum() : context_(EVP_MD_CTX_new()) {
  Require(context_ != nullptr && EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) == 1);
}

void Sha256Sum::Add(std::string_view bytes) {
  Require(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) == 1);
}

std::string Sha256Sum::End() {
  std::string sum(kSize, '\0');
  Require(EVP_DigestFinal_ex(context_.get(), reinterpret_cast<unsigned char*>(sum.data()),
                             nullptr) == 1);
  return sum;
}

}  // namespace pki
