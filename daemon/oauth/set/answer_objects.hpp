// The members of an answer as far as it arrived, whatever its form: JSON, nested JSON, or a form.
#pragma once

#include "base/secret.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace shelfd::oauth {

// Whether the bytes end where the sender ended them; if not, only what is closed counts.
enum class AnswerEnd { open, closed };

struct AnswerMember {
    std::string name;
    Secret value;          // the text of a string, or a number and the like as it is written
    bool is_text = false;  // false: neither a string nor an array of strings
};

// One object of the answer, with the members whose values are complete.
struct AnswerObject {
    std::string name;    // of the member that holds it; "" = the outermost object
    unsigned depth = 0;  // 0 = the outermost object, or an element of the outermost array
    std::vector<AnswerMember> members;
};

// A JSON object or array of objects, a text member that holds such JSON, or application/x-www-form-urlencoded. Objects
// come in the order of their first bytes. Objects that lie deeper than three levels are not read. Reads any bytes.
std::vector<AnswerObject> read_answer_objects(std::string_view beginning, AnswerEnd ending);

// Whether the whole body is one JSON object or array, or a form.
bool is_whole_answer(std::string_view body);

// A name without its case and separators: "accessToken", "access-token" and "access_token" are one.
std::string plain_name(std::string_view name);

}  // namespace shelfd::oauth
