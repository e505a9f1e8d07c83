// Splits a large answer into its rows and the frame around them: a JSON parser needs five times the text's memory.
#pragma once

#include "base/result.hpp"
#include "config/model/model.hpp"
#include "sync/service/envelope.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace shelfd::sync {

struct LargeAnswer {
    std::string frame;      // the answer with an empty array instead of its rows
    std::string_view rows;  // the array, within the answer
};

// Finds the rows of an answer: the answer itself if it is an array, otherwise the array `results` of an object. Empty
// if there is none, or if the text is incomplete.
std::optional<std::string_view> find_rows(std::string_view answer);

// Splits an answer larger than mirror::max_whole. Empty if the rows are small enough to read it as usual. Errors:
// protocol, if it contains no complete array of rows; config, if more than mirror::max_row bytes of it are not rows.
Result<std::optional<LargeAnswer>> split_large(std::string_view answer, config::Answers answers);

// For an answer that is not large, where the mirror checks the rows: reads its frame alone, and takes the text between
// its outer brackets for the rows. That is right if they are the value of `results`, or all of the answer, and if that
// text is an array. Otherwise empty. `body` must outlive the result.
std::optional<Page> read_frame(const std::string& body, config::Answers answers, std::string_view page_param);

}  // namespace shelfd::sync
