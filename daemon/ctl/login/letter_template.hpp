// Letters in several languages: a text with words in braces, and the sentences that depend on the token set.
#pragma once

#include "base/result.hpp"
#include "base/state/token_state.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace shelfd::ctl {

// Pure, apart from `find_letter`.
class LetterTemplate {
public:
    // Lines `name = sentence` and comments, a line "---", the letter. Errors: config, if a sentence is missing or a
    // word in braces is unknown; the text names it.
    static Result<LetterTemplate> parse(std::string_view text);

    const std::string& sentence(const std::string& name) const { return sentences_.at(name); }
    // Templates that people wrote for earlier versions lack sentences that were added later.
    bool has(const std::string& name) const { return sentences_.contains(name); }
    // Why a new set is needed, in the language of the letter: the sentence for that state, else the general one. Empty
    // if the template has neither, as those that people wrote for earlier versions.
    std::optional<std::string> reason(TokenState state) const;
    // The letter with its words filled in, but not those in their values. A paragraph that is empty then is left out.
    std::string fill(const std::map<std::string, std::string>& words) const;
    // One sentence with its words filled in.
    std::string fill_sentence(const std::string& name, const std::map<std::string, std::string>& words) const;

private:
    std::map<std::string, std::string> sentences_;
    std::string letter_;
};

// The template of that language: letters/LANGUAGE.txt beside `config_file`, else the one that shelfd installs, else for
// "en" the built-in one. Errors: not_found, with the places; config. Blocks.
Result<LetterTemplate> find_letter(const std::string& config_file, const std::string& language);

}  // namespace shelfd::ctl
