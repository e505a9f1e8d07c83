// Carries out a rename before a library is opened: takes over what is kept under its former name. A library that was
// forgotten is not opened.
#pragma once

#include "app/services/daemon_services.hpp"
#include "base/result.hpp"
#include "config/model/model.hpp"

#include <boost/asio/awaitable.hpp>

namespace shelfd::app {

namespace asio = boost::asio;

// Whether the renames in this configuration can be carried out; changes nothing. Error usage: one cannot.
asio::awaitable<Result<void>> check_takeovers(DaemonServices& services, const config::Libraries& libraries);

// Whether that is the former name of one of them.
bool is_former_name(const config::Libraries& libraries, const std::string& name);

// Whether something may be kept under its former name that is not its own yet. Reads one small file.
bool awaits_takeover(const DaemonServices& services, const config::Library& library);

// Carries out the rename of that library, if there is one and it is not done. Errors: see carry_out_rename; and usage
// for a library that was forgotten but is still configured, see check_removal, too. Neither name may run.
asio::awaitable<Result<void>> take_over_kept(DaemonServices& services, const config::Library& library);

// Why a library that was forgotten does not run.
std::string forgotten_text(const config::Library& library);

}  // namespace shelfd::app
