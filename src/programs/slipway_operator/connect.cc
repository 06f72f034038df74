// SPDX-License-Identifier: Apache-2.0
#include "slipway_operator/connect.h"

#include "kube/in_cluster.h"

namespace slipway_operator {

std::shared_ptr<kube::Transport> Connect(host::Host& host, const std::string& path) {
  const auto config = [&host, path] {
    if (path.empty()) {
      return kube::PodConfig(host, "give --kubeconfig");
    }
    kube::Kubeconfig read = kube::Kubeconfig::Parse(host.files.Read(path));
    kube::LocateFiles(read, host::fs::path(path).parent_path());
    return read;
  };
  return kube::MakeFreshTransport(
      [&host, config] {
        return kube::MakeHttpTransport(
            config(), {.server_override = {}, .read_file = [&host](const std::string& file) {
                         return host.files.Find(file);
                       }});
      },
      host.clock);
}

}  // namespace slipway_operator
