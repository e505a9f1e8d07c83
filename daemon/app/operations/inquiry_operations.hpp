// Requests of a person to a library's service through the control socket.
#pragma once

#include "app/library/library_unit.hpp"
#include "config/model/model.hpp"
#include "control/model/operations.hpp"

namespace shelfd::app {

// The unit must be in use until they end. They end early, with its stopped_error, when the unit is stopped.
asio::awaitable<Result<control::GetReport>> get(LibraryUnit& unit, control::GetRequest request);
asio::awaitable<Result<void>> verify(LibraryUnit& unit, control::VerifyRequest request, control::VerifySink sink);
// `names` are those of the whole configuration: no list gets one of them.
asio::awaitable<Result<void>> probe(LibraryUnit& unit, control::ProbeRequest request, control::ProbeSink sink,
                                    config::ResourceNames names);

}  // namespace shelfd::app
