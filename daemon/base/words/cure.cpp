#include "base/words/cure.hpp"

#include <utility>

namespace shelfd {
namespace {

const char* words_of(CureKind kind)
{
    switch (kind) {
    case CureKind::check_address: return "check `path` and `base_url`";
    case CureKind::check_path_or_object:
        return "check `path`, or set answers = \"object\", which makes the whole object one row";
    case CureKind::split_list:
        return "if the service never serves the later pages, split the list with `window`, `parent` or a filter in "
               "`params`";
    case CureKind::none:
    case CureKind::other: break;
    }
    return "";
}

}  // namespace

Cure::Cure(CureKind kind) : kind_(kind), words_(words_of(kind)) {}

Cure::Cure(std::string words) : kind_(words.empty() ? CureKind::none : CureKind::other), words_(std::move(words)) {}

Cure cure_of(std::string_view words)
{
    for (const auto kind : {CureKind::check_address, CureKind::check_path_or_object, CureKind::split_list}) {
        if (words == words_of(kind)) {
            return Cure(kind);
        }
    }
    return Cure(std::string(words));
}

}  // namespace shelfd
