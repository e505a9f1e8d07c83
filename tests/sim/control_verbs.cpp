#include "sim/control_verbs.hpp"

#include "sim/oauth_endpoints.hpp"

namespace shelfd::sim {

namespace {

Error refused(std::string text)
{
    return Error(ErrorKind::usage, std::move(text));
}

// Whose set is meant, once every other member has been read and nothing was wrong.
struct Whose {
    std::string library;
    std::size_t set;
};

Result<Whose> whose_library(World& world, MemberReader& reader)
{
    const auto* library = find_library(world, reader.word("library"));
    if (library == nullptr) {
        return refused("no such library");
    }
    if (auto complaint = reader.first_complaint()) {
        return refused(std::move(*complaint));
    }
    return Whose{library->name, 0};
}

Result<Whose> whose_set(World& world, MemberReader& reader)
{
    const auto number = reader.whole("set", 0);
    auto whose = whose_library(world, reader);
    if (whose && number >= world.tokens.count_of_sets(world.number_of(world.library(whose->library)))) {
        return refused("no such set");
    }
    if (whose) {
        whose->set = number;
    }
    return whose;
}

using SetVerb = void (World::*)(std::string_view, std::size_t);

Result<Json> on_set(World& world, MemberReader& reader, SetVerb verb)
{
    const auto whose = whose_set(world, reader);
    if (!whose) {
        return whose.error();
    }
    (world.*verb)(whose->library, whose->set);
    return done();
}

}  // namespace

Library* find_library(World& world, const std::string& name)
{
    if (name.empty() && world.library_count() > 0) {
        return &world.library_at(0);
    }
    return world.find_library(name);
}

Result<Json> show_libraries(World& world, MemberReader&)
{
    auto libraries = Json::array();
    for (std::size_t number = 0; number < world.library_count(); ++number) {
        auto& library = world.library_at(number);
        auto counts = Json::object();
        for (const auto& spec : all_lists()) {
            const std::string path(spec.path);
            if (path.find('*') == std::string::npos) {
                counts.set(path, std::uint64_t(world.row_count(library.name, path)));
            }
        }
        libraries.items.push_back(Json::object({{"name", library.name},
                                                {"id", library.id},
                                                {"title", library.title},
                                                {"client_id", library.client_id},
                                                {"sets", std::uint64_t(world.tokens.count_of_sets(number))},
                                                {"rows", std::move(counts)}}));
    }
    return Json::object({{"libraries", std::move(libraries)}});
}

Result<Json> show_audit(World& world, MemberReader&)
{
    return world.audit_report().to_json();
}

Result<Json> show_secrets(World& world, MemberReader&)
{
    auto secrets = Json::array();
    for (const auto& secret : world.tokens.secrets()) {
        secrets.items.emplace_back(secret);
    }
    return secrets;
}

Result<Json> show_set(World& world, MemberReader& reader)
{
    const auto whose = whose_set(world, reader);
    if (!whose) {
        return whose.error();
    }
    const auto view = world.view_set(whose->library, whose->set);
    const auto left = std::chrono::duration_cast<std::chrono::seconds>(view.expires - world.now());
    auto answer = token_response({view.access_token, view.refresh_token, view.scope, left});
    answer.set("generation", std::uint64_t(view.generation));
    answer.set("access_lives", view.access_lives);
    answer.set("refresh_lives", view.refresh_lives);
    return answer;
}

Result<Json> reset_audit(World& world, MemberReader&)
{
    world.reset_audit();
    return done();
}

Result<Json> expire_access(World& world, MemberReader& reader)
{
    return on_set(world, reader, &World::expire_access);
}

Result<Json> drop_access_row(World& world, MemberReader& reader)
{
    return on_set(world, reader, &World::drop_access_row);
}

Result<Json> revoke_set(World& world, MemberReader& reader)
{
    return on_set(world, reader, &World::revoke_set);
}

Result<Json> issue_set(World& world, MemberReader& reader)
{
    auto scope = reader.word("scope", std::string(all_scopes));
    const auto whose = whose_library(world, reader);
    if (!whose) {
        return whose.error();
    }
    return token_response(world.issue_set(whose->library, std::move(scope)));
}

Result<Json> change_access(World& world, MemberReader& reader)
{
    const bool active = reader.flag("active", true);
    const auto* denied = reader.member("denied");
    const auto acts_on = reader.word("acts_on");
    const auto whose = whose_set(world, reader);
    if (!whose) {
        return whose.error();
    }
    if (!acts_on.empty() && world.find_library(acts_on) == nullptr) {
        return refused("no such library in \"acts_on\"");
    }
    auto& set = world.set(whose->library, whose->set);
    set.active = active;
    if (!acts_on.empty()) {
        set.acts_on = world.number_of(world.library(acts_on));
    }
    set.denied.clear();
    for (const auto& path : denied == nullptr ? std::vector<Json>() : denied->items) {
        set.denied.push_back(path.text);
    }
    return done();
}

Result<Json> add_fault(World& world, const Json& text)
{
    auto fault = fault_from(text);
    if (!fault) {
        return fault.error();
    }
    world.faults.add(std::move(*fault));
    return done();
}

Result<Json> forget_faults(World& world, MemberReader&)
{
    world.faults.clear();
    return done();
}

Result<Json> advance_clock(World& world, MemberReader& reader)
{
    const auto seconds = reader.whole("advance", 0);
    if (auto complaint = reader.first_complaint()) {
        return refused(std::move(*complaint));
    }
    world.clock.advance(std::chrono::seconds(seconds));
    return done();
}

}  // namespace shelfd::sim
