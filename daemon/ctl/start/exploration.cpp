#include "ctl/start/exploration.hpp"

#include "config/secrets/program_output.hpp"
#include "config/tree/toml_text.hpp"
#include "ctl/daemon/client.hpp"
#include "ctl/daemon/json_reader.hpp"
#include "storage/filesystem.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <sys/stat.h>
#include <unistd.h>

namespace shelfd::ctl {
namespace {

namespace json = boost::json;

// Never requested, because the library is paused: a library needs a list.
constexpr auto no_list = "/";

}  // namespace

Error in_typed_words(const Error& error)
{
    constexpr std::string_view unseen = "[resource.exploring]";
    const auto at = error.text().find(unseen);
    return at == std::string::npos
               ? error
               : Error(error.kind(), std::string(error.text()).replace(at, unseen.size(), "--path"));
}

Result<void> Exploration::write()
{
    using config::quote;
    const auto identity = options_.is_identity
                              ? fmt::format("identity = {{ path = {}, field = \"id\" }}\n", quote(options_.canary_path))
                              : std::string();
    const auto list = options_.is_identity || options_.canary_path.empty() ? no_list : options_.canary_path;
    const auto text =
        fmt::format("[service]\n"
                    "base_url = {}\n"
                    "{}"
                    "[storage]\n"
                    "mirrors = {}\n"
                    "tokens = {}\n"
                    "allow_unsafe = {}\n"
                    "[control]\n"
                    "socket = {}\n"
                    "[library.{}]\n"
                    "{}"
                    "paused = true\n"
                    "[resource.exploring]\n"
                    "path = {}\n"
                    "every = \"1d\"\n",
                    quote(options_.base_url), identity, quote(options_.directory + "/mirrors"), quote(options_.tokens),
                    options_.allow_unsafe, quote(socket()), options_.library, options_.application, quote(list));
    SHELFD_TRY(storage::replace_file(config_file(), text, {.mode = 0600}));
    if (options_.user && ::chown(config_file().c_str(), options_.user->uid, options_.user->gid) != 0) {
        return Error(ErrorKind::permission,
                     fmt::format("cannot change the owner of {}: {}", config_file(), std::strerror(errno)));
    }
    return {};
}

Result<void> Exploration::start(const Environment& environment)
{
    const auto mirrors = options_.directory + "/mirrors";
    const bool is_made = ::mkdir(mirrors.c_str(), 0700) == 0 || errno == EEXIST;
    if (!is_made || (options_.user && ::chown(mirrors.c_str(), options_.user->uid, options_.user->gid) != 0)) {
        return Error(ErrorKind::storage, fmt::format("cannot create {}: {}", mirrors, std::strerror(errno)));
    }
    SHELFD_TRY(write());
    SHELFD_TRY_ASSIGN(program, find_daemon_program(environment));
    SHELFD_TRY_ASSIGN(child, ChildDaemon::start({program, config_file(), log_file(), options_.user}, environment));
    child_ = std::move(child);
    return child_->await_ready(socket());
}

std::optional<SetStanding> Exploration::set_standing() const
{
    const auto answer = DaemonClient(socket()).get("/v1/status");
    boost::system::error_code broken;
    const auto status = json::parse(answer ? answer->body : "", broken);
    const auto* report = broken ? nullptr : status.if_object();
    const auto* libraries = report == nullptr ? nullptr : JsonReader(*report).array("libraries");
    const auto* library = libraries == nullptr || libraries->empty() ? nullptr : libraries->front().if_object();
    const auto* token = library == nullptr ? nullptr : JsonReader(*library).object("token");
    if (token == nullptr) {
        return std::nullopt;
    }
    const JsonReader in(*token);
    const auto state = parse_token_state(in.text("state"));
    return state ? std::optional(SetStanding{*state, in.flag("needs_person"), in.text("reason"), in.text("do_this")})
                 : std::nullopt;
}

Result<bool> has_token_set(const std::string& config_file, const std::string& library, const Environment& environment)
{
    constexpr std::size_t max_answer = 64u << 10;
    SHELFD_TRY_ASSIGN(program, find_daemon_program(environment));
    std::string text;
    text.reserve(max_answer + 1);
    SHELFD_TRY(config::read_program_output({program, "--config", config_file, "--check-state", "--json"},
                                           std::chrono::seconds(30), max_answer, text));
    boost::system::error_code broken;
    const auto answer = json::parse(text, broken);
    const auto* report = broken ? nullptr : answer.if_object();
    const auto* files = report == nullptr ? nullptr : JsonReader(*report).array("files");
    if (files == nullptr) {
        return Error(ErrorKind::protocol, program + " --check-state does not print what it should");
    }
    return std::any_of(files->begin(), files->end(), [&](const json::value& file) {
        const auto* object = file.if_object();
        return object != nullptr && JsonReader(*object).text("library") == library &&
               JsonReader(*object).count("generation") > 0;
    });
}

Result<void> Exploration::use_canary(const std::string& path)
{
    options_.canary_path = path;
    options_.is_identity = false;
    SHELFD_TRY(write());
    return post("/v1/reload", Secret());
}

Result<void> Exploration::forget_canary()
{
    if (!options_.is_identity) {
        options_.canary_path.clear();
        SHELFD_TRY(write());
        return post("/v1/reload", Secret());
    }
    return {};
}

Result<void> Exploration::post(const std::string& path, Secret body)
{
    const auto answer = DaemonClient(socket()).post(path, std::move(body));
    return answer ? answer->check() : Result<void>(answer.error());
}

}  // namespace shelfd::ctl
