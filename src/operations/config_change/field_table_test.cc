// SPDX-License-Identifier: Apache-2.0
#include "config_change/field_table.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "config/types.h"

namespace config_change {
namespace {

TEST(FieldTable, HasEveryFieldOfAClusterConfiguration) {
  for (const json::Field& field : config::ClusterConfiguration::Fields()) {
    const std::string name(field.name);
    if (name == "etcd" || name == "networking") {
      continue;  // the table has rows for their members
    }
    EXPECT_NO_THROW(RowFor("ClusterConfiguration", name)) << name;
  }
  for (const json::Field& field : config::Networking::Fields()) {
    EXPECT_NO_THROW(RowFor("ClusterConfiguration", "networking." + std::string(field.name)));
  }
  for (const json::Field& field : config::LocalEtcd::Fields()) {
    EXPECT_EQ(RowFor("ClusterConfiguration", "etcd.local." + std::string(field.name)).path,
              "etcd.local." + std::string(field.name));
  }
}

TEST(FieldTable, FindsTheLongestPath) {
  EXPECT_EQ(RowFor("ClusterConfiguration", "apiServer.certSANs[0]").certificate, "apiserver");
  EXPECT_EQ(RowFor("ClusterConfiguration", "apiServer.extraArgs[2].value").impact,
            Impact::kRestart);
  EXPECT_EQ(RowFor("ClusterConfiguration", "dns.imageTag").impact, Impact::kLive);
  EXPECT_EQ(RowFor("KubeletConfiguration", "maxPods").impact, Impact::kRestart);
  EXPECT_THROW(RowFor("ClusterConfiguration", "schedulers"), std::logic_error);
}

// Each row of the table must be in the table of the manual.
TEST(FieldTable, IsInTheManual) {
  std::ifstream file(PROJECT_DIR "/docs/config-apply.md");
  std::stringstream text;
  text << file.rdbuf();
  for (const FieldRow& row : FieldTable()) {
    const std::string name =
        row.path.empty() ? fmt::format("`{}`", row.kind) : fmt::format("`{}`", row.path);
    const std::string line = fmt::format("| {} | {} | {} |", name, Name(row.impact), row.why);
    EXPECT_NE(text.str().find(line), std::string::npos) << line;
  }
}

}  // namespace
}  // namespace config_change
