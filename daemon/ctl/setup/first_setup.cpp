#include "ctl/setup/first_setup.hpp"

#include "base/scope_exit.hpp"
#include "base/words/member_text.hpp"
#include "config/load.hpp"
#include "ctl/context/ending_signals.hpp"
#include "ctl/context/user_mode.hpp"
#include "ctl/daemon/json_reader.hpp"
#include "ctl/daemon/line_stream.hpp"
#include "ctl/library/configuration_lock.hpp"
#include "ctl/setup/questions.hpp"
#include "ctl/setup/workplace.hpp"
#include "ctl/start/identity_page.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace shelfd::ctl {
namespace {

namespace json = boost::json;
namespace fs = std::filesystem;

}  // namespace

FirstSetup::FirstSetup(const Context& context, InitPlan plan, InstallationPlaces places)
    : context_(context), plan_(std::move(plan)), places_(std::move(places))
{
}

ExitCode FirstSetup::run()
{
    const auto code = attempt();
    if (code != ExitCode::done && set_ == SetState::absent && written_.empty()) {
        made_.remove_empty();
    }
    return code;
}

ExitCode FirstSetup::attempt()
{
    plan_.application = choose_application(places_.config_file, context_.environment, plan_.client_id);
    const EndingSignals caught;  // what was imported is configured, and the private directory is removed, in any case
    if (plan_.way == TokenWay::later) {
        lists_ = unexplored_lists(plan_.paths, {});
    }
    const auto prepared = [this]() -> Result<void> {
        SHELFD_TRY(check_vacant(places_, paths()));
        SHELFD_TRY(check_files());
        Workplace::remove_left_over(places_);
        return made_.create(places_);
    }();
    if (!prepared) {
        return complain(prepared.error());
    }
    if (plan_.way != TokenWay::later) {
        const auto code = explore();
        if (code != ExitCode::done || was_interrupted()) {
            return give_up(code == ExitCode::done ? ExitCode::failed : code);
        }
    }
    if (const auto written = write_files(); !written) {
        return complain(written.error());
    }
    report();
    // Where systemd does not run, the first of the next steps starts the daemon.
    const bool may_be_enabled = starter_.is_service || !starter_.trouble.empty();
    if (places_.of_system && plan_.way != TokenWay::later && may_be_enabled) {
        const auto foreground = foreground_command(places_, context_.environment);
        if (const auto enabled = enable_service(starter_, places_.unit, foreground); !enabled) {
            return complain(enabled.error());
        }
    }
    if (!correction_.empty()) {
        return ExitCode::needs_person;
    }
    const bool lacks_one = !context_.command.inquiry.paths.empty() && !unreadable_.empty();
    return lacks_one ? ExitCode::failed : ExitCode::done;  // a person named it
}

// Also after an interruption, for what concerns the files.
ExitCode FirstSetup::complain(const Error& error) const
{
    context_.terminal.complain(error.text());
    return exit_code_of(error);
}

ExitCode FirstSetup::explore()
{
    const auto workplace = Workplace::create(places_);
    if (!workplace) {
        return fail(context_, workplace.error());
    }
    const auto secret_file = workplace->write_secret(plan_.client_secret);
    if (!secret_file) {
        return fail(context_, secret_file.error());
    }
    ExplorationOptions options;
    options.directory = workplace->path();
    options.tokens = places_.tokens;
    options.allow_unsafe = plan_.allow_unsafe;
    options.base_url = plan_.base_url;
    options.library = plan_.library;
    options.application = application_lines(plan_, *secret_file);
    options.canary_path = plan_.paths.empty() ? usual_identity_page : plan_.paths.front();
    options.is_identity = plan_.paths.empty();
    options.user = workplace->user();
    exploration_.emplace(std::move(options));
    std::error_code failed;
    const bool had_store = fs::exists(fs::symlink_status(store(), failed));
    taken_.may_be_here = had_store;
    const ScopeExit end([this, had_store] {
        exploration_->stop();
        if (!had_store && set_ == SetState::absent) {
            remove_store();
        }
    });
    steps_ =
        std::make_unique<StepContext>(context_, exploration_->config_file(), exploration_->socket(), plan_.library);
    steps_->say("starting shelfd, to import the token set and to find the lists");
    if (const auto started = exploration_->start(context_.environment); !started) {
        return fail(context_, started.error());
    }
    if (const auto code = get_token_set(context_, *steps_, *exploration_, plan_, taken_); code != ExitCode::done) {
        find_out_about_set(code);
        return code;
    }
    set_ = SetState::imported;
    if (const auto standing = exploration_->set_standing()) {
        correction_ = correction_of(*standing, plan_, places_);
    }
    const auto ready = [this]() -> Result<void> {
        SHELFD_TRY(find_identity());
        return exploration_->forget_canary();
    }();
    return ready ? find_lists() : fail(context_, ready.error());
}

// A set that was on its way when the daemon ended may have arrived: then what was pasted no longer works elsewhere. The
// set of a login may wait until somebody names a page that shows whose it is.
void FirstSetup::find_out_about_set(ExitCode code)
{
    const bool may_wait = plan_.way == TokenWay::login && (code == ExitCode::busy || code == ExitCode::storage);
    if (!taken_.may_be_here || (!was_interrupted() && code != ExitCode::no_daemon && !may_wait)) {
        return;
    }
    exploration_->stop();
    const auto found = exploration_->has_set(context_.environment);
    set_ = !found ? SetState::unknown : *found ? SetState::imported : SetState::absent;
}

// The journals without a set that the daemon made.
void FirstSetup::remove_store() const
{
    const auto found = exploration_->has_set(context_.environment);
    if (std::error_code failed; found && !*found) {
        fs::remove_all(store(), failed);
    }
}

Result<void> FirstSetup::find_identity()
{
    SHELFD_TRY_ASSIGN(found, find_identity_page(exploration_->socket(), plan_.library, usual_identity_page));
    if (found) {
        identity_ = std::move(found);
        const auto& page = *identity_;
        const auto name = page.name.empty() ? "" : fmt::format(" ({})", page.name);
        const bool is_said = plan_.paths.empty();  // the import asked that page
        steps_->say(fmt::format("{} names the library of a token{}{}", usual_identity_page,
                                page.user_field.empty() ? "" : ", and its user",
                                is_said ? "" : fmt::format("; this set belongs to library {}{}", page.id, name)));
        return {};
    }
    // With a set that was there, nobody has asked for that page yet.
    return plan_.paths.empty() ? exploration_->use_canary("") : Result<void>();
}

ExitCode FirstSetup::find_lists()
{
    FoundLists found(*steps_);
    const auto take = [&found](std::string_view event, const JsonReader& line) { found.take(event, line); };
    auto command = steps_->command();
    command.output = Output::text;
    json::object body{{"library", plan_.library}};
    const auto& given = context_.command.inquiry.paths;
    if (given.empty()) {
        body["extent"] = "thorough";
    } else {
        body["paths"] = json::array(given.begin(), given.end());
    }
    const auto code =
        run_stream(steps_->with(command), "/v1/probe", body, take, [](const Result<void>&) { return ExitCode::done; });
    if (code != ExitCode::done) {
        return code;
    }
    unreadable_ = found.unreadable();
    if (found.readable().empty()) {
        for (const auto& list : unreadable_) {
            context_.terminal.complain(list.sentence());
        }
        return fail(context_, Error(ErrorKind::refused, "no list was found that this token set may read"));
    }
    const auto pages = given.empty() ? found.pages() : pages_beside(given.front());
    proposed_ = identity_ ? "" : propose_identity(exploration_->socket(), plan_.library, pages);
    if (!proposed_.empty()) {
        steps_->say(identity_proposal(proposed_));
    }
    const auto wanted = given.empty() ? ask_for_lists(context_, found.paths()) : found.paths();
    if (!wanted) {
        return fail(context_, wanted.error());
    }
    const auto& readable = found.readable();
    std::copy_if(readable.begin(), readable.end(), std::back_inserter(lists_), [&](const FoundLists::Readable& list) {
        return std::find(wanted->begin(), wanted->end(), list.path) != wanted->end();
    });
    return ExitCode::done;
}

// The main file last: without it, no daemon starts.
std::vector<FirstSetup::File> FirstSetup::files() const
{
    std::vector<std::string> blocks;
    for (const auto& list : lists_) {
        blocks.push_back(list.block);
    }
    const auto paused = lists_.empty() ? Paused::yes : Paused::no;
    return {{places_.lists_file(), lists_file(blocks, unreadable_)},
            {places_.library_file(plan_.library), library_file(plan_, places_, paused, identity_ ? identity_->id : "")},
            {places_.config_file, main_file(plan_, places_, identity_, own_private_group(), proposed_)}};
}

std::vector<std::string> FirstSetup::paths() const
{
    std::vector<std::string> all = {places_.lists_file(), places_.library_file(plan_.library)};
    if (!plan_.application.is_there) {
        all.push_back(places_.secret_file(plan_.application.name));
    }
    return all;
}

// With what is in conf.d already. Nothing is written.
Result<void> FirstSetup::check_files() const
{
    config::Overlay texts;
    for (const auto& file : files()) {
        texts[file.path] = file.text;
    }
    const auto loaded = config::load(places_.config_file, context_.environment, config::KeepOrigins::no,
                                     config::Secrets::not_now, texts);
    return loaded.faults.empty() ? Result<void>()
                                 : Error(ErrorKind::config, fmt::format("{}; nothing was written: correct that, then "
                                                                        "run init again",
                                                                        config::to_text(loaded.faults.front())));
}

Result<void> FirstSetup::write_files()
{
    const auto lock = lock_configuration(context_, places_.config_file);
    if (!lock) {
        return lock.error();
    }
    SHELFD_TRY(check_vacant(places_, paths()));
    const auto secret = places_.secret_file(plan_.application.name);
    if (!plan_.application.is_there) {
        SHELFD_TRY(write_secret(places_, secret, plan_.client_secret));
    }
    for (const auto& file : files()) {
        SHELFD_TRY(write_config_file(places_, file.path, file.text));
        written_.insert(written_.begin(), file.path);
    }
    if (!plan_.application.is_there) {
        written_.push_back(secret);
    }
    const auto loaded = config::load(places_.config_file, context_.environment);
    if (!loaded.faults.empty()) {
        return Error(ErrorKind::config,
                     fmt::format("{}; correct it, then: {} config check", config::to_text(loaded.faults.front()),
                                 typed_ctl(context_, places_)));
    }
    const auto* library = loaded.configuration->find_library(plan_.library);
    written_identity_ = library == nullptr ? std::nullopt : library->service.identity;
    starter_ = prepare_start(places_, context_.environment);
    if (!starter_.written_unit.empty()) {
        written_.push_back(starter_.written_unit);
    }
    return {};
}

// The set that was pasted no longer works elsewhere, so what is needed to use it here is written.
ExitCode FirstSetup::give_up(ExitCode code)
{
    const auto* why = was_interrupted() ? "interrupted; " : "";
    if (set_ == SetState::absent) {
        context_.terminal.complain(was_interrupted() ? "interrupted; nothing was configured"
                                                     : "nothing was configured; correct that, then run init again");
        return code;
    }
    if (lists_.empty()) {
        lists_ = unexplored_lists(plan_.paths, unreadable_);
    }
    if (const auto written = write_files(); !written) {
        return complain(written.error());
    }
    if (!correction_.empty()) {
        context_.terminal.complain(correction_);
    }
    const auto ctl = typed_ctl(context_, places_);
    const auto then = lists_.empty() ? fmt::format("probe {0} PATH; replace [resource.first] in conf.d/lists.toml by "
                                                   "what it prints, then: {1} library resume {0}",
                                                   plan_.library, ctl)
                                     : "wait " + plan_.library;
    const auto about_set =
        set_ == SetState::imported
            ? std::string("the token set is imported")
            : fmt::format("whether the token set was imported is not known ({} auth status {})", ctl, plan_.library);
    context_.terminal.complain(fmt::format(
        "{}{}, and {} is configured in {}{}; to continue: {}, then: {} {}", why, about_set, plan_.library,
        places_.directory(), lists_.empty() ? ", but paused and without lists" : "", starter_.command(), ctl, then));
    return code;
}

void FirstSetup::report() const
{
    const bool is_started = places_.of_system && plan_.way != TokenWay::later && starter_.is_service;
    const auto found = plan_.way == TokenWay::later
                           ? has_token_set(places_.config_file, plan_.library, context_.environment)
                           : Result<bool>(true);
    auto next = next_steps(typed_ctl(context_, places_), plan_, starter_, is_started, found.value_or(false));
    if (is_started && !correction_.empty()) {
        next.insert(next.begin(), typed_ctl(context_, places_) + " reload");
    }
    if (!starter_.trouble.empty() && !places_.of_system) {
        context_.terminal.complain(starter_.trouble);
    }
    print_setup(context_, {plan_.library, identity_ ? identity_->id : "", places_.directory(), written_, lists_,
                           unreadable_, written_identity_, taken_.sealed, correction_, next});
}

}  // namespace shelfd::ctl
