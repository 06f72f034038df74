#include "certs/disk.h"

#include <fmt/core.h>

#include "base/error.h"

namespace certs {

host::fs::path CertPath(const host::fs::path& dir, std::string_view base_name) {
  return dir / fmt::format("{}.crt", base_name);
}

host::fs::path KeyPath(const host::fs::path& dir, std::string_view base_name) {
  return dir / fmt::format("{}.key", base_name);
}

std::vector<pki::Certificate> LoadChain(const host::Files& files, const host::fs::path& path) {
  const std::string pem = files.Read(path);
  return base::WithContext(path.string(), [&] { return pki::Certificate::ChainFromPem(pem); });
}

pki::PrivateKey LoadKey(const host::Files& files, const host::fs::path& path) {
  const std::string pem = files.Read(path);
  return base::WithContext(path.string(), [&] { return pki::PrivateKey::FromPem(pem); });
}

pki::Certificate LoadCaCertificate(const host::Files& files, const host::fs::path& dir,
                                   std::string_view base_name) {
  return base::WithContext("cannot load the CA's certificate",
                           [&] { return LoadChain(files, CertPath(dir, base_name)).front(); });
}

pki::KeyPair LoadCa(const host::Files& files, const host::fs::path& dir,
                    std::string_view base_name) {
  pki::Certificate certificate = LoadCaCertificate(files, dir, base_name);
  if (!certificate.is_ca()) {
    throw base::Error(base::Error::Kind::kInvalid,
                      fmt::format("{}: this is not the certificate of a certificate authority",
                                  CertPath(dir, base_name).string()));
  }
  return {std::move(certificate), base::WithContext("cannot load the CA's key", [&] {
            return LoadKey(files, KeyPath(dir, base_name));
          })};
}

void SavePair(host::Files& files, const host::fs::path& dir, std::string_view base_name,
              const pki::KeyPair& pair) {
  files.Write(KeyPath(dir, base_name), pair.key.Pem(), {.mode = 0600});
  files.Write(CertPath(dir, base_name), pair.certificate.Pem(), {.mode = 0644});
}

}  // namespace certs
