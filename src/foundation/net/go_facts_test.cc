// SPDX-License-Identifier: Apache-2.0
// Odd spellings, compared with Go's own parsers (testdata/*.tsv, written by testdata/facts).
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "base/strings.h"
#include "net/cidr.h"
#include "net/host_port.h"
#include "net/ip_address.h"
#include "net/url.h"

namespace net {
namespace {

using Row = std::vector<std::string>;

std::vector<Row> Table(const std::string& name) {
  std::ifstream file(std::string(TESTDATA_DIR) + "/" + name);
  std::vector<Row> rows;
  std::string line;
  std::getline(file, line);  // the names of the columns
  const std::size_t columns = base::Split(line, '\t').size();
  while (std::getline(file, line)) {
    rows.push_back(base::Split(line, '\t'));
    EXPECT_EQ(rows.back().size(), columns) << line;
  }
  return rows;
}

template <typename T>
std::string TextOr(const std::optional<T>& value) {
  return value ? value->Text() : "-";
}

std::string KindsOf(const IpAddress& address) {
  return std::string(address.IsIpv4() ? "4" : "") + (address.IsUnspecified() ? "u" : "") +
         (address.IsLoopback() ? "l" : "") + (address.IsMulticast() ? "m" : "") +
         (address.IsLinkLocalUnicast() ? "k" : "") + (address.IsPrivate() ? "p" : "") +
         (address.IsGlobalUnicast() ? "g" : "");
}

TEST(GoFacts, ParsesTheSameAddressesAsGo) {
  const std::vector<Row> rows = Table("addresses.tsv");
  EXPECT_GT(rows.size(), 400U);
  for (const Row& row : rows) {
    const auto sloppy = IpAddress::ParseSloppy(row[0]);
    EXPECT_EQ(TextOr(IpAddress::Parse(row[0])), row[1]) << row[0];
    EXPECT_EQ(TextOr(sloppy), row[2]) << row[0];
    EXPECT_EQ(sloppy ? KindsOf(*sloppy) : "", row[3]) << row[0];
  }
}

TEST(GoFacts, ParsesTheSameNetworksAsGo) {
  const std::vector<Row> rows = Table("cidrs.tsv");
  EXPECT_GT(rows.size(), 50U);
  for (const Row& row : rows) {
    EXPECT_EQ(TextOr(Cidr::Parse(row[0])), row[1]) << row[0];
    EXPECT_EQ(TextOr(Cidr::ParseSloppy(row[0])), row[2]) << row[0];
  }
}

TEST(GoFacts, ParsesTheSameHostsWithPortsAsGo) {
  const std::vector<Row> rows = Table("host_ports.tsv");
  EXPECT_GT(rows.size(), 300U);
  for (const Row& row : rows) {
    const auto read = HostPort::Parse(row[0]);
    EXPECT_EQ(read ? read->host : "-", row[1]) << row[0];
    EXPECT_EQ(read ? read->port : "", row[2]) << row[0];
    EXPECT_EQ(read ? read->Text() : "", row[3]) << row[0];
  }
}

TEST(GoFacts, ParsesTheSameUrlsAsGo) {
  const std::vector<Row> rows = Table("urls.tsv");
  EXPECT_GT(rows.size(), 400U);
  for (const Row& row : rows) {
    const auto url = Url::Parse(row[0]);
    ASSERT_EQ(url ? "ok" : "-", row[1]) << row[0] << (url ? "" : ": " + url.error());
    if (url) {
      EXPECT_EQ(url->scheme, row[2]) << row[0];
      EXPECT_EQ(url->user ? "user" : "", row[3]) << row[0];
      EXPECT_EQ(url->host, row[4]) << row[0];
      EXPECT_EQ(url->port, row[5]) << row[0];
      EXPECT_EQ(url->path, row[6]) << row[0];
    }
  }
}

}  // namespace
}  // namespace net
