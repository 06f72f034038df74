// SPDX-License-Identifier: Apache-2.0
#include "certs/replacement.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>

#include "base/error.h"
#include "base/strings.h"
#include "certs/alt_names.h"
#include "certs/create.h"

namespace certs {
namespace {

using pki::ExtendedKeyUsage;
using Texts = std::vector<std::string>;

std::string_view NameOf(ExtendedKeyUsage usage) {
  switch (usage) {
    case ExtendedKeyUsage::kServerAuth:
      return "serverAuth";
    case ExtendedKeyUsage::kClientAuth:
      return "clientAuth";
    case ExtendedKeyUsage::kCodeSigning:
      return "codeSigning";
    case ExtendedKeyUsage::kEmailProtection:
      return "emailProtection";
    case ExtendedKeyUsage::kTimeStamping:
      return "timeStamping";
    case ExtendedKeyUsage::kOcspSigning:
      return "OCSPSigning";
    case ExtendedKeyUsage::kAny:
      break;
  }
  return "anyExtendedKeyUsage";
}

Texts NamesOf(const std::vector<ExtendedKeyUsage>& usages) {
  Texts names;
  std::ranges::transform(usages, std::back_inserter(names),
                         [](ExtendedKeyUsage usage) { return std::string(NameOf(usage)); });
  return names;
}

Texts AllOf(const pki::SubjectAltNames& names) {
  Texts all = names.dns_names;
  std::ranges::copy(names.ip_addresses, std::back_inserter(all));
  return all;
}

// Returns the elements of `one` that `other` lacks.
Texts Minus(const Texts& one, const Texts& other) {
  Texts rest;
  std::ranges::copy_if(one, std::back_inserter(rest), [&](const std::string& text) {
    return !std::ranges::contains(other, text);
  });
  return rest;
}

std::string TextOf(const pki::Subject& subject) {
  Texts parts;
  for (const std::string& organization : subject.organizations) {
    parts.push_back("O=" + base::Quoted(organization));
  }
  parts.push_back("CN=" + base::Quoted(subject.common_name));
  return base::Join(parts, ", ");
}

// The relevant properties of the replaced certificate.
struct Old {
  pki::Subject subject;
  pki::SubjectAltNames alt_names;
  std::vector<ExtendedKeyUsage> usages;
  std::optional<pki::Certificate> certificate;  // not set: unreadable
  bool is_ours = false;                         // an authority of this cluster signed it
};

Old ReadOld(const std::vector<pki::Certificate>& chain,
            const std::vector<pki::Certificate>& authorities) {
  if (chain.empty()) {
    return {};
  }
  const pki::Certificate& leaf = chain.front();
  return {.subject = leaf.subject(),
          .alt_names = leaf.alt_names(),
          .usages = leaf.usages(),
          .certificate = leaf,
          .is_ours = !leaf.is_ca() &&
                     !pki::ChainProblem(leaf, authorities,
                                        {.intermediates = {chain.begin() + 1, chain.end()}})};
}

// Returns the configuration from which the new certificate gets its names. Returns null if no
// configuration is known, or if the names of the old certificate override the user's configuration
// file.
const config::Init* NodeFor(const Old& old, const RenewalContext& context) {
  if (context.node != nullptr || old.is_ours) {
    return context.node;
  }
  return context.given_node;
}

// The common name of a serving certificate is irrelevant, because clients check its alternative
// names. The common name of a client certificate determines the client's permissions.
std::string CommonNameFor(const Renewable& row, const Old& old, const RenewalContext& context) {
  const bool serves = row.spec != nullptr && row.spec->names != NameRule::kNone;
  if ((serves || row.user_may_differ) && old.is_ours && !old.subject.common_name.empty()) {
    return old.subject.common_name;
  }
  if (!row.common_name.empty()) {
    return std::string(row.common_name);
  }
  const config::Init* const node = NodeFor(old, context);
  std::string name = node != nullptr ? node->init.node_registration.name : old.subject.common_name;
  if (name.empty()) {
    throw base::Error(base::Error::Kind::kInvalid,
                      "the old certificate has no CommonName, and the configuration of this node "
                      "is not known");
  }
  return name;
}

pki::Subject SubjectFor(const Renewable& row, const Old& old, const RenewalContext& context) {
  pki::Subject subject{.common_name = CommonNameFor(row, old, context), .organizations = {}};
  if (old.is_ours && old.subject.common_name == subject.common_name) {
    subject.organizations = old.subject.organizations;
  } else if (row.spec != nullptr) {
    subject.organizations = OrganizationsOf(*row.spec, context.cluster);
  } else if (!row.organization.empty()) {
    subject.organizations.emplace_back(row.organization);
  }
  return subject;
}

// Adds to `names` those of `wanted` that the old certificate lacks.
pki::SubjectAltNames With(pki::SubjectAltNames names, const pki::SubjectAltNames& wanted,
                          const pki::Certificate& old) {
  const auto add = [&](const Texts& from, Texts& to) {
    std::ranges::copy_if(from, std::back_inserter(to),
                         [&](const std::string& name) { return !old.CoversName(name); });
  };
  add(wanted.dns_names, names.dns_names);
  add(wanted.ip_addresses, names.ip_addresses);
  return names;
}

// Throws base::Error(kInvalid) if another CA's certificate cannot belong to this row. All
// certificates of a row have one alternative name in common, in every configuration.
void RequireUsable(const Renewable& row, const Old& old) {
  const char* const common =
      row.spec->names == NameRule::kApiServer ? "kubernetes.default.svc" : "localhost";
  if (old.is_ours || (old.certificate && old.certificate->CoversName(common))) {
    return;
  }
  const std::string why =
      old.certificate
          ? fmt::format("no \"{}\" CA of this cluster signed the old one, which lacks the name {}",
                        row.ca, common)
          : "the old one cannot be read";
  throw base::Error(base::Error::Kind::kInvalid,
                    why +
                        ", and the configuration of this node, which would give the names, is not "
                        "known. Give the file of 'kubeadm init', with "
                        "localAPIEndpoint.advertiseAddress, by --config");
}

pki::SubjectAltNames NamesFor(const Renewable& row, const Old& old, const RenewalContext& context) {
  if (context.names) {
    return context.names(old.alt_names);
  }
  if (row.spec == nullptr || row.spec->names == NameRule::kNone) {
    return old.is_ours ? old.alt_names : pki::SubjectAltNames{};
  }
  const config::Init* const node = NodeFor(old, context);
  if (node == nullptr) {
    RequireUsable(row, old);
    return old.alt_names;
  }
  const pki::SubjectAltNames wanted = AltNamesOf(*row.spec, *node);
  return old.is_ours ? With(old.alt_names, wanted, *old.certificate) : wanted;
}

void AddChange(std::string_view what, std::string_view fate, const Texts& which, Texts& changes) {
  if (!which.empty()) {
    changes.push_back(fmt::format("{} {} {}", what, base::QuotedList(which), fate));
  }
}

enum class NameChanges { kTold, kOfTheCaller };

Texts ChangesOf(const Renewable& row, const Old& old, const Replacement& fresh, NameChanges names) {
  if (!old.certificate) {
    return {"the old one cannot be read"};
  }
  Texts changes;
  if (!old.is_ours) {
    changes.push_back(fmt::format("no \"{}\" CA of this cluster signed the old one", row.ca));
  }
  if (old.subject != fresh.subject) {
    changes.push_back(
        fmt::format("the subject {} becomes {}", TextOf(old.subject), TextOf(fresh.subject)));
  }
  const Texts had = NamesOf(old.usages);
  const Texts has = NamesOf(fresh.usages);
  AddChange("usages", "are added", Minus(has, had), changes);
  AddChange("usages", "are dropped", Minus(had, has), changes);
  if (names == NameChanges::kOfTheCaller) {
    return changes;
  }
  const Texts old_names = AllOf(old.alt_names);
  const Texts new_names = AllOf(fresh.alt_names);
  AddChange("names", "are added", Minus(new_names, old_names), changes);
  AddChange("names", "are dropped", Minus(old_names, new_names), changes);
  return changes;
}

}  // namespace

Replacement PlanReplacement(const Renewable& row, const std::vector<pki::Certificate>& chain,
                            const std::vector<pki::Certificate>& authorities,
                            const RenewalContext& context) {
  const Old old = ReadOld(chain, authorities);
  Replacement fresh{.subject = SubjectFor(row, old, context),
                    .alt_names = Sorted(NamesFor(row, old, context)),
                    .usages = {ExtendedKeyUsage::kClientAuth},
                    .changes = {}};
  if (row.spec != nullptr) {
    fresh.usages = {row.spec->usages.begin(), row.spec->usages.end()};
  }
  fresh.changes =
      ChangesOf(row, old, fresh, context.names ? NameChanges::kOfTheCaller : NameChanges::kTold);
  if (!old.is_ours && NodeFor(old, context) == nullptr && !context.names) {
    AddChange("names", "stay, since the configuration of this node is not known",
              AllOf(fresh.alt_names), fresh.changes);
  }
  return fresh;
}

}  // namespace certs
