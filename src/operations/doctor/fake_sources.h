// SPDX-License-Identifier: Apache-2.0
// The sources of a fake machine, for tests of the collected facts.
#pragma once

#include <fmt/core.h>

#include <functional>
#include <memory>
#include <string>

#include "base/error.h"
#include "cri/fake_runtime.h"
#include "doctor/facts.h"
#include "doctor/gather.h"
#include "doctor/parts.h"
#include "host/fake_host.h"

namespace doctor {

// A fake machine, with sources that answer.
struct FakeSources {
  host::FakeHost fake;
  std::function<std::unique_ptr<cri::FakeRuntime>()> runtime_of_node = [] {
    return std::make_unique<cri::FakeRuntime>();
  };

  DoctorSources From() {
    return {.host = fake.host,
            .config_facts = {},
            .cri_socket = [] { return std::string("unix:///run/containerd/containerd.sock"); },
            .connect_runtime = [this](const std::string&) -> std::unique_ptr<cri::Runtime> {
              return runtime_of_node();
            },
            .connect_etcd = [](etcd::Connection) -> std::unique_ptr<etcd::Client> {
              throw base::Error(base::Error::Kind::kUnavailable, "no etcd here");
            }};
  }
  void Write(const std::string& path, const std::string& text) {
    fake.files.Write(path, text, {.mode = 0600});
  }
  // Gives the disk `total` blocks of one byte, of which `available` are free.
  void HasDisk(const std::string& path, const std::string& device, int total, int available) {
    fake.processes.On("stat -f -c %S %b %a %c %d " + path,
                      {.out = fmt::format("1 {} {} 0 0\n", total, available)});
    fake.processes.On("stat -c %d " + path, {.out = device + "\n"});
  }
};

// Returns the facts of one answer.
inline Facts After(const Answer& answer) {
  Facts facts;
  answer(facts);
  return facts;
}

}  // namespace doctor
