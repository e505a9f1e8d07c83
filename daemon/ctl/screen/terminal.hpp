// The output of shelfctl: results, errors, and a progress line that replaces itself. All text from services and files
// passes here on its way to a screen, so it is made safe here (base/words/safe_text.hpp).
#pragma once

#include "base/result.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace shelfd::ctl {

enum class Colour { none, red, yellow, green, dim, bold };

// Safe text with coloured parts; only a Terminal can add colours.
class StyledText {
public:
    StyledText() = default;
    // Makes the text safe; line feeds and tabs stay.
    explicit StyledText(std::string_view text) { *this += text; }
    StyledText& operator+=(std::string_view text);
    StyledText& operator+=(const StyledText& text);
    // The bytes to be written.
    const std::string& bytes() const { return bytes_; }
    bool empty() const { return bytes_.empty(); }
    friend bool operator==(const StyledText& text, std::string_view bytes) { return text.bytes_ == bytes; }

private:
    friend class Terminal;
    std::string bytes_;
};

// Single-threaded. A failed write is remembered, not reported here.
class Terminal {
public:
    using Sink = std::function<void(std::string_view)>;
    struct Traits {
        bool is_terminal = false;  // standard output
        bool colour = false;
        std::size_t width = 80;                 // columns
        std::size_t height = 24;                // lines
        bool can_ask = false;                   // standard input is a terminal too: a person can answer
        std::size_t error_width = 0;            // columns of standard error; 0 = no terminal
        std::function<bool()> has_failed = {};  // whether standard output has refused something; empty: it never does
        std::function<Result<void>()> check_output = {};  // see Terminal::check_output; empty: nothing is wrong
    };

    Terminal(Sink out, Sink err, Traits traits) : out_(std::move(out)), err_(std::move(err)), traits_(traits) {}

    // Standard output and error of this process. `colour` has no effect without a terminal.
    static Terminal standard(bool colour);

    bool is_terminal() const { return traits_.is_terminal; }
    bool can_ask() const { return traits_.can_ask; }
    // False once something that was printed could not be written.
    bool is_intact() const { return !traits_.has_failed || !traits_.has_failed(); }
    // Whether standard output keeps what will be printed, as far as that can be known before (output_check.hpp).
    Result<void> check_output() const { return traits_.check_output ? traits_.check_output() : Result<void>(); }
    // Columns for which lines are made; empty if standard output is not a terminal.
    std::optional<std::size_t> width() const
    {
        return traits_.is_terminal ? std::optional(traits_.width) : std::nullopt;
    }

    // For people, on standard output: always made safe. On a terminal, long lines are broken between words.
    void print(std::string_view text);
    void print(const StyledText& text);
    // For programs: byte for byte. On a terminal, where no program reads it, made safe.
    void print_exact(std::string_view text);
    // The same for JSON, which is made safe so that it remains JSON with the same meaning.
    void print_json(std::string_view json);
    // "shelfctl: TEXT", on standard error, made safe; broken between words if that is a terminal.
    void complain(std::string_view text);
    // Shows a text of at most four lines that the next output replaces. Only on a terminal.
    void show_progress(const std::string& line);
    // Shows a text in place of the last one: the lines that fit from the first, and how many do not. Without a terminal
    // it is printed, with an empty line after it.
    void redraw(const StyledText& text);

    // Without colours if there are none.
    StyledText paint(Colour colour, std::string_view text) const;

private:
    void clear_progress();
    std::string wrapped(std::string safe) const;
    void write(std::string_view safe);

    Sink out_;
    Sink err_;
    Traits traits_;
    std::size_t progress_lines_ = 0;
};

// The columns of a text on a terminal, by wcwidth(3) in the locale of the process; control characters have none.
std::size_t display_width(std::string_view text);
// The longest prefix of at most `width` columns that ends between two characters.
std::string cut_to_width(std::string_view text, std::size_t width);

}  // namespace shelfd::ctl
