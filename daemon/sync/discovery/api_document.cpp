#include "sync/discovery/api_document.hpp"

#include "http/url.hpp"
#include "sync/discovery/json_view.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>

namespace shelfd::sync {
namespace {

constexpr std::size_t max_lists = 300;
constexpr std::size_t max_title = 80;
constexpr int max_references = 8;

enum class Shape { list, object, unknown };

std::string one_line(std::string text)
{
    text = text.substr(0, std::min(text.find_first_of("\r\n"), max_title));
    std::erase_if(text, [](char c) { return static_cast<unsigned char>(c) < 0x20; });
    return text;
}

class Reader {
public:
    Reader(std::string_view body, const std::string& base_url) : root_(body), service_(http::parse_url(base_url)) {}

    Result<ApiDocument> read()
    {
        ApiDocument document;
        if (const auto version = root_.text("openapi"); version.starts_with("3.")) {
            document.version = "OpenAPI " + version;
        } else if (const auto swagger = root_.text("swagger"); swagger.starts_with("2")) {
            document.version = "Swagger " + swagger;
        }
        const auto paths = root_.object("paths");
        if (document.version.empty() || root_.find("paths") == nullptr) {
            return Error(ErrorKind::protocol, "no OpenAPI 3 or Swagger 2 document in JSON");
        }
        const auto base = base_path();
        for (const auto& path : paths.members()) {
            const JsonView item(path.value);
            const auto own = item.find("servers") == nullptr ? base : server_path(item);
            auto list = list_at(own + JsonView::key_of(path), path);
            if (!list) {
                continue;
            }
            if (document.lists.size() == max_lists) {
                ++document.omitted;
                continue;
            }
            document.lists.push_back(std::move(*list));
        }
        return document;
    }

private:
    // Only the path: requests go to the configured host, whatever the document names.
    std::string base_path() const
    {
        const auto base = root_.text("basePath");
        return base.empty() ? server_path(root_) : usable(base);
    }

    std::string server_path(const JsonView& holder) const
    {
        std::optional<std::string> first;
        for (const auto& element : holder.elements("servers")) {
            const auto url = server_url(JsonView(element.value));
            const auto parsed = http::parse_url(url);
            if (service_ && parsed && parsed->origin == service_->origin) {
                return usable(http::path_of(url));
            }
            first = first ? first : url;
        }
        return first ? usable(http::path_of(*first)) : "";
    }

    // With the defaults of its variables: "https://{host}/{version}".
    static std::string server_url(const JsonView& server)
    {
        auto url = server.text("url");
        const auto variables = server.object("variables");
        for (const auto& variable : variables.members()) {
            const auto name = "{" + JsonView::key_of(variable) + "}";
            const auto value = JsonView(variable.value).text("default");
            if (const auto at = url.find(name); at != std::string::npos && !value.empty()) {
                url.replace(at, name.size(), value);
            }
        }
        return url;
    }

    static std::string usable(std::string base)
    {
        while (base.ends_with('/')) {
            base.pop_back();
        }
        return base.starts_with('/') && base.find('{') == std::string::npos ? base : "";
    }

    std::optional<DocumentedList> list_at(std::string path, const mirror::Member& item)
    {
        const JsonView view(item.value);
        const auto get = view.object("get");
        while (path.starts_with("//")) {
            path.erase(0, 1);
        }
        const auto bare = std::string_view(path).substr(0, path.find_last_not_of('/') + 1);
        if (get.empty() || !path.starts_with('/') || bare.ends_with('}')) {
            return std::nullopt;
        }
        DocumentedList list{path, one_line(get.text("summary")), {}};
        for (const auto* place : {&view, &get}) {
            for (const auto& element : place->elements("parameters")) {
                const auto parameter = resolved(JsonView(element.value));
                if (parameter.text("in") != "query") {
                    continue;
                }
                list.query.push_back(parameter.text("name"));
                if (parameter.is_true("required")) {
                    list.required.push_back(parameter.text("name"));
                }
            }
        }
        const auto shape = shape_of(get);
        list.answers_array = shape == Shape::list;
        return shape == Shape::object ? std::nullopt : std::optional(std::move(list));
    }

    Shape shape_of(const JsonView& get)
    {
        const auto answers = get.object("responses");
        const auto answer =
            resolved(answers.find("200") != nullptr ? answers.object("200") : answers.object("default"));
        const auto content = answer.object("content");
        const auto* json = content.find("application/json");
        json = json == nullptr && !content.empty() ? &content.members().front() : json;
        const auto schema = resolved((json == nullptr ? answer : JsonView(json->value)).object("schema"));
        if (schema.text("type") == "array" || schema.find("items") != nullptr) {
            return Shape::list;
        }
        const auto properties = schema.object("properties");
        for (const auto& property : properties.members()) {
            const auto inner = resolved(JsonView(property.value));
            // A frame has few members beside its rows; an item may well hold an array.
            constexpr std::array<std::string_view, 8> frames = {"results", "data",    "items",   "rows",
                                                                "value",   "records", "entries", "content"};
            const auto key = JsonView::key_of(property);
            if ((inner.text("type") == "array" || inner.find("items") != nullptr) &&
                std::find(frames.begin(), frames.end(), key) != frames.end()) {
                return Shape::list;
            }
        }
        return properties.empty() ? Shape::unknown : Shape::object;
    }

    // Follows "$ref": "#/components/parameters/Page".
    JsonView resolved(JsonView view)
    {
        for (int followed = 0; followed < max_references; ++followed) {
            const auto reference = view.text("$ref");
            if (!reference.starts_with("#/")) {
                break;
            }
            view = at(reference.substr(2));
        }
        return view;
    }

    // Keeps the objects on the way: many references lead to the same ones.
    const JsonView& at(const std::string& pointer)
    {
        if (const auto known = objects_.find(pointer); known != objects_.end()) {
            return known->second;
        }
        const auto slash = pointer.rfind('/');
        const auto name = slash == std::string::npos ? pointer : pointer.substr(slash + 1);
        auto found = slash == std::string::npos ? root_.object(name) : at(pointer.substr(0, slash)).object(name);
        return objects_.emplace(pointer, std::move(found)).first->second;
    }

    JsonView root_;
    Result<http::Url> service_;
    std::map<std::string, JsonView> objects_;
};

}  // namespace

Result<ApiDocument> read_api_document(std::string_view body, const std::string& base_url)
{
    if (body.size() > max_document) {
        return Error(ErrorKind::protocol, "the document is larger than 16 MiB");
    }
    return Reader(body, base_url).read();
}

}  // namespace shelfd::sync
