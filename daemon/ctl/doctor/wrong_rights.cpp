#include "ctl/doctor/wrong_rights.hpp"

#include "base/words/names.hpp"
#include "base/words/shell_word.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include <sys/stat.h>

namespace shelfd::ctl {
namespace {

constexpr mode_t everything = 07777;
constexpr mode_t rights = 0777;
constexpr mode_t others = 0007;
constexpr mode_t group_and_others = 0077;

constexpr const char* token_directories = "token directories";
constexpr const char* mirror_directories = "mirror directories";
constexpr const char* mirror_files = "mirror files";
constexpr const char* secret_files = "secret files";

// True for a user's own daemon whose group has no other member: then there is nobody to open a directory for.
bool is_private(const Facts& facts, const GroupFacts& group)
{
    const auto users = facts.people.users_of(group.gid);
    return facts.system.of_user && std::all_of(users.begin(), users.end(), [&](const std::string& name) {
               const auto* user = facts.people.find_user(name);
               return user != nullptr && (user->uid == 0 || user->uid == facts.daemon_user());
           });
}

class Rights {
public:
    explicit Rights(const Facts& facts) : facts_(facts), owner_(facts.daemon_user())
    {
        const auto* model = facts.configuration();
        const auto* group = model != nullptr ? facts.people.find_group(model->control.readers) : nullptr;
        readers_ = group != nullptr && !is_private(facts, *group) ? std::optional(group->gid) : std::nullopt;
    }

    void tokens()
    {
        for (const auto* key : {"tokens", "tokens_copy"}) {
            if (const auto* place = facts_.place(key); place != nullptr && place->is_there()) {
                owner(token_directories, *place);
                hidden_from_all(token_directories, *place, S_IRWXU);
            }
        }
        for (const auto& set : facts_.tokens) {
            for (const auto* directory : {&set.directory, &set.copy_directory}) {
                if (directory->kind == PathFacts::Kind::directory) {
                    owner(token_directories, *directory);
                    hidden_from_all(token_directories, *directory, S_IRWXU);
                }
            }
            for (const auto& file : set.files) {
                if (file.kind == PathFacts::Kind::file) {
                    owner(token_directories, file);
                    hidden_from_all(token_directories, file, S_IRUSR | S_IWUSR);
                }
            }
        }
    }

    void mirrors()
    {
        const auto* place = facts_.place("mirrors");
        if (place == nullptr || !place->is_there()) {
            return;
        }
        owner(mirror_directories, *place);
        readable(mirror_directories, *place, directory_mode());
        for (const auto& mirror : facts_.mirrors) {
            if (!facts_.is_configured(mirror.library) || mirror.directory.kind != PathFacts::Kind::directory) {
                continue;
            }
            owner(mirror_directories, mirror.directory);
            readable(mirror_directories, mirror.directory, directory_mode());
            const auto* library = facts_.configuration()->find_library(mirror.library);
            if (!library->readers.empty() && !mirror.file.access) {
                continue;  // the daemon sets modes and access lists together; see check_readers
            }
            if (mirror.file.kind == PathFacts::Kind::file) {
                owner(mirror_files, mirror.file);
                readable(mirror_files, mirror.file, file_mode);
            }
            for (const auto& other : mirror.others) {
                if (other.path == mirror.file.path + "-wal" || other.path == mirror.file.path + "-shm") {
                    owner(mirror_files, other);
                    readable(mirror_files, other, file_mode);
                } else if (other.kind == PathFacts::Kind::file && (other.mode & others) != 0) {
                    mode(mirror_files, Verdict::warning, other, other.mode & ~others);
                }
            }
        }
    }

    void secrets()
    {
        for (const auto& secret : facts_.secrets) {
            if (secret.kind == config::SecretReference::Kind::file && secret.file.kind == PathFacts::Kind::file &&
                (secret.file.mode & (S_IROTH | S_IWOTH)) != 0) {
                mode(secret_files, Verdict::fault, secret.file, secret.file.mode & ~others);
            }
        }
    }

    std::vector<WrongRight> take() && { return std::move(wrong_); }

private:
    static constexpr mode_t file_mode = 0640;
    // Without the readers' group there is nobody to inherit the group for.
    mode_t directory_mode() const { return readers_ ? 02750 : 0750; }

    bool is_ours(const PathFacts& path) const
    {
        const bool owned = owner_ && (path.uid == *owner_ || path.uid == 0);
        const bool single = path.kind == PathFacts::Kind::directory || path.links == 1;
        return owned && single && path.kind != PathFacts::Kind::link;
    }

    void owner(const char* check, const PathFacts& path)
    {
        if (!owner_ || path.uid == *owner_) {
            return;
        }
        const auto wanted = facts_.people.user_name(*owner_);
        wrong_.push_back(
            {check, Verdict::fault, path,
             fmt::format("{} belongs to {}, must belong to {}", path.path, facts_.people.user_name(path.uid), wanted),
             fmt::format("sudo chown {} {}", shell_word(wanted), shell_word(path.path)), std::nullopt, std::nullopt,
             false});
    }

    void hidden_from_all(const char* check, const PathFacts& path, mode_t wanted)
    {
        if ((path.mode & group_and_others) != 0) {
            mode(check, Verdict::fault, path, wanted);
        }
    }

    void readable(const char* check, const PathFacts& path, mode_t wanted)
    {
        if (readers_ && path.gid != *readers_) {
            const auto group = facts_.people.group_name(*readers_);
            wrong_.push_back(
                {check, Verdict::warning, path,
                 fmt::format("{} has the group {}, must have {}", path.path, facts_.people.group_name(path.gid), group),
                 fmt::format("sudo chgrp {} {}", shell_word(group), shell_word(path.path)), std::nullopt, readers_,
                 is_ours(path)});
        }
        const bool fits = (path.mode & wanted) == wanted && (path.mode & rights) == (wanted & rights);
        if (!fits && (readers_ || (path.mode & others) != 0)) {
            mode(check, Verdict::warning, path, wanted);
        }
    }

    void mode(const char* check, Verdict verdict, const PathFacts& path, mode_t wanted)
    {
        wrong_.push_back(
            {check, verdict, path,
             fmt::format("{} has mode {}, must have {}", path.path, mode_text(path.mode), mode_text(wanted)),
             fmt::format("sudo chmod {} {}", mode_text(wanted), shell_word(path.path)), wanted & everything,
             std::nullopt, is_ours(path)});
    }

    const Facts& facts_;
    std::optional<uid_t> owner_;
    std::optional<gid_t> readers_;
    std::vector<WrongRight> wrong_;
};

// One finding for all that is wrong by the same check.
Finding fold(const std::string& check, const std::vector<WrongRight>& wrong)
{
    Finding finding;
    finding.name = check;
    std::vector<std::string> texts;
    constexpr std::size_t shown = 3;
    finding.mendable = true;
    for (const auto& one : wrong) {
        if (one.check != check) {
            continue;
        }
        finding.verdict = std::max(finding.verdict, one.verdict);
        finding.mendable = finding.mendable && one.mendable;
        texts.push_back(one.text);
        if (!one.mendable && finding.do_this.empty()) {
            finding.do_this = one.command;
        }
    }
    const auto count = texts.size();
    finding.text = list_clauses(texts, shown);
    if (finding.mendable) {
        finding.do_this = count == 1 ? wrong.front().command : "sudo shelfctl doctor --fix";
        for (const auto& one : wrong) {
            finding.do_this = count == 1 && one.check == check ? one.command : finding.do_this;
        }
    }
    return finding;
}

void add_hidden(const std::vector<const PathFacts*>& paths, std::map<std::string, std::string>& hidden,
                const char* check)
{
    for (const auto* path : paths) {
        if (path != nullptr && path->kind == PathFacts::Kind::hidden) {
            hidden.emplace(check, path->path);
        }
    }
}

// By check, the first path that may not be looked at.
std::map<std::string, std::string> find_hidden(const Facts& facts)
{
    std::map<std::string, std::string> hidden;
    add_hidden({facts.place("tokens"), facts.place("tokens_copy")}, hidden, token_directories);
    add_hidden({facts.place("mirrors")}, hidden, mirror_directories);
    for (const auto& set : facts.tokens) {
        add_hidden({&set.directory, &set.copy_directory}, hidden, token_directories);
    }
    for (const auto& mirror : facts.mirrors) {
        add_hidden({&mirror.directory}, hidden, mirror_directories);
        add_hidden({&mirror.file}, hidden, mirror_files);
    }
    for (const auto& secret : facts.secrets) {
        add_hidden({&secret.file}, hidden, secret_files);
    }
    return hidden;
}

}  // namespace

std::vector<WrongRight> find_wrong_rights(const Facts& facts)
{
    Rights rights_of(facts);
    rights_of.tokens();
    rights_of.mirrors();
    rights_of.secrets();
    return std::move(rights_of).take();
}

Findings check_rights(const Facts& facts)
{
    Findings findings;
    if (facts.configuration() == nullptr) {
        return findings;
    }
    const auto wrong = find_wrong_rights(facts);
    const auto hidden = find_hidden(facts);
    for (const auto* check : {token_directories, mirror_directories, mirror_files, secret_files}) {
        const bool is_wrong =
            std::any_of(wrong.begin(), wrong.end(), [&](const auto& one) { return one.check == check; });
        if (const auto found = hidden.find(check); found != hidden.end()) {
            findings.push_back({check, Verdict::unknown,
                                fmt::format("not permitted to look at {}: run as root", found->second),
                                "sudo shelfctl doctor", false});
        }
        if (is_wrong) {
            auto finding = fold(check, wrong);
            // A user's own files need no root.
            constexpr std::string_view as_root = "sudo ";
            if (facts.system.of_user && finding.mendable && finding.do_this.starts_with(as_root)) {
                finding.do_this.erase(0, as_root.size());
            }
            findings.push_back(std::move(finding));
        } else if (!hidden.contains(check)) {
            findings.push_back({check, Verdict::ok, "owner, group and mode are as they must be", "", false});
        }
    }
    return findings;
}

}  // namespace shelfd::ctl
