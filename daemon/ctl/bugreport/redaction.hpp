// Removes from texts what must not leave the machine. This room writes bug reports: no value of a row, secret, token or
// name of a person may be in one.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace shelfd::ctl {

enum class Hosts { numbered, kept };

// Texts of the daemon may quote a service: an answer, an address, a name. So a sentence keeps only the words of our own
// messages and the names that the configuration gives to libraries and tables, instants, and short numbers; the rest
// becomes "…". What the configuration marks as private is removed from the whole report, in every form.
class Redactor {
public:
    explicit Redactor(Hosts hosts);

    // Names of libraries, tables and groups: kept in sentences.
    void keep(const std::string& name);
    // Removed everywhere: as it is, base64, percent-encoded, and each part of eight characters or more.
    void remove(const std::string& value);
    // From an address "https://host:port/…"; becomes "host-1".
    void add_host(const std::string& url);

    std::string sentence(std::string_view text) const;
    // "https://host-1", without path and query; "" for "".
    std::string origin(const std::string& url) const;
    // "/api/v2/recipes/", without its query.
    static std::string path(const std::string& url_path);
    // The name of a table or column, if it looks like one and not like data.
    std::string identifier(const std::string& name) const;
    // For the whole report, at last.
    std::string without_removed(std::string text) const;

private:
    std::string host_name(const std::string& host) const;
    bool is_known_word(std::string_view word) const;
    bool is_known(std::string_view joined) const;

    Hosts hosts_;
    std::unordered_set<std::string> words_;  // in small letters
    std::set<std::string, std::less<>> names_;
    std::map<std::string, std::string, std::less<>> host_names_;
    std::unordered_set<std::string> pieces_;       // of removed values, eight bytes each
    std::unordered_set<std::string> kept_pieces_;  // of hosts
    std::vector<std::string> removed_;             // shorter ones, whole
};

}  // namespace shelfd::ctl
