// SPDX-License-Identifier: Apache-2.0
#include "certs/requests.h"

#include <fmt/core.h>

#include <ranges>

#include "base/error.h"
#include "base/secret_text.h"
#include "certs/disk.h"

namespace certs {
namespace {

auto Leaves() {
  return Tree() | std::views::filter([](const CertSpec& spec) { return !spec.is_ca(); });
}

pki::PrivateKey KeyOf(const CertSpec& spec, const Context& context) {
  const host::fs::path path = KeyPath(context.dir(), spec.base_name);
  if (context.files.Exists(path)) {
    return LoadKey(context.files, path);
  }
  pki::PrivateKey key = context.new_key();
  context.files.Write(path, base::SecretText(key.Pem()), {.mode = 0600});
  return key;
}

}  // namespace

host::fs::path RequestPath(const host::fs::path& dir, std::string_view base_name) {
  return dir / fmt::format("{}.csr", base_name);
}

void RequireNoRequests(const Context& context) {
  for (const CertSpec& spec : Leaves()) {
    for (const auto& path :
         {KeyPath(context.dir(), spec.base_name), RequestPath(context.dir(), spec.base_name)}) {
      if (context.files.Exists(path)) {
        throw base::Error(base::Error::Kind::kAlreadyExists,
                          fmt::format("file already exists: {}", path.string()));
      }
    }
  }
}

std::vector<const CertSpec*> WriteCertificateRequests(const Context& context) {
  std::vector<const CertSpec*> written;
  for (const CertSpec& spec : Leaves()) {
    const pki::PrivateKey key = KeyOf(spec, context);
    const pki::CertificateSpec wanted = SpecFor(spec, context);
    context.files.Write(RequestPath(context.dir(), spec.base_name),
                        pki::NewRequest(wanted.subject, wanted.alt_names, key), {.mode = 0600});
    written.push_back(&spec);
  }
  return written;
}

}  // namespace certs
