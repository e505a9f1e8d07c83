#include "ctl/daemon/report.hpp"
#include "ctl/login/log_in.hpp"
#include "ctl/verb/verbs.hpp"

#include <boost/json/object.hpp>

namespace shelfd::ctl {

ExitCode run_auth_login(const Context& context)
{
    boost::json::object answer;
    const auto code = log_in(context, answer);
    return code == ExitCode::done ? print_report(context, answer) : code;
}

}  // namespace shelfd::ctl
