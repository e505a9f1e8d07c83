// Turns HTTP requests into request values: which members each body may have, and which belong together.
#pragma once

#include "base/result.hpp"
#include "control/api/call.hpp"
#include "control/api/wait.hpp"
#include "control/model/operations.hpp"

#include <string>

namespace shelfd::control {

// Pure. Does not check whether names exist. Errors: usage. Secrets are moved out of the call; no parser that leaves
// copies of them sees them.
Result<std::string> read_library(Call& call);  // only the member "library"
Result<LibraryRequest> read_library_request(Call& call);
Result<SyncRequest> read_sync(Call& call);
Result<WaitRequest> read_wait(Call& call);
Result<ReloadRequest> read_reload(const Call& call);
Result<RemovalRequest> read_removal(Call& call);
Result<RetypeRequest> read_retype(Call& call);
Result<HeldRequest> read_held(Call& call);
Result<DecideRequest> read_decide(Call& call);
Result<AcknowledgeRequest> read_acknowledge(Call& call);
Result<AcknowledgeRequest> read_forget_consumer(Call& call);
Result<ImportRequest> read_import(Call& call);
Result<CodeRequest> read_code(Call& call);
Result<MoveOutRequest> read_move_out(Call& call);
Result<MoveInRequest> read_move_in(Call& call);
Result<GetRequest> read_get(Call& call);
Result<VerifyRequest> read_verify(Call& call);
Result<ProbeRequest> read_probe(Call& call);
Result<HookRequest> read_hook(Call& call);
Result<SilenceRequest> read_silence(Call& call);

std::string verb_of(std::string_view path);  // "auth import" for "/v1/auth/import"

// What a request asks for: `verb` of the call, or "library pause" for a reload of that command; and the library that it
// names, "" = none, or no name. Reads no body that may hold a secret.
struct NamedAct {
    std::string verb;
    std::string library;
};
NamedAct name_act(const Call& call);

// Writes into a request who sent it, where it has a member for that: no request says so itself.
template <typename Request>
void sign(Request& request, const Call& call)
{
    if constexpr (requires { request.asked_by; }) {
        request.asked_by = call.user;
    }
    if constexpr (requires { request.actor; }) {
        request.actor = {call.user, call.verb};
    }
    if constexpr (requires { request.by_admin; }) {
        request.by_admin = call.by_admin;
    }
}

}  // namespace shelfd::control
