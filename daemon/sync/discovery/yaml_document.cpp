#include "sync/discovery/yaml_document.hpp"

#include "base/text.hpp"
#include "http/url.hpp"

#include <algorithm>
#include <optional>
#include <string>

namespace shelfd::sync {
namespace {

constexpr std::size_t max_lists = 300;
constexpr std::size_t max_title = 80;

std::string unquoted(std::string_view text)
{
    text = trimmed(text);
    const bool is_quoted =
        text.size() >= 2 && (text.front() == '"' || text.front() == '\'') && text.back() == text.front();
    return std::string(is_quoted ? text.substr(1, text.size() - 2) : text);
}

// "key: value" with its indentation; an element of a list counts as its first key.
struct Line {
    std::size_t indent = 0;
    std::string key;
    std::string value;
};

std::optional<Line> read_line(std::string_view text)
{
    Line line;
    line.indent = std::min(text.find_first_not_of(' '), text.size());
    text.remove_prefix(line.indent);
    if (text.starts_with("- ")) {
        text.remove_prefix(2);
        line.indent += 2;
    }
    if (text.empty() || text.front() == '#') {
        return std::nullopt;
    }
    // A path in quotes may hold a colon.
    const bool is_quoted = text.front() == '"' || text.front() == '\'';
    const auto end = is_quoted ? text.find(text.front(), 1) : 0;
    const auto colon = end == std::string_view::npos ? end : text.find(':', end);
    if (colon == std::string_view::npos) {
        return std::nullopt;
    }
    line.key = unquoted(text.substr(0, colon));
    line.value = unquoted(text.substr(colon + 1));
    return line;
}

class Reader {
public:
    Result<ApiDocument> read(std::string_view body)
    {
        while (!body.empty()) {
            const auto end = std::min(body.find('\n'), body.size());
            const auto text = body.substr(0, end);
            body.remove_prefix(std::min(end + 1, body.size()));
            if (const auto line = read_line(text.substr(0, text.find_last_not_of('\r') + 1))) {
                take(*line);
            }
        }
        finish_path();
        if (document_.version.empty() || !has_paths_) {
            return Error(ErrorKind::protocol, "no OpenAPI 3 or Swagger 2 document in YAML blocks");
        }
        for (auto& list : document_.lists) {
            list.path = base_ + list.path;
        }
        return std::move(document_);
    }

private:
    void take(const Line& line)
    {
        if (line.indent == 0) {
            take_top(line);
        } else if (section_ == "servers" && line.key == "url" && base_.empty()) {
            set_base(http::path_of(line.value));
        } else if (section_ == "paths") {
            take_path(line);
        }
    }

    void take_top(const Line& line)
    {
        finish_path();
        section_ = line.value.empty() ? line.key : "";
        has_paths_ = has_paths_ || section_ == "paths";
        if (line.key == "openapi" && line.value.starts_with("3.")) {
            document_.version = "OpenAPI " + line.value;
        } else if (line.key == "swagger" && line.value.starts_with("2")) {
            document_.version = "Swagger " + line.value;
        } else if (line.key == "basePath") {
            set_base(line.value);
        }
    }

    // Only keys at the indentation of the first one count: text in blocks is indented further.
    void take_path(const Line& line)
    {
        path_indent_ = path_indent_ == 0 ? line.indent : path_indent_;
        if (line.indent == path_indent_) {
            finish_path();
            path_ = line.key.starts_with('/') ? line.key : "";
            return;
        }
        method_indent_ = method_indent_ == 0 ? line.indent : method_indent_;
        if (line.indent == method_indent_) {
            in_get_ = line.key == "get";
            has_get_ = has_get_ || in_get_;
            member_indent_ = 0;
        } else if (in_get_ && line.indent > method_indent_) {
            member_indent_ = member_indent_ == 0 ? line.indent : member_indent_;
            const bool is_summary = line.indent == member_indent_ && line.key == "summary";
            title_ = is_summary ? line.value.substr(0, max_title) : title_;
        }
    }

    void finish_path()
    {
        const auto bare = std::string_view(path_).substr(0, path_.find_last_not_of('/') + 1);
        if (has_get_ && !path_.empty() && !bare.ends_with('}')) {
            if (document_.lists.size() == max_lists) {
                ++document_.omitted;
            } else {
                document_.lists.push_back({path_, title_, {}});
            }
        }
        path_.clear();
        title_.clear();
        method_indent_ = member_indent_ = 0;
        in_get_ = has_get_ = false;
    }

    // Only the path: requests go to the configured host, whatever the document names.
    void set_base(std::string base)
    {
        while (base.ends_with('/')) {
            base.pop_back();
        }
        base_ = base.starts_with('/') && base.find('{') == std::string::npos ? base : "";
    }

    ApiDocument document_;
    std::string base_;
    std::string section_;  // the key without indentation above
    bool has_paths_ = false;
    std::string path_;
    std::string title_;
    std::size_t path_indent_ = 0;    // 0 = not known yet; likewise the others
    std::size_t method_indent_ = 0;  // in this path
    std::size_t member_indent_ = 0;  // in this method
    bool in_get_ = false;
    bool has_get_ = false;
};

}  // namespace

bool looks_like_yaml_document(std::string_view body)
{
    const auto head = body.substr(0, 4096);
    const auto first = head.find_first_not_of(" \t\r\n");
    // Braces around keys without quotes are no JSON.
    const bool in_braces = first != std::string_view::npos && head[first] == '{';
    const auto has_key = [&](std::string_view key) {
        for (auto at = head.find(key); at != std::string_view::npos; at = head.find(key, at + 1)) {
            const auto rest = head.substr(at + key.size());
            const bool is_quoted =
                at > 0 && (head[at - 1] == '"' || head[at - 1] == '\'') && rest.starts_with(head[at - 1]);
            const auto begin = at - (is_quoted ? 1 : 0);
            const auto colon = rest.substr(is_quoted ? 1 : 0);
            const bool is_in_braces = in_braces && !is_quoted && begin > 0 &&
                                      std::string_view("{, \t\n").find(head[begin - 1]) != std::string_view::npos;
            const bool begins_line = !in_braces && (begin == 0 || head[begin - 1] == '\n');
            if (colon.substr(std::min(colon.find_first_not_of(' '), colon.size())).starts_with(':') &&
                (begins_line || is_in_braces)) {
                return true;
            }
        }
        return false;
    };
    return has_key("openapi") || has_key("swagger");
}

Result<ApiDocument> read_yaml_document(std::string_view body)
{
    if (body.size() > max_document) {
        return Error(ErrorKind::protocol, "the document is larger than 16 MiB");
    }
    return Reader().read(body);
}

}  // namespace shelfd::sync
