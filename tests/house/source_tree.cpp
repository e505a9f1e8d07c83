#include "house/source_tree.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string_view>

namespace shelfd::house {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> split_lines(std::string_view text)
{
    std::vector<std::string> lines;
    while (!text.empty()) {
        const auto end = text.find('\n');
        lines.emplace_back(text.substr(0, end));
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    return lines;
}

bool is_word(char c)
{
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// Walks C++ text and blanks comments and literals, newlines kept. An apostrophe after a digit or letter is a digit
// separator (or the end of a prefix like u8, which then leaves one character in view: harmless here).
class Blanker {
public:
    explicit Blanker(std::string text) : text_(std::move(text)) {}

    std::string blank()
    {
        while (at_ < text_.size()) {
            step();
        }
        return std::move(text_);
    }

private:
    bool starts(std::string_view word) const { return std::string_view(text_).substr(at_).starts_with(word); }

    void step()
    {
        if (starts("//")) {
            blank_up_to(text_.find('\n', at_));
        } else if (starts("/*")) {
            const auto end = text_.find("*/", at_ + 2);
            blank_up_to(end == std::string::npos ? end : end + 2);
        } else if (starts("R\"") && (at_ == 0 || !is_word(text_[at_ - 1]))) {
            const auto open = text_.find('(', at_);
            const auto mark = open == std::string::npos ? "" : ")" + text_.substr(at_ + 2, open - at_ - 2) + "\"";
            const auto end = mark.empty() ? std::string::npos : text_.find(mark, open);
            blank_up_to(end == std::string::npos ? end : end + mark.size());
        } else if (text_[at_] == '"' || (text_[at_] == '\'' && (at_ == 0 || !is_word(text_[at_ - 1])))) {
            blank_literal(text_[at_]);
        } else {
            ++at_;
        }
    }

    void blank_literal(char quote)
    {
        auto end = at_ + 1;
        while (end < text_.size() && text_[end] != quote && text_[end] != '\n') {
            end += text_[end] == '\\' ? 2 : 1;
        }
        blank_up_to(end + 1);
    }

    void blank_up_to(std::size_t end)
    {
        for (end = std::min(end, text_.size()); at_ < end; ++at_) {
            if (text_[at_] != '\n') {
                text_[at_] = ' ';
            }
        }
    }

    std::string text_;
    std::size_t at_ = 0;
};

}  // namespace

bool SourceFile::in(const std::string& folder) const
{
    return path.starts_with(folder + "/");
}

bool SourceFile::is_header() const
{
    return path.ends_with(".hpp");
}

bool SourceFile::is_source() const
{
    return path.ends_with(".cpp") || is_header();
}

SourceFile read_source(const fs::path& root, const std::string& path)
{
    SourceFile file{path, {}, {}, true};
    std::ifstream stream(root / path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    file.readable = stream.is_open() && !stream.bad();
    file.lines = split_lines(text);
    file.code = split_lines(Blanker(text).blank());
    return file;
}

std::vector<SourceFile> read_tree(const fs::path& root, const std::string& folder)
{
    std::vector<std::string> paths;
    if (fs::is_directory(root / folder)) {
        for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
            if (entry.is_regular_file()) {
                paths.push_back(fs::relative(entry.path(), root).generic_string());
            }
        }
    }
    std::sort(paths.begin(), paths.end());
    std::vector<SourceFile> files;
    for (const auto& path : paths) {
        files.push_back(read_source(root, path));
    }
    return files;
}

}  // namespace shelfd::house
