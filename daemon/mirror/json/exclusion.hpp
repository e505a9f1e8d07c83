// Members that must never be written to disk: removed from the text of a page before anything else reads it.
#pragma once

#include "base/result.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace shelfd::mirror {

// A path is names joined by dots: "created_by.email" is the member `email` of the member `created_by`, or of each
// element if that is an array. It also matches a member whose name is `created_by.email`: some services have such
// names. This holds at every depth. A name in double quotes is one name: "\"a.b\".c" is only the member `c` of `a.b`.
// The values of other members stay as sent, byte for byte; blanks between members may be dropped.
class Exclusion {
public:
    explicit Exclusion(const std::vector<std::string>& paths);

    bool empty() const { return paths_.empty(); }
    // Applies to an array of items, or any other value. Errors: protocol, if it is not JSON.
    Result<std::string> apply(std::string_view value) const;

private:
    struct Name {
        std::string text;
        bool quoted = false;
    };
    using Path = std::vector<Name>;
    // A path whose names before `at` have been matched.
    struct Cursor {
        const Path* path;
        std::size_t at;
    };

    static Path read(std::string_view text);
    static bool meets(const Cursor& cursor, std::string_view name, std::vector<Cursor>& inner);
    static const char* copy(std::string_view value, const std::vector<Cursor>& cursors, std::string& out);
    static const char* copy_object(std::string_view object, const std::vector<Cursor>& cursors, std::string& out);
    static const char* copy_array(std::string_view array, const std::vector<Cursor>& cursors, std::string& out);

    std::vector<Path> paths_;
};

}  // namespace shelfd::mirror
