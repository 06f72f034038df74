// SPDX-License-Identifier: Apache-2.0
#include <openssl/err.h>

#include "pki/certificate.h"
#include "pki/openssl.h"

namespace pki {
namespace {

using StorePtr = std::unique_ptr<X509_STORE, Deleter<X509_STORE_free>>;
using StoreCtxPtr = std::unique_ptr<X509_STORE_CTX, Deleter<X509_STORE_CTX_free>>;

// An OpenSSL list that does not own its certificates.
inline void FreeList(STACK_OF(X509) * list) { sk_X509_free(list); }
using BorrowedCertificates = std::unique_ptr<STACK_OF(X509), Deleter<FreeList>>;

// Returns "" if OpenSSL is out of memory. Does not throw, because OpenSSL calls its caller
// IsIssuer.
std::string_view DerOf(const X509_NAME* name) noexcept {
  const unsigned char* bytes = nullptr;
  std::size_t size = 0;
  return X509_NAME_get0_der(name, &bytes, &size) == 1
             ? std::string_view(reinterpret_cast<const char*>(bytes), size)
             : std::string_view();
}

// Returns whether `issuer` may have signed `certificate`. Names must be equal bytewise, because Go,
// which verifies in a cluster, compares bytes. (OpenSSL's own rule ignores string types and case.)
// Ignores key identifiers, which are only hints: the signature decides.
int IsIssuer(X509_STORE_CTX*, X509* certificate, X509* issuer) noexcept {
  const std::string_view wanted = DerOf(X509_get_issuer_name(certificate));
  const bool named = !wanted.empty() && wanted == DerOf(X509_get_subject_name(issuer));
  return named && X509_verify(certificate, X509_get0_pubkey(issuer)) == 1 ? 1 : 0;
}

}  // namespace

std::optional<std::string> ChainProblem(const Certificate& leaf,
                                        const std::vector<Certificate>& roots,
                                        const ChainOptions& options) {
  const StorePtr store(X509_STORE_new());
  const StoreCtxPtr context(X509_STORE_CTX_new());
  const BorrowedCertificates between(sk_X509_new_null());
  Check(store != nullptr && context != nullptr && between != nullptr, "cannot verify a chain");
  X509_STORE_set_check_issued(store.get(), IsIssuer);
  for (const Certificate& root : roots) {
    Check(X509_STORE_add_cert(store.get(), root.impl().x509.get()) == 1, "cannot verify a chain");
  }
  for (const Certificate& certificate : options.intermediates) {
    Check(sk_X509_push(between.get(), certificate.impl().x509.get()) > 0, "cannot verify a chain");
  }
  Check(X509_STORE_CTX_init(context.get(), store.get(), leaf.impl().x509.get(), between.get()) == 1,
        "cannot verify a chain");
  unsigned long flags = X509_V_FLAG_PARTIAL_CHAIN;
  if (!options.now) {
    flags |= X509_V_FLAG_NO_CHECK_TIME;
  }
  X509_STORE_CTX_set_flags(context.get(), flags);
  if (options.now) {
    X509_STORE_CTX_set_time(context.get(), 0, options.now->time_since_epoch().count());
  }
  const bool holds = X509_verify_cert(context.get()) == 1;
  ERR_clear_error();
  if (holds) {
    return std::nullopt;
  }
  return X509_verify_cert_error_string(X509_STORE_CTX_get_error(context.get()));
}

}  // namespace pki
