#include "app/upgrade/state_check.hpp"

#include "app/upgrade/schema_look.hpp"
#include "base/version.hpp"
#include "base/words/safe_text.hpp"
#include "oauth/journal/journal_look.hpp"
#include "oauth/journal/record.hpp"
#include "storage/posix_journal_file.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace shelfd::app {
namespace {

using mirror::SchemaFound;

struct Judgement {
    Outlook outlook;
    std::string text;
};

Judgement judge_error(const Error& error)
{
    return {error.kind() == ErrorKind::permission ? Outlook::forbidden : Outlook::unreadable, error.text()};
}

Judgement judge_ours(const SchemaLook& look)
{
    if (look.version < own_mirror_schema) {
        return {Outlook::changed, fmt::format("has version {0}: the daemon upgrades it to {1} when it opens it; a "
                                              "shelfd that writes version {0} can still use it",
                                              to_text(look.version), to_text(own_mirror_schema))};
    }
    if (look.version > own_mirror_schema) {
        return {Outlook::as_it_is,
                fmt::format("has version {}, of a later shelfd: used as it is, and what that version added is kept",
                            to_text(look.version))};
    }
    return {Outlook::as_it_is, fmt::format("has version {}: used as it is", to_text(look.version))};
}

Judgement judge(const SchemaLook& look)
{
    switch (look.found) {
    case SchemaFound::none: break;
    case SchemaFound::ours: return judge_ours(look);
    case SchemaFound::newer:
        return {
            Outlook::refused,
            fmt::format("has version {}, which needs a shelfd that knows {} or later: it is left unchanged, and its "
                        "library is not synced; install that version again",
                        to_text(look.version),
                        look.version.major > own_mirror_schema.major ? to_text(MirrorSchema{look.version.major, 0})
                                                                     : look.min_reader)};
    case SchemaFound::foreign: return {Outlook::refused, "is a database but not a mirror: move it away"};
    }
    return {Outlook::created, "is empty: it is created, and filled by the first passes"};
}

Judgement judge(const oauth::JournalLook& look)
{
    if (look.later_records > 0) {
        return {
            Outlook::refused,
            fmt::format("has records of format {}: it is left unchanged, and no refresh is sent; install the version "
                        "of shelfd that wrote them again",
                        look.format)};
    }
    if (look.records == 0 && look.unreadable > 0) {
        return {Outlook::unreadable, "has no record that can be read"};
    }
    const auto damage = look.unreadable == 0 ? "" : fmt::format("; {} of its slots cannot be read", look.unreadable);
    const auto set = look.generation == 0 ? "no token set" : fmt::format("generation {}", look.generation);
    return {Outlook::as_it_is, fmt::format("has format {}, {}: used as it is{}",
                                           look.records == 0 ? oauth::format_version : look.format, set, damage)};
}

StateOfFile look_at_mirror(const std::string& library, const std::string& path)
{
    StateOfFile state;
    state.library = library;
    state.kind = "mirror";
    state.path = path;
    const auto look = look_at_schema(path);
    Judgement found{Outlook::created, "is not there yet: it is created, and filled by the first passes"};
    if (look) {
        found = judge(*look);
        state.version = look->version.major == 0 ? "" : to_text(look->version);
    } else if (look.error().kind() != ErrorKind::not_found) {
        found = judge_error(look.error());
    }
    state.outlook = found.outlook;
    state.text = std::move(found.text);
    return state;
}

StateOfFile look_at_copy(const std::string& library, const std::string& kind, const std::string& directory)
{
    StateOfFile state;
    state.library = library;
    state.kind = kind;
    state.path = storage::journal_path(directory + "/" + library, kind.c_str());
    const auto look = oauth::look_at_journal(state.path);
    Judgement found{Outlook::created, "is not there yet: it is created at the first start"};
    if (look) {
        found = judge(*look);
        state.version = look->format == 0 ? "" : std::to_string(look->format);
        state.generation = look->generation;
    } else if (look.error().kind() != ErrorKind::not_found) {
        found = judge_error(look.error());
    }
    state.outlook = found.outlook;
    state.text = std::move(found.text);
    return state;
}

}  // namespace

std::string to_text(Outlook outlook)
{
    switch (outlook) {
    case Outlook::as_it_is: return "as_it_is";
    case Outlook::changed: return "changed";
    case Outlook::created: return "created";
    case Outlook::refused: return "refused";
    case Outlook::forbidden: return "forbidden";
    case Outlook::unreadable: return "unreadable";
    }
    return "";
}

std::vector<StateOfFile> check_state(const config::Configuration& configuration)
{
    const auto& places = configuration.storage;
    const auto& second = places.tokens_copy.empty() ? places.tokens : places.tokens_copy;
    std::vector<StateOfFile> files;
    for (const auto& library : configuration.libraries) {
        files.push_back(look_at_mirror(library.name, fmt::format("{0}/{1}/{1}.db", places.mirrors, library.name)));
        files.push_back(look_at_copy(library.name, storage::journal_names[0], places.tokens));
        files.push_back(look_at_copy(library.name, storage::journal_names[1], second));
    }
    return files;
}

ExitCode exit_code_of(const std::vector<StateOfFile>& files)
{
    const auto any = [&files](Outlook outlook) {
        return std::any_of(files.begin(), files.end(),
                           [outlook](const StateOfFile& file) { return file.outlook == outlook; });
    };
    if (any(Outlook::forbidden)) {
        return ExitCode::permission;
    }
    if (any(Outlook::unreadable)) {
        return ExitCode::storage;
    }
    return any(Outlook::refused) ? ExitCode::needs_person : ExitCode::done;
}

std::string state_as_text(const std::vector<StateOfFile>& files)
{
    auto text = fmt::format("shelfd {} uses mirrors of version {} and token journals of format {}.\n", version,
                            to_text(own_mirror_schema), oauth::format_version);
    for (const auto& file : files) {
        text += fmt::format("{} {}\n", escape_line(file.path), escape_line(file.text));
    }
    const auto count_of = [&files](Outlook outlook) {
        return std::count_if(files.begin(), files.end(),
                             [outlook](const StateOfFile& file) { return file.outlook == outlook; });
    };
    const auto unknown = count_of(Outlook::forbidden) + count_of(Outlook::unreadable);
    text += fmt::format("{} files: {} used as they are, {} changed, {} created, {} refused, {} not readable.\n",
                        files.size(), count_of(Outlook::as_it_is), count_of(Outlook::changed),
                        count_of(Outlook::created), count_of(Outlook::refused), unknown);
    return text;
}

std::string state_as_json(const std::vector<StateOfFile>& files)
{
    auto text =
        fmt::format(R"({{"format_version":1,"version":{},"mirror_schema":{},"journal_format":{},"exit":{},"files":[)",
                    json_string(version), json_string(to_text(own_mirror_schema)), oauth::format_version,
                    number_of(exit_code_of(files)));
    for (const auto& file : files) {
        text += fmt::format(
            R"({}{{"library":{},"kind":{},"path":{},"outlook":{},"version":{},"generation":{},"text":{}}})",
            text.back() == '[' ? "" : ",", json_string(file.library), json_string(file.kind), json_string(file.path),
            json_string(to_text(file.outlook)), file.version.empty() ? "null" : json_string(file.version),
            file.kind == "mirror" ? "null" : std::to_string(file.generation), json_string(file.text));
    }
    return text + "]}\n";
}

}  // namespace shelfd::app
