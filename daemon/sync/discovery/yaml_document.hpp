// The lists that an OpenAPI or Swagger document in YAML describes, as far as it is written in blocks.
#pragma once

#include "sync/discovery/api_document.hpp"

#include <string_view>

namespace shelfd::sync {

// Reads versions, base path, paths and summaries, line by line: generators write a key in a line, and each address that
// is found is requested before it counts. A library for all of YAML would be one more parser of foreign text in the
// process that holds the token sets. Errors: protocol, if the text is no such document, or not in blocks.
Result<ApiDocument> read_yaml_document(std::string_view body);

// Whether the text begins like such a document.
bool looks_like_yaml_document(std::string_view body);

}  // namespace shelfd::sync
