// From an HTTP request to a request value: which members each body may have, and what must go together.
#pragma once

#include "base/result.hpp"
#include "control/api/call.hpp"
#include "control/api/wait.hpp"
#include "control/model/operations.hpp"

#include <string>

namespace shelfd::control {

// Pure. Names are not compared with what there is. Errors: usage. What is secret passes through no parser that leaves
// copies: it is moved out of the call.
Result<std::string> read_library(Call& call);  // {"library": …} and nothing else
Result<SyncRequest> read_sync(Call& call);
Result<WaitRequest> read_wait(Call& call);
Result<RetypeRequest> read_retype(Call& call);
Result<HeldRequest> read_held(Call& call);
Result<DecideRequest> read_decide(Call& call);
Result<ImportRequest> read_import(Call& call);
Result<CodeRequest> read_code(Call& call);
Result<MoveOutRequest> read_move_out(Call& call);
Result<MoveInRequest> read_move_in(Call& call);
Result<GetRequest> read_get(Call& call);
Result<VerifyRequest> read_verify(Call& call);
Result<ProbeRequest> read_probe(Call& call);
Result<HookRequest> read_hook(Call& call);
Result<SilenceRequest> read_silence(Call& call);

}  // namespace shelfd::control
