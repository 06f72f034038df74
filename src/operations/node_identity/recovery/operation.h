// SPDX-License-Identifier: Apache-2.0
// The recovery of a kubelet's credentials as an operation of the engine.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "engine/operation.h"
#include "node_identity/recovery/recover.h"

namespace kubelet_recovery {

inline constexpr std::string_view kOperation = "node-recover";  // engine::Operation::name

// The kind of recovery. kRestart completes an earlier run that was interrupted before it restarted
// the kubelet.
enum class Plan { kNothing, kRestart, kNewCertificate };

// Plans the recovery. With `force`, replaces a valid certificate, too, unless the interrupted run
// has already replaced it.
Plan PlanFor(const Found& found, bool force, const std::optional<engine::Journal>& interrupted);

// Returns the reason for kRestart or kNewCertificate, for a message.
std::string ReasonOf(const Found& found);

// Returns the planned actions as text, for a dry run.
std::string ToString(Plan plan, const Found& found, const std::optional<TokenSource>& source);

// Returns the operation. For kNothing it has no steps. For kNewCertificate the caller must set
// `credentials` before the steps run.
engine::Operation PlanOperation(Plan plan, const Found& found,
                                std::shared_ptr<const std::optional<NewCredentials>> credentials);

// Returns the journal that the plan resumes. Returns std::nullopt if the certificate of the
// interrupted run is lost or belongs to another node: then a new operation issues a certificate.
std::optional<engine::Journal> JournalFor(Plan plan, const Found& found,
                                          std::optional<engine::Journal> interrupted);

}  // namespace kubelet_recovery
