// SPDX-License-Identifier: Apache-2.0
// The reasons of verdicts.
#pragma once

#include <string_view>

namespace judgement {

// The reason of a decision. It is a reason of upstream (reference: approver.md §7), or of one of
// our stricter rules.
enum class Reason {
  kNone,
  kClientEmptyNodeName,
  kClientNodeLookupFailed,
  kClientNodeExists,
  kClientMachineHasNoderef,
  kClientOutsideTimeWindow,
  kClientMachineBeingDeleted,
  kClientNotBootstrapper,
  kClientEntryUsed,
  kClientTokenOfAnotherNode,
  kClientTokenNotBound,
  kClientEndorsementKey,
  kNodeWithdrawn,
  kClientSuperseded,
  kClientFlowDisabled,
  kClientNoMachineWithInternalDns,
  kMachineListFailed,
  kRequestTooLarge,
  kBadPem,
  kParseError,
  kSignerMismatch,
  kCommonNameNotSingle,
  kOrganizationNotExact,
  kUsagesNotExact,
  kKeyTooWeak,
  kSignatureInvalid,
  kInvalidCall,
  kServingNotANodeUser,
  kServingTooFewGroups,
  kServingGroupMissing,
  kServingUsageCount,
  kServingUsageMissing,
  kServingCnMismatch,
  kServingOrgMissing,
  kServingNoSan,
  kServingSanKind,
  kServingNameForbidden,
  kServingEgressLookupFailed,
  kCertificateInFlight,
  kAlreadyApproved,
  kAlreadyDenied,
  kAlreadyFailed,
  kServingNameNotOwn,
  kServingNameReserved,
  kServingNameTaken,
  kServingAddressNotAllowed,
  kServingTooManyAddresses,
  kServingAddressChanged,
  kServingClusterUnknown,
  kVersionNotZero,
  kSubjectAttributeUnknown,
  kCaRequested,
  kExtensionUnknown,
  kRequestAttributeUnknown,
  kDigestTooWeak,
  kNameEmpty,
  kNameNotCanonical,
  kClientOk,
  kServingRenewalOk,
  kServingNodeOk,
  kServingMachineOk,
  kServingRenewalEgressOk,
  kServingMachineEgressOk,
  kServingExhausted,
  kTooManyPending,
  kApprovalFailed,
};

// Returns the name in metrics, Events, logs, `explain` and `judge`: "client-ok"; "" for kNone.
std::string_view NameOf(Reason reason);

}  // namespace judgement
