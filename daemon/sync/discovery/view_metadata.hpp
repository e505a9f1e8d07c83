// What a view of Django REST Framework says of itself when it is asked with OPTIONS.
#pragma once

#include <string>
#include <string_view>

namespace shelfd::sync {

// "Recipe List: recipes of the library, newest first", one line; "" if the answer is no such metadata.
std::string title_in_metadata(std::string_view body);

}  // namespace shelfd::sync
