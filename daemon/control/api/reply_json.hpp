// Complete answers of the control API.
#pragma once

#include "control/api/call.hpp"
#include "control/model/operations.hpp"

#include <string>
#include <string_view>

namespace shelfd::control {

Reply json_reply(std::string text);
Reply error_reply(const Error& error);
Reply text_reply(std::string text);
// `query`: see MetricsScope.
Reply metrics_reply(const Status& status, const AlertReport& alerts, std::string_view query);

// A line of a progress stream, with the same members as the status: {"event": "progress", "library": …, "resource": …,
// "state": "queued" | "running" | "ended", …}
std::string to_json(const ProgressEvent& event);
// {"format_version": 1, …}; within a format version members are only added. Instants are RFC 3339 text, durations
// seconds, unknown values null.
std::string to_json(const Status& status);
// The last line of a stream: {"event": "done", "ok": …}.
std::string done_line(const Result<void>& outcome);
// {"event": "waiting", "for": [ … ], "text": …}: all that is missing, and the same for people.
std::string waiting_line(const std::vector<std::string>& missing, const std::string& text);
// {"event": "row", …}
std::string verified_line(const VerifiedRow& row);
// {"event": "list", …}
std::string probe_line(const ProbeEvent& event);
// Shows that a silent stream is alive: {"event": "alive"}.
std::string alive_line();

Reply report_reply(const ReloadReport& report);
Reply report_reply(const RemovalReport& report);
Reply report_reply(const ImportReport& report);
Reply report_reply(const SnapshotReport& report);
Reply report_reply(const RetypeReport& report);
Reply report_reply(const HeldReport& report);
Reply report_reply(const DecideReport& report);
Reply report_reply(const LoginPlace& place);
// A line of JSON about the answer, then its body as received.
Reply report_reply(const GetReport& report);
// Plain text, because a JSON serializer would leave copies of the secret.
Reply report_reply(Secret text);
Reply report_reply(RevealedToken token);
Reply report_reply(const AlertReport& report);
// {"until": …}, null when a silence has ended.
Reply report_reply(const SilenceReport& report);
Reply ok_reply();

}  // namespace shelfd::control
