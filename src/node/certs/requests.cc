// SPDX-License-Identifier: Apache-2.0
#include "certs/requests.h"

#include <fmt/core.h>

#include "base/error.h"
#include "base/secret_text.h"
#include "certs/disk.h"

namespace certs {
namespace {

void RefuseExisting(const Context& context, const CertSpec& spec) {
  for (const auto& path :
       {KeyPath(context.dir(), spec.base_name), RequestPath(context.dir(), spec.base_name)}) {
    if (context.files.Exists(path)) {
      throw base::Error(base::Error::Kind::kAlreadyExists,
                        fmt::format("file already exists: {}", path.string()));
    }
  }
}

}  // namespace

host::fs::path RequestPath(const host::fs::path& dir, std::string_view base_name) {
  return dir / fmt::format("{}.csr", base_name);
}

std::vector<const CertSpec*> NewCertificateRequests(const Context& context) {
  std::vector<const CertSpec*> leaves;
  for (const CertSpec& spec : Tree()) {
    if (!spec.is_ca()) {
      RefuseExisting(context, spec);
      leaves.push_back(&spec);
    }
  }
  for (const CertSpec* spec : leaves) {
    const pki::CertificateSpec wanted = SpecFor(*spec, context);
    const pki::PrivateKey key = context.new_key();
    context.files.Write(KeyPath(context.dir(), spec->base_name), base::SecretText(key.Pem()),
                        {.mode = 0600});
    context.files.Write(RequestPath(context.dir(), spec->base_name),
                        pki::NewRequest(wanted.subject, wanted.alt_names, key), {.mode = 0600});
  }
  return leaves;
}

}  // namespace certs
