#include "ctl/context/ending_signals.hpp"
#include "ctl/daemon/report.hpp"
#include "ctl/login/import_set.hpp"
#include "ctl/login/log_in.hpp"
#include "ctl/verb/verbs.hpp"

#include <boost/json/object.hpp>

namespace shelfd::ctl {

ExitCode run_auth_login(const Context& context)
{
    const EndingSignals caught;  // a code that is on its way is redeemed, or refused, in any case
    boost::json::object answer;
    const auto code = log_in(context, answer);
    if (code != ExitCode::done && was_interrupted()) {
        tell_of_kept_set(context, "login");
    }
    return code == ExitCode::done ? print_report(context, answer) : code;
}

}  // namespace shelfd::ctl
