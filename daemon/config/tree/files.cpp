#include "config/tree/files.hpp"

#include "base/regular_file.hpp"
#include "base/result.hpp"
#include "base/words/shell_word.hpp"
#include "config/tree/toml_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>

#include <cerrno>

#include <fcntl.h>

namespace shelfd::config {
namespace {

FaultKind kind_of(const Error& error)
{
    return error.kind() == ErrorKind::permission ? FaultKind::rights : FaultKind::content;
}

void record_unread(Documents& documents, int number)
{
    documents.complete = false;
    documents.met_shortage = documents.met_shortage || is_shortage(number);
}

// Reads files into text; a file that cannot be read or has the wrong owner is a fault and makes the documents
// incomplete.
class Source {
public:
    Source(Documents& documents, FaultList& faults, Reader reader)
        : documents_(documents), faults_(faults), reader_(reader)
    {
    }

    std::optional<std::string> read(const std::string& name)
    {
        const auto file = open_regular_file(name);
        if (!file) {
            return cannot_read(name, file.error());
        }
        std::string text;
        if (!may_believe(*file, name)) {
            return std::nullopt;
        }
        if (const auto read = read_all(*file, text, max_file); !read) {
            return cannot_read(name, read.error());
        }
        return text;
    }

    // Checks who may write to conf.d: whoever may add a file there may name programs to run.
    bool may_list(const std::string& folder) { return may_believe_folder(folder, Sticky::protects_not); }
    // The same for the directory of the main file, and of the file to which a symbolic link leads: whoever may replace
    // that file, or conf.d, may do so as well.
    void check_place(const std::string& main_file)
    {
        namespace fs = std::filesystem;
        const auto folder = fs::path(main_file).parent_path();
        std::error_code ignored;
        const auto target = fs::canonical(main_file, ignored).parent_path();
        (void)may_believe_folder(folder.empty() ? "." : folder.string(), Sticky::protects);
        if (!ignored && target != fs::canonical(folder.empty() ? "." : folder, ignored)) {
            (void)may_believe_folder(target.string(), Sticky::protects);
        }
    }

private:
    std::nullopt_t cannot_read(const std::string& name, const Error& error)
    {
        const bool is_main = name == documents_.root.position.file;
        const auto next = is_main && error.system_errno == ENOENT
                              ? fmt::format("; answer a few questions: shelfctl init; or begin with a copy: "
                                            "sudo cp /usr/share/doc/shelfd/examples/minimal.toml {}",
                                            shell_word(name))
                              : std::string();
        faults_.add({name, 1, 1}, fmt::format("cannot be read: {}{}", error.text(), next), kind_of(error));
        record_unread(documents_, error.system_errno);
        return std::nullopt;
    }

    bool may_believe_folder(const std::string& folder, Sticky sticky)
    {
        // O_PATH: a directory need not be readable for the files in it to be read.
        const FileDescriptor directory(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
        return !directory || may_believe(directory, folder, sticky);  // listing or reading will report other errors
    }

    bool may_believe(const FileDescriptor& file, const std::string& name, Sticky sticky = Sticky::protects_not)
    {
        if (const auto open_to = check_writers(file, name, Owner::anybody, sticky); !open_to) {
            return refuse(name, open_to.error());
        }
        const auto owned = check_writers(file, name, Owner::root_or_us, sticky);
        if (owned) {
            return true;
        }
        if (reader_ == Reader::anybody) {
            faults_.warn({name, 1, 1}, owned.error().text());
            return true;
        }
        return refuse(name, owned.error());
    }

    bool refuse(const std::string& name, const Error& error)
    {
        faults_.add({name, 1, 1}, error.text(), FaultKind::rights);
        record_unread(documents_, error.system_errno);
        return false;
    }

    Documents& documents_;
    FaultList& faults_;
    Reader reader_;
};

// Ignores files that editors and package managers leave behind (.x.toml, x.toml~, x.toml.dpkg-old).
std::vector<std::string> list_drop_ins(const std::string& main_file, Source& source, FaultList& faults,
                                       Documents& documents, const Overlay& overlay)
{
    namespace fs = std::filesystem;
    const auto folder = fs::path(main_file).parent_path() / "conf.d";
    std::vector<std::string> names;
    if (!source.may_list(folder.string())) {
        return names;
    }
    std::error_code fault;
    for (fs::directory_iterator at(folder, fault), end; !fault && at != end; at.increment(fault)) {
        const auto name = at->path().filename().string();
        std::error_code ignored;
        if (name.ends_with(".toml") && !name.starts_with('.') && !at->is_directory(ignored)) {
            names.push_back(at->path().string());
        }
    }
    if (fault && fault != std::errc::no_such_file_or_directory) {
        const bool is_denied = fault == std::errc::permission_denied;
        faults.add({folder.string(), 1, 1}, "cannot be read: " + fault.message(),
                   is_denied ? FaultKind::rights : FaultKind::content);
        record_unread(documents, fault.value());
    }
    for (const auto& [path, text] : overlay) {
        std::erase(names, path);
        if (text && path != main_file) {
            names.push_back(path);
        }
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
            faults.add(child.key_position, fmt::format("{}{} is in two files: first at {}", prefix, child.key,
                                                       to_text(known->key_position)));
        }
    }
}

}  // namespace

std::string drop_in_path(const std::string& main_file, const std::string& name)
{
    return (std::filesystem::path(main_file).parent_path() / "conf.d" / name).string();
}

Documents read_documents(const std::string& main_file, const Environment& environment, FaultList& faults, Reader reader,
                         const Overlay& overlay)
{
    Documents documents;
    Source source(documents, faults, reader);
    documents.root.position = {main_file, 1, 1};
    source.check_place(main_file);
    documents.files = list_drop_ins(main_file, source, faults, documents, overlay);
    documents.files.insert(documents.files.begin(), main_file);
    for (const auto& file : documents.files) {
        const auto replaced = overlay.find(file);
        const auto text = replaced == overlay.end() ? source.read(file) : replaced->second;
        if (!text) {
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
