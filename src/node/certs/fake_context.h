// SPDX-License-Identifier: Apache-2.0
// FakeContext: a fake machine and a configuration, for tests of certificates.
#pragma once

#include <string>

#include "certs/create.h"
#include "certs/disk.h"
#include "config/types.h"
#include "host/fake_host.h"

namespace certs {

struct FakeContext {
  static constexpr std::chrono::sys_seconds kStart = host::FakeClock::kStart;
  static constexpr const char* kDir = "/etc/kubernetes/pki";

  host::FakeHost fake;
  config::Init config = DefaultConfig();
  PeriodLog periods{kStart};
  SigningCas cas;

  static config::Init DefaultConfig() {
    config::Init config;
    config.init.node_registration.name = "cp-one";
    config.init.local_api_endpoint = {.advertise_address = "10.20.30.40", .bind_port = 6443};
    config.cluster.cluster_name = "kubernetes";
    config.cluster.certificates_dir = kDir;
    config.cluster.networking.service_subnet = "10.96.0.0/12";
    config.cluster.networking.dns_domain = "cluster.local";
    config.cluster.encryption_algorithm = "ECDSA-P256";
    config.cluster.etcd.local.emplace();
    return config;
  }

  Context Get() {
    return {.files = fake.files,
            .config = config,
            .start = kStart,
            .new_key = [this] { return pki::PrivateKey::Generate(AlgorithmFor(config.cluster)); },
            .periods = periods,
            .cas = cas};
  }

  // Returns a path in the certificates directory; Chain and Text read a file there.
  static host::fs::path Path(const std::string& name) { return host::fs::path(kDir) / name; }
  pki::Certificate Certificate(const std::string& name) {
    return LoadChain(fake.files, Path(name)).front();
  }
  std::string Text(const std::string& name) { return fake.files.Read(Path(name)); }
  void Write(const std::string& name, const std::string& text) {
    fake.files.Write(Path(name), text, {});
  }
  void Remove(const std::string& name) { fake.files.Remove(Path(name)); }
  unsigned Mode(const std::string& name) { return fake.files.Stat(Path(name)).value().mode; }

  // Creates the whole tree and the service account key.
  void MakeAll() {
    for (const CertSpec& spec : Tree()) {
      Ensure(spec, Get());
    }
    EnsureServiceAccountKey(Get());
  }
  void MakeCas() {
    for (const CertSpec& spec : Tree()) {
      if (spec.is_ca()) {
        Ensure(spec, Get());
      }
    }
  }
};

}  // namespace certs
