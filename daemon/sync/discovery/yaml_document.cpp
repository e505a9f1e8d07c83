#include "sync/discovery/yaml_document.hpp"

#include "http/url.hpp"
#include "sync/discovery/yaml_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace shelfd::sync {
namespace {

constexpr std::size_t max_lists = 300;
constexpr std::size_t max_title = 80;
constexpr std::size_t max_examples = 3;

// The addresses of a service, each with the defaults of its variables.
class Servers {
public:
    void take(const YamlLine& line)
    {
        line_ = line_ == 0 ? line.number : line_;
        if (line.key == "url") {
            urls_.push_back(line.value);
        } else if (line.key == "default" && !urls_.empty() && !urls_.back().empty()) {
            auto& url = urls_.back();
            const auto name = "{" + above_ + "}";
            if (const auto at = url.find(name); at != std::string::npos && !line.value.empty()) {
                url.replace(at, name.size(), line.value);
            }
        } else if (line.value.empty() && line.key != "enum") {
            above_ = line.key;
        }
    }

    // That of the service itself, else the first.
    std::string chosen(const std::string& base_url) const
    {
        const auto service = http::parse_url(base_url);
        const auto own = std::find_if(urls_.begin(), urls_.end(), [&](const std::string& url) {
            const auto parsed = http::parse_url(url);
            return service && parsed && parsed->origin == service->origin;
        });
        return own != urls_.end() ? *own : urls_.empty() ? "" : urls_.front();
    }

    std::size_t line() const { return line_; }  // 0 = there are none

private:
    std::vector<std::string> urls_;
    std::string above_;  // the key above that holds others
    std::size_t line_ = 0;
};

class Reader {
public:
    Reader(std::string_view body, const std::string& base_url) : lines_(body), base_url_(base_url) {}

    Result<ApiDocument> read()
    {
        while (const auto line = lines_.next()) {
            take(*line);
        }
        finish_path();
        if (document_.version.empty() || !has_paths_) {
            return Error(ErrorKind::protocol, "no OpenAPI 3 or Swagger 2 document in YAML that can be read");
        }
        const auto base = base_path();
        for (auto& list : document_.lists) {
            list.path = base + list.path;
        }
        if (unread_ > examples_.size()) {
            examples_.push_back(fmt::format("{} more", unread_ - examples_.size()));
        }
        document_.unread = fmt::format("{}", fmt::join(examples_, ", "));
        return std::move(document_);
    }

private:
    // What is written in flow style counts as if it stood in blocks.
    void take(const YamlLine& line)
    {
        const bool is_root = line.indent == 0;
        if (is_root && !line.key.empty()) {
            take_top(line);
        } else if (section_ == "servers" && !line.key.empty()) {
            servers_.take(line);
        } else if (section_ == "paths" && !line.key.empty()) {
            take_path(line);
        }
        const bool is_known = section_ == "servers" || section_ == "paths" || (is_root && line.key.empty());
        if (line.flow.empty() || !is_known) {
            return;
        }
        const auto inner = [&](YamlLine one) {
            one.number = line.number;
            take(one);
        };
        if (!read_flow(line.flow, line.key.empty() ? line.indent : line.indent + 1, inner)) {
            leave_out(line.number, line.key);
        }
    }

    void take_top(const YamlLine& line)
    {
        finish_path();
        section_ = line.value.empty() ? line.key : "";
        has_paths_ = has_paths_ || section_ == "paths";
        if (line.key == "openapi" && line.value.starts_with("3.")) {
            document_.version = "OpenAPI " + line.value;
        } else if (line.key == "swagger" && line.value.starts_with("2")) {
            document_.version = "Swagger " + line.value;
        } else if (line.key == "basePath") {
            base_ = line.value;
        } else if ((line.key == "servers" || line.key == "paths") && !line.value.empty()) {
            leave_out(line.number, line.key);  // the value stands elsewhere: *alias
        }
    }

    // Only keys at the indentation of the first one count: text in blocks is indented further.
    void take_path(const YamlLine& line)
    {
        path_indent_ = path_indent_ == 0 ? line.indent : path_indent_;
        if (line.indent == path_indent_) {
            finish_path();
            path_ = line.key.starts_with('/') ? line.key : "";
            if (line.key == "?" || line.key == "<<" || (!path_.empty() && !line.value.empty())) {
                leave_out(line.number, path_);
            }
            return;
        }
        method_indent_ = method_indent_ == 0 ? line.indent : method_indent_;
        if (line.indent == method_indent_) {
            in_get_ = line.key == "get";
            has_get_ = has_get_ || in_get_;
            member_indent_ = 0;
            if (!path_.empty() && (line.key == "$ref" || line.key == "<<" || line.key == "servers")) {
                leave_out(line.number, line.key + " of " + path_);
            }
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
    std::string base_path()
    {
        const auto server = servers_.chosen(base_url_);
        auto base = base_.empty() ? http::path_of(server) : base_;
        const bool is_usable = (base.empty() || base.starts_with('/')) && base.find('{') == std::string::npos;
        if (!is_usable || (base_.empty() && server.empty() && servers_.line() != 0)) {
            leave_out(servers_.line(), base_.empty() ? "servers" : "basePath");
            return "";
        }
        while (base.ends_with('/')) {
            base.pop_back();
        }
        return base;
    }

    void leave_out(std::size_t line, const std::string& what)
    {
        ++unread_;
        if (examples_.size() < max_examples) {
            const auto place = line == 0 ? std::string() : fmt::format("line {}", line);
            const auto name = what.substr(0, max_title);
            examples_.push_back(place.empty() ? name : name.empty() ? place : fmt::format("{} ({})", place, name));
        }
    }

    YamlLines lines_;
    const std::string& base_url_;
    ApiDocument document_;
    std::string base_;  // of Swagger 2
    Servers servers_;
    std::string section_;  // the key without indentation above
    bool has_paths_ = false;
    std::string path_;
    std::string title_;
    std::size_t path_indent_ = 0;    // 0 = not known yet; likewise the others
    std::size_t method_indent_ = 0;  // in this path
    std::size_t member_indent_ = 0;  // in this method
    bool in_get_ = false;
    bool has_get_ = false;
    std::size_t unread_ = 0;  // places
    std::vector<std::string> examples_;
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

Result<ApiDocument> read_yaml_document(std::string_view body, const std::string& base_url)
{
    if (body.size() > max_document) {
        return Error(ErrorKind::protocol, "the document is larger than 16 MiB");
    }
    return Reader(body, base_url).read();
}

std::string why_unread(const Result<ApiDocument>& document)
{
    if (document && document->unread.empty()) {
        return "";
    }
    const auto what = document ? fmt::format("not all of its lists are known, or their paths lack the prefix of its "
                                             "servers, because this could not be read: {}",
                                             document->unread)
                               : std::string("its lists are not known, because its paths are written in a form that is "
                                             "not read");
    return what + "; ask the service for the same document in JSON, or name the lists that you know after shelfctl "
                  "probe LIB";
}

}  // namespace shelfd::sync
