#include "ctl/daemon/answer.hpp"

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

namespace shelfd::ctl {

namespace json = boost::json;

ExitCode ask_to_act(const Context& context, const std::string& path, const json::object& body, json::object& answer)
{
    return read_answer(context, client_of(context).post(path, Secret(json::serialize(body))), answer);
}

ExitCode read_answer(const Context& context, const Result<DaemonClient::Answer>& said, json::object& answer)
{
    if (!said) {
        return fail_without_daemon(context, said.error());
    }
    boost::system::error_code broken;
    auto document = json::parse(said->body, broken);
    if (const auto checked = said->check(); !checked) {
        answer = broken || !document.is_object() ? json::object() : std::move(document.get_object());
        return fail(context, checked.error());
    }
    if (broken || !document.is_object()) {
        return fail(context, Error(ErrorKind::protocol,
                                   "the answer does not come from shelfd; which program uses that socket?"));
    }
    answer = std::move(document.get_object());
    return ExitCode::done;
}

}  // namespace shelfd::ctl
