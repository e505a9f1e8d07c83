// Reads the members of an answer, complete or cut off, in JSON, nested JSON or form encoding.
#pragma once

#include "base/secret.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace shelfd::oauth {

// Whether the bytes end where the sender ended them. If `open`, only closed values count.
enum class AnswerEnd { open, closed };

struct AnswerMember {
    std::string name;
    Secret value;          // decoded text of a string; other values as written
    bool is_text = false;  // true for a string, also one within an array
};

// One object of the answer, with its complete members.
struct AnswerObject {
    std::string name;    // name of the member that contains it; "" = the outermost object
    unsigned depth = 0;  // 0 = the outermost object, or an element of the outermost array
    std::vector<AnswerMember> members;
};

// Reads a JSON object, an array of objects, JSON within a string, or application/x-www-form-urlencoded. Accepts any
// bytes. Returns objects in the order of their first bytes; skips those nested deeper than three levels.
std::vector<AnswerObject> read_answer_objects(std::string_view beginning, AnswerEnd ending);

// True if the whole body is one JSON object or array, or a form.
bool is_whole_answer(std::string_view body);

// Returns a name in lower case without separators: "accessToken", "access-token" and "access_token" are equal.
std::string plain_name(std::string_view name);

}  // namespace shelfd::oauth
