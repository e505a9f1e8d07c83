#include "ctl/library/confirmed_set.hpp"

#include "config/edit/library_edit.hpp"
#include "config/tree/toml_text.hpp"
#include "ctl/library/own_comments.hpp"

namespace shelfd::ctl {

// "007" is a text.
std::string toml_of_id(const std::string& id)
{
    const bool has_digits_only = !id.empty() && id.find_first_not_of("0123456789") == std::string::npos;
    const bool is_number = has_digits_only && id.size() <= 18 && (id == "0" || id.front() != '0');
    return is_number ? id : config::quote(id);
}

// The comment before the key says so; a person's own pause has none.
Result<bool> waits_for_confirmation(const ConfigurationFiles& files, const std::string& library)
{
    const auto* configured = files.configuration().find_library(library);
    if (configured == nullptr || !configured->paused) {
        return false;
    }
    SHELFD_TRY_ASSIGN(file, files.file_of(library));
    SHELFD_TRY_ASSIGN(text, files.text_of(file));
    SHELFD_TRY_ASSIGN(without_both, config::remove_library_key(text, file, library, "paused", waiting_comment));
    SHELFD_TRY_ASSIGN(without_key, config::remove_library_key(text, file, library, "paused"));
    return without_both != without_key;
}

Result<void> confirm_set(ConfigurationFiles& files, const std::string& library, const std::string& id)
{
    return files.edit(library, [&](const std::string& text, const std::string& file) -> Result<std::string> {
        auto next = text;
        if (!id.empty()) {
            SHELFD_TRY_ASSIGN(with_id, config::set_library_key(next, file, library, "library_id", toml_of_id(id)));
            next = std::move(with_id);
        }
        return config::remove_library_key(next, file, library, "paused", waiting_comment);
    });
}

}  // namespace shelfd::ctl
