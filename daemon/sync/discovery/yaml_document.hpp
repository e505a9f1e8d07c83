// The lists that an OpenAPI or Swagger document in YAML describes.
#pragma once

#include "sync/discovery/api_document.hpp"

#include <string>
#include <string_view>

namespace shelfd::sync {

// Reads versions, base path, paths and summaries, line by line, and values in flow style where these are: generators
// write a key in a line, and each address that is found is requested before it counts. What it does not follow
// (aliases, merged keys, references) it names. A library for all of YAML would be one more parser of foreign text in
// the process that holds the token sets. Of several servers it takes that with the origin of `base_url`, else the
// first. Errors: protocol, if the text is no such document, or cannot be read.
Result<ApiDocument> read_yaml_document(std::string_view body, const std::string& base_url = "");

// What a person should know if not all of such a document was read; "" = all was.
std::string why_unread(const Result<ApiDocument>& document);

// Whether the text begins like such a document.
bool looks_like_yaml_document(std::string_view body);

}  // namespace shelfd::sync
