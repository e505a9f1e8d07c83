// Which parts of a message are our words, a host, or foreign (a long number, a quotation). Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace shelfd::ctl {

inline constexpr std::string_view ellipsis = "…";

constexpr bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

struct SentencePart {
    enum class Kind {
        plain,    // punctuation, blanks, an instant, a short number: kept
        word,     // words, alone or joined by signs: "page", "needs_person", "access-token", "limit=100"
        host,     // the name of a host
        foreign,  // a quoted text, a query, a long number, an address: dropped
    };
    Kind kind = Kind::plain;
    std::string text;
};

// The text must outlive the reader.
class SentenceReader {
public:
    explicit SentenceReader(std::string_view text) : rest_(text) {}
    // Empty at the end.
    std::optional<SentencePart> next();

private:
    SentencePart take(SentencePart::Kind kind, std::size_t length);
    std::optional<SentencePart> special();

    std::string_view rest_;
};

// "…" for several in a row, whatever signs are between them.
std::string without_repeated_ellipses(std::string text);

}  // namespace shelfd::ctl
