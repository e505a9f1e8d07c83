// The operations of the control socket on a library's token set.
#pragma once

#include "app/library/library_unit.hpp"
#include "control/model/operations.hpp"

#include <string>

namespace shelfd::app {

// The unit must be in use until they end. For each, see the function of that name of control::Operations.
asio::awaitable<Result<control::ImportReport>> import_set(LibraryUnit& unit, control::ImportRequest request);
asio::awaitable<Result<control::LoginPlace>> login_place(LibraryUnit& unit, std::string);
asio::awaitable<Result<control::ImportReport>> redeem_code(LibraryUnit& unit, control::CodeRequest request);
asio::awaitable<Result<Secret>> move_out(LibraryUnit& unit, control::MoveOutRequest request);
asio::awaitable<Result<control::ImportReport>> move_in(LibraryUnit& unit, control::MoveInRequest request);
asio::awaitable<Result<void>> adopt(LibraryUnit& unit, control::LibraryRequest request);
asio::awaitable<Result<void>> forget(LibraryUnit& unit, control::LibraryRequest request);
asio::awaitable<Result<control::RevealedToken>> reveal_token(LibraryUnit& unit, control::LibraryRequest request);

}  // namespace shelfd::app
