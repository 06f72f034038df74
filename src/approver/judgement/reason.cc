// SPDX-License-Identifier: Apache-2.0
#include "judgement/reason.h"

#include "base/rows.h"

namespace judgement {
namespace {

struct ReasonRow {
  Reason reason;
  std::string_view name;
};

constexpr ReasonRow kReasons[] = {
    {Reason::kNone, ""},
    {Reason::kClientEmptyNodeName, "client-empty-node-name"},
    {Reason::kClientNodeLookupFailed, "client-node-lookup-failed"},
    {Reason::kClientNodeExists, "client-node-exists"},
    {Reason::kClientMachineHasNoderef, "client-machine-has-noderef"},
    {Reason::kClientOutsideTimeWindow, "client-outside-time-window"},
    {Reason::kClientMachineBeingDeleted, "client-machine-being-deleted"},
    {Reason::kClientNotBootstrapper, "client-not-bootstrapper"},
    {Reason::kClientEntryUsed, "client-entry-used"},
    {Reason::kClientTokenOfAnotherNode, "client-token-of-another-node"},
    {Reason::kClientTokenNotBound, "client-token-not-bound"},
    {Reason::kClientEndorsementKey, "client-endorsement-key"},
    {Reason::kNodeWithdrawn, "node-withdrawn"},
    {Reason::kClientSuperseded, "client-superseded"},
    {Reason::kClientFlowDisabled, "client-flow-disabled"},
    {Reason::kClientNoMachineWithInternalDns, "client-no-machine-with-internal-dns"},
    {Reason::kMachineListFailed, "machine-list-failed"},
    {Reason::kRequestTooLarge, "request-too-large"},
    {Reason::kBadPem, "bad-pem"},
    {Reason::kParseError, "parse-error"},
    {Reason::kSignerMismatch, "signer-mismatch"},
    {Reason::kCommonNameNotSingle, "common-name-not-single"},
    {Reason::kOrganizationNotExact, "organization-not-exact"},
    {Reason::kUsagesNotExact, "usages-not-exact"},
    {Reason::kKeyTooWeak, "key-too-weak"},
    {Reason::kSignatureInvalid, "signature-invalid"},
    {Reason::kInvalidCall, "invalid-call"},
    {Reason::kServingNotANodeUser, "serving-not-a-node-user"},
    {Reason::kServingTooFewGroups, "serving-too-few-groups"},
    {Reason::kServingGroupMissing, "serving-group-missing"},
    {Reason::kServingUsageCount, "serving-usage-count"},
    {Reason::kServingUsageMissing, "serving-usage-missing"},
    {Reason::kServingCnMismatch, "serving-cn-mismatch"},
    {Reason::kServingOrgMissing, "serving-org-missing"},
    {Reason::kServingNoSan, "serving-no-san"},
    {Reason::kServingSanKind, "serving-san-kind"},
    {Reason::kServingNameForbidden, "serving-name-forbidden"},
    {Reason::kServingEgressLookupFailed, "serving-egress-lookup-failed"},
    {Reason::kCertificateInFlight, "certificate-in-flight"},
    {Reason::kAlreadyApproved, "already-approved"},
    {Reason::kAlreadyDenied, "already-denied"},
    {Reason::kAlreadyFailed, "already-failed"},
    {Reason::kServingNameNotOwn, "serving-name-not-own"},
    {Reason::kServingNameReserved, "serving-name-reserved"},
    {Reason::kServingNameTaken, "serving-name-taken"},
    {Reason::kServingAddressNotAllowed, "serving-address-not-allowed"},
    {Reason::kServingTooManyAddresses, "serving-too-many-addresses"},
    {Reason::kServingAddressChanged, "serving-address-changed"},
    {Reason::kServingClusterUnknown, "serving-cluster-unknown"},
    {Reason::kVersionNotZero, "version-not-zero"},
    {Reason::kSubjectAttributeUnknown, "subject-attribute-unknown"},
    {Reason::kCaRequested, "ca-requested"},
    {Reason::kExtensionUnknown, "extension-unknown"},
    {Reason::kRequestAttributeUnknown, "request-attribute-unknown"},
    {Reason::kDigestTooWeak, "digest-too-weak"},
    {Reason::kNameEmpty, "name-empty"},
    {Reason::kNameNotCanonical, "name-not-canonical"},
    {Reason::kClientOk, "client-ok"},
    {Reason::kServingRenewalOk, "serving-renewal-ok"},
    {Reason::kServingNodeOk, "serving-node-ok"},
    {Reason::kServingMachineOk, "serving-machine-ok"},
    {Reason::kServingRenewalEgressOk, "serving-renewal-egress-ok"},
    {Reason::kServingMachineEgressOk, "serving-machine-egress-ok"},
    {Reason::kServingExhausted, "serving-exhausted"},
    {Reason::kTooManyPending, "too-many-pending"},
    {Reason::kApprovalFailed, "approval-failed"},
};

}  // namespace

std::string_view NameOf(Reason reason) {
  return base::RowOf(kReasons, reason, &ReasonRow::reason).name;
}

}  // namespace judgement
