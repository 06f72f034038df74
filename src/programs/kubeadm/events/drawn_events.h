// Events of a run as a drawing.
#pragma once

#include <span>
#include <string>

#include "workflow/event.h"

namespace kubeadm {

enum class Form { kSvg, kHtml };

// DrawingForm goes by the file's name. Throws base::Error(kUsage) unless it ends in .svg or .html.
Form DrawingForm(const std::string& path);

// DrawEvents draws the last run among the events.
std::string DrawEvents(std::span<const workflow::Event> events, Form form);

}  // namespace kubeadm
