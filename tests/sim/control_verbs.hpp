// What each control of /sim/ does with its arguments; control_endpoint.hpp lists them.
#pragma once

#include "sim/member_reader.hpp"
#include "sim/world.hpp"

namespace shelfd::sim {

// The library of that name, the first one for "", nullptr for an unknown name.
Library* find_library(World& world, const std::string& name);

Result<Json> show_libraries(World& world, MemberReader& reader);
Result<Json> show_audit(World& world, MemberReader& reader);
Result<Json> show_secrets(World& world, MemberReader& reader);
Result<Json> show_set(World& world, MemberReader& reader);
Result<Json> reset_audit(World& world, MemberReader& reader);
Result<Json> edit_rows(World& world, MemberReader& reader);
Result<Json> expire_access(World& world, MemberReader& reader);
Result<Json> drop_access_row(World& world, MemberReader& reader);
Result<Json> revoke_set(World& world, MemberReader& reader);
Result<Json> issue_set(World& world, MemberReader& reader);
Result<Json> change_access(World& world, MemberReader& reader);
Result<Json> change_policy(World& world, MemberReader& reader);
Result<Json> change_throttle(World& world, MemberReader& reader);
Result<Json> change_list(World& world, MemberReader& reader);
Result<Json> add_fault(World& world, const Json& text);
Result<Json> forget_faults(World& world, MemberReader& reader);
Result<Json> advance_clock(World& world, MemberReader& reader);

// What a verb answers that has nothing else to say.
inline Json done()
{
    return Json::object({{"done", true}});
}

}  // namespace shelfd::sim
