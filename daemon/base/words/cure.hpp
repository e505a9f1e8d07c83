// Sentences for people that end with what to do: "the service has no such list (404); check `path`".
#pragma once

#include <string>
#include <string_view>

namespace shelfd {

// `sentence` without `cure` at its end, and without what joins them, "; " or ": ". The same sentence if it does not end
// with `cure`, or if that is empty.
inline std::string without_cure(std::string_view sentence, std::string_view cure)
{
    constexpr std::size_t joint = 2;
    const bool ends_with_it = !cure.empty() && sentence.ends_with(cure) && sentence.size() >= cure.size() + joint;
    return std::string(sentence.substr(0, sentence.size() - (ends_with_it ? cure.size() + joint : 0)));
}

// What a person is to check, as far as something else depends on it.
enum class CureKind {
    none,
    check_address,         // for a 404 or 410 to the first page of a list
    check_path_or_object,  // the rows may be in another member, and no setting names one
    split_list,            // the service refuses later pages of the list
    other,                 // only its words matter
};

// What a person is to check or to type: the words with which the sentence about the trouble ends, and their kind.
// Decisions take the kind, so that the words can change.
class Cure {
public:
    Cure() = default;  // nothing
    explicit Cure(CureKind kind);
    explicit Cure(std::string words);  // of the kind `other`; "" = nothing

    CureKind kind() const { return kind_; }
    std::string_view words() const { return words_; }

private:
    CureKind kind_ = CureKind::none;
    std::string words_;
};

// From the words that an Error holds: the one place that takes the kind from them.
Cure cure_of(std::string_view words);

}  // namespace shelfd
