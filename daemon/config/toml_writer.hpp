// Writes tables of keys as TOML, for `config show`.
#pragma once

#include "config/check/values.hpp"
#include "config/model/model.hpp"
#include "config/show.hpp"
#include "config/tree/toml_text.hpp"

#include <fmt/format.h>

#include <iterator>
#include <string>
#include <string_view>
#include <utility>

namespace shelfd::config {

// Writes one table after the other; with `ShowOrigin::yes`, the origin of each key as a comment, if it is known.
class TomlWriter {
public:
    TomlWriter(const Origins& origins, ShowOrigin show) : origins_(origins), show_(show) {}

    void heading(const std::string& name)
    {
        fmt::format_to(std::back_inserter(text_), "{}[{}]\n", text_.empty() ? "" : "\n", name);
        prefix_ = name + ".";
    }
    void value(std::string_view key, const std::string& toml)
    {
        fmt::format_to(std::back_inserter(text_), "{} = {}", key, toml);
        const auto origin = origins_.find(prefix_ + std::string(key));
        if (show_ == ShowOrigin::yes && origin != origins_.end()) {
            fmt::format_to(std::back_inserter(text_), "  # {}:{}", origin->second.file, origin->second.line);
        }
        text_ += '\n';
    }
    // Writes nothing for an empty value: for these keys absent means empty.
    void text(std::string_view key, const std::string& content)
    {
        if (!content.empty()) {
            value(key, quote(content));
        }
    }
    void duration(std::string_view key, Duration content) { value(key, quote(format_duration(content))); }
    void boolean(std::string_view key, bool content) { value(key, content ? "true" : "false"); }
    std::string take() && { return std::move(text_); }

private:
    const Origins& origins_;
    ShowOrigin show_;
    std::string text_;
    std::string prefix_;
};

}  // namespace shelfd::config
