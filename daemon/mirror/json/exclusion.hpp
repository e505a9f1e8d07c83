// Members that must never touch the disk: dropped from the text of a page before anything else looks at it.
#pragma once

#include "base/result.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace shelfd::mirror {

// Paths are names joined by dots: "created_by.email" is the member `email` of the member `created_by`, in every element
// where that is an array; and, since some services have such names, the member whose name is `created_by.email`, at any
// depth likewise. A name in double quotes is one name whatever it holds: "\"a.b\".c" is the member `c` of `a.b`, and of
// nothing else. What a path does not meet stays as it was sent, byte for byte.
class Exclusion {
public:
    explicit Exclusion(const std::vector<std::string>& paths);

    bool empty() const { return paths_.empty(); }
    // Of an array of items, or any other value. Errors: protocol, for what is no JSON.
    Result<std::string> apply(std::string_view value) const;

private:
    struct Name {
        std::string text;
        bool quoted = false;
    };
    using Path = std::vector<Name>;
    // A path, of which the names before `at` are behind us.
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
