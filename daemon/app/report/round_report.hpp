// What the rounds of a table have published, for the status.
#pragma once

#include "control/model/status.hpp"
#include "sync/worker/resource_report.hpp"

namespace shelfd::app {

control::PublishedStatus report_published(const sync::ResourceReport& report);

}  // namespace shelfd::app
