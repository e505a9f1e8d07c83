// The lists that an OpenAPI 3 or Swagger 2 document describes.
#pragma once

#include "base/result.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace shelfd::sync {

struct DocumentedList {
    std::string path;                        // at the service, with the document's base path; may have "{parameters}"
    std::string title;                       // one line; "" = none
    std::vector<std::string> query;          // names of the query parameters
    std::vector<std::string> required = {};  // those without which it does not answer
    bool answers_array = false;              // the document says that it answers with several items
};

struct ApiDocument {
    std::string version;                // "OpenAPI 3.0.2", "Swagger 2.0"
    std::vector<DocumentedList> lists;  // every GET that may be a list, in the order of the document
    std::size_t omitted = 0;            // beyond the first 300
    std::string unread = {};            // places that concern lists and could not be read; "" = none
};

// Larger documents are refused.
inline constexpr std::size_t max_document = 16u << 20;  // bytes

// Omits a GET of a single item (its path ends with a parameter), and one that answers with an object without an array.
// Of several servers, the base path is that of the one with the origin of `base_url`, else of the first; a path may
// have servers of its own, and their variables have defaults. Errors: protocol, if the text is no such document, in
// JSON.
Result<ApiDocument> read_api_document(std::string_view body, const std::string& base_url = "");

}  // namespace shelfd::sync
