// Pages that name the library of a token, as daemon and shelfctl must both read them.
#pragma once

#include <array>

namespace shelfd {

struct IdentityRow {
    const char* name;
    const char* field;
    const char* body;
    const char* id;     // "" = it names none
    const char* title;  // the member name beside it
};

inline constexpr std::array<IdentityRow, 12> identity_pages = {{
    {"a plain member", "id", R"({"id": 42, "name": "Antwerp"})", "42", "Antwerp"},
    {"one level", "library.id", R"({"library": {"id": 42, "name": "Antwerp"}, "name": "Erik"})", "42", "Antwerp"},
    {"two levels", "a.b.id", R"({"a": {"b": {"id": "x-1", "name": "Gent"}}})", "x-1", "Gent"},
    {"a title on another level", "library.id", R"({"library": {"id": 42}, "name": "Erik"})", "42", ""},
    {"a member whose name has the dot", "library.id", R"({"library.id": 42})", "", ""},
    {"no object on the way", "library.id", R"({"library": 42})", "", ""},
    {"an array on the way", "library.id", R"({"library": [{"id": 42}]})", "", ""},
    {"an object at the end", "library", R"({"library": {"id": 42}})", "", ""},
    {"a fraction", "library.id", R"({"library": {"id": 4.5}})", "", ""},
    {"a flag", "library.id", R"({"library": {"id": true}})", "", ""},
    {"64 bits", "library.id", R"({"library": {"id": 18446744073709551615}})", "18446744073709551615", ""},
    {"a negative number", "library.id", R"({"library": {"id": -7}})", "-7", ""},
}};

}  // namespace shelfd
