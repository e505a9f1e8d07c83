#include "config/files.hpp"

#include "base/result.hpp"
#include "base/shortage.hpp"
#include "config/toml_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string_view>
#include <system_error>

namespace shelfd::config {
namespace {

constexpr std::size_t largest_file = 16u << 20;

Error cannot_read(int number)
{
    const auto kind = is_shortage(number) ? ErrorKind::storage : ErrorKind::config;
    return Error(kind, fmt::format("cannot be read: {}", std::strerror(number)));
}

Result<std::string> read_file(const std::string& name)
{
    struct Close {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };
    const std::unique_ptr<std::FILE, Close> file(std::fopen(name.c_str(), "re"));
    if (!file) {
        return cannot_read(errno);
    }
    std::string text;
    char piece[16'384];
    while (const auto size = std::fread(piece, 1, sizeof piece, file.get())) {
        text.append(piece, size);
        if (text.size() > largest_file) {
            return Error(ErrorKind::config, "is larger than 16 MiB");
        }
    }
    if (std::ferror(file.get()) != 0) {
        return cannot_read(errno);
    }
    return text;
}

void note_unread(Documents& documents, const std::string& file, const Error& why, FaultList& faults)
{
    faults.add({file, 1, 1}, why.text());
    documents.complete = false;
    documents.met_shortage = documents.met_shortage || why.kind() == ErrorKind::storage;
}

// Files that editors and package managers leave behind (.x.toml, x.toml~, x.toml.dpkg-old) do not count.
std::vector<std::string> list_drop_ins(const std::string& main_file, FaultList& faults, Documents& documents)
{
    namespace fs = std::filesystem;
    const auto folder = fs::path(main_file).parent_path() / "conf.d";
    std::vector<std::string> names;
    std::error_code fault;
    for (fs::directory_iterator at(folder, fault), end; !fault && at != end; at.increment(fault)) {
        const auto name = at->path().filename().string();
        std::error_code ignored;
        if (name.ends_with(".toml") && !name.starts_with('.') && !at->is_directory(ignored)) {
            names.push_back(at->path().string());
        }
    }
    if (fault && fault != std::errc::no_such_file_or_directory) {
        note_unread(documents, folder.string(), cannot_read(fault.value()), faults);
    }
    std::sort(names.begin(), names.end());
    return names;
}

bool is_collection(std::string_view section)
{
    return section == "application" || section == "resource" || section == "library" || section == "hooks";
}

void merge_into(Node& whole, Node part, const std::string& prefix, FaultList& faults)
{
    for (auto& child : part.children) {
        auto* const known = whole.find(child.key);
        if (known == nullptr) {
            whole.children.push_back(std::move(child));
        } else if (prefix.empty() && is_collection(child.key) && known->is_table() && child.is_table()) {
            const auto inner = child.key + ".";
            merge_into(*known, std::move(child), inner, faults);
        } else {
            faults.add(child.key_position, fmt::format("{}{} stands in two files: first at {}", prefix, child.key,
                                                       to_text(known->key_position)));
        }
    }
}

}  // namespace

Documents read_documents(const std::string& main_file, const Environment& environment, FaultList& faults)
{
    Documents documents;
    documents.root.position = {main_file, 1, 1};
    documents.files = list_drop_ins(main_file, faults, documents);
    documents.files.insert(documents.files.begin(), main_file);
    for (const auto& file : documents.files) {
        const auto text = read_file(file);
        if (!text) {
            note_unread(documents, file, text.error(), faults);
            continue;
        }
        auto tree = read_toml(*text, file, faults);
        if (!tree) {
            documents.complete = false;
            continue;
        }
        expand_environment(*tree, environment, faults);
        merge_into(documents.root, std::move(*tree), "", faults);
    }
    return documents;
}

}  // namespace shelfd::config
