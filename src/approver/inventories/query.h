// SPDX-License-Identifier: Apache-2.0
// Queries that ask an HTTPS endpoint or a program for its list of hosts, or a program for the host
// of a signed document.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "host/host.h"
#include "inventories/answer.h"
#include "inventories/options.h"
#include "judgement/facts.h"

namespace inventories {

// Returns the present answer. Throws base::Error: kTimeout at the time limit, kInvalid for a
// malformed answer, and other kinds for other failures. Throws base::Interrupted on a stop request.
// Thread-safe.
using Query = std::function<Answer(const std::stop_token& stop)>;

// Returns a query that sends GET to the endpoint. It reads the files of the CA and of the
// credentials each time, because a mounted Secret changes. It does not follow redirects, and every
// status except 200 is an error. The answer may be cached for the max-age of Cache-Control minus
// its Age (RFC 9111 §5.2.2). Without max-age, or with no-store or no-cache, the answer is not
// cached. `host` must outlive the query.
Query HttpQuery(host::Host& host, HttpInventory endpoint, std::chrono::milliseconds timeout);

// Returns a query that runs argv without a shell. The program gets {"apiVersion": …, "kind":
// "InventoryQuery"} on its standard input; its standard output is the answer. Every exit status
// except 0 is an error, which quotes the first line of the program's standard error. The program's
// whole process group is killed when the program ends, at the time limit, or when the output
// exceeds kLargestAnswer. `host` must outlive the query.
Query ExecQuery(host::Host& host, std::vector<std::string> argv, std::chrono::milliseconds timeout);

// Returns the machine to which a signed document belongs: its node's name, addresses and creation
// time. Throws base::Error: kForbidden if the document is refused, and otherwise like Query.
// Thread-safe.
using DocumentQuery =
    std::function<judgement::Machine(const std::string& document, const std::stop_token& stop)>;

// Returns a query that runs argv like ExecQuery, with {"apiVersion": …, "kind": "DocumentQuery",
// "document": …} on its standard input. The answer must have exactly one item. An exit status of
// kRefusedStatus means that the program refuses the document; the first line of its standard error
// is the reason. `host` must outlive the query.
DocumentQuery ExecDocumentQuery(host::Host& host, std::vector<std::string> argv,
                                std::chrono::milliseconds timeout);

// Returns the queries that the options configure, each with the source of its entries.
std::vector<std::pair<judgement::Source, Query>> QueriesOf(host::Host& host,
                                                           const InventoryOptions& options);

// Returns how long an HTTP answer with these headers may be cached; at most kLongestAge.
std::chrono::seconds CacheTime(const std::map<std::string, std::string>& headers);

}  // namespace inventories
