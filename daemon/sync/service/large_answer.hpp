// A large answer, cut into its rows and the frame around them: readers of JSON take five times the text they read.
#pragma once

#include "base/result.hpp"
#include "config/model/model.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace shelfd::sync {

struct LargeAnswer {
    std::string frame;      // the answer with an empty array in place of its rows
    std::string_view rows;  // the array, in the answer
};

// Where the rows of an answer are: the answer itself where it is an array, else the array `results` of an object.
// Empty where there is none, or where the text is not whole.
std::optional<std::string_view> find_rows(std::string_view answer);

// Of an answer beyond mirror::max_whole. Empty where it is read like any other, since it has few bytes of rows.
// Errors: protocol, where no whole array of rows is in it; config, where more than mirror::max_row are no rows.
Result<std::optional<LargeAnswer>> split_large(std::string_view answer, config::Answers answers);

}  // namespace shelfd::sync
